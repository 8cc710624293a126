"""Indices that are set for very many writes, and afterwards as they were before.

Written as they come, rows make a segment with each refresh, and are merged from segment to segment, each time with a new graph
of their vectors. In bulk mode there are few refreshes, and more segments wait until they are merged all at once.

What the settings were before is kept in the metadata of the index: whoever opens it after a process that died over it puts
them back (``OpenSearchIndex.prepare``).
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from opensearchpy import OpenSearch

from mneme.errors import StoreUnavailable

NOTE = "bulk"  # in the metadata: the settings from before, by index; empty where no index is in bulk mode
_SEGMENTS = "40"  # of about one size, before they are merged; 10 by default
_BYTES_OF_A_SEGMENT = 4_000_000_000  # to merge to: the server leaves one of more than 5 GB alone until most of it is deleted
_LOOK_SECONDS = 0.5


def note_of(client: OpenSearch, indices: Sequence[str]) -> str:
    """The settings as they are, for ``end``."""
    described = client.indices.get_settings(index=",".join(indices), params={"flat_settings": "true"})
    return json.dumps({name: {key: index["settings"].get(key) for key in _changed(None)} for name, index in described.items()})


def begin(client: OpenSearch, indices: Sequence[str], visible_after_seconds: float | None) -> None:
    """Set indices for very many writes."""
    client.indices.put_settings(index=",".join(indices), body=_changed(visible_after_seconds))


def _changed(visible_after_seconds: float | None) -> dict[str, str]:
    return {
        "index.refresh_interval": "-1" if visible_after_seconds is None else f"{max(1, round(visible_after_seconds))}s",
        "index.translog.flush_threshold_size": "1gb",
        "index.merge.policy.max_merge_at_once": _SEGMENTS,
        "index.merge.policy.segments_per_tier": _SEGMENTS,
    }


def end(client: OpenSearch, note: str, changeable: Mapping[str, str]) -> None:
    """Put back what the settings were; those that a deployment sets are ``changeable`` (without ``index.``)."""
    ours = {f"index.{key}": value for key, value in changeable.items()}
    for name, before in json.loads(note).items():  # of a generation that is gone there is nothing to put back
        client.indices.put_settings(index=name, body=before | ours, params={"ignore_unavailable": "true"})


def merge(client: OpenSearch, indices: Sequence[str]) -> None:
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
