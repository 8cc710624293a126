"""Merging segments, and taking deleted documents out of them.

A shard keeps deleted documents, whole, for copies of it that may have to catch up, and learns only every 30 s that no copy
needs them any more (its retention lease; measured on 2.19: a merge before that leaves them all, one after it none). So a purge
comes later, in the background, once for all who asked meanwhile.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from opensearchpy import OpenSearch

from mneme.errors import StoreError, StoreUnavailable

_BYTES_OF_A_SEGMENT = 4_000_000_000  # to merge to: the server leaves one of more than 5 GB alone until most of it is deleted
_LOOK_SECONDS = 0.5


def merge_segments(client: OpenSearch, indices: Sequence[str]) -> None:
    """Merge each index to segments of about 4 GB, and wait for it.

    Raises:
        StoreUnavailable: the server has given it up.
    """
    for name in indices:
        (shard,) = client.cat.indices(index=name, params={"format": "json", "bytes": "b", "h": "pri,pri.store.size"})
        segments = 1 + int(shard["pri.store.size"]) // (int(shard["pri"]) * _BYTES_OF_A_SEGMENT)
        asked = {"max_num_segments": segments, "wait_for_completion": "false"}
        task = client.indices.forcemerge(index=name, params=asked)["task"]
        while True:
            found: dict[str, Any] = client.tasks.get(task_id=task)
            if found["completed"]:
                break
            time.sleep(_LOOK_SECONDS)
        if error := found.get("error"):
            raise StoreUnavailable(f"{name} was not merged ({error.get('reason', error)}); ask again")


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
