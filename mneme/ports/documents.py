"""Documents and sound: bytes to texts."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document under one title. ``position`` counts from 0; ``place`` cites it (``page 3``)."""

    position: int
    title: str
    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as its sections, in order."""

    title: str
    sections: tuple[Section, ...]
    dated_at: datetime | None = None
    metadata: dict[str, str] = field(default_factory=dict)


class DocumentParser(Protocol):
    """Bytes to sections."""

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        """The document's text by sections.

        Raises:
            InputError: the format is not known or the bytes are broken; the message names the file.
        """


class References(Protocol):
    """What documents by reference are read from."""

    def read(self, uri: str, tenant_id: str, sha256: str | None = None) -> bytes:
        """The content that a tenant's ``uri`` names; with ``sha256`` it has that hash.

        Raises:
            InputError: it may not, or cannot, be read, or is another; the message says why.
        """


class Transcriber(Protocol):
    """Speech to text."""

    def transcribe(self, audio: bytes, name: str) -> str:
        """What is said."""
