"""The topics as a finite source: up to where they reached when reading began."""

import threading
from collections.abc import Iterable, Mapping

from flows.feeds import Fed, PartitionFeed, Reader
from flows.items import Pause
from flows.pending import Pending


class Horizon:
    """Where each partition ends for this run, and how far all of them have been read.

    Args:
        ends: of each partition the offset that is not read any more.
        starts: of each partition the earliest offset.
    """

    def __init__(self, ends: Mapping[str, int], starts: Mapping[str, int]) -> None:
        self._ends = dict(ends)
        self._starts = dict(starts)
        self._positions = dict(starts)
        self._is_ended = False

    def tell(self, partition: str, position: int) -> None:
        """A partition has been read so far."""
        self._positions[partition] = position

    def is_reached(self, partition: str) -> bool:
        """Whether a partition has been read to its end."""
        return self._positions[partition] >= self._ends[partition]

    def are_reached(self, partitions: Iterable[str] = ()) -> bool:
        """Whether these partitions have been read to their ends; all, if none are named."""
        return all(self.is_reached(each) for each in (partitions or self._ends))

    def end_once(self) -> bool:
        """True for the first who asks."""
        is_first, self._is_ended = not self._is_ended, True
        return is_first

    @property
    def progress(self) -> tuple[int, int]:
        """Events read, and events in all."""
        read = sum(min(self._positions[each], end) - self._starts[each] for each, end in self._ends.items())
        return read, sum(end - self._starts[each] for each, end in self._ends.items())


class BoundedFeed:
    """One partition up to the horizon; when all partitions have got there, what is open is shown, and all feeds end.

    Args:
        feed, reader: the partition.
        name: its name in the horizon.
        horizon: shared by all partitions.
        pending, stopping: as for ``PartitionFeed``.
        buckets: how many buckets the conversations are in.
    """

    def __init__(
        self,
        feed: PartitionFeed,
        reader: Reader,
        name: str,
        horizon: Horizon,
        pending: Pending,
        stopping: threading.Event,
        buckets: int,
    ) -> None:
        self._feed = feed
        self._reader = reader
        self._name = name
        self._horizon = horizon
        self._pending = pending
        self._stopping = stopping
        self._buckets = buckets
        horizon.tell(name, reader.position)

    def next_batch(self) -> list[Fed]:
        """The next events; behind the horizon nothing, until all is finished."""
        if not self._horizon.is_reached(self._name):
            batch = self._feed.next_batch()
            self._horizon.tell(self._name, self._reader.position)
            return batch
        if self._stopping.is_set():
            raise StopIteration
        if not self._horizon.are_reached() or self._pending.total:
            return []
        if not self._horizon.end_once():
            raise StopIteration
        # Everything has arrived where conversations are kept; some of it is held back there.
        ends: list[Fed] = [Pause("", "end", bucket=bucket) for bucket in range(self._buckets)]
        self._pending.enter(len(ends))
        return ends

    def place(self) -> int:
        """The next offset."""
        return self._feed.place()

    def close(self) -> None:
        """Leave the partition."""
        self._feed.close()
