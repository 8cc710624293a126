"""Settings for very many writes, and taking deleted documents out of the segments.

Written as they come, rows make a segment with each refresh, and are merged from segment to segment, each time with a new graph
of their vectors. In bulk mode there are few refreshes, and more segments wait until they are merged all at once. What the
settings were before is kept in the metadata of the index: whoever opens it after a process that died over it puts them back
(``OpenSearchIndex.prepare``).

A shard keeps deleted documents, whole, for copies of it that may have to catch up, and learns only every 30 s that no copy
needs them any more (its retention lease; measured on 2.19: a merge before that leaves them all, one after it none). So a purge
comes later, in the background, once for all who asked meanwhile.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opensearchpy import OpenSearch

from mneme.errors import StoreError, StoreUnavailable

BULK_NOTE = "bulk"  # in the metadata: the settings from before, by index; empty where no index is in bulk mode
_SEGMENTS = "40"  # of about one size, before they are merged; 10 by default
_BYTES_OF_A_SEGMENT = 4_000_000_000  # to merge to: the server leaves one of more than 5 GB alone until most of it is deleted
_LOOK_SECONDS = 0.5


def bulk_note(client: OpenSearch, indices: Sequence[str]) -> str:
    """The settings as they are, for ``end``."""
    described = client.indices.get_settings(index=",".join(indices), params={"flat_settings": "true"})
    return json.dumps({name: {key: index["settings"].get(key) for key in _changed(None)} for name, index in described.items()})


def begin_bulk(client: OpenSearch, indices: Sequence[str], visible_after_seconds: float | None) -> None:
    """Set indices for very many writes."""
    client.indices.put_settings(index=",".join(indices), body=_changed(visible_after_seconds))


def _changed(visible_after_seconds: float | None) -> dict[str, str]:
    return {
        "index.refresh_interval": "-1" if visible_after_seconds is None else f"{max(1, round(visible_after_seconds))}s",
        "index.translog.flush_threshold_size": "1gb",
        "index.merge.policy.max_merge_at_once": _SEGMENTS,
        "index.merge.policy.segments_per_tier": _SEGMENTS,
    }


def end_bulk(client: OpenSearch, note: str, changeable: Mapping[str, str]) -> None:
    """Put back what the settings were; those that a deployment sets are ``changeable`` (without ``index.``)."""
    ours = {f"index.{key}": value for key, value in changeable.items()}
    for name, before in json.loads(note).items():  # of a generation that is gone there is nothing to put back
        client.indices.put_settings(index=name, body=before | ours, params={"ignore_unavailable": "true"})


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
