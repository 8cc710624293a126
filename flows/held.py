"""What must wait until everything before it is written, in whichever process.

Where several processes run the flow, a step may be handed something while another process is still writing what came
before it. The engine's epochs tell when that is over: sources enter an epoch only when all that the one before brought is
written everywhere, and a step snapshots at the end of each epoch. The first snapshot after an arrival ends the epoch of
the arrival, of which other processes may still be writing; the second ends the one that could only begin afterwards.
"""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")

_SNAPSHOTS = 2


class Held(Generic[Item]):
    """Items of one step, held until everything before them is written by all processes.

    A step that holds something must stay awake, for a step that sleeps through an epoch is not asked for a snapshot.
    What a snapshot held needs to wait no longer after a restart: its epoch is over everywhere.

    Args:
        processes: how many run the flow; with one, what came before is written first as it is, and nothing is held.
    """

    def __init__(self, processes: int) -> None:
        self._alone = processes == 1
        self._snapshots = 0
        self._held: deque[tuple[int, Item]] = deque()

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, item: Item) -> None:
        """Take in an item behind those that are held."""
        self._held.append((self._snapshots, item))

    def restore(self, item: Item) -> None:
        """Take in what the snapshot held from which the step began."""
        self._held.append((self._snapshots - _SNAPSHOTS, item))

    def released(self) -> Iterator[Item]:
        """Remove and yield the items that need not wait any longer, in order."""
        while self._held and (self._alone or self._snapshots - self._held[0][0] >= _SNAPSHOTS):
            yield self._held.popleft()[1]

    def items(self) -> list[Item]:
        """What is held, in order: for the step's snapshot."""
        return [item for _, item in self._held]

    def snapshot_taken(self) -> None:
        """The step was asked for a snapshot."""
        self._snapshots += 1
