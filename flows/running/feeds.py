"""Feeds, the sources of the stream without the engine: one partition of Kafka or of the inbox, files, stored messages.

A feed never blocks, gives nothing while this process has more unfinished than its limit, and knows its place, which is
restored exactly. ``FileFeed`` ends; ``PartitionFeed`` ends only when the flow is told to stop.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
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
FilePlace = tuple[int, str]  # how many events of a file were read, and the name of their source


class Feed(Protocol):
    """One partition of a source."""

    def next_batch(self) -> list[Fed]:
        """The events since the last poll; empty if there are none.

        Raises:
            StopIteration: nothing will come any more.
        """

    def resume_state(self) -> object:
        """The place to go on from after a restart; called at the end of each epoch."""

    def close(self) -> None:
        """Release files and connections."""


class EventReader(Protocol):
    """The interface of one partition, of Kafka (connectors/kafka/reader.py) or of the inbox."""

    @property
    def position(self) -> int:
        """The offset that is read next."""

    @property
    def place(self) -> object:
        """The argument to open the partition with, to go on there."""

    def poll(self, limit: int) -> list[Incoming]:
        """The events that are there, at most ``limit``; never blocks."""

    def lag(self) -> int:
        """Count the events that are not read yet."""

    def commit(self, offset: int) -> None:
        """Tell the group where it is, for lag monitors."""

    def close(self) -> None:
        """Leave."""


@dataclass(frozen=True, slots=True)
class FeedLimits:
    """Limits of the feeds of one process.

    Attributes:
        pending: the backlog of the flow.
        most: the backlog above which a feed pauses.
        batch: the most events of a poll.
        stopping: ends the feeds.
        buckets: into how many buckets conversations are hashed, for the pauses at the end of a finite feed.
    """

    pending: Pending
    most: int
    batch: int
    stopping: threading.Event
    buckets: int = 0

    @property
    def at_once(self) -> int:
        """The most events of one poll: never more than the backlog may have."""
        return min(self.batch, self.most)

    def end_all(self) -> list[Fed]:
        """The pauses that end all conversations."""
        return [Pause("", "end", bucket=bucket) for bucket in range(self.buckets)]


class PartitionFeed:
    """One partition, for as long as the flow runs.

    The offset committed to Kafka follows one epoch behind: at the end of an epoch the writes of the one before are
    certainly done. It is for lag monitors only; the place to resume from is in the recovery store.

    Args:
        reader: the partition.
        limits: of the process.
        may_read: further reason to pause (a backfill gives way to live traffic).
        polled: called after each poll.
    """

    def __init__(
        self,
        reader: EventReader,
        limits: FeedLimits,
        may_read: Callable[[], bool] = lambda: True,
        polled: Callable[[], None] = lambda: None,
    ) -> None:
        self._reader = reader
        self._limits = limits
        self._may_read = may_read
        self._polled = polled
        self._finished: int | None = None

    def next_batch(self) -> list[Fed]:
        """The next events of the partition."""
        limits = self._limits
        if limits.stopping.is_set():
            raise StopIteration
        if limits.pending.total >= limits.most or not self._may_read():
            return []
        batch: list[Fed] = list(self._reader.poll(limits.at_once))
        self._polled()
        limits.pending.enter(len(batch))
        return batch

    @property
    def unread(self) -> int:
        """Count the events that are known to be there and not read yet."""
        return self._reader.lag()

    def resume_state(self) -> object:
        """The next place."""
        if self._finished is not None:
            self._reader.commit(self._finished)
        self._finished = self._reader.position
        return self._reader.place

    def close(self) -> None:
        """Leave the partition."""
        self._reader.close()


class EndOffsets:
    """The end offset of each partition for this run, and how far all of them have been read.

    Args:
        bounds: of each partition the earliest offset, and the one that is not read any more.
    """

    def __init__(self, bounds: Mapping[str, tuple[int, int]]) -> None:
        self._bounds = dict(bounds)
        self._positions = {name: first for name, (first, _) in bounds.items()}
        self._is_ended = False

    def advance(self, partition: str, position: int) -> None:
        """A partition has been read so far."""
        self._positions[partition] = position

    def is_reached(self, partition: str) -> bool:
        """Return whether a partition has been read to its end."""
        return self._positions[partition] >= self._bounds[partition][1]

    def are_reached(self, partitions: Iterable[str] = ()) -> bool:
        """Return whether these partitions have been read to their ends; all, if none are named."""
        return all(self.is_reached(each) for each in (partitions or self._bounds))

    def end_once(self) -> bool:
        """True for the first who asks."""
        is_first, self._is_ended = not self._is_ended, True
        return is_first

    @property
    def progress(self) -> tuple[int, int]:
        """Events read, and events in all."""
        read = sum(min(self._positions[each], end) - first for each, (first, end) in self._bounds.items())
        return read, sum(end - first for first, end in self._bounds.values())


class BoundedFeed(PartitionFeed):
    """One partition up to its end offset; when all partitions have got there, what is open is shown, and all feeds end.

    Args:
        reader, limits, may_read: as for ``PartitionFeed``.
        name: of the partition in ``end_offsets``.
        end_offsets: shared by all partitions.
    """

    def __init__(
        self,
        reader: EventReader,
        limits: FeedLimits,
        name: str,
        end_offsets: EndOffsets,
        may_read: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(reader, limits, may_read)
        self._name = name
        self._end_offsets = end_offsets
        end_offsets.advance(name, reader.position)

    def next_batch(self) -> list[Fed]:
        """The next events; behind the end offset nothing, until all is finished."""
        if not self._end_offsets.is_reached(self._name):
            batch = super().next_batch()
            self._end_offsets.advance(self._name, self._reader.position)
            return batch
        limits = self._limits
        if limits.stopping.is_set():
            raise StopIteration
        if not self._end_offsets.are_reached() or limits.pending.total:
            return []
        if not self._end_offsets.end_once():
            raise StopIteration
        # Everything has arrived where conversations are kept; some of it is held back there.
        ends = limits.end_all()
        limits.pending.enter(len(ends))
        return ends


class FiniteFeed(ABC):
    """A feed that ends when it has given everything, and all of that is finished.

    Args:
        limits: of the process.
        fed: called at each poll with how many events were read.
    """

    def __init__(self, limits: FeedLimits, fed: Callable[[int], None]) -> None:
        self._limits = limits
        self._fed = fed
        self._count = 0  # of events that were read
        self._is_ended = False

    def next_batch(self) -> list[Fed]:
        """The next events; at the end nothing until all is finished."""
        limits = self._limits
        if limits.stopping.is_set():
            raise StopIteration
        self._fed(self._count)
        if self._is_ended and limits.pending.total == 0:
            raise StopIteration
        if self._is_ended or limits.pending.total >= limits.most:
            return []
        batch = self._read()
        limits.pending.enter(len(batch))
        return batch

    @abstractmethod
    def _read(self) -> list[Fed]:
        """Read the next events, and note when they are the last."""


class FileFeed(FiniteFeed):
    """Files, one after the other, then the end of all conversations.

    The place is ``{identity: (events read, source)}``: a file that was read is not read again under any name. One that grew
    goes on behind what was read of it, and its events stay in one source, named by what it was at first. Where two files have
    one beginning, the second goes on as a source of its own. A document has no identity and is given again each time: it is
    known by its edition where it is read, also when it is what it was two versions ago.

    Args:
        paths: the files.
        read: the events of a file from an ordinal on, in a source (connectors/files/files.py).
        identities: those of a file: its present one comes last, behind those that it had when it ended sooner. With each comes
            the place at which what it is of ends (None: it is of all); behind that nothing is read, for it is being written.
        place: where an earlier run stopped.
        limits, fed: as for ``FiniteFeed``.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        read: Callable[[Path, int, str | None], Iterator[Incoming]],
        identities: Callable[[Path], Iterable[tuple[str, int | None]]],
        place: Mapping[str, FilePlace] | None,
        limits: FeedLimits,
        fed: Callable[[int], None] = lambda count: None,
    ) -> None:
        super().__init__(limits, fed)
        self._place = dict(place or {})
        self._read_file = read
        self._identities = identities
        self._events = (event for path in paths for event in self._events_of(path))

    def resume_state(self) -> dict[str, FilePlace]:
        """The number of events that were read of each file, and their source."""
        return dict(self._place)

    def close(self) -> None:
        """Nothing is held open."""

    def _read(self) -> list[Fed]:
        batch: list[Fed] = list(islice(self._events, self._limits.at_once))
        if len(batch) < self._limits.at_once:
            self._is_ended = True
            batch += self._limits.end_all()
        return batch

    def _events_of(self, path: Path) -> Iterator[Incoming]:
        identity = known = end = None
        for found in self._identities(path):
            identity, end = found
            if identity in self._place:
                known = identity
        start, source = self._place_behind(known, identity)
        for event in self._read_file(path, start, source):
            if end is not None and event.position.offset >= end:
                return
            if identity is not None and source is not None:
                self._place[identity] = (event.position.offset + 1, source)
            self._count += 1
            yield event

    def _place_behind(self, known: str | None, identity: str | None) -> tuple[int, str | None]:
        """The place at which a file goes on, of which the beginning is ``known``."""
        if known is None:
            return 0, identity
        start, source = self._place[known]
        has_gone_on = any(name == source and count > start for count, name in self._place.values())
        return start, identity if has_gone_on and known != identity else source


class StoredFeed(FiniteFeed):
    """Messages that the index holds, conversation by conversation, with the vectors they have; the place is their number.

    The end of each conversation stands behind it, so that no more of them are open than are read at a time. Behind all of them
    come the events that a flow of before had at work, and then the end of all conversations once more. What a process that died
    may have been given is given again as ``replayed``.

    Args:
        order: which messages, in which order.
        read: the rows of keys, with vectors.
        place: where an earlier run stopped.
        limits, fed: as for ``FiniteFeed``.
        waiting: events that come behind the messages.
    """

    def __init__(
        self,
        order: ReadingOrder,
        read: Callable[[Sequence[Key]], Mapping[Key, Row]],
        place: int | None,
        limits: FeedLimits,
        fed: Callable[[int], None] = lambda count: None,
        waiting: Sequence[Incoming] = (),
    ) -> None:
        super().__init__(limits, fed)
        self._order = order
        self._read_rows = read
        self._waiting = waiting
        self._read_before = order.reached
        self._advance(place or 0)

    def resume_state(self) -> int:
        """The number of messages that were read, and behind them events."""
        return self._count

    def close(self) -> None:
        """Release the list."""
        self._order.close()

    def _advance(self, count: int) -> None:
        self._count = count
        self._is_ended = count == len(self._order) + len(self._waiting)

    def _read(self) -> list[Fed]:
        if self._count >= len(self._order):
            self._advance(len(self._order) + len(self._waiting))
            return [*self._waiting, *self._limits.end_all()]
        first, size = self._count, self._limits.at_once
        ahead = self._order.read(first, size + 1)  # one more tells whether its conversation goes on
        rows = self._read_rows([key for _, key in ahead[:size]])
        batch: list[Fed] = []
        for number, (lane, key) in enumerate(ahead[:size], start=1):
            row = rows.get(key)
            message = row.record() if row is not None else None
            if row is not None and isinstance(message, StoredMessage) and not message.deleted:
                replayed = first + number - 1 < self._read_before
                batch.append(Embedded(Utterance.of(message, row.embedding), replayed=replayed))
            if number == len(ahead) or ahead[number][0] != lane:
                batch.append(Pause(lane, "end"))
        self._advance(first + min(size, len(ahead)))
        self._order.reach(self._count)
        return batch
