"""Files as a source: what is recognised, in which order it comes, and what is refused."""

import hashlib
import json
from pathlib import Path

import pytest

from connectors.documents.references import DocumentReferences
from connectors.files.files import content_identity, count_events, half_written, identities, read_file
from mneme.errors import InputError
from mneme.events import Document, Message, parse_event
from mneme.ports import Incoming
from mneme.settings import Documents
from mneme.times import utc_now

LINE = {"event": "message", "conversation_id": "talk", "user_id": "ada", "sent_at": "2026-03-01T09:00:00Z", "content": "Hello"}


def written(folder: Path, name: str, content: bytes | str | object) -> Path:
    path = folder / name
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode()
    path.write_bytes(content)
    return path


def lines(*events: object) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def events(incoming: list[Incoming]) -> list[Message]:
    return [parse_event(one.raw, utc_now()) for one in incoming]


# --- positions -------------------------------------------------------------------------------------------------------


def test_a_position_is_the_hash_of_the_content_and_the_line(tmp_path):
    path = written(tmp_path, "a.jsonl", lines(LINE, {**LINE, "content": "Bye"}))
    topic = f"file:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    assert [str(one.position) for one in read_file(path)] == [f"{topic}/0/0", f"{topic}/0/1"]
    assert [one.received_at for one in read_file(path)] == [None, None]


def test_the_same_file_under_another_name_is_the_same_file(tmp_path):
    one, other = written(tmp_path, "a.jsonl", lines(LINE)), written(tmp_path, "b.txt", lines(LINE))
    assert content_identity(one) == content_identity(other) == hashlib.sha256(one.read_bytes()).hexdigest()
    assert list(read_file(one)) == list(read_file(other))


CHAT = {"messages": [{"role": "user", "content": f"number {number}"} for number in range(5)]}


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.jsonl", lines(*[LINE] * 3) + "\n" + lines(*[LINE] * 2)), ("a.json", CHAT), ("a.md", "# Title\ntext")],
)
def test_reading_goes_on_where_it_stopped(tmp_path, name, content):
    path = written(tmp_path, name, content)
    everything = list(read_file(path, user_id="ada"))
    for number, event in enumerate(everything):
        assert list(read_file(path, event.position.offset, user_id="ada")) == everything[number:]
    assert list(read_file(path, everything[-1].position.offset + 1, user_id="ada")) == []
    assert count_events(path, user_id="ada") == len(everything)


# --- JSON Lines ------------------------------------------------------------------------------------------------------


def test_lines_are_passed_on_as_they_are(tmp_path):
    raw = b'{"event":  "message", "conversation_id": "c", "future": [1, 2]}'
    assert [one.raw for one in read_file(written(tmp_path, "a.jsonl", raw + b"\n"))] == [raw]


@pytest.mark.parametrize("broken", [b'{"event": "message", ', b"\xff\xfe not text", b"[]", b"hello", b'"\xc3'])
def test_a_broken_line_is_passed_on_for_the_flow_to_refuse(tmp_path, broken):
    good = json.dumps(LINE).encode()
    for content in ([broken, good], [good, broken, good]):
        path = written(tmp_path, "a.jsonl", b"\n".join(content))
        assert [one.raw for one in read_file(path)] == content
        assert [one.raw for one in read_file(path, user_id="ada", conversation_id="c", tenant_id="t") if one.raw == broken]


def test_a_file_of_broken_lines_only_is_one_of_broken_lines(tmp_path):
    assert [one.raw for one in read_file(written(tmp_path, "a.jsonl", "oops\n{oops\n"))] == [b"oops", b"{oops"]


def test_blank_lines_are_skipped_and_counted_as_lines(tmp_path):
    path = written(tmp_path, "a.jsonl", "\n" + lines(LINE) + " \n\r\n" + lines(LINE) + "\n")
    assert [one.position.offset for one in read_file(path)] == [1, 4]
    assert count_events(path) == 2


def test_a_byte_order_mark_and_line_ends_of_windows_do_no_harm(tmp_path):
    line = json.dumps(LINE).encode()
    path = written(tmp_path, "a.jsonl", b"\xef\xbb\xbf" + line + b"\r\n" + line + b"\r\n")
    assert [one.raw for one in read_file(path)] == [line, line]


def test_a_last_line_without_its_end_is_read(tmp_path):
    assert count_events(written(tmp_path, "a.jsonl", lines(LINE) + json.dumps(LINE))) == 2


def test_a_huge_line_is_one_event(tmp_path):
    huge = {**LINE, "content": "x" * 5_000_000}
    path = written(tmp_path, "a.jsonl", lines(LINE, huge, LINE))
    assert [len(one.raw) > 5_000_000 for one in read_file(path)] == [False, True, False]


def test_events_are_recognised_whatever_the_file_is_called(tmp_path):
    for name in ("a", "a.json", "a.txt", "a.log"):
        assert [one.content for one in events(list(read_file(written(tmp_path, name, lines(LINE)))))] == ["Hello"]


def test_what_lines_do_not_say_is_filled_in_and_what_they_say_is_kept(tmp_path):
    bare = {"content": "Hi", "event": "message", "sent_at": "2026-03-01T09:00:00Z"}
    path = written(tmp_path, "a.jsonl", lines(bare, LINE, {**bare, "agent_id": "helper", "tenant_id": "own"}))
    first, second, third = events(list(read_file(path, user_id="bob", tenant_id="acme", conversation_id="given")))
    assert (first.owner.key, first.conversation_id) == ("acme/user/bob", "given")
    assert (second.owner.key, second.conversation_id) == ("acme/user/ada", "talk")
    assert (third.owner.key, third.conversation_id) == ("own/agent/helper", "given")


def test_every_event_that_has_an_owner_is_of_the_one_that_is_given(tmp_path):
    said = {"conversation_id": "talk", "message_id": "m2", "sent_at": "2026-03-01T09:00:00Z", "content": "I live in Milan."}
    corrected = {"event": "correct", **said, "corrects": "m1", "words": "I live in Rome."}
    forgotten = {"event": "forget_document", "document_id": "lease"}
    path = written(tmp_path, "a.jsonl", lines(said, corrected, forgotten, {"event": "erase"}, {**forgotten, "user_id": "ada"}))
    read = events(list(read_file(path, user_id="bob")))
    assert [event.owner.key for event in read] == ["default/user/bob"] * 4 + ["default/user/ada"]


def test_a_list_of_events_is_read_as_events(tmp_path):
    path = written(tmp_path, "a.json", [LINE, {**LINE, "content": "Bye"}, {"event": "flush", "flush_id": "f"}])
    raws = [json.loads(one.raw) for one in read_file(path, conversation_id="given")]
    assert raws == [LINE, {**LINE, "content": "Bye"}, {"event": "flush", "flush_id": "f", "conversation_id": "given"}]


# --- documents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "media_type"), [("notes.md", "text/markdown"), ("notes.txt", "text/plain"), ("README", "text/plain")]
)
def test_a_text_is_one_document(tmp_path, name, media_type):
    (document,) = events(list(read_file(written(tmp_path, name, "\ufeff[Notes](x)\n\nTea – 茶"), tenant_id="acme")))
    assert isinstance(document, Document)
    assert (document.document_id, document.name, document.media_type) == (name, name, media_type)
    assert document.content == "[Notes](x)\n\nTea – 茶"
    assert document.dated_at is None
    assert document.owner.key == "acme/tenant/acme"


def test_a_document_belongs_to_the_owner_that_is_given(tmp_path):
    (document,) = events(list(read_file(written(tmp_path, "notes.md", "Tea"), group_id="team")))
    assert document.owner.key == "default/group/team"


def test_what_is_no_short_text_is_left_where_it_lies(tmp_path):
    files = {
        "report.pdf": (b"%PDF-1.7\n", "application/pdf"),
        "a table.csv": (b"a,b\n1,2\n3,4\n", "text/csv"),
        "page.html": (b"<!doctype html><p>Tea</p>", "text/html"),
        "talk.vtt": (b"WEBVTT\n\n00:01.000 --> 00:02.000\nTea\n", "text/vtt"),
        "latin.txt": (b"caf\xe9", "text/plain"),
        "long.md": (b"tea " * 300_000, "text/markdown"),
        "no text.txt": (b"\x89PNG\r\n\x1a\n....", "image/png"),
        "no lines.jsonl": (b"\x89PNG\r\n\x1a\n....", "image/png"),
        "no events.json": (b"%PDF-1.7\n", "application/pdf"),
    }
    for name, (content, media_type) in files.items():
        path = written(tmp_path, name, content)
        assert count_events(path) == 1
        (incoming,) = read_file(path, user_id="ada")
        (document,) = events([incoming])
        assert isinstance(document, Document)
        assert (document.content, document.data) == (None, None)
        assert (document.uri, document.sha256) == (path.as_uri(), hashlib.sha256(content).hexdigest())
        assert (document.document_id, document.name, document.media_type) == (f"ada/{name}", name, media_type)
        assert len(incoming.raw) < 1_000, "memory stays small"
        references = DocumentReferences(Documents(), also=[path])
        assert references.read(document.uri, "default", document.sha256) == content


def test_a_file_that_is_a_link_is_named_as_what_it_is_and_lies_where_it_lies(tmp_path):
    (tmp_path / "link.pdf").symlink_to(written(tmp_path, "report.pdf", b"%PDF-1.7\n"))
    (document,) = events(list(read_file(tmp_path / "link.pdf")))
    assert (document.name, document.uri) == ("link.pdf", (tmp_path / "report.pdf").as_uri())


def test_a_document_may_be_named_by_who_reads_it(tmp_path):
    path = written(tmp_path, "notes.md", "Tea")
    (document,) = events(list(read_file(path, name="guides/notes.md", user_id="ada")))
    assert (document.document_id, document.name) == ("ada/guides/notes.md", "notes.md")


def test_a_text_that_begins_with_a_bracket_is_a_text(tmp_path):
    for name in ("app.log", "notes.md", "todo"):
        (document,) = events(list(read_file(written(tmp_path, name, "[2026-03-01] started\n[x] tea\n"))))
        assert document.content == "[2026-03-01] started\n[x] tea\n"


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.jsonl", b"", "empty"),
        ("blank.json", b"\xef\xbb\xbf \n\n", "empty"),
        ("archive.txt", b"\x1f\x8b\x08", "gzip, which is not read; unpack it"),
        ("torn.docx", b"PK\x03\x04....", "ZIP archive.*cannot be opened"),
        ("data.bin", bytes(range(256)), "binary data of no format"),
        ("letter.rtf", b"{\\rtf1 Tea}", "RTF, which is not read; save it as docx"),
        ("latin.json", b'{"messages": "caf\xe9"}', "UTF-8 at byte 17"),
        ("torn.json", b'{"messages": [', "not JSON"),
        ("unknown.json", b'{"shape": "unknown"}', "no form that is understood.*ChatGPT export.*Slack export"),
        ("unknown.jsonl", b'{"shape": 1}\n{"shape": 2}\n', "no form that is understood"),
        ("numbers.json", b"[1, 2]", "no form that is understood"),
        ("nothing.json", b"[]", "no form that is understood"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_by_name_with_what_is(tmp_path, name, content, reason):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError, match=reason) as refusal:
        list(read_file(path, user_id="ada"))
    assert name in str(refusal.value)
    with pytest.raises(InputError, match=reason):
        count_events(path, user_id="ada")


@pytest.mark.parametrize("call", [read_file, count_events, content_identity])
def test_a_file_that_is_not_there_is_refused_by_name(tmp_path, call):
    with pytest.raises(InputError, match=r"absent\.jsonl: no such file"):
        call(tmp_path / "absent.jsonl")
    with pytest.raises(InputError, match="is a directory"):
        call(tmp_path)


def test_an_export_that_loses_its_form_is_refused_with_the_place(tmp_path):
    path = written(tmp_path, "chat.json", {"messages": [{"role": "user", "content": "Hi"}, "not a message"]})
    with pytest.raises(InputError, match=r"chat\.json: after 1 messages"):
        count_events(path, user_id="ada")


def test_a_lone_surrogate_stops_nothing(tmp_path):
    path = written(tmp_path, "chat.json", b'[{"role": "user", "content": "\\ud83d"}, {"role": "user", "content": "Hi"}]')
    first, second = read_file(path, user_id="ada")
    with pytest.raises(InputError, match="UTF-8"):
        parse_event(first.raw, utc_now())
    assert parse_event(second.raw, utc_now()).content == "Hi"


# --- files that grow -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [lines(LINE, LINE), lines(LINE, LINE).rstrip("\n")])
def test_a_file_that_grew_is_known_by_what_it_was(tmp_path, before):
    was = content_identity(written(tmp_path, "before.jsonl", before))
    grown = written(tmp_path, "grown.jsonl", lines(LINE, LINE, LINE))
    assert was in dict(identities(grown))
    assert list(identities(grown))[-1] == (content_identity(grown), 3)
    other = written(tmp_path, "other.jsonl", lines({**LINE, "content": "Bye"}, LINE, LINE))
    assert was not in dict(identities(other))


def test_a_line_that_is_half_written_is_of_no_identity(tmp_path):
    was = written(tmp_path, "a.jsonl", lines(LINE, LINE))
    growing = written(tmp_path, "growing.jsonl", was.read_text() + '{"conversation_id": "ta')
    assert list(identities(growing))[-1] == (content_identity(was), 2)
    assert (half_written(was), half_written(growing)) == (None, 3)
    assert half_written(written(tmp_path, "notes.md", "{Tea")) is None


def test_events_stay_in_the_source_that_is_given(tmp_path):
    path = written(tmp_path, "a.jsonl", lines(LINE, LINE))
    assert [str(one.position) for one in read_file(path, 1, source="0123456789abcdef01")] == ["file:0123456789abcdef/0/1"]


def test_a_document_has_no_identity_and_a_chat_only_that_of_all(tmp_path):
    assert list(identities(written(tmp_path, "notes.md", "Tea"))) == []
    chat = written(tmp_path, "a.json", [LINE, LINE])
    assert list(identities(chat)) == [(content_identity(chat), None)]
