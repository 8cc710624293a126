"""What a lane wrote and the index may not show yet.

A write of this lane is in the index for certain once its epoch is over. A lane does not see epochs, but it is asked
for a snapshot at the end of each in which it was touched: what was written before the last few snapshots is old. Old
is not enough while a read is under way that began before: what it found is used when its turn comes, and must not
undo what was written meanwhile.
"""

from collections import deque

from mneme.rows import Key, Row

_SNAPSHOTS = 3  # the sink may be one epoch behind the step, and one more for good measure


class Unseen:
    """The newest row of each key that was written lately; None for one that was removed."""

    def __init__(self) -> None:
        self._generations: deque[dict[Key, Row | None]] = deque([{}])
        self._taken = 0

    @property
    def taken(self) -> int:
        """How many snapshots were taken: what a read that begins now is dated with."""
        return self._taken

    def wrote(self, key: Key, row: Row | None) -> None:
        """Remember a write."""
        self._generations[-1][key] = row

    def newest(self, key: Key, indexed: Row | None) -> Row | None:
        """The row as it will be when all writes have arrived, given what the index holds."""
        for generation in reversed(self._generations):
            if key in generation:
                return generation[key]
        return indexed

    def snapshot_taken(self, oldest_read: int | None = None) -> None:
        """Forget what is in the index by now, and was when the oldest read under way began."""
        self._taken += 1
        self._generations.append({})
        behind = self._taken - (self._taken if oldest_read is None else oldest_read)
        while len(self._generations) > _SNAPSHOTS + behind:
            self._generations.popleft()
