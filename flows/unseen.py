"""What a lane wrote and the index may not show yet.

A write of this lane is in the index for certain once its epoch is over. A lane does not see epochs, but it is asked
for a snapshot at the end of each in which it was touched: what was written before the last few snapshots is old.
"""

from collections import deque

from mneme.rows import Key, Row

SNAPSHOTS = 3  # the sink may be one epoch behind the step, and one more for good measure


class Unseen:
    """The newest row of each key that was written lately; None for one that was removed."""

    def __init__(self) -> None:
        self._generations: deque[dict[str, dict[Key, Row | None]]] = deque([{}])

    def wrote(self, key: Key, row: Row | None) -> None:
        """Remember a write."""
        self._generations[-1].setdefault(key.owner_key, {})[key] = row

    def of(self, owner_key: str) -> dict[Key, Row | None]:
        """An owner's rows as they were written lately."""
        return {key: row for generation in self._generations for key, row in generation.get(owner_key, {}).items()}

    def snapshot_taken(self) -> None:
        """Forget what is in the index by now."""
        self._generations.append({})
        while len(self._generations) > SNAPSHOTS:
            self._generations.popleft()
