"""write: the end of the river. Blocks its worker, which is what makes an epoch end only after its writes.

For everything that one activation brings:
1. Write all rows in one bulk, in order; while the index is out of reach, wait and try again.
2. What the index refuses becomes a dead letter with the row; the stream goes on.
3. Send dead letters, then tell the change feed what was written.
4. For flushes: refresh, then write their markers, for which their senders wait.
"""

import json
import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from flows.items import FlushDone, SinkItem, WriteBatch
from mneme.errors import StoreUnavailable
from mneme.ids import content_hash
from mneme.ports import Change, ChangeFeed, DeadLetter, DeadLetters, MemoryIndex, Outcome, Put, Remove, Write, WriteResult
from mneme.rows import Key, Row, flush_marker

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0

log = logging.getLogger(__name__)


class Stopped(Exception):
    """The flow was told to stop while the index was out of reach: nothing is acknowledged, the epoch is repeated."""


class Writer:
    """Writes what the steps hand over.

    Args:
        index: where memories go.
        dead_letters: where refused events and rows go.
        changes: what tells the outside; None for nobody.
        clock: the present, aware.
        stopping: set when the flow is to end; waiting for the index ends then too.
        wrote: called with kind and id of each row that was written, for reports.
    """

    def __init__(
        self,
        index: MemoryIndex,
        dead_letters: DeadLetters,
        changes: ChangeFeed | None,
        clock: Callable[[], datetime],
        stopping: threading.Event,
        wrote: Callable[[str, str], None] = lambda kind, identity: None,
    ) -> None:
        self._index = index
        self._dead_letters = dead_letters
        self._changes = changes
        self._clock = clock
        self._stopping = stopping
        self._wrote = wrote

    def write(self, items: Sequence[SinkItem]) -> None:
        """Durable on return: rows in the index, letters and changes with the broker."""
        # Step 1. All rows in one bulk.
        writes = [write for item in items if isinstance(item, WriteBatch) for write in item.writes]
        results = self._until_written(writes) if writes else []
        # Step 2. What the index refuses is kept as a dead letter.
        letters = [item for item in items if isinstance(item, DeadLetter)]
        for write, result in zip(writes, results, strict=True):
            if result.outcome is Outcome.REJECTED:
                letters.append(self._refused(write, result))
        # Step 3. Letters, then changes.
        if letters:
            self._dead_letters.send(letters)
            for letter in letters:
                self._wrote("dead_letter", f"{letter.stage} {letter.position} {content_hash(letter.raw)}")
        done = [write for write, result in zip(writes, results, strict=True) if result.outcome is Outcome.DONE]
        for write in done:
            if not isinstance(write, Remove):
                self._wrote(write.row.kind, write.row.id)
        if self._changes is not None and done:
            self._changes.send([_change(write) for write in done])
        # Step 4. Markers of flushes.
        flushes = [item for item in items if isinstance(item, FlushDone)]
        if flushes:
            self._index.refresh()
            self._until_written([Put(flush_marker(flush.tenant_id, flush.flush_id, self._clock())) for flush in flushes])

    def _until_written(self, writes: Sequence[Write]) -> list[WriteResult]:
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return self._index.write(writes)
            except StoreUnavailable as error:
                log.warning("the index is out of reach, next attempt in %.0f s: %s", pause, error)
                if self._stopping.wait(pause):
                    raise Stopped(str(error)) from error
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _refused(self, write: Write, result: WriteResult) -> DeadLetter:
        raw = write.key.id.encode() if isinstance(write, Remove) else json.dumps(write.row.body, ensure_ascii=False).encode()
        return DeadLetter("write", result.reason, raw, None, self._clock())


def _change(write: Write) -> tuple[Change, Key, Row | None]:
    if isinstance(write, Remove):
        return Change.ERASED, write.key, None
    return Change.WRITTEN, write.row.key, write.row
