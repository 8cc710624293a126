"""Taking deleted documents out of the segments of OpenSearch: later, in the background, once for all who asked meanwhile.

A shard keeps deleted documents, whole, for copies of it that may have to catch up, and learns only every 30 s that no copy
needs them any more (its retention lease; measured on 2.19: a merge before that leaves them all, one after it none).
"""

import logging
import threading
from collections.abc import Callable

from mneme.errors import StoreError

AFTER_SECONDS = 45.0  # from the last removal to the merge

log = logging.getLogger(__name__)


class DelayedPurge:
    """Calls ``merge`` some time after it was asked for; safe for several threads.

    Args:
        merge: flushes and merges; tried again later when it raises a ``StoreError``.
        after_seconds: how long to wait; None for ``AFTER_SECONDS``.
    """

    def __init__(self, merge: Callable[[], None], after_seconds: float | None = None) -> None:
        self._merge = merge
        self._after_seconds = AFTER_SECONDS if after_seconds is None else after_seconds
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._asked_again = self._is_cancelled = False

    def ask(self) -> None:
        """Have what is removed by now merged away."""
        with self._lock:
            if self._timer is None:
                self._wait()
            else:
                self._asked_again = True

    def cancel(self) -> None:
        """Call nothing any more."""
        with self._lock:
            self._is_cancelled = True
            if self._timer is not None:
                self._timer.cancel()

    def _wait(self) -> None:
        self._asked_again = False
        self._timer = threading.Timer(self._after_seconds, self._due)
        self._timer.daemon = True
        self._timer.start()

    def _due(self) -> None:
        try:
            self._merge()
        except StoreError as error:
            log.warning("deleted documents are not merged away yet, next attempt in %.0f s: %s", self._after_seconds, error)
            self.ask()
        with self._lock:
            self._timer = None
            if self._asked_again and not self._is_cancelled:
                self._wait()
