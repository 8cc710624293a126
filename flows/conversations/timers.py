"""When conversations of a bucket are due: the earliest time of each."""

import heapq
from collections.abc import Iterable
from datetime import datetime


class Timers:
    """The earliest time at which each conversation wants attention; later ones it sets again when it has had it."""

    def __init__(self) -> None:
        self._queue: list[tuple[datetime, str]] = []
        self._times: dict[str, datetime] = {}

    def set(self, lane: str, time: datetime) -> None:
        """Look at a conversation then, unless it is due earlier."""
        known = self._times.get(lane)
        if known is None or time < known:
            self._times[lane] = time
            heapq.heappush(self._queue, (time, lane))

    def set_all(self, times: Iterable[tuple[str, datetime]]) -> None:
        """Set the times of conversations that have none: quicker for very many."""
        self._times.update(times)
        self._queue = [(time, lane) for lane, time in self._times.items()]
        heapq.heapify(self._queue)

    def cancel(self, lane: str) -> None:
        """A conversation is not due any more."""
        self._times.pop(lane, None)

    def next(self) -> datetime | None:
        """When the next one is due; what was cancelled since may be counted."""
        return self._queue[0][0] if self._queue else None

    def take(self, now: datetime) -> str | None:
        """A conversation that is due, once; None if there is none."""
        while self._queue and self._queue[0][0] <= now:
            time, lane = heapq.heappop(self._queue)
            if self._times.get(lane) == time:  # else something earlier took its place
                del self._times[lane]
                return lane
        return None
