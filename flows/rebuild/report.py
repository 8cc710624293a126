"""What a rebuild found, removed and made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mneme.ports import MemoryIndex
from mneme.rows import Collection

TOPICS = "topics"  # the note in the index that a rebuild from them has begun to remove everything
MESSAGES = "messages"  # the note that one from the messages fills the next generation

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Found:
    """What is there before a rebuild, rows by collection. ``goes_on`` when one that was interrupted goes on."""

    rows: Mapping[Collection, int]
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did: rows that there are now, by collection, and rows that it removed to make them.

    ``dropped`` generations from before were removed, and ``restarted`` flows read their topics from the beginning.
    """

    made: Mapping[Collection, int]
    dead_letters: int
    seconds: float
    removed: Mapping[Collection, int] = field(default_factory=dict)
    dropped: int = 0
    restarted: tuple[str, ...] = ()


def rows_in(index: MemoryIndex) -> dict[Collection, int]:
    """How many rows each collection has, of all tenants."""
    return {collection: index.count(collection) for collection in Collection}
