"""Messages that the index holds already, as a finite source: conversation by conversation, and the end of each behind it."""

import threading
from collections.abc import Callable, Mapping, Sequence

from connectors.reading_order import ReadingOrder
from flows.cuts import Utterance
from flows.feeds import Fed
from flows.items import Embedded, Pause
from flows.pending import Pending
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
    ) -> None:
        self._order = order
        self._read = read
        self._place = place or 0
        self._pending = pending
        self._limit = limit
        self._batch = batch
        self._stopping = stopping
        self._fed = fed
        self._read_before = order.reached

    def next_batch(self) -> list[Fed]:
        """The next messages; at the end nothing until all is finished."""
        if self._stopping.is_set():
            raise StopIteration
        self._fed(self._place)
        if self._place == len(self._order):
            if self._pending.total == 0:
                raise StopIteration
            return []
        if self._pending.total >= self._limit:
            return []
        ahead = self._order.read(self._place, self._batch + 1)  # one more tells whether its conversation goes on
        rows = self._read([key for _, key in ahead[: self._batch]])
        batch: list[Fed] = []
        for number, (lane, key) in enumerate(ahead[: self._batch], start=1):
            row = rows.get(key)
            message = row.record() if row is not None else None
            if row is not None and isinstance(message, StoredMessage) and not message.deleted:
                batch.append(Embedded(Utterance(message, row.vector), replayed=self._place < self._read_before))
            self._place += 1
            if number == len(ahead) or ahead[number][0] != lane:
                batch.append(Pause(lane, "end"))
        self._order.reach(self._place)
        self._pending.enter(len(batch))
        return batch

    def place(self) -> int:
        """How many messages were read."""
        return self._place

    def close(self) -> None:
        """Release the list."""
        self._order.close()
