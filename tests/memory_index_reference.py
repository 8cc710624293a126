"""A MemoryIndex in plain dictionaries: exact BM25, exact cosines, brute force. What the tests of queries search in."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import RLock

import numpy as np

from mneme import text
from mneme.errors import StoreRejected
from mneme.ports import (
    MOST_PEOPLE,
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
from mneme.rows import HIDDEN_KINDS, Collection, Embedding, Key, Row, Vector, directions, whole_numbers

K1, B = 1.2, 0.75


@dataclass(slots=True, eq=False)
class ReferenceStore:
    """What lasts beyond one ``ReferenceIndex``: rows, versions, metadata."""

    rows: dict[Key, Row] = field(default_factory=dict)
    versions: dict[Key, int] = field(default_factory=dict)  # as they count for the next write, of removed rows too
    metadata: dict[str, str] = field(default_factory=dict)
    embedder: EmbedderIdentity | None = None
    tokeniser: str = ""
    lock: RLock = field(default_factory=RLock)


class ReferenceIndex:
    """The reference that other indices and the searches over them are compared with. ``calls`` counts round trips."""

    def __init__(self, store: ReferenceStore | None = None) -> None:
        self._store = store or ReferenceStore()
        self.calls: Counter[str] = Counter()

    def prepare(self, embedder: EmbedderIdentity) -> None:
        store = self._store
        if store.embedder is None:
            store.embedder, store.tokeniser = embedder, text.TOKENISER
        elif store.embedder.fingerprint != embedder.fingerprint or store.tokeniser != text.TOKENISER:
            raise StoreRejected(
                f"made with {store.embedder.fingerprint} and {store.tokeniser}, not {embedder.fingerprint} and "
                f"{text.TOKENISER}; move it with `mneme admin reindex`"
            )

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        with self._store.lock:
            return [self._write(write) for write in writes]

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        rows = self._store.rows
        return {key: rows[key] if with_vectors else rows[key].embedded(None) for key in keys if key in rows}

    def embeddings(self, keys: Sequence[Key]) -> dict[Key, Embedding]:
        rows = [(key, row) for key in keys if (row := self._store.rows.get(key)) is not None]
        return {key: Embedding(row.vector, row.token_vectors) for key, row in rows if row.vector is not None}

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        self.calls["recall"] += 1
        return [self._leg(leg) for leg in legs]

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        return self.recall(legs) if legs else [], [self._scored(each, tokens, vector) for each in selections]

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        for row in self._passing(collection, filter):
            yield row if with_vectors else row.embedded(None)

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        return len(self._passing(collection, filter))

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        self.calls["page"] += 1
        rows = sorted(self._passing(collection, filter), key=lambda row: _place(row.at, row.id))
        return [row.embedded(None) for row in rows if _is_behind((row.at, row.id), after)][:limit]

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        self.calls["conversations"] += 1
        inside: dict[str, list[Row]] = {}
        for row in self._passing(collection, filter):
            if row.conversation_id is not None:
                inside.setdefault(row.conversation_id, []).append(row)
        groups = [_group(conversation, rows) for conversation, rows in inside.items()]
        groups.sort(key=lambda each: _place(each.last_at, each.conversation_id))
        return [each for each in groups if _is_behind((each.last_at, each.conversation_id), after)][:limit]

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        times: dict[tuple[str, str], list[datetime]] = {}
        for row in self._passing(Collection.MESSAGES, None):
            if row.tenant_id == tenant_id and row.kind not in HIDDEN_KINDS:
                times.setdefault((row.owner_type, row.owner_id), []).append(row.at)
        owned = [Owned(kind, identity, len(all_at), max(all_at)) for (kind, identity), all_at in times.items()]
        return sorted(owned, key=lambda each: (-each.last_at.timestamp(), each.owner_type, each.owner_id))[:limit]

    def refresh(self) -> None:
        """Everything is searchable at once."""

    def merge(self) -> None:
        """There are no files."""

    def purge(self) -> None:
        """Nothing is kept beside the rows."""

    def metadata(self) -> dict[str, str]:
        return dict(self._store.metadata)

    def set_metadata(self, values: Mapping[str, str]) -> None:
        self._store.metadata.update(values)

    def close(self) -> None:
        """There is nothing to release."""

    def _write(self, write: Write) -> WriteResult:
        store = self._store
        key = write.key if isinstance(write, Remove) else write.row.key
        newest = store.versions.get(key, -1)
        version = write.version if isinstance(write, Remove) else write.row.version
        if key in store.rows if isinstance(write, Create) else version < newest:
            return WriteResult(Outcome.NEWER_EXISTS)
        if isinstance(write, Remove):
            store.rows.pop(key, None)
            store.versions[key] = version
            return WriteResult(Outcome.DONE)
        dimension = store.embedder.dimension if store.embedder else None
        if write.row.vector is not None and write.row.vector.shape != (dimension,):
            return WriteResult(Outcome.REJECTED, f"vector: shape {write.row.vector.shape} is not ({dimension},)")
        kept = None if write.row.vector is None else directions(whole_numbers(write.row.vector))  # as every index keeps it
        # What was created counts as OpenSearch has it: from the removal on, and not by its own version.
        store.versions[key] = max(newest, 0) + 1 if isinstance(write, Create) else version
        store.rows[key] = replace(write.row, body=json.loads(json.dumps(write.row.body)), vector=kept)
        return WriteResult(Outcome.DONE)

    def _scored(self, asked: Selection, tokens: Sequence[str], vector: Vector | None) -> list[Scored]:
        bm25 = self._bm25(asked.collection, tokens)
        return [
            Scored(row.embedded(None), bm25.get(row.key, 0.0), _cosine(row, vector))
            for row in self._passing(asked.collection, asked.filter)[: asked.limit]
        ]

    def _leg(self, leg: TextLeg | VectorLeg) -> list[Hit]:
        if isinstance(leg, TextLeg):
            scores = self._bm25(leg.collection, leg.tokens)
        else:
            cosines = {row.key: _cosine(row, leg.vector) for row in self._passing(leg.collection, leg.filter)}
            scores = {key: cosine for key, cosine in cosines.items() if cosine is not None}
        hits = [
            Hit(row.embedded(None), scores[row.key]) for row in self._passing(leg.collection, leg.filter) if row.key in scores
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.row.id))[: leg.limit]

    def _bm25(self, collection: Collection, tokens: Sequence[str]) -> dict[Key, float]:
        """Rows with a common token, by their BM25 over the whole collection."""
        documents = {row.key: Counter(row.tokens.split(" ")) for row in self._passing(collection, None) if row.tokens}
        average = sum(counts.total() for counts in documents.values()) / len(documents) if documents else 0.0
        scores: dict[Key, float] = {}
        for token in set(tokens):
            holders = {key: counts[token] for key, counts in documents.items() if token in counts}
            weight = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
            for key, frequency in holders.items():
                length = K1 * (1 - B + B * documents[key].total() / average)
                scores[key] = scores.get(key, 0.0) + weight * frequency / (frequency + length)
        return scores

    def _passing(self, collection: Collection, filter: Filter | None) -> list[Row]:
        with self._store.lock:
            rows = [row for key, row in self._store.rows.items() if key.collection is collection]
        return sorted((row for row in rows if filter is None or _passes(row, filter)), key=lambda row: row.id)


def _passes(row: Row, filter: Filter) -> bool:
    def among(wanted: tuple[str, ...], *values: str | None) -> bool:
        return not wanted or any(value in wanted for value in values)

    return (
        row.tenant_id == filter.tenant_id
        and row.owner_key in filter.owner_keys
        and (not filter.owner_ids or row.owner_id in filter.owner_ids)
        and among(filter.kinds, row.kind)
        and among(filter.ids, row.id)
        and among(filter.parent_ids, row.parent_id)
        and among(filter.conversation_ids, row.conversation_id)
        and among(filter.document_ids, row.document_id)
        and among(filter.agent_ids, row.agent_id)
        and among(filter.people, *row.people)
        and among(filter.message_ids, *row.message_ids)
        and all(condition.holds(row.labels) for condition in filter.labels)
        and (filter.since is None or row.at >= filter.since)
        and (filter.before is None or row.at < filter.before)
        and not (filter.valid_at is not None and row.valid_to is not None and row.valid_to <= filter.valid_at)
        and (filter.hidden or row.kind not in HIDDEN_KINDS)
        and not (filter.outside_documents and row.document_id is not None)
        and not (filter.ended and row.valid_to is None)
    )


def _place(at: datetime, identity: str) -> tuple[float, str]:
    return -(at.timestamp() * 1000 // 1), identity  # the port orders by the millisecond


def _is_behind(place: Place, after: Place | None) -> bool:
    return after is None or _place(*place) > _place(*after)


def _group(conversation: str, rows: list[Row]) -> Group:
    rows.sort(key=lambda row: _place(row.at, row.id))
    people = Counter(person for row in rows for person in dict.fromkeys(row.people))
    return Group(
        conversation,
        len(rows),
        sum(len(row.message_ids) for row in rows),
        tuple(sorted(people, key=lambda person: (-people[person], person)))[:MOST_PEOPLE],
        rows[-1].at,
        rows[0].at,
        rows[0].embedded(None),
    )


def _cosine(row: Row, vector: Vector | None) -> float | None:
    if row.vector is None or vector is None:
        return None
    return float(np.dot(row.vector, vector))
