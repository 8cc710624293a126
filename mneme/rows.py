"""How a record lies in an index: the columns that can be filtered, ranked and sorted, and the record itself.

Both backends store these columns and nothing else, so that a record never needs a backend's own code. ``body`` is
the record as JSON; what is not a column cannot be searched.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, TypeVar, assert_never, dataclass_transform

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, Field, TypeAdapter

from mneme.ids import chunk_id, document_key, lasting_name, make_id, message_id
from mneme.labels import joined, labels_of
from mneme.records import (
    AgentCase,
    AgentSkill,
    AnyRecord,
    AtomicFact,
    Cluster,
    Entity,
    Episode,
    Foresight,
    Owner,
    Profile,
    Relationship,
    StoredDocument,
    StoredMessage,
)
from mneme.text import index_tokens

Vector = npt.NDArray[np.float32]
WholeNumbers = npt.NDArray[np.int8]
LARGEST = 127  # of the whole numbers of a vector
TOKEN_DIMENSION = 64  # of a token's vector
Made = TypeVar("Made")


def whole_numbers(vector: Vector) -> WholeNumbers:
    """A vector as an index keeps it: in its direction, the largest number ``LARGEST``. All are 0 where it has no direction."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not 0 < largest < np.inf:
        return np.zeros(vector.shape, np.int8)
    numbers: WholeNumbers = np.rint(vector * np.float32(LARGEST / largest)).astype(np.int8)
    return numbers


def directions(numbers: WholeNumbers) -> Vector:
    """Vectors of length 1, one or a matrix of them, from their whole numbers, which are found in them again."""
    vectors = numbers.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1)
    return vectors


class Embedding(NamedTuple):
    """What an embedder makes of a text.

    ``token_vectors`` are those of its tokens in their order, int8 of shape (tokens, TOKEN_DIMENSION), as bytes; empty where the
    embedder gives none.
    """

    vector: Vector
    token_vectors: bytes = b""


class Collection(StrEnum):
    """The indices. ``control`` holds what the flow itself must find again: flush markers, clusters, conversations' owners."""

    MESSAGES = "messages"
    EPISODES = "episodes"
    FACTS = "facts"
    GRAPH = "graph"
    MEMORIES = "memories"
    CONTROL = "control"


SCORED_BY_TOKENS = (Collection.MESSAGES, Collection.FACTS)
"""Whose rows keep the vectors of tokens. A fact in the words of its message has none of its own: those of the message serve."""

HIDDEN_KINDS = ("repetition", "alias", "deleted")  # kinds of rows that no search finds; each is explained in row_of


class Key(NamedTuple):
    """Where one row lies: a realtime get needs all three (``owner_key`` is the routing)."""

    collection: Collection
    owner_key: str
    id: str


@dataclass_transform(frozen_default=True, eq_default=False)
def _unchanged(cls: type[Made]) -> type[Made]:
    """A dataclass that nobody changes. Types say so; to have it checked makes a row take nine times as long to make."""
    return dataclass(slots=True, eq=False)(cls)


@_unchanged
class Row:
    """One record as an index stores it.

    ``at`` is when it was said or began, ``until`` when it ended or ends, ``event_at`` when what it tells happens.
    ``tokens`` are space-separated tokens of mneme/text.py; ``vector`` has the embedder's dimension and length 1, and an index
    keeps its ``whole_numbers``; ``token_vectors`` are as in ``Embedding``. ``labels`` are what metadata is filtered on
    (mneme/labels.py), in order.
    """

    collection: Collection
    id: str
    kind: str
    version: int
    tenant_id: str
    owner_key: str
    owner_type: str
    owner_id: str
    at: datetime
    body: dict[str, Any]
    tokens: str = ""
    vector: Vector | None = None
    token_vectors: bytes = b""
    until: datetime | None = None
    event_at: datetime | None = None
    valid_to: datetime | None = None
    conversation_id: str | None = None
    document_id: str | None = None
    parent_id: str | None = None
    agent_id: str | None = None
    people: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    _record: AnyRecord | None = field(default=None, init=False, repr=False)

    @property
    def key(self) -> Key:
        """Where this row lies."""
        return Key(self.collection, self.owner_key, self.id)

    def record(self) -> AnyRecord:
        """The record that was stored. It is parsed once, and never where the row was made from it."""
        record = self._record
        if record is None:
            record = _parser.validate_python(self.body)
        elif record.version != self.version:
            record = record.model_copy(update={"version": self.version})
        self._keep(record)
        return record

    def _keep(self, record: AnyRecord | None) -> None:
        object.__setattr__(self, "_record", record)

    @property
    def embedding(self) -> Embedding | None:
        """What was made of its text; None where it was read without, or has none."""
        return None if self.vector is None else Embedding(self.vector, self.token_vectors)

    def embedded(self, embedding: Embedding | None) -> "Row":
        """The same row with what was made of its text."""
        vector, token_vectors = embedding or (None, b"")
        return replace(self, vector=vector, token_vectors=token_vectors)

    def stored_again(self, version: int, embedding: Embedding | None) -> "Row":
        """The same record in another version. ``replace`` takes three times as long; each message needs this."""
        values = list(_values_of(self))
        values[_VERSION], values[_BODY] = version, {**self.body, "version": version}
        values[_VECTOR], values[_TOKEN_VECTORS] = embedding or (None, b"")
        row = Row(*values)
        row._keep(self._record)
        return row


_COLUMNS = [column.name for column in fields(Row) if column.init]
_values_of = attrgetter(*_COLUMNS)
_VERSION, _BODY, _VECTOR, _TOKEN_VECTORS = map(_COLUMNS.index, ("version", "body", "vector", "token_vectors"))
_parser: TypeAdapter[AnyRecord] = TypeAdapter(
    Annotated[AnyRecord, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


def row_of(record: AnyRecord, embedding: Embedding | None = None, context: str = "") -> Row:
    """The row of a record; ``context`` is text around it that keyword search may match as well, at lower weight."""
    return _row_with(record, embedding, index_tokens(_searched(record, context)))


def revised(row: Row, record: AnyRecord) -> Row:
    """The row of the same record with another content, except that what is searched in it stays: tokens and vectors."""
    return _row_with(record, row.embedding, row.tokens)


def message_key(row: Row, caller_id: str) -> Key:
    """Where a message lies that a row of the same conversation or document cites by the id that its caller gave it."""
    if row.document_id is not None:
        return Key(Collection.MESSAGES, row.owner_key, chunk_id(document_key(row.owner_key, row.document_id), caller_id))
    return Key(Collection.MESSAGES, row.owner_key, message_id(row.tenant_id, row.conversation_id or "", caller_id))


def _searched(record: AnyRecord, context: str) -> list[tuple[str, int]]:
    """What keyword search finds a record by: texts, each with its weight."""
    match record:
        case StoredMessage():
            return [(record.sender_name, 1), (record.text, 1)]
        case Episode():
            return [(record.subject, 3), (record.summary, 2), (record.episode, 1)]
        case AtomicFact():
            return [(_words(record), 2 if context else 1), (record.topic_name, 1), (context, 1)]
        case Foresight():
            return [(record.statement, 1)]
        case Cluster() | StoredDocument():
            return []
        case Entity():
            return [(" ".join((record.name, *record.aliases)), 3), (record.summary, 1)]
        case Relationship():
            return [(f"{record.source} {record.relation.replace('_', ' ')} {record.target}", 1)]
        case Profile():
            return [(" ".join(item.statement for item in (*record.explicit, *record.implicit)), 1)]
        case AgentCase():
            return [(record.task_intent, 2), (record.approach, 1), (record.key_insight, 1)]
        case AgentSkill():
            return [(record.name, 3), (record.description, 2), (record.content, 1)]
        case _:
            assert_never(record)


def _words(fact: AtomicFact) -> str:
    """The words of a fact that search should find it by: of a quote who said it and what, not the day that is shown."""
    return fact.atomic_fact if fact.quote is None else f"{fact.quote.speaker}: {fact.quote.words}"


def _row_with(record: AnyRecord, embedding: Embedding | None, tokens: str) -> Row:
    match record:
        case StoredMessage():
            return _row(
                record,
                Collection.MESSAGES,
                record.sent_at,
                embedding,
                tokens,
                agent_id=record.agent_id,
                people=(record.sender_id, record.sender_name),
                message_ids=(record.message_id,),
                labels=labels_of(record.metadata),
                **({"kind": "deleted"} if record.deleted else {}),
            )
        case Episode():
            return _row(
                record,
                Collection.EPISODES,
                record.started_at,
                embedding,
                tokens,
                until=record.ended_at,
                agent_id=record.agent_id,
                people=record.participants,
                message_ids=record.message_ids,
                labels=labels_of(record.metadata),
            )
        case AtomicFact():
            return _row(
                record,
                Collection.FACTS,
                record.said_at,
                embedding,
                tokens,
                until=record.event_until,
                event_at=record.event_at,
                valid_to=record.validity.valid_to,
                parent_id=record.parent_episode_id,
                agent_id=record.agent_id,
                people=record.speakers,
                message_ids=_evidence(record),
                labels=_labels(record),
                **_hidden_if_repeated(record),
            )
        case Foresight():
            return _row(
                record,
                Collection.MEMORIES,
                record.said_at,
                embedding,
                tokens,
                event_at=record.start,
                until=record.end,
                valid_to=record.validity.valid_to,
                parent_id=record.parent_episode_id,
                message_ids=_evidence(record),
                labels=_labels(record),
                **_hidden_if_repeated(record),
            )
        case Cluster() | StoredDocument():
            return _row(record, Collection.CONTROL, record.created_at, None, tokens)
        case Entity():
            return _row(
                record,
                Collection.GRAPH,
                record.created_at,
                embedding,
                tokens,
                people=(record.name, *record.aliases),
                **({"kind": "alias"} if record.merged_into else {}),
            )
        case Relationship():
            return _row(
                record,
                Collection.GRAPH,
                record.created_at,
                embedding,
                tokens,
                event_at=record.date,
                valid_to=record.validity.valid_to,
                people=(record.source, record.target),
            )
        case Profile():
            return _row(record, Collection.MEMORIES, record.created_at, embedding, tokens)
        case AgentCase():
            return _row(
                record,
                Collection.MEMORIES,
                record.at,
                embedding,
                tokens,
                parent_id=record.parent_episode_id,
                agent_id=record.agent_id,
                message_ids=record.message_ids,
                labels=labels_of(record.metadata),
            )
        case AgentSkill():
            return _row(
                record,
                Collection.MEMORIES,
                record.created_at,
                embedding,
                tokens,
                agent_id=record.agent_id,
            )
        case _:
            assert_never(record)


def _evidence(record: AtomicFact | Foresight) -> tuple[str, ...]:
    """The messages that say it, wherever it was said."""
    return tuple(dict.fromkeys((*record.message_ids, *record.validity.also_said_in)))


def _labels(record: AtomicFact | Foresight) -> tuple[str, ...]:
    """Of the messages that say it, wherever it was said."""
    return labels_of(joined([record.metadata, record.validity.also_metadata]))


def _hidden_if_repeated(record: AtomicFact | Foresight) -> dict[str, str]:
    """What only repeats another statement is not found: the other stands for it."""
    return {"kind": "repetition"} if record.validity.merged_into else {}


def flush_marker(tenant_id: str, flush_id: str, at: datetime, attempt: int = 0) -> Row:
    """The row that says: everything before this flush is searchable."""
    return _note(tenant_id, "flush", flush_id, at, {"flush_id": flush_id, "attempt": attempt})


CLAIMS_REFUSED = "claims_refused"  # in a receipt: claim checks that their store did not let us delete


def erasure_receipt(tenant_id: str, erasure_id: str, at: datetime, removed: Mapping[str, int]) -> Row:
    """The row that says: everything of this erasure is gone, since ``at``. ``removed`` counts what was taken from where.

    Only if it counts ``CLAIMS_REFUSED`` something is left.
    """
    return _note(tenant_id, "erasure", erasure_id, at, {"erased_at": at.isoformat(), "removed": dict(removed)})


def _note(tenant_id: str, kind: str, identity: str, at: datetime, body: dict[str, Any]) -> Row:
    """A small row of the tenant's, for somebody who waits for it."""
    owner = Owner(tenant_id=tenant_id, type="tenant", id=tenant_id)
    return Row(
        collection=Collection.CONTROL,
        id=lasting_name(make_id(kind, tenant_id, identity)),
        kind=kind,
        version=1,
        tenant_id=tenant_id,
        owner_key=owner.key,
        owner_type=owner.type,
        owner_id=owner.id,
        at=at,
        body=body,
    )


def _row(
    record: AnyRecord, collection: Collection, at: datetime, embedding: Embedding | None, tokens: str, **columns: Any
) -> Row:
    owner = record.owner
    vector, token_vectors = embedding or (None, b"")
    row = Row(
        collection=collection,
        id=record.id,
        kind=columns.pop("kind", record.kind),
        version=record.version,
        tenant_id=owner.tenant_id,
        owner_key=owner.key,
        owner_type=owner.type,
        owner_id=owner.id,
        at=at,
        body=record.model_dump(mode="json"),
        conversation_id=record.conversation_id,
        document_id=record.document_id,
        tokens=tokens,
        vector=vector,
        token_vectors=token_vectors if collection in SCORED_BY_TOKENS else b"",
        **columns,
    )
    row._keep(record)
    return row
