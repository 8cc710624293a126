"""Availability of an endpoint, as all its callers see it: the pause that it asked for, and a circuit breaker.

- A pause that the endpoint asked for (``Retry-After``) holds for every caller.
- After ``FAILURES`` attempts in a row without an answer the circuit opens: for 5 s, twice as long each time up to 5 minutes,
  no call goes out; then one does, and its answer closes the circuit (Nygard, Release It!).
- An endpoint that answered nothing through ``PAUSES`` pauses in a row is down.
"""

import threading
import time
from dataclasses import dataclass

from connectors.telemetry.metrics import PAUSED_UNTIL

FAILURES = 6  # the attempts of one call: a single call is never cut short
PAUSES = 3  # of a circuit 35 s; of a quota of the minute three minutes
_FIRST_PAUSE_SECONDS = 5.0
_LONGEST_PAUSE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Pause:
    """The seconds for which no call goes out to an endpoint, and why: it asked for this (``is_asked``), or does not answer."""

    seconds: float
    why: str
    is_asked: bool
    is_down: bool


class Availability:
    """The successes and failures of the calls of one endpoint. Safe for several threads.

    Times are seconds of the callers' clock. ``endpoint`` is its name in metrics.
    """

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._until = 0.0
        self._failures = 0
        self._pauses = 0
        self._is_probed = False
        self._why, self._is_asked = "", False

    def enter(self, now: float) -> Pause | None:
        """Return None if a call may go out. When an open circuit's time is over, the first caller probes the endpoint."""
        with self._lock:
            if now < self._until:
                return Pause(self._until - now, self._why, self._is_asked, self._pauses > PAUSES)
            if self._failures >= FAILURES:
                self._until, self._is_probed = now + self._next_seconds(), True  # for the others, until this one has an answer
            return None

    def answered(self) -> None:
        """The endpoint answered."""
        with self._lock:
            if self._until:
                PAUSED_UNTIL.labels(self._endpoint, self._reason).set(0)
            self._until, self._failures, self._pauses, self._is_probed = 0.0, 0, 0, False

    def asked_to_pause(self, now: float, seconds: float) -> None:
        """The endpoint asked for a pause."""
        with self._lock:
            self._pause(now, seconds, f"it asked to wait {seconds:.0f} s", is_asked=True)

    def failed(self, now: float, failure: str) -> None:
        """An attempt failed in a way that may pass."""
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES and self._is_over(now):
                why = f"{self._failures} calls in a row failed, the last: {failure}"
                self._pause(now, self._next_seconds(), why, is_asked=False)

    @property
    def _reason(self) -> str:
        return "asked" if self._is_asked else "down"

    def _next_seconds(self) -> float:
        return float(min(_FIRST_PAUSE_SECONDS * 2.0 ** min(self._pauses, 16), _LONGEST_PAUSE_SECONDS))

    def _is_over(self, now: float) -> bool:
        """Tell whether the last pause is over, by time or by the one call that went out; calls under way together meet one."""
        return now >= self._until or self._is_probed

    def _pause(self, now: float, seconds: float, why: str, is_asked: bool) -> None:
        self._pauses += self._is_over(now)
        self._until, self._is_probed = max(self._until, now + seconds), False
        self._why, self._is_asked = why, is_asked
        PAUSED_UNTIL.labels(self._endpoint, self._reason).set(time.time() + self._until - now)
