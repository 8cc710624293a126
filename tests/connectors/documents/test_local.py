"""Whatever a parser of a format does, a document or one clear refusal comes out."""

import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest

from connectors.documents import local
from connectors.documents.local import LocalParser, Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section, Spoken
from mneme.settings import Documents
from tests.cases.groups import group_of

Instead = Callable[[Callable[[bytes, Task], ParsedDocument]], None]


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> Instead:
    """Put a parser in the place of every other."""
    return lambda parser: monkeypatch.setattr(local, "_parser_of", lambda kind: parser)


def parse(content: bytes = b"text", name: str = "notes.txt", **settings: object) -> ParsedDocument:
    return LocalParser(group_of(Documents, **settings)).parse(content, name, None)


def test_the_format_and_the_title_are_filled_in(instead: Instead):
    instead(lambda content, task: ParsedDocument(" ", ()))
    document = parse(name="folder/Lease of May.txt")
    assert (document.format, document.title) == ("txt", "Lease of May")


@pytest.mark.parametrize("error", [ValueError("the secret text"), KeyError("secret"), OSError("secret")])
def test_what_a_library_raises_is_a_refusal_without_the_text(instead: Instead, error: Exception):
    def fail(content: bytes, task: Task) -> ParsedDocument:
        raise error

    instead(fail)
    with pytest.raises(InputError, match=rf"^notes\.txt: it cannot be read as txt \({type(error).__name__}\); ") as refusal:
        parse(name="/home/ann/notes.txt")
    assert "secret" not in str(refusal.value)
    assert refusal.value.__cause__ is error


def test_what_lies_too_deep_in_itself_is_refused_and_says_so(instead: Instead):
    def fail(content: bytes, task: Task) -> ParsedDocument:
        return fail(content, task)

    instead(fail)
    with pytest.raises(InputError, match=r"^notes\.txt: its parts lie in hundreds of others"):
        parse(name="notes.txt")


def test_what_a_library_raises_is_logged_without_the_text(instead: Instead, caplog: pytest.LogCaptureFixture):
    def fail(content: bytes, task: Task) -> ParsedDocument:
        raise ValueError(content.decode())

    instead(fail)
    caplog.set_level("DEBUG")
    with pytest.raises(InputError):
        parse(b"my words")
    assert "ValueError" in caplog.text
    assert "in fail" in caplog.text
    assert "my words" not in caplog.text


def test_what_is_raised_while_the_format_is_found_is_a_refusal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local, "kind_of", Mock(side_effect=zlib.error("invalid block")))
    with pytest.raises(InputError, match=r"^notes\.txt: it cannot be read as what it says it is \(error\)"):
        parse()


def test_too_little_memory_names_the_setting(instead: Instead):
    def fail(content: bytes, task: Task) -> ParsedDocument:
        raise MemoryError

    instead(fail)
    with pytest.raises(InputError, match=r"more than 300 MB \(MNEME_DOCUMENTS__MEGABYTES\)"):
        parse(megabytes=300)


def test_a_package_that_is_missing_is_named_with_the_extra(instead: Instead):
    def fail(content: bytes, task: Task) -> ParsedDocument:
        raise ModuleNotFoundError("No module named 'webvtt'", name="webvtt")

    instead(fail)
    with pytest.raises(InputError, match=r"needs the package webvtt, .*pip install 'mneme-river\[documents\]'"):
        parse()


@pytest.mark.parametrize(
    ("document", "setting"),
    [
        (ParsedDocument("", (Section("", "x" * 60), Section("", "x" * 60))), "LARGEST_TEXT"),
        (ParsedDocument("", (), spoken=(Spoken("Ann", 0, 1, "x" * 101),)), "LARGEST_TEXT"),
        (ParsedDocument("", (), pages=4), "MOST_PAGES"),
    ],
)
def test_limits_are_checked_and_named(instead: Instead, document: ParsedDocument, setting: str):
    instead(lambda content, task: document)
    with pytest.raises(InputError, match=rf"^notes\.txt: .*MNEME_DOCUMENTS__{setting}"):
        parse(largest_text=100, most_pages=3)


def test_a_file_that_is_too_large_is_not_looked_at():
    with pytest.raises(InputError, match="MNEME_DOCUMENTS__LARGEST_BYTES"):
        parse(b"x" * 101, largest_bytes=100)


def test_what_no_index_holds_is_taken_out(instead: Instead):
    odd = "a\0b\ud800"
    instead(lambda content, task: ParsedDocument(odd, (Section(odd, odd, odd),), metadata={odd: odd}, unread=(odd,)))
    document = parse()
    assert document == ParsedDocument(
        "ab?", (Section("ab?", "ab?", "ab?"),), metadata={"ab?": "ab?"}, unread=("ab?",), format="txt"
    )


def test_a_date_without_a_zone_is_utc(instead: Instead):
    instead(lambda content, task: ParsedDocument("", (), datetime(2026, 3, 1)))
    assert parse().dated_at == datetime(2026, 3, 1, tzinfo=UTC)


def test_what_lies_inside_is_parsed_to_a_depth_and_named(instead: Instead):
    opened: list[str] = []

    def open_inner(content: bytes, task: Task) -> ParsedDocument:
        opened.append(task.name)
        return task.nested(content, f"inner {len(opened)}.txt", None)

    instead(open_inner)
    with pytest.raises(InputError, match=r"inner 3\.txt: it lies 3 documents deep.*send it by itself"):
        parse(attachment_depth=2)
    assert opened[1:] == ["inner 1.txt", "inner 2.txt"]


def unread_of_many(instead: Instead, number: int, **settings: object) -> ParsedDocument:
    """A document with others inside, each of which is read or listed as not read."""

    def open_all(content: bytes, task: Task) -> ParsedDocument:
        if task.name == "inner.txt":
            return ParsedDocument("", (Section("", "x" * 40),))
        sections, unread = [], []
        for _ in range(number):
            try:
                sections += task.nested(content, "inner.txt", None).sections
            except InputError as error:
                unread.append(str(error))
        return ParsedDocument("", tuple(sections), unread=tuple(unread))

    instead(open_all)
    return parse(**settings)


def test_texts_inside_are_bounded_together_and_the_document_is_read(instead: Instead):
    document = unread_of_many(instead, 3, largest_text=100)
    assert len(document.sections) == 2
    assert "MNEME_DOCUMENTS__LARGEST_TEXT" in document.unread[0]


def test_documents_inside_are_bounded_in_number_and_reasons_too(instead: Instead):
    document = unread_of_many(instead, 1_000)
    assert len(document.sections) == 500
    assert "more than 500 documents" in document.unread[0]
    assert document.unread[200:] == ("and 300 more",)


def test_once_most_of_the_time_is_spent_nothing_inside_is_opened(instead: Instead, monkeypatch: pytest.MonkeyPatch):
    moments = iter([0.0, 1.0, 7.4, 7.6])
    monkeypatch.setattr(local, "time", Mock(monotonic=lambda: next(moments)))
    document = unread_of_many(instead, 3, seconds=10)
    assert len(document.sections) == 2
    assert "MNEME_DOCUMENTS__SECONDS" in document.unread[0]


def test_a_recording_is_kept_and_says_that_it_was_not_read():
    document = parse(b"OggS" + bytes(20), "talk.ogg")
    assert (document.format, document.title, document.sections) == ("ogg", "talk", ())
    assert "MNEME_TRANSCRIPTION__PROVIDER" in document.unread[0]


def test_a_name_in_a_message_is_short_and_one_line():
    with pytest.raises(InputError) as refusal:
        parse(b"", "/secret folder/" + "x" * 500 + "\nend.txt")
    assert len(str(refusal.value)) < 200
    assert "secret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)
