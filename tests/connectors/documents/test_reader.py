"""A document is read by whatever serves: a parser, a model that hears, a model that sees."""

from datetime import UTC, datetime

import pytest

from connectors.documents.local import LocalParser
from connectors.documents.reader import Reader, open_reader
from mneme.errors import InputError, ModelError, ModelKeyRefused, ModelMalformed, ModelRefused, ModelTimeout
from mneme.ports import ParsedDocument, Section, Spoken, Transcript
from mneme.settings import Settings

PNG, SOUND, TIFF = b"\x89PNG\r\n\x1a\n" + bytes(20), b"OggS" + bytes(20), b"II*\0" + bytes(20)


class Parser:
    """Reads everything as "by OCR", and remembers how it was closed."""

    closed_with: float | str | None = "open"

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        return ParsedDocument(name, (Section(name, "by OCR"),), format="png")

    def close(self, grace_seconds: float | None = None) -> None:
        self.closed_with = grace_seconds


class Model:
    """A describer and a transcriber that says what it is given, or raises it."""

    def __init__(self, answer: str | tuple[Spoken, ...] | Exception) -> None:
        self._answer = answer
        self.asked: list[tuple[str, ...]] = []
        self.is_closed = False

    def describe(self, picture: bytes, media_type: str, name: str, scope: str) -> str:
        self.asked.append((media_type, name, scope))
        if isinstance(self._answer, Exception):
            raise self._answer
        return str(self._answer)

    def transcribe(self, audio: bytes, name: str, scope: str) -> Transcript:
        self.asked.append((name, scope))
        if isinstance(self._answer, Exception):
            raise self._answer
        assert isinstance(self._answer, tuple)
        return Transcript(self._answer)

    def close(self) -> None:
        self.is_closed = True


def texts(document: ParsedDocument) -> list[str]:
    return [section.text for section in document.sections]


def test_a_picture_is_described_where_a_model_sees():
    model = Model("A desk.\nRoom B1")
    document = Reader(Parser(), model).read(PNG, "desk.png", None, "t/ann/d")
    assert document == ParsedDocument("desk", (Section("desk", "A desk.\nRoom B1"),), format="png", pages=1)
    assert model.asked == [("image/png", "desk.png", "t/ann/d")]


@pytest.mark.parametrize("failure", [ModelRefused("no"), ModelMalformed("?"), InputError("broken"), ""])
def test_a_picture_is_read_by_ocr_where_the_model_fails(failure: Exception | str):
    assert texts(Reader(Parser(), Model(failure)).read(PNG, "desk.png", None, "s")) == ["by OCR"]


@pytest.mark.parametrize("failure", [ModelTimeout("late"), ModelKeyRefused("revoked")])
def test_a_model_out_of_reach_is_worth_trying_again(failure: ModelError):
    with pytest.raises(type(failure)):
        Reader(Parser(), Model(failure)).read(PNG, "desk.png", None, "s")


@pytest.mark.parametrize("content", [PNG, b"a text", TIFF])
def test_all_else_is_parsed(content: bytes):
    model = Model("described")
    reader = Reader(Parser(), None if content == PNG else model)
    assert texts(reader.read(content, "x", None, "s")) == ["by OCR"]
    assert model.asked == []


def test_speakers_of_a_recording_are_spoken():
    said = (Spoken("Ann", 0, 2, "Hello."), Spoken("Ann", 2, 4, "We begin."), Spoken("Bo", 5, 6, "Yes."))
    document = Reader(Parser(), transcriber=Model(said)).read(SOUND, "call.ogg", None, "s")
    assert document.spoken == (Spoken("Ann", 0, 4, "Hello. We begin."), Spoken("Bo", 5, 6, "Yes."))
    assert (document.sections, document.format, document.title) == ((), "ogg", "call")


def test_without_speakers_a_recording_is_sections_of_about_a_minute():
    said = tuple(Spoken("", at, at + 10, f"At {at}.") for at in range(0, 130, 10))
    document = Reader(Parser(), transcriber=Model(said)).read(SOUND, "call.ogg", None, "s")
    assert [section.place for section in document.sections] == ["00:00:00", "00:01:00", "00:02:00"]
    assert document.spoken == ()


def test_silence_says_that_nothing_was_said():
    assert Reader(Parser(), transcriber=Model(())).read(SOUND, "x.ogg", None, "s").unread == ("nothing is said in it",)


def test_without_a_transcriber_a_recording_is_kept_and_says_why_it_was_not_read():
    document = Reader(Parser()).read(SOUND, "call.ogg", "audio/ogg", "s")
    assert (document.title, document.sections, document.format) == ("call", (), "ogg")
    assert document.unread == ("no transcription endpoint is set (MNEME_TRANSCRIPTION__PROVIDER)",)


def test_a_film_is_refused_by_name():
    with pytest.raises(InputError, match=r"^film\.mp4: it is a film"):
        Reader(Parser()).read(b"\0\0\0\x20ftypisom" + bytes(20) + b"hdlr" + bytes(8) + b"vide", "a/film.mp4", None, "s")


def test_everything_is_closed_with_it():
    parser, describer, transcriber = Parser(), Model(""), Model(())
    Reader(parser, describer, transcriber).close(3)
    assert parser.closed_with == 3
    assert describer.is_closed
    assert transcriber.is_closed


def test_the_reader_of_the_settings_parses_as_this_process_would():
    reader = open_reader(Settings())
    try:
        assert reader.read(b"# Plan\nWe ship.", "plan.md", None, "s") == LocalParser().parse(
            b"# Plan\nWe ship.", "plan.md", None
        )
    finally:
        reader.close(0)


def test_a_document_without_a_date_has_that_of_its_name():
    heard = Reader(Parser(), transcriber=Model((Spoken("Ann", 0.0, 2.0, "Hello"),))).read(
        SOUND, "memo-2026-03-01.ogg", None, "t"
    )
    assert heard.dated_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert Reader(Parser()).read(PNG, "desk.png", None, "t").dated_at is None
