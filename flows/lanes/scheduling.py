"""Slow work beside the worker thread: jobs in a pool, timers, and the kinds of errors that a job may meet.

A step adds jobs to its ``KeyedJobs`` and polls it on one grid shared by all steps (``next_poll``), so that the engine wakes
for all of them at once. ``KeyedJobs`` keeps the items whose jobs are unfinished: the step snapshots them."""

import logging
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from mneme.errors import MnemeError, ModelError, ModelKeyRefused, ModelMalformed, ModelPaused, ModelRefused, StoreUnavailable
from mneme.times import from_milliseconds, to_milliseconds

Item = TypeVar("Item")
Result = TypeVar("Result")

POLL_MILLISECONDS = 20
_FIRST_RETRY_SECONDS = 2.0
_LONGEST_RETRY_SECONDS = 60.0
_LONGEST_GLANCE_SECONDS = 1.0
_ON_ITS_WAY = timedelta(seconds=60)  # how long something may take to reach the index

log = logging.getLogger(__name__)


class NotReady(Exception):
    """Raised by a job whose input is still on its way through the flow: it is run again in a moment.

    Args:
        what: the input.
        otherwise: what is run instead when that has lasted a minute in which the outside answered; None: it waits for ever.
    """

    def __init__(self, what: str, otherwise: Callable[[], Any] | None = None) -> None:
        super().__init__(what)
        self.otherwise = otherwise


def next_poll(now: datetime, milliseconds: int = POLL_MILLISECONDS) -> datetime:
    """The next point of the 20 ms grid, or of a wider one."""
    return from_milliseconds((to_milliseconds(now) // milliseconds + 1) * milliseconds)


def worth_retrying(error: BaseException) -> bool:
    """Return whether the same call may succeed later: the outside is down, busy or closed to us, not our request wrong."""
    return isinstance(error, StoreUnavailable | ModelKeyRefused) or (
        isinstance(error, ModelError) and not isinstance(error, ModelRefused | ModelMalformed)
    )


@dataclass(slots=True)
class _Job(Generic[Item, Result]):
    item: Item
    call: Callable[[], Result] | None
    future: "Future[Result] | None" = None
    attempts: int = 0
    glances: int = 0
    not_ready_since: datetime | None = None
    retry_at: datetime | None = None

    def outcome(self) -> Result | BaseException | None:
        """The result or the error of a finished job; None for an item without one."""
        if self.future is None:
            return None
        return self.future.exception() or self.future.result()


class KeyedJobs(Generic[Item, Result]):
    """Jobs in a pool, finished in the order of submission within a queue; queues never wait for one another.

    A job that fails because the outside is down (``worth_retrying``) is tried again for ever, with doubling pauses up to a
    minute: its queue waits, which the source feels as back-pressure. One whose endpoint asks for time (``ModelPaused``) gets
    it, and one that raises ``NotReady`` is tried again much sooner. Every other error is handed to the step as the result.

    Args:
        submit: runs a callable in a pool of threads.
        clock: the present, aware.
    """

    def __init__(self, submit: Callable[[Callable[[], Result]], "Future[Result]"], clock: Callable[[], datetime]) -> None:
        self._submit = submit
        self._clock = clock
        self._queues: dict[str, deque[_Job[Item, Result]]] = {}

    def add(self, queue: str, item: Item, call: Callable[[], Result] | None, at_head: bool = False) -> None:
        """Queue an item behind those of its queue.

        Args:
            queue: its name.
            item: what comes out again.
            call: the job; None: the item only keeps its place.
            at_head: the job begins when all before it has come out.
        """
        job = _Job(item, call)
        if call is not None and not at_head:
            job.future = self._submit(call)
        self._queues.setdefault(queue, deque()).append(job)

    def finished(self) -> Iterator[tuple[Item, Result | BaseException | None]]:
        """Remove and yield the items at the heads of the queues that are done, each with its result or error."""
        for name in list(self._queues):
            queue = self._queues[name]
            while queue and self._is_done(queue[0]):
                job = queue.popleft()
                yield job.item, job.outcome()
            if not queue:
                del self._queues[name]

    def wake_at(self) -> datetime | None:
        """The time to look for results again; None while nothing is at work."""
        return next_poll(self._clock()) if self._queues else None

    def items(self) -> list[Item]:
        """The unfinished items, in order within each queue."""
        return [job.item for queue in self._queues.values() for job in queue]

    def _is_done(self, job: _Job[Item, Result]) -> bool:
        if job.retry_at is not None:
            if self._clock() < job.retry_at:
                return False
            assert job.call is not None
            job.retry_at, job.future = None, self._submit(job.call)
        if job.future is None:
            if job.call is None:
                return True
            job.future = self._submit(job.call)
        if not job.future.done():
            return False
        error = job.future.exception()
        if isinstance(error, NotReady):
            job.glances += 1
            job.not_ready_since = job.not_ready_since or self._clock()
            if error.otherwise is not None and self._clock() >= job.not_ready_since + _ON_ITS_WAY:
                job.call = error.otherwise
            seconds = min(POLL_MILLISECONDS / 1000 * 2 ** min(job.glances - 1, 10), _LONGEST_GLANCE_SECONDS)
            job.retry_at = self._clock() + timedelta(seconds=seconds)
            return False
        if error is None or not worth_retrying(error):
            return True
        job.not_ready_since = None  # meanwhile nothing gets to the index
        if isinstance(error, ModelPaused):
            job.retry_at = self._clock() + timedelta(seconds=error.seconds)
            return False
        job.attempts += 1
        pause = min(_FIRST_RETRY_SECONDS * 2 ** (job.attempts - 1), _LONGEST_RETRY_SECONDS)
        log.warning("waiting %.0f s before attempt %d: %s", pause, job.attempts + 1, error)
        job.retry_at = self._clock() + timedelta(seconds=pause)
        return False


_SHOWN = 1_500  # characters of a traceback: its end fits into the reason of a dead letter


def is_defect(error: BaseException) -> bool:
    """Return whether the program itself is wrong, and not the outside: a store, a model, the disk, the memory."""
    return isinstance(error, Exception) and not isinstance(error, MnemeError | OSError | MemoryError)


def end_of_traceback(error: BaseException) -> str:
    """The end of an error's traceback; the last line is the error itself."""
    return "".join(traceback.format_exception(error))[-_SHOWN:].strip()


class Timers:
    """The earliest time at which each conversation wants attention; later ones it sets again when it has had it."""

    def __init__(self) -> None:
        self._times: dict[str, datetime] = {}  # few enough to look through: conversations of a bucket that are open

    def set(self, lane: str, time: datetime) -> None:
        """Look at a conversation then, unless it is due earlier."""
        self._times[lane] = min(time, self._times.get(lane, time))

    def cancel(self, lane: str) -> None:
        """A conversation is not due any more."""
        self._times.pop(lane, None)

    def next(self) -> datetime | None:
        """The time at which the next one is due."""
        return min(self._times.values(), default=None)

    def take(self, now: datetime) -> str | None:
        """A conversation that is due, once; None if there is none."""
        time, lane = min(((time, lane) for lane, time in self._times.items()), default=(now, None))
        if lane is None or time > now:
            return None
        del self._times[lane]
        return lane
