"""Browsers at the console, for some hours after they gave a key: a cookie that means nothing anywhere else."""

import secrets
import threading
import time
from collections.abc import Callable
from hashlib import sha256

from serving.rest.keys import Caller

COOKIE = "mneme_console"
SECONDS = 12 * 3600
_MOST = 10_000  # the oldest end first


class Sessions:
    """Who is logged in, in memory: a restart ends all sessions. Safe for several threads.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[bytes, tuple[Caller, float]] = {}

    def begin(self, caller: Caller) -> str:
        """The token of a new session: the value of the cookie."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._open = {name: entry for name, entry in self._open.items() if entry[1] > self._clock()}
            while len(self._open) >= _MOST:
                del self._open[next(iter(self._open))]
            self._open[_hashed(token)] = (caller, self._clock() + SECONDS)
        return token

    def caller(self, token: str) -> Caller | None:
        """Whose session it is; None where it is over, or none."""
        with self._lock:
            caller, end = self._open.get(_hashed(token), (None, 0.0))
        return caller if end > self._clock() else None

    def end(self, token: str) -> None:
        """Log out."""
        with self._lock:
            self._open.pop(_hashed(token), None)


def _hashed(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
