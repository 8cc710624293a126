"""An owner's records as if all writes had arrived: what a lane wrote lately, and what it is about to write, over the index.

One unit of work: read through it, ``put`` and ``remove``, then take ``changes``. Blocks: for the pool.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from mneme.ports import MemoryIndex
from mneme.records import AnyRecord, Owner
from mneme.rows import Collection, Key, Row


class View:
    """What one owner's lane sees.

    Args:
        owner: whose records these are.
        index: what was acknowledged.
        unseen: what the lane wrote and the index may not show yet (flows/lanes/epochs.py); None for what it removed.
        records: of rows that the lane wrote, as far as they were at hand then.
    """

    def __init__(
        self,
        owner: Owner,
        index: MemoryIndex,
        unseen: Mapping[Key, Row | None],
        records: Mapping[Key, AnyRecord] = MappingProxyType({}),
    ) -> None:
        self.owner = owner
        self.index = index
        self._known: dict[Key, Row | None] = dict(unseen)
        self._without_vector: set[Key] = set()
        self._changed: dict[Key, Row | None] = {}
        self._written_records = records
        self._records: dict[int, tuple[dict[str, Any], AnyRecord]] = {}  # by the identity of a body, which is kept for that

    def key(self, collection: Collection, identity: str) -> Key:
        """Where a row of this owner lies."""
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
        """The record of a row; each is parsed once, and none whose record is known from when it was written."""
        known = self._records.get(id(row.body))
        if known is None:
            written = self._written_records.get(row.key)
            record = written if written is not None and written.version == row.version else row.record()
            known = self._records[id(row.body)] = (row.body, record)
        return known[1]

    def record_at(self, key: Key) -> AnyRecord | None:
        """The record of one row."""
        row = self.row(key)
        return self.record(row) if row is not None else None

    def lately(self, collection: Collection) -> list[Row]:
        """The rows of a collection that are known here: a search of the index may not find them yet."""
        return [row for key, row in self._known.items() if row is not None and key.collection is collection]

    def put(self, row: Row, record: AnyRecord | None = None) -> None:
        """Write a whole row; ``record`` is its record, where it is at hand."""
        key = row.key
        self._known[key] = self._changed[key] = row
        self._without_vector.discard(key)
        if record is not None:
            self._records[id(row.body)] = (row.body, record)

    def put_if_changed(self, row: Row, record: AnyRecord | None = None) -> None:
        """Write a whole row, unless there is one with the same content."""
        before = self.row(row.key)
        if before is None or _content(before) != _content(row):
            self.put(row, record)

    def remove(self, key: Key) -> None:
        """Remove a row; none that is not there."""
        if self.row(key) is not None:
            self._known[key] = self._changed[key] = None

    def changes(self) -> dict[Key, Row | None]:
        """What is to be written, and removed (None), in order."""
        return dict(self._changed)

    def changed_records(self) -> dict[Key, AnyRecord]:
        """The records of what is to be written, as far as they are at hand."""
        known = ((key, self._records.get(id(row.body))) for key, row in self._changed.items() if row is not None)
        return {key: each[1] for key, each in known if each is not None}


def _content(row: Row) -> tuple[dict[str, Any], str]:
    return {**row.body, "version": 0}, row.tokens
