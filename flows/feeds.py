"""Where the stream begins: what a source does at each poll, without the engine.

A feed never blocks, gives nothing while this process has more unfinished than its limit, and knows its place, which is
restored exactly. ``FileFeed`` ends; ``PartitionFeed`` ends only when the flow is told to stop.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from flows.items import Embedded, Pause
from flows.pending import Pending
from mneme.ports import Incoming

Fed = Incoming | Embedded | Pause


class Feed(Protocol):
    """One partition of a source."""

    def next_batch(self) -> list[Fed]:
        """What came since; empty if nothing did.

        Raises:
            StopIteration: nothing will come any more.
        """

    def place(self) -> object:
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

    def place(self) -> int:
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

    def place(self) -> dict[str, int]:
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
