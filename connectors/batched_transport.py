"""Transports that send in batches: events wait until somebody flushes, or until there are enough of them."""

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from mneme.errors import MnemeError, StoreUnavailable
from mneme.ports import Lane

Sent = tuple[Lane, bytes]


@dataclass(slots=True, eq=False)
class _Batch:
    """Events that go out together, and what became of them."""

    events: list[Sent] = field(default_factory=list)
    size: int = 0
    is_over: bool = False
    error: MnemeError | None = None


class BatchedTransport(ABC):
    """A ``Transport`` that gathers what several threads send, and hands it on in batches, one after the other.

    Threads that flush at the same time share one batch, and with it one wait. What could not be handed on is told to
    whoever waits for it: each thread that sent any of it, at its next ``flush``, and the next ``flush`` of any thread.

    Args:
        most_events: of a batch.
        most_bytes: of a batch; a larger event goes alone.
    """

    def __init__(self, most_events: int, most_bytes: int) -> None:
        self._most_events = most_events
        self._most_bytes = most_bytes
        self._filling = threading.Lock()
        self._sending = threading.Lock()
        self._batches = deque([_Batch()])  # in order; the last is being filled
        self._untold: MnemeError | None = None
        self._of_this_thread = threading.local()

    @abstractmethod
    def _hand_on(self, events: Sequence[Sent]) -> None:
        """Send a batch, in order; on return it is durable. Called in one thread at a time."""

    @abstractmethod
    def _release(self) -> None:
        """Release connections and files."""

    def send(self, lane: Lane, key: str, value: bytes) -> None:
        """Take in an event. If its batch is full with it, everything is handed on. The key is not kept: all stay in order.

        Raises:
            MnemeError: as ``flush``.
        """
        with self._filling:
            if self._batches[-1].events and self._batches[-1].size + len(value) > self._most_bytes:
                self._batches.append(_Batch())
            batch = self._batches[-1]
            batch.events.append((lane, value))
            batch.size += len(value)
            is_full = len(batch.events) >= self._most_events or batch.size >= self._most_bytes or len(self._batches) > 1
        mine = self._sent()
        if batch not in mine:
            mine[:] = [each for each in mine if not each.is_over or each.error is not None]
            mine.append(batch)
        if is_full:
            self.flush()

    def flush(self, timeout: float | None = None) -> None:
        """Return when everything that was sent is handed on; a batch that is under way is waited for.

        Raises:
            MnemeError: of handing it on, here or earlier.
            StoreUnavailable: the timeout passed (seconds).
        """
        with self._filling:
            batches = [*self._sent(), self._batches[-1]]
        if not self._sending.acquire(timeout=-1 if timeout is None else timeout):
            raise StoreUnavailable("what was sent is still on its way, and the timeout is over; flush again")
        try:
            while not all(batch.is_over for batch in batches):
                self._hand_on_first()
        finally:
            self._sending.release()
        self._sent().clear()
        with self._filling:
            untold, self._untold = self._untold, None
        error = next((batch.error for batch in batches if batch.error is not None), untold)
        if error is not None:
            raise type(error)(str(error)) from error

    def close(self) -> None:
        """See ``Transport``."""
        try:
            self.flush()
        finally:
            self._release()

    def _sent(self) -> list[_Batch]:
        """The batches into which this thread sent since its last flush."""
        batches: list[_Batch] = self._of_this_thread.__dict__.setdefault("batches", [])
        return batches

    def _hand_on_first(self) -> None:
        with self._filling:
            batch = self._batches.popleft()
            if not self._batches:
                self._batches.append(_Batch())
        try:
            if batch.events:
                self._hand_on(batch.events)
        except MnemeError as error:
            batch.error = error
            with self._filling:
                self._untold = error
        except BaseException:  # nobody who waits may take it for sent
            batch.error = StoreUnavailable("sending was broken off; send again")
            raise
        finally:
            batch.is_over = True
            batch.events = []
