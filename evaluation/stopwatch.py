"""How long something is waited for, however many threads wait for it at once."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any


class Stopwatch:
    """Seconds during which at least one call was under way."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._lock = Lock()
        self._running = 0
        self._began = self._seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts while inside."""
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._began = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._seconds += self._clock() - self._began

    def take(self) -> float:
        """The seconds since the last call of this."""
        with self._lock:
            seconds, self._seconds = self._seconds, 0.0
            return seconds


class Watched:
    """Anything, with a stopwatch that runs during the calls of its methods."""

    def __init__(self, inner: object, stopwatch: Stopwatch) -> None:
        self._inner = inner
        self._stopwatch = stopwatch

    def __getattr__(self, name: str) -> Any:
        """An attribute; a method is watched."""
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def watched(*arguments: Any, **named: Any) -> Any:
            with self._stopwatch.running():
                return found(*arguments, **named)

        return watched
