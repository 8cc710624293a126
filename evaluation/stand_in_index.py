"""An index in memory for the steps of the flow: the part of a ``MemoryIndex`` that a flow without a model uses.

No server stands behind it. A write costs what one of OpenSearch costs on our side: the lines of bulk requests.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

from connectors.opensearch.bulk import BulkWriter
from mneme.ports import Create, Filter, Hit, Outcome, Remove, TextLeg, VectorLeg, Write, WriteResult
from mneme.rows import Collection, Key, Row
from mneme.settings import OpenSearch

_DONE = WriteResult(Outcome.DONE)


class RowsInMemory:
    """The rows by key. ``acknowledged`` is how many seconds of the writing threads stood for a server."""

    def __init__(self, settings: OpenSearch) -> None:
        self.rows: dict[Key, Row] = {}
        self.acknowledged = 0.0
        self._lock = Lock()
        self._bulk = BulkWriter(self._acknowledge, settings)

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Encode the writes as for OpenSearch, then keep the rows."""
        with self._lock:
            self._bulk.write(writes)
            began = time.thread_time()
            for write in writes:
                if isinstance(write, Remove):
                    self.rows.pop(write.key, None)
                elif not (isinstance(write, Create) and write.row.key in self.rows):
                    self.rows[write.row.key] = write.row
            self.acknowledged += time.thread_time() - began
        return [_DONE] * len(writes)

    def _acknowledge(self, body: bytes) -> Mapping[str, Any]:
        """Answer as a server that takes everything."""
        began = time.thread_time()
        lines = iter(body.splitlines())
        items = []
        for line in lines:
            (action,) = json.loads(line)
            if action != "delete":
                next(lines)  # the document
            items.append({action: {"status": 200}})
        self.acknowledged += time.thread_time() - began
        return {"items": items}

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The rows that there are."""
        with self._lock:
            return {key: self.rows[key] for key in keys if key in self.rows}

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """All rows of a collection."""
        return iter([row for key, row in self.rows.items() if key.collection is collection])

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """Count the rows of a collection."""
        return sum(key.collection is collection for key in self.rows)

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Nothing is found."""
        return [[] for _ in legs]

    def refresh(self) -> None:
        """Everything is there at once."""

    def purge(self) -> None:
        """Nothing is kept of what was removed."""
