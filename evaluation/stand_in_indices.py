"""Indices for benchmarks of the flow: nobody searches them, and no server stands behind them.

``RowsInMemory`` keeps rows in a dictionary; its writes cost what those of OpenSearch cost on our side: the lines of bulk
requests. ``AcknowledgingIndex`` keeps a byte for each message of ``Talks``, and makes the message again when it is
read; what is made from messages is counted and dropped.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from connectors.opensearch.bulk import BulkWriter
from evaluation.synthetic_talks import Talks, vectors_of_texts
from flows.cuts import embedding_text
from flows.lanes.owners import conversation_row
from mneme.ports import (
    Create,
    EmbedderIdentity,
    Filter,
    Group,
    Hit,
    Outcome,
    Owned,
    Place,
    Remove,
    Scored,
    Selection,
    TextLeg,
    VectorLeg,
    Write,
    WriteResult,
)
from mneme.rows import Collection, Embedding, Key, Row, Vector, row_of
from mneme.settings import OpenSearch


class UnsearchedIndex:
    """The part of a ``MemoryIndex`` that finds and lists nothing, and has no files; its metadata is kept in this process."""

    def __init__(self) -> None:
        self._metadata: dict[str, str] = {}

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """Nothing to make."""

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Nothing is found."""
        return [[] for _ in legs]

    def score(
        self, collection: Collection, filter: Filter, tokens: Sequence[str], vector: Vector | None, limit: int
    ) -> list[Scored]:
        """Nothing is found."""
        return []

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        """Nothing is found."""
        return [[] for _ in legs], [[] for _ in selections]

    def embeddings(self, keys: Sequence[Key]) -> dict[Key, Embedding]:
        """Nothing is found."""
        return {}

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        """Nothing is listed."""
        return []

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        """Nothing is listed."""
        return []

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        """Nothing is listed."""
        return []

    def refresh(self) -> None:
        """Everything is there at once."""

    def merge(self) -> None:
        """There are no files."""

    def purge(self) -> None:
        """Nothing is kept of what was removed."""

    def metadata(self) -> dict[str, str]:
        """Return the metadata that was set in this process."""
        return dict(self._metadata)

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Kept in this process."""
        self._metadata |= values

    def close(self) -> None:
        """Nothing is held open."""


_DONE = WriteResult(Outcome.DONE)


class RowsInMemory(UnsearchedIndex):
    """A ``MemoryIndex``. ``acknowledged`` is how many seconds of the writing threads stood for a server."""

    def __init__(self, settings: OpenSearch) -> None:
        super().__init__()
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


_ACKNOWLEDGED = WriteResult(Outcome.DONE)
_ABSENT, _CREATED, _PUT = 0, 1, 2


class AcknowledgingIndex(UnsearchedIndex):
    """A ``MemoryIndex`` of ``talks``; ``written`` counts writes by collection."""

    def __init__(self, talks: Talks) -> None:
        super().__init__()
        self._talks = talks
        self._states = np.zeros((talks.conversations, talks.messages), np.uint8)
        self._control: dict[Key, Row] = {}
        self.written: Counter[str] = Counter()

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Remember messages and what controls the flow; count all."""
        for write in writes:
            key = write.key if isinstance(write, Remove) else write.row.key
            self.written[key.collection] += 1
            if key.collection is Collection.MESSAGES and not isinstance(write, Remove):
                place = _place(key)
                self._states[place] = _CREATED if isinstance(write, Create) and not self._states[place] else _PUT
            elif key.collection is Collection.CONTROL and not isinstance(write, Create):
                if isinstance(write, Remove):
                    self._control.pop(key, None)
                else:
                    self._control[key] = write.row
        return [_ACKNOWLEDGED] * len(writes)

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """Messages and conversations that were written; what controls the flow."""
        found = {}
        for key in keys:
            if key.collection is Collection.MESSAGES and (state := self._states[_place(key)]) != _ABSENT:
                found[key] = self._message(*_place(key), state=int(state), with_vector=with_vectors)
            elif key.collection is Collection.CONTROL and key in self._control:
                found[key] = self._control[key]
            elif key.collection is Collection.CONTROL and key.id.startswith("conversation/"):
                conversation = _number(key.id.rsplit("/", 1)[1])
                if self._states[conversation, 0]:
                    found[key] = conversation_row(self._talks.message(conversation, 0))
        return found

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """The messages of some conversations within a time; nothing else is found."""
        if collection is not Collection.MESSAGES or filter is None:
            return
        for conversation in map(_number, filter.conversation_ids):
            for number in np.flatnonzero(self._states[conversation]).tolist():
                row = self._message(conversation, number, int(self._states[conversation, number]), with_vectors)
                if (filter.since is None or row.at >= filter.since) and (filter.before is None or row.at < filter.before):
                    yield row

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """Count the messages."""
        return int(np.count_nonzero(self._states)) if collection is Collection.MESSAGES else 0

    def _message(self, conversation: int, number: int, state: int, with_vector: bool) -> Row:
        message = self._talks.message(conversation, number)
        embedding = Embedding(vectors_of_texts([embedding_text(message)])[0]) if with_vector else None
        return replace(row_of(message, embedding), version=1 if state == _CREATED else 2)


def _place(key: Key) -> tuple[int, int]:
    """The conversation and the number of a message: its id is ``tenant/c0000012/m00003-...``."""
    _, conversation, number = key.id.split("/")
    return _number(conversation), _number(number)


def _number(name: str) -> int:
    return int(name[1:].partition("-")[0])
