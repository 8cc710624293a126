"""Documents by whatever reads them: a parser, a model that hears, a model that sees."""

import logging
from dataclasses import replace
from pathlib import PurePath

from connectors.documents.dates import date_in_name
from connectors.documents.formats.captions import minutes, utterances
from connectors.documents.kinds import Kind, media_kind
from connectors.documents.local import short_name
from connectors.documents.pool import ParserPool
from mneme.errors import InputError, ModelKeyRefused, ModelMalformed, ModelRefused
from mneme.ports import Describer, ParsedDocument, Section, Transcriber
from mneme.settings import Settings

log = logging.getLogger(__name__)

_NO_TRANSCRIBER = "no transcription endpoint is set (MNEME_TRANSCRIPTION__PROVIDER)"


class Reader:
    """A ``DocumentReader``.

    A recording is transcribed: its speakers are ``spoken``; where nobody is told apart, it is sections of about a minute. A
    picture is described, or parsed (OCR) where no model is set or the model cannot say what it shows. All else is parsed.

    Args:
        parser: bytes to sections, without a model; closed with this.
        describer: pictures to text; None: no model sees.
        transcriber: speech to text; None: recordings are kept by name.
    """

    def __init__(self, parser: ParserPool, describer: Describer | None = None, transcriber: Transcriber | None = None) -> None:
        self._parser = parser
        self._describer = describer
        self._transcriber = transcriber

    def read(self, content: bytes, name: str, media_type: str | None, scope: str) -> ParsedDocument:
        """See ``DocumentReader``. A document that has no date has that of its name."""
        document = self._read(content, name, media_type, scope)
        return document if document.dated_at is not None else replace(document, dated_at=date_in_name(name))

    def _read(self, content: bytes, name: str, media_type: str | None, scope: str) -> ParsedDocument:
        try:
            kind = media_kind(content)
        except InputError as error:
            raise InputError(f"{short_name(name)}: {error}") from error
        if kind is not None and kind.family == "sound":
            return self._transcribe(content, name, kind, scope)
        if kind is not None and self._describer is not None:
            return self._describe(self._describer, content, name, kind, scope)
        return self._parser.parse(content, name, media_type)

    def close(self, grace_seconds: float | None = None) -> None:
        """See ``DocumentReader``."""
        self._parser.close(grace_seconds)
        if self._describer is not None:
            self._describer.close()
        if self._transcriber is not None:
            self._transcriber.close()

    def _transcribe(self, content: bytes, name: str, kind: Kind, scope: str) -> ParsedDocument:
        title = PurePath(name).stem
        if self._transcriber is None:
            return ParsedDocument(title, (), format=kind.name, unread=(_NO_TRANSCRIBER,))
        transcript = self._transcriber.transcribe(content, name, scope)
        unread = () if transcript.spoken else ("nothing is said in it",)
        if any(piece.speaker for piece in transcript.spoken):
            spoken = tuple(utterances(transcript.spoken))
            return ParsedDocument(title, (), format=kind.name, spoken=spoken)
        sections = minutes(transcript.spoken, title)
        return ParsedDocument(title, sections, format=kind.name, unread=unread)

    def _describe(self, describer: Describer, content: bytes, name: str, kind: Kind, scope: str) -> ParsedDocument:
        """Have a model describe a picture. A tiff is parsed, as it may be a scan: a model sees its first page only."""
        if kind.name == "tiff":
            return self._parser.parse(content, name, kind.media_type)
        title = PurePath(name).stem
        try:
            text = describer.describe(content, kind.media_type, name, scope).strip()
        except ModelKeyRefused:  # described once the key is put right
            raise
        except (ModelRefused, ModelMalformed) as error:
            log.warning("a picture is read by OCR, since the model did not describe it (%s)", type(error).__name__)
            text = ""
        except InputError:  # no picture to a model: the parser says why
            text = ""
        if text:
            return ParsedDocument(title, (Section(title, text),), format=kind.name, pages=1)
        return self._parser.parse(content, name, kind.media_type)


def open_reader(settings: Settings) -> Reader:
    """The reader of the settings; processes are started when the first document comes."""
    from connectors.models import open_describer, open_transcriber

    return Reader(ParserPool(settings.documents), open_describer(settings), open_transcriber(settings))
