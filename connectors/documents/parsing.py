"""What a parser of one format is: a function from bytes to a document, told what it needs to know by a ``Task``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mneme.ports import ParsedDocument
from mneme.settings import Documents


@dataclass(frozen=True, slots=True)
class Task:
    """One document to parse.

    Attributes:
        name: its file name.
        media_type: what the sender says it is; None where nothing is said.
        settings: limits, languages and resolution.
        nested: parses what lies inside: an attachment of a mail, a picture of a text document.
        depth: 0 for a document, 1 for what lies inside it, and so on.
    """

    name: str
    media_type: str | None
    settings: Documents
    nested: Callable[[bytes, str, str | None], ParsedDocument]
    depth: int = 0


class FormatParser(Protocol):
    """The parser of one format."""

    def __call__(self, content: bytes, task: Task) -> ParsedDocument:
        """The document; ``format`` and the limits on text are seen to by who calls (connectors/documents/local.py).

        Raises:
            InputError: see ``DocumentParser.parse``; the message need not name the file, who calls puts its name in front.
        """
