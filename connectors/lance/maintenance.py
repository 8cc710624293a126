"""Maintenance of the tables behind the writer's back: new rows into the indices, small files into larger ones.

Between two writes of a flow there is time, in which it decodes, embeds and extracts: maintenance begins right after the write
that makes it due, in a thread of its own, and the next write waits only if it comes before the end.
"""

import logging
from collections.abc import Callable
from threading import Lock, Thread

from mneme.errors import StoreError

log = logging.getLogger(__name__)


class Maintenance:
    """Calls ``maintain`` in the background, never twice at a time; safe for several threads.

    Args:
        maintain: does what is due; a ``StoreError`` is logged, and what is due is done the next time.
    """

    def __init__(self, maintain: Callable[[], None]) -> None:
        self._maintain = maintain
        self._lock = Lock()
        self._thread: Thread | None = None
        self._is_closed = False

    def ask(self) -> None:
        """Have what is due done, unless it is under way."""
        with self._lock:
            if not self._is_closed and (self._thread is None or not self._thread.is_alive()):
                self._thread = Thread(target=self._run, name="mneme-maintenance", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Do nothing any more; what is under way is waited for."""
        with self._lock:
            self._is_closed = True
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            self._maintain()
        except StoreError as error:
            log.warning("the tables are not maintained yet, next attempt after more writes: %s", error)
