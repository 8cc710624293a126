"""Documents, pictures and sound: bytes to texts, and where they are fetched from."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document under one title and at one place; a title that goes on over a page is two sections.

    ``title`` is the path of headings, ``Guide > Installing``. ``place`` cites it: ``page 3``, ``slide 2``, ``sheet Budget``,
    ``line 12``, ``00:01:30``, ``attachment offer.pdf, page 1``. In ``text`` a row of a table is one line that names its columns
    (``Item: Desk; Price: 120``), an item of a list one line that begins with ``- ``.
    """

    title: str
    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words of one speaker in a recording, in seconds from its beginning; ``speaker`` is empty where it is not known."""

    speaker: str
    begins: float
    ends: float
    text: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as its sections, in order.

    Attributes:
        title: what it calls itself, else its name.
        sections: what was read; none of a document whose content is speech, or was not read.
        dated_at: its own date, aware; never that of the upload.
        metadata: what it says of itself: author, subject, language.
        format: what it is, by its content (``pdf``, ``docx``); see connectors/documents/kinds.py.
        spoken: speech with speakers, which becomes the messages of a conversation.
        unread: what of it was not read, and why (``page 7: no text, and tesseract is not installed``).
        pages: of how many pages, sheets or slides, where the format knows any.
    """

    title: str
    sections: tuple[Section, ...]
    dated_at: datetime | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    format: str = ""
    spoken: tuple[Spoken, ...] = ()
    unread: tuple[str, ...] = ()
    pages: int | None = None


class DocumentParser(Protocol):
    """Bytes to sections, on this machine and without a model."""

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        """The document's text by sections. What it is, its content says; ``name`` and ``media_type`` only where that is open.

        A picture or a recording that nothing here can read is a document without sections, and says why in ``unread``.

        Raises:
            InputError: the format is not known, the bytes are broken or hostile, or reading them needs something that is
                not installed, or more time, memory, pages or text than the settings allow; the message names the remedy.
        """


class DocumentReader(Protocol):
    """Bytes to sections, by whatever serves: a parser, a transcription, a description by a model. Blocks: for a pool."""

    def read(self, content: bytes, name: str, media_type: str | None, scope: str) -> ParsedDocument:
        """As ``DocumentParser.parse``. What a model said is kept under ``scope`` (as of ``Prompt``) before it is used.

        Raises:
            InputError: as ``DocumentParser.parse``.
            ModelError: a model is set for this and out of reach: worth trying again.
        """

    def close(self, grace_seconds: float | None = None) -> None:
        """End processes and connections; what is read now has so many seconds (None: all it needs)."""


class References(Protocol):
    """The stores that documents by reference are read from."""

    def read(self, uri: str, tenant_id: str, sha256: str | None = None) -> bytes:
        """The content that a tenant's ``uri`` names; with ``sha256`` it has that hash.

        Raises:
            InputError: it may not, or cannot, be read, or is another; the message says why.
            StoreUnavailable: the store does not answer: worth trying again.
        """


@dataclass(frozen=True, slots=True)
class Transcript:
    """Speech as text, in stretches of some seconds."""

    spoken: tuple[Spoken, ...]


class Transcriber(Protocol):
    """Speech to text."""

    def transcribe(self, audio: bytes, name: str, scope: str) -> Transcript:
        """Transcribe speech; the answer is kept under ``scope`` before it is used.

        Raises:
            ModelError: as of ``ChatModel.answer``.
        """

    def close(self) -> None:
        """Release connections."""


class Describer(Protocol):
    """Pictures to text."""

    def describe(self, picture: bytes, media_type: str, name: str, scope: str) -> str:
        """Describe a picture and every text in it; the answer is kept under ``scope`` before it is used.

        Raises:
            InputError: it is no picture that a model can be shown (an svg is none); the message does not name the file.
            ModelError: as of ``ChatModel.answer``.
        """

    def close(self) -> None:
        """Release connections."""
