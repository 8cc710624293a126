"""The unit of work: an owner's records as if all writes had arrived, and what is to be written. Blocks: for the pool.

Read through it, put and remove, then take ``changes``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.consistency.aggregates.skills import SkillWriter
from flows.consistency.judge import Judge
from mneme.ports import MemoryIndex
from mneme.records import AnyRecord, Owner
from mneme.rows import Collection, Embedding, Key, Row
from mneme.settings import Settings


@dataclass(frozen=True, slots=True)
class Deciders:
    """The judge, the writer and the embedder that a revision asks, and its settings.

    ``judge`` compares the statements that a model wrote, None where claims alone decide; ``write_skill`` writes what cases
    have in common, None where a rule does. ``embed`` blocks until the vectors are there.
    """

    judge: Judge | None
    write_skill: SkillWriter | None
    embed: Callable[[list[str]], Sequence[Embedding]]
    settings: Settings


class UnitOfWork:
    """The rows of one owner.

    Args:
        owner: whose records these are.
        index: what was acknowledged.
        unrefreshed: what the owner's lane wrote and the index may not show yet; None for what it removed.
    """

    def __init__(self, owner: Owner, index: MemoryIndex, unrefreshed: Mapping[Key, Row | None]) -> None:
        self.owner = owner
        self.index = index
        self._known: dict[Key, Row | None] = dict(unrefreshed)
        self._without_vector: set[Key] = set()
        self._changed: dict[Key, Row | None] = {}
        self._records: dict[Key, tuple[Row, AnyRecord]] = {}

    def key(self, collection: Collection, identity: str) -> Key:
        """The key of a row of this owner."""
        return Key(collection, self.owner.key, identity)

    def rows(self, keys: Iterable[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The rows that are there; vectors only if asked for, or at hand.

        Raises:
            StoreUnavailable: the index does not answer.
        """
        wanted = list(dict.fromkeys(keys))
        missing = [key for key in wanted if key not in self._known or (with_vectors and key in self._without_vector)]
        if missing:
            found = self.index.get(missing, with_vectors)
            for key in missing:
                self._known[key] = found.get(key)
                (self._without_vector.discard if with_vectors else self._without_vector.add)(key)
        return {key: row for key in wanted if (row := self._known[key]) is not None}

    def row(self, key: Key) -> Row | None:
        """One row."""
        return self.rows([key]).get(key)

    def record(self, row: Row) -> AnyRecord:
        """The record of a row, parsed once."""
        known = self._records.get(row.key)
        if known is None or known[0] is not row:
            known = self._records[row.key] = (row, row.record())
        return known[1]

    def known_rows(self, collection: Collection) -> list[Row]:
        """The rows of a collection that are known here: a search of the index may not find them yet."""
        return [row for key, row in self._known.items() if row is not None and key.collection is collection]

    def put(self, row: Row) -> None:
        """Write a whole row."""
        self._known[row.key] = self._changed[row.key] = row
        self._without_vector.discard(row.key)

    def put_if_changed(self, row: Row) -> None:
        """Write a whole row, unless there is one with the same content."""
        before = self.row(row.key)
        if before is None or _content(before) != _content(row):
            self.put(row)

    def remove(self, key: Key) -> None:
        """Remove a row; none that is not there."""
        if self.row(key) is not None:
            self._known[key] = self._changed[key] = None
            self._without_vector.discard(key)  # else the index would be asked for it again, and still have it

    def changes(self) -> dict[Key, Row | None]:
        """The rows to write, and to remove (None), in order."""
        return dict(self._changed)


def _content(row: Row) -> tuple[dict[str, Any], str]:
    return {**row.body, "version": 0}, row.tokens
