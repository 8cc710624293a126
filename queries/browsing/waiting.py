"""Waiting for what the flow says when it is done: that a flush is searchable, that an erasure left nothing."""

import time
from collections.abc import Callable
from datetime import datetime

from mneme.errors import StoreUnavailable
from mneme.ports import MemoryIndex
from mneme.rows import Row, erasure_receipt, flush_marker
from mneme.times import utc_now
from queries.browsing.listed import Receipt

_FIRST_SECONDS, _LONGEST_SECONDS = 0.02, 0.5  # between two looks


def is_flushed(index: MemoryIndex, tenant_id: str, flush_id: str, timeout: float) -> bool:
    """Whether everything that was sent before a flush is searchable within ``timeout`` seconds.

    Raises:
        StoreError: the index cannot answer.
    """
    return _waited(index, flush_marker(tenant_id, flush_id, utc_now()), timeout) is not None


def read_receipt(index: MemoryIndex, tenant_id: str, erasure_id: str, timeout: float) -> Receipt | None:
    """What an erasure removed, once it is done; None if it is not within ``timeout`` seconds.

    Raises:
        StoreError: the index cannot answer.
    """
    row = _waited(index, erasure_receipt(tenant_id, erasure_id, utc_now(), {}), timeout)
    if row is None:
        return None
    return Receipt(erased_at=datetime.fromisoformat(row.body["erased_at"]), removed=row.body["removed"])


def _waited(
    index: MemoryIndex,
    awaited: Row,
    timeout: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Row | None:
    """The row under a key, as soon as it is there."""
    end = clock() + timeout
    pause = _FIRST_SECONDS
    while True:
        row, left = None, end - clock()
        try:
            row = index.get([awaited.key]).get(awaited.key)
        except StoreUnavailable:  # the flow may have still to make the index
            if left <= 0:
                raise
        if row is not None or left <= 0:
            return row
        sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_SECONDS)
