"""Papers: what the samples say, before any format. Each is cut into pages, so that it is known what stands where."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` from 1."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list with bullets."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; its first row names the columns."""

    rows: tuple[tuple[str, ...], ...]


Piece = Heading | Paragraph | Items | Grid


@dataclass(frozen=True, slots=True)
class Paper:
    """A document without a format. ``running`` stands in the margin of every page: it is no part of the known text."""

    name: str
    title: str
    author: str
    language: str
    dated_at: datetime
    pages: tuple[tuple[Piece, ...], ...]
    running: str = ""

    def text_of(self, page: int) -> str:
        """What stands on a page (from 0), a line for each heading, paragraph, item and row."""
        return "\n".join(line for piece in self.pages[page] for line in lines_of(piece))

    @property
    def text(self) -> str:
        """What stands in all of it."""
        return "\n".join(self.text_of(page) for page in range(len(self.pages)))

    @property
    def pieces(self) -> list[Piece]:
        """All pieces, over the pages."""
        return [piece for page in self.pages for piece in page]

    def first_page(self) -> "Paper":
        """The paper that ends with its first page."""
        return replace(self, pages=self.pages[:1])


def lines_of(piece: Piece) -> Iterator[str]:
    """The lines of a piece, as plain text."""
    match piece:
        case Heading(text) | Paragraph(text):
            yield text
        case Items(items):
            yield from items
        case Grid(rows):
            yield from (" ".join(row) for row in rows)


def day(year: int, month: int, date: int) -> datetime:
    """Midnight in UTC: documents name days."""
    return datetime(year, month, date, tzinfo=UTC)
