"""What a lane wrote and the index may not show yet, and the records of what it wrote, so that they need not be parsed again.

A write of this lane is in the index for certain once its epoch is over. A lane does not see epochs, but it is asked
for a snapshot at the end of each in which it was touched: what was written before the last few snapshots is old.
"""

from collections import deque

from mneme.records import AnyRecord
from mneme.rows import Key, Row

SNAPSHOTS = 3  # the sink may be one epoch behind the step, and one more for good measure


class Unseen:
    """The newest row of each key that was written lately; None for one that was removed."""

    def __init__(self) -> None:
        self._generations: deque[dict[str, dict[Key, Row | None]]] = deque([{}])
        self._records: deque[dict[str, dict[Key, AnyRecord]]] = deque([{}])

    def wrote(self, key: Key, row: Row | None, record: AnyRecord | None = None) -> None:
        """Remember a write; ``record`` is that of the row, where it is at hand."""
        self._generations[-1].setdefault(key.owner_key, {})[key] = row
        if record is not None:
            self._records[-1].setdefault(key.owner_key, {})[key] = record

    def of(self, owner_key: str) -> dict[Key, Row | None]:
        """An owner's rows as they were written lately."""
        return {key: row for generation in self._generations for key, row in generation.get(owner_key, {}).items()}

    def records_of(self, owner_key: str) -> dict[Key, AnyRecord]:
        """The records of an owner's rows as far as they were at hand; each holds for the row with the same version only."""
        return {key: record for generation in self._records for key, record in generation.get(owner_key, {}).items()}

    def snapshot_taken(self) -> None:
        """Forget what is in the index by now."""
        self._generations.append({})
        self._records.append({})
        while len(self._generations) > SNAPSHOTS:
            self._generations.popleft()
            self._records.popleft()
