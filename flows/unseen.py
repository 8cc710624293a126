"""What a lane wrote and the index may not show yet.

A write of this lane is in the index for certain once its epoch is over. A lane does not see epochs, but it is asked
for a snapshot at the end of each in which it was touched: what was written before the last few snapshots is old.
"""

from mneme.rows import Key, Row

_SNAPSHOTS = 3  # the sink may be one epoch behind the step, and one more for good measure


class Unseen:
    """The newest row of each key that was written lately; None for one that was removed."""

    def __init__(self) -> None:
        self._generations: list[dict[Key, Row | None]] = [{}]

    def wrote(self, key: Key, row: Row | None) -> None:
        """Remember a write."""
        self._generations[-1][key] = row

    def newest(self, key: Key, indexed: Row | None) -> Row | None:
        """The row as it will be when all writes have arrived, given what the index holds."""
        for generation in reversed(self._generations):
            if key in generation:
                return generation[key]
        return indexed

    def snapshot_taken(self) -> None:
        """Forget what is in the index by now."""
        self._generations.append({})
        del self._generations[:-_SNAPSHOTS]
