"""Where the stream begins: what a source does at each poll, without the engine.

A feed never blocks, gives nothing while this process has more unfinished than its limit, and knows its place, which is
restored exactly. ``FileFeed`` ends; ``PartitionFeed`` ends only when the flow is told to stop.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from connectors.reading_order import ReadingOrder
from flows.cuts import Utterance
from flows.items import Embedded, Pause
from flows.lanes.pending import Pending
from mneme.ports import Incoming
from mneme.records import StoredMessage
from mneme.rows import Key, Row

Fed = Incoming | Embedded | Pause


class Feed(Protocol):
    """One partition of a source."""

    def next_batch(self) -> list[Fed]:
        """What came since; empty if nothing did.

        Raises:
            StopIteration: nothing will come any more.
        """

    def resume_state(self) -> object:
        """Where to go on after a restart; called at the end of each epoch."""

    def close(self) -> None:
        """Release files and connections."""


class Reader(Protocol):
    """What a feed needs of one Kafka partition (connectors/kafka/client.py)."""

    @property
    def position(self) -> int:
        """The offset that is read next."""

    def poll(self, limit: int) -> list[Incoming]:
        """What is there, at most ``limit``; never blocks."""

    def lag(self) -> int:
        """How many events are not read yet."""

    def commit(self, offset: int) -> None:
        """Tell the group where it is, for lag monitors."""

    def close(self) -> None:
        """Leave."""


class PartitionFeed:
    """One Kafka partition, for as long as the flow runs.

    The offset committed to Kafka follows one epoch behind: at the end of an epoch the writes of the one before are
    certainly done. It is for lag monitors only; the place to resume from is in the recovery store.

    Args:
        reader: the partition.
        pending: what this process has not finished.
        limit: above how much unfinished the feed pauses.
        batch: the most events of a poll.
        stopping: ends the feed.
        may_read: further reason to pause (a backfill gives way to live traffic).
        polled: called after each poll.
    """

    def __init__(
        self,
        reader: Reader,
        pending: Pending,
        limit: int,
        batch: int,
        stopping: threading.Event,
        may_read: Callable[[], bool] = lambda: True,
        polled: Callable[[], None] = lambda: None,
    ) -> None:
        self._reader = reader
        self._pending = pending
        self._limit = limit
        self._batch = min(batch, limit)
        self._stopping = stopping
        self._may_read = may_read
        self._polled = polled
        self._finished: int | None = None

    def next_batch(self) -> list[Fed]:
        """The next events of the partition."""
        if self._stopping.is_set():
            raise StopIteration
        if self._pending.total >= self._limit or not self._may_read():
            return []
        batch: list[Fed] = list(self._reader.poll(self._batch))
        self._polled()
        self._pending.enter(len(batch))
        return batch

    @property
    def unread(self) -> int:
        """How many events are known to be there and not read yet."""
        return self._reader.lag()

    def resume_state(self) -> int:
        """The next offset."""
        if self._finished is not None:
            self._reader.commit(self._finished)
        self._finished = self._reader.position
        return self._finished

    def close(self) -> None:
        """Leave the partition."""
        self._reader.close()


class FileFeed:
    """Files, one after the other, then the end of all conversations.

    The place is ``{content hash: events read}``: a file that was read is not read again under any name, and one that
    grew is another file, of which the messages that are known are recognised by their ids. A document is given again each
    time: it is known by its edition where it is read, also when it is what it was two versions ago.

    Args:
        paths: the files.
        read: a file's events from an ordinal on (connectors/files/files.py).
        identity: the hash of a file's content; None of a document.
        place: where an earlier run stopped.
        buckets: how many buckets the conversations are in.
        pending, limit, batch, stopping: as for ``PartitionFeed``.
        fed: called at each poll with how many events of all files were read.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        read: Callable[[Path, int], Iterator[Incoming]],
        identity: Callable[[Path], str | None],
        place: dict[str, int] | None,
        buckets: int,
        pending: Pending,
        limit: int,
        batch: int,
        stopping: threading.Event,
        fed: Callable[[int], None] = lambda count: None,
    ) -> None:
        self._place = dict(place or {})
        self._buckets = buckets
        self._pending = pending
        self._limit = limit
        self._batch = min(batch, limit)
        self._stopping = stopping
        self._fed = fed
        self._count = 0
        self._events = self._all_events(paths, read, identity)
        self._ended = False

    def next_batch(self) -> list[Fed]:
        """The next events; at the end pauses for all buckets, and then nothing until all is finished."""
        if self._stopping.is_set():
            raise StopIteration
        self._fed(self._count)
        if self._ended:
            if self._pending.total == 0:
                raise StopIteration
            return []
        if self._pending.total >= self._limit:
            return []
        batch: list[Fed] = []
        for event in self._events:
            batch.append(event)
            if len(batch) == self._batch:
                break
        else:
            self._ended = True
            batch += [Pause("", "end", bucket=bucket) for bucket in range(self._buckets)]
        self._pending.enter(len(batch))
        return batch

    def resume_state(self) -> dict[str, int]:
        """How far each file was read."""
        return dict(self._place)

    def close(self) -> None:
        """Nothing is held open."""

    def _all_events(
        self,
        paths: Sequence[Path],
        read: Callable[[Path, int], Iterator[Incoming]],
        identity: Callable[[Path], str | None],
    ) -> Iterator[Incoming]:
        for path in paths:
            content = identity(path)
            for event in read(path, 0 if content is None else self._place.get(content, 0)):
                if content is not None:
                    self._place[content] = event.position.offset + 1
                self._count += 1
                yield event


class EndOffsets:
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

    def advance(self, partition: str, position: int) -> None:
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
    """One partition up to the end_offsets; when all partitions have got there, what is open is shown, and all feeds end.

    Args:
        feed, reader: the partition.
        name: its name in the end_offsets.
        end_offsets: shared by all partitions.
        pending, stopping: as for ``PartitionFeed``.
        buckets: how many buckets the conversations are in.
    """

    def __init__(
        self,
        feed: PartitionFeed,
        reader: Reader,
        name: str,
        end_offsets: EndOffsets,
        pending: Pending,
        stopping: threading.Event,
        buckets: int,
    ) -> None:
        self._feed = feed
        self._reader = reader
        self._name = name
        self._horizon = end_offsets
        self._pending = pending
        self._stopping = stopping
        self._buckets = buckets
        end_offsets.advance(name, reader.position)

    def next_batch(self) -> list[Fed]:
        """The next events; behind the end_offsets nothing, until all is finished."""
        if not self._horizon.is_reached(self._name):
            batch = self._feed.next_batch()
            self._horizon.advance(self._name, self._reader.position)
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

    def resume_state(self) -> int:
        """The next offset."""
        return self._feed.resume_state()

    def close(self) -> None:
        """Leave the partition."""
        self._feed.close()


class StoredFeed:
    """A ``Feed`` of messages with the vectors they have; the place is how many were read.

    What a process that died may have been given is given again as ``replayed``. A conversation rests when all of it is
    read, so that no more of them are open than are read at a time.

    Args:
        order: which messages, in which order.
        read: the rows of keys, with vectors.
        place: where an earlier run stopped.
        pending, limit, batch, stopping: as for ``PartitionFeed``.
        fed: called at each poll with how many messages were read.
        waiting: events that come behind the messages.
        buckets: how many buckets the conversations are in.
    """

    def __init__(
        self,
        order: ReadingOrder,
        read: Callable[[Sequence[Key]], Mapping[Key, Row]],
        place: int | None,
        pending: Pending,
        limit: int,
        batch: int,
        stopping: threading.Event,
        fed: Callable[[int], None] = lambda count: None,
        waiting: Sequence[Incoming] = (),
        buckets: int = 0,
    ) -> None:
        self._waiting = waiting
        self._buckets = buckets
        self._order = order
        self._read = read
        self._place = place or 0
        self._pending = pending
        self._limit = limit
        self._batch = min(batch, limit)
        self._stopping = stopping
        self._fed = fed
        self._read_before = order.reached

    def next_batch(self) -> list[Fed]:
        """The next messages; at the end nothing until all is finished."""
        if self._stopping.is_set():
            raise StopIteration
        self._fed(self._place)
        if self._place == len(self._order) + len(self._waiting):
            if self._pending.total == 0:
                raise StopIteration
            return []
        if self._pending.total >= self._limit:
            return []
        if self._place >= len(self._order):
            return self._all_that_waits()
        ahead = self._order.read(self._place, self._batch + 1)  # one more tells whether its conversation goes on
        rows = self._read([key for _, key in ahead[: self._batch]])
        batch: list[Fed] = []
        for number, (lane, key) in enumerate(ahead[: self._batch], start=1):
            row = rows.get(key)
            message = row.record() if row is not None else None
            if row is not None and isinstance(message, StoredMessage) and not message.deleted:
                batch.append(Embedded(Utterance.of(message, row.embedding), replayed=self._place < self._read_before))
            self._place += 1
            if number == len(ahead) or ahead[number][0] != lane:
                batch.append(Pause(lane, "end"))
        self._order.reach(self._place)
        self._pending.enter(len(batch))
        return batch

    def _all_that_waits(self) -> list[Fed]:
        """The events of before, and the end of all conversations."""
        batch: list[Fed] = list(self._waiting)
        batch += [Pause("", "end", bucket=bucket) for bucket in range(self._buckets)]
        self._place = len(self._order) + len(self._waiting)
        self._pending.enter(len(batch))
        return batch

    def resume_state(self) -> int:
        """How many messages were read, and behind them events."""
        return self._place

    def close(self) -> None:
        """Release the list."""
        self._order.close()
