"""Work in the background, for all who ask for it."""

import logging
import threading
from collections.abc import Callable

from mneme.errors import StoreError

log = logging.getLogger(__name__)


class BackgroundJob:
    """Calls ``work`` some time after it was asked for, never twice at a time; safe for several threads.

    One call serves all who asked before it; for those who asked since another follows.

    Args:
        work: what is done. A ``StoreError`` is logged.
        what: is not done when it fails, for the log.
        after_seconds: from the first who asks to the call.
        tries_again: whether what failed is asked for again; else that is for the next who asks.
    """

    def __init__(self, work: Callable[[], None], what: str, after_seconds: float = 0.0, tries_again: bool = False) -> None:
        self._work = work
        self._what = what
        self._after_seconds = after_seconds
        self._tries_again = tries_again
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._asked_again = self._is_closed = False

    def ask(self) -> None:
        """Have it done."""
        with self._lock:
            if self._timer is None:
                self._wait()
            else:
                self._asked_again = True

    def close(self, finish: bool) -> None:
        """Begin nothing any more. With ``finish`` what was asked for is waited for, else it is left out."""
        with self._lock:
            self._is_closed = True
            timer = self._timer
        if timer is not None and finish:
            timer.join()
        elif timer is not None:
            timer.cancel()

    def _wait(self) -> None:
        self._asked_again = False
        if not self._is_closed:
            self._timer = threading.Timer(self._after_seconds, self._due)
            self._timer.daemon = True
            self._timer.start()

    def _due(self) -> None:
        has_failed = False
        try:
            self._work()
        except StoreError as error:
            has_failed = self._tries_again
            log.warning("%s: %s", self._what, error)
        with self._lock:
            self._timer = None
            if self._asked_again or has_failed:
                self._wait()
