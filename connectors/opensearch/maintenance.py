"""Merging segments, and taking deleted documents out of them.

A shard keeps deleted documents, whole, for copies of it that may have to catch up, and learns only every 30 s that no copy
needs them any more (its retention lease; measured on 2.19: a merge before that leaves them all, one after it none). So a purge
comes later, in the background (connectors/background.py), once for all who asked meanwhile.
"""

import time
from collections.abc import Sequence
from typing import Any

from opensearchpy import OpenSearch

from mneme.errors import StoreUnavailable

AFTER_SECONDS = 45.0  # from a removal to the merge
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
