"""The state of a lane: what it keeps for some epochs, the versions of what it writes, and its snapshots.

A write of a lane is in the index for certain once its epoch is over. A lane does not see epochs, but hears at the end of each
epoch in which it was touched (``epoch_done``): what it wrote before the last few of them is in the index.

Where several processes run the flow, a step may receive an item while another process still writes what came before it.
Sources enter an epoch only when everything of the epoch before is written everywhere. The first end after an arrival
is that of the epoch of the arrival, which other processes may still be writing. The second is that of the epoch that could
only begin afterwards.

A version is ``run * 10**12 + counter``: of two writes the one made later wins, whichever arrives last. The run is a number
that grows with every start of a flow (flows/running/recovery.py keeps it), the counter runs in the process. A lane is in one
process at a time, so its versions only grow. A replay after a crash writes higher versions than the attempt that crashed, so
the index ends at what the replay says even where the crashed attempt had got further.

A snapshot is versioned bytes of references and counters, without texts or pickled classes: the version, a colon and deflated
JSON, or what a step makes of it itself (``split_state``). A step that changes the form of its state raises its version, and the
format of the store with it (mneme/store_format.py): no older form is read. Items are kept as references (flows/items.py).
"""

import itertools
import json
import zlib
from collections import ChainMap, deque
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from mneme.errors import StoreRejected

EPOCHS_KEPT = 3  # the current one, the one that the sink may be behind, and one to spare

Name = TypeVar("Name")
Value = TypeVar("Value")


class RecentKeys(ChainMap[Name, Value]):
    """A dictionary that forgets what was not set again for some epochs. Its maps are those of the last epochs, newest first."""

    def pop(self, name: Name, default: Any = None) -> Any:
        """Remove a name from all epochs (``ChainMap`` knows the newest alone); its value, or the default."""
        value = self.get(name, default)
        for epoch in self.maps:
            epoch.pop(name, None)
        return value

    def __delitem__(self, name: Name) -> None:
        if name not in self:
            raise KeyError(name)
        self.pop(name)

    def epoch_done(self) -> None:
        """Forget what is in the index by now."""
        self.maps = [{}, *self.maps[: EPOCHS_KEPT - 1]]


Item = TypeVar("Item")

_EPOCHS_HELD = 2


class EpochBarrier(Generic[Item]):
    """Items of one step, held until everything before them is written by all processes.

    A step that holds something must stay awake, for a step that sleeps through an epoch does not hear of its end.
    What a snapshot held needs to wait no longer after a restart: its epoch is over everywhere.

    Args:
        processes: how many run the flow; with one, what came before is written first as it is, and nothing is held.
    """

    def __init__(self, processes: int) -> None:
        self._alone = processes == 1
        self._epochs = 0
        self._held: deque[tuple[int, Item]] = deque()

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, item: Item) -> None:
        """Take in an item behind those that are held."""
        self._held.append((self._epochs, item))

    def restore(self, item: Item) -> None:
        """Take in what the snapshot held from which the step began."""
        self._held.append((self._epochs - _EPOCHS_HELD, item))

    def released(self) -> Iterator[Item]:
        """Remove and yield the items that need not wait any longer, in order."""
        while self._held and (self._alone or self._epochs - self._held[0][0] >= _EPOCHS_HELD):
            yield self._held.popleft()[1]

    def items(self) -> list[Item]:
        """The held items in order, for the step's snapshot."""
        return [item for _, item in self._held]

    def epoch_done(self) -> None:
        """An epoch of the step is over."""
        self._epochs += 1


# Three years at 10,000 writes a second (a run that outgrew its share would win over the next one), and 9 million runs
# within the 63 bits that an index has for a version.
WRITES_PER_RUN = 10**12
MOST_RUNS = 1_000_000  # that an archive may claim: a row of the last version would leave an index no newer one


class Versions:
    """Gives out versions of a run above ``first``; safe for several threads (``itertools.count`` is atomic in CPython)."""

    def __init__(self, run: int, first: int = 0) -> None:
        self._counter = itertools.count(run * WRITES_PER_RUN + first + 1)

    def next(self) -> int:
        """A version higher than all before."""
        return next(self._counter)


# --- snapshots --------------------------------------------------------------------------------------------------------


def encode_state(version: int, state: Any) -> bytes:
    """A state value from plain JSON values."""
    return b"%d:" % version + zlib.compress(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode(), 1)


def decode_state(value: bytes, version: int) -> Any:
    """The plain values of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is malformed.
    """
    try:
        return json.loads(zlib.decompress(split_state(value, version)))
    except (ValueError, zlib.error) as error:
        raise StoreRejected(_DAMAGED) from error


def split_state(value: bytes, version: int) -> bytes:
    """The body of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is malformed.
    """
    head, _, body = value.partition(b":")
    try:
        written = int(head)
    except ValueError as error:
        raise StoreRejected(_DAMAGED) from error
    if written != version:
        raise StoreRejected(
            f"another version of Mneme wrote the recovery store (state {written}, here {version}); use that version, or run "
            "`mneme admin rebuild`"
        )
    return body


_DAMAGED = "the recovery store holds a state value that is not Mneme's; use its own directory"
