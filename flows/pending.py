"""How much this process has taken from its sources and not finished: what stops the sources, and ends a finite one."""

import threading


class Pending:
    """Counts items between the steps and jobs inside them.

    A source asks ``total`` before it reads on: above its limit it pauses, which is the back-pressure; a finite source
    ends only at zero, because after its end no timer of the engine fires any more.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moving = 0
        self._jobs: dict[str, int] = {}
        self._jobs_total = 0

    def enter(self, count: int = 1) -> None:
        """Items were handed to the next step."""
        with self._lock:
            self._moving += count

    def leave(self, count: int = 1) -> None:
        """Items were taken in by a step."""
        with self._lock:
            self._moving -= count

    def jobs(self, step: str, count: int) -> None:
        """How many unfinished items a step holds now."""
        with self._lock:
            self._jobs_total += count - self._jobs.get(step, 0)
            if count:
                self._jobs[step] = count
            else:
                self._jobs.pop(step, None)

    @property
    def total(self) -> int:
        """Unfinished items."""
        with self._lock:
            return self._moving + self._jobs_total
