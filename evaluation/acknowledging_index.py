"""An index that only acknowledges: what a benchmark of the flow writes into, so that it measures the flow.

It keeps a byte for each message of ``Talks``, in a file, and makes the message again when it is read. Episodes and what else
is made from messages are counted and dropped: nothing finds them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from evaluation.many_talks import Talks, vectors_of_texts
from evaluation.unsearched_index import UnsearchedIndex
from flows.cuts import embedding_text
from flows.lanes.owners import conversation_row
from mneme.ports import (
    Create,
    Filter,
    Outcome,
    Remove,
    Write,
    WriteResult,
)
from mneme.rows import Collection, Embedding, Key, Row, row_of

_DONE = WriteResult(Outcome.DONE)
_ABSENT, _CREATED, _PUT = 0, 1, 2


class AcknowledgingIndex(UnsearchedIndex):
    """A ``MemoryIndex`` of ``talks``, each with at most ``longest`` messages; ``path`` tells a later process what was written.

    ``written`` counts writes by collection, ``episodes`` messages in the episodes that were written.
    """

    def __init__(self, talks: Talks, longest: int, path: Path) -> None:
        super().__init__()
        self._talks = talks
        shape = (talks.conversations, longest)
        self._states = np.memmap(path, np.uint8, "r+" if path.exists() else "w+", shape=shape)
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
        return [_DONE] * len(writes)

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
        """How many messages there are."""
        return int(np.count_nonzero(self._states)) if collection is Collection.MESSAGES else 0

    def close(self) -> None:
        """Write the file."""
        self._states.flush()

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
