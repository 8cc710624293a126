"""Work that goes on beside a scenario, in a thread: messages that keep coming, and samples of memory, lag and store."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from statistics import linear_regression
from types import TracebackType
from typing import Any, Self


class Background:
    """Work in a thread. Leaving the context waits for its end; what it failed with is raised there."""

    def __init__(self, work: Callable[[threading.Event], Any], ends_by_itself: bool) -> None:
        self._work = work
        self._stop = threading.Event()
        self._ends_by_itself = ends_by_itself
        self._pool = ThreadPoolExecutor(1, type(self).__name__)
        self._done: Future[Any] = Future()

    @property
    def is_done(self) -> bool:
        """True if it has ended."""
        return self._done.done()

    @property
    def failure(self) -> BaseException | None:
        """The failure of work that has ended."""
        return self._done.exception() if self._done.done() else None

    def result(self) -> Any:
        """The value that the work returned, once it is done."""
        return self._done.result()

    def wait(self, seconds: float) -> None:
        """Return when it has ended, at the latest after so many seconds."""
        wait([self._done], seconds)

    def __enter__(self) -> Self:
        self._done = self._pool.submit(self._work, self._stop)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None or not self._ends_by_itself:
            self._stop.set()
        self._pool.shutdown()
        if error is None:
            self._done.result()


class Sampling(Background):
    """Looks each ``every_seconds`` at memory (bytes; 0 while nothing runs), lag (events) and recovery store (bytes).

    ``at`` are the seconds of the looks.
    """

    def __init__(
        self, memory: Callable[[], int], lag: Callable[[], int], store: Callable[[], int], every_seconds: float
    ) -> None:
        self.at: list[float] = []
        self.memory: list[int] = []
        self.lag: list[int] = []
        self.store: list[int] = []
        self._started = time.monotonic()

        def work(stop: threading.Event) -> None:
            while not stop.wait(every_seconds):
                self.memory.append(memory())
                self.lag.append(lag())
                self.store.append(store())
                self.at.append(self.seconds())

        super().__init__(work, ends_by_itself=False)

    def seconds(self) -> float:
        """Seconds since the first sample."""
        return time.monotonic() - self._started

    def peak_mb(self, since: float = 0.0, until: float = float("inf")) -> float:
        """The most memory between two moments (seconds from the start), in MB."""
        return max((memory / 1e6 for at, memory in self._points() if since <= at < until), default=0.0)

    def slope_mb_per_hour(self, since: float = 0.0) -> float:
        """Return the growth of memory from a moment on, by least squares; 0 for fewer than three samples."""
        points = [(at / 3600, memory / 1e6) for at, memory in self._points() if at >= since and memory > 0]
        hours, megabytes = zip(*points, strict=True) if len(points) > 2 else ((0.0, 1.0), (0.0, 0.0))
        return linear_regression(hours, megabytes).slope

    def _points(self) -> list[tuple[float, int]]:
        return list(zip(self.at, self.memory, strict=False))
