"""Messages that the index holds already, as a finite source: conversation by conversation, and the end of each behind it.

Behind all of them come the events that a flow of before had at work, and then the end of all conversations once more.
"""

import threading
from collections.abc import Callable, Mapping, Sequence

from connectors.reading_order import ReadingOrder
from flows.cuts import Utterance
from flows.feeds import Fed
from flows.items import Embedded, Pause
from flows.pending import Pending
from mneme.ports import Incoming
from mneme.records import StoredMessage
from mneme.rows import Key, Row


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

    def place(self) -> int:
        """How many messages were read, and behind them events."""
        return self._place

    def close(self) -> None:
        """Release the list."""
        self._order.close()
