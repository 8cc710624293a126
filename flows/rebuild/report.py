"""What a rebuild found, removed and made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mneme.ports import MemoryIndex
from mneme.rows import Collection

TOPICS = "topics"  # the note in the index that a rebuild from them has begun to remove everything

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Found:
    """What is there before a rebuild, rows by collection. ``goes_on`` when one that was interrupted goes on."""

    rows: Mapping[Collection, int]
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did: rows that were removed, and rows that there are now, by collection."""

    removed: Mapping[Collection, int]
    made: Mapping[Collection, int]
    dead_letters: int
    seconds: float


def rows_in(index: MemoryIndex) -> dict[Collection, int]:
    """How many rows each collection has, of all tenants."""
    index.refresh()
    return {collection: index.count(collection) for collection in Collection}
