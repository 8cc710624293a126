"""Rows, the form of records in an index: columns that can be filtered, ranked and sorted, and the record itself.

Both backends store these columns and nothing else, so that a record never needs a backend's own code. ``body`` is
the record as JSON; what is not a column cannot be searched.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, dataclass_transform, get_args

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, Field, TypeAdapter

from mneme.ids import chunk_id, document_key, episode_of, message_id
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
    """The result of an embedder for a text.

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

HIDDEN_KINDS = ("repetition", "alias", "deleted")
"""Kinds of rows that no search finds: a statement that only repeats another, an entity that became part of another, and a
message that its sender took back.
"""


class Key(NamedTuple):
    """The key of one row: a realtime get needs all three parts (``owner_key`` is the routing)."""

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
        """The key of this row."""
        return Key(self.collection, self.owner_key, self.id)

    def record(self) -> AnyRecord:
        """The record that was stored: parsed, unless the row was made from it."""
        record = self._record
        if record is None:
            return _parser.validate_python(self.body)  # not kept: an index may hold the row
        if record.version != self.version:
            record = record.model_copy(update={"version": self.version})
            self._keep(record)
        return record

    def _keep(self, record: AnyRecord | None) -> None:
        object.__setattr__(self, "_record", record)

    @property
    def embedding(self) -> Embedding | None:
        """The embedding of its text; None where it was read without, or has none."""
        return None if self.vector is None else Embedding(self.vector, self.token_vectors)

    def embedded(self, embedding: Embedding | None) -> "Row":
        """The same row with what was made of its text."""
        vector, token_vectors = embedding or (None, b"")
        return replace(self, vector=vector, token_vectors=token_vectors)

    def stored_again(self, version: int, embedding: Embedding | None) -> "Row":
        """The same record in another version."""
        row = replace(self.embedded(embedding), version=version, body={**self.body, "version": version})
        row._keep(self._record)
        return row


COLUMNS: Mapping[str, Any] = {
    each.name: get_args(each.type)[0] if isinstance(each.type, UnionType) else each.type for each in fields(Row) if each.init
}
"""The types of a row's columns, by name. A column that may be empty has the type of its values."""

_parser: TypeAdapter[AnyRecord] = TypeAdapter(
    Annotated[AnyRecord, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


def row_of(record: AnyRecord, embedding: Embedding | None = None, context: str = "") -> Row:
    """The row of a record; ``context`` is text around it that keyword search may match as well, at lower weight."""
    return _row_with(record, embedding, index_tokens(_LAYOUTS[type(record)].searched(record, context)))


def revised(row: Row, record: AnyRecord) -> Row:
    """The row of the same record with another content, except that what is searched in it stays: tokens and vectors."""
    return _row_with(record, row.embedding, row.tokens)


def key_of(record: AnyRecord) -> Key:
    """The key of the row of a record."""
    return Key(_LAYOUTS[type(record)].collection, record.owner.key, record.id)


def statement_key(owner_key: str, identity: str) -> Key:
    """The key of a fact or a foresight, which differ by their ids."""
    is_foresight = identity.removeprefix(episode_of(identity)).startswith("/s/")
    return Key(Collection.MEMORIES if is_foresight else Collection.FACTS, owner_key, identity)


def message_key(row: Row, caller_id: str) -> Key:
    """The key of a message that a row of the same conversation or document cites by its caller's id."""
    if row.document_id is not None:
        return Key(Collection.MESSAGES, row.owner_key, chunk_id(document_key(row.owner_key, row.document_id), caller_id))
    return Key(Collection.MESSAGES, row.owner_key, message_id(row.tenant_id, row.conversation_id or "", caller_id))


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of records of one class in an index.

    ``at`` names the field of their time. ``searched`` gives the texts that keyword search finds a record by, each with its
    weight; its second argument is the text around the record. ``columns`` gives the other columns.
    """

    collection: Collection
    at: str
    searched: Callable[[Any, str], list[tuple[str, int]]]
    columns: Callable[[Any], dict[str, Any]] = lambda record: {}


def _words(fact: AtomicFact) -> str:
    """The words of a fact that search should find it by: of a quote who said it and what, not the day that is shown."""
    return fact.atomic_fact if fact.quote is None else f"{fact.quote.speaker}: {fact.quote.words}"


def _statement_columns(record: AtomicFact | Foresight) -> dict[str, Any]:
    """Columns with the messages that say it, wherever it was said. One that only repeats another is hidden behind that."""
    validity = record.validity
    return {
        "kind": "repetition" if validity.merged_into else record.kind,
        "valid_to": validity.valid_to,
        "parent_id": record.parent_episode_id,
        "message_ids": tuple(dict.fromkeys((*record.message_ids, *validity.also_said_in))),
        "labels": labels_of(joined([record.metadata, validity.also_metadata])),
    }


_LAYOUTS: dict[type[AnyRecord], _Layout] = {
    StoredMessage: _Layout(
        Collection.MESSAGES,
        "sent_at",
        lambda message, _: [(message.sender_name, 1), (message.text, 1)],
        lambda message: {
            "kind": "deleted" if message.deleted else message.kind,
            "agent_id": message.agent_id,
            "people": (message.sender_id, message.sender_name),
            "message_ids": (message.message_id,),
            "labels": labels_of(message.metadata),
        },
    ),
    Episode: _Layout(
        Collection.EPISODES,
        "started_at",
        lambda episode, _: [(episode.subject, 3), (episode.summary, 2), (episode.episode, 1)],
        lambda episode: {
            "until": episode.ended_at,
            "agent_id": episode.agent_id,
            "people": episode.participants,
            "message_ids": episode.message_ids,
            "labels": labels_of(episode.metadata),
        },
    ),
    AtomicFact: _Layout(
        Collection.FACTS,
        "said_at",
        lambda fact, context: [(_words(fact), 2 if context else 1), (fact.topic_name, 1), (context, 1)],
        lambda fact: {
            **_statement_columns(fact),
            "until": fact.event_until,
            "event_at": fact.event_at,
            "agent_id": fact.agent_id,
            "people": fact.speakers,
        },
    ),
    Foresight: _Layout(
        Collection.MEMORIES,
        "said_at",
        lambda foresight, _: [(foresight.statement, 1)],
        lambda foresight: {**_statement_columns(foresight), "event_at": foresight.start, "until": foresight.end},
    ),
    Cluster: _Layout(Collection.CONTROL, "created_at", lambda cluster, _: []),
    StoredDocument: _Layout(Collection.CONTROL, "created_at", lambda document, _: []),
    Entity: _Layout(
        Collection.GRAPH,
        "created_at",
        lambda entity, _: [(" ".join((entity.name, *entity.aliases)), 3), (entity.summary, 1)],
        lambda entity: {
            "kind": "alias" if entity.merged_into else entity.kind,
            "people": (entity.name, *entity.aliases),
        },
    ),
    Relationship: _Layout(
        Collection.GRAPH,
        "created_at",
        lambda edge, _: [(f"{edge.source} {edge.relation.replace('_', ' ')} {edge.target}", 1)],
        lambda edge: {"event_at": edge.date, "valid_to": edge.validity.valid_to, "people": (edge.source, edge.target)},
    ),
    Profile: _Layout(
        Collection.MEMORIES,
        "created_at",
        lambda profile, _: [(" ".join(item.statement for item in (*profile.explicit, *profile.implicit)), 1)],
    ),
    AgentCase: _Layout(
        Collection.MEMORIES,
        "at",
        lambda case, _: [(case.task_intent, 2), (case.approach, 1), (case.key_insight, 1)],
        lambda case: {
            "parent_id": case.parent_episode_id,
            "agent_id": case.agent_id,
            "message_ids": case.message_ids,
            "labels": labels_of(case.metadata),
        },
    ),
    AgentSkill: _Layout(
        Collection.MEMORIES,
        "created_at",
        lambda skill, _: [(skill.name, 3), (skill.description, 2), (skill.content, 1)],
        lambda skill: {"agent_id": skill.agent_id},
    ),
}


def _row_with(record: AnyRecord, embedding: Embedding | None, tokens: str) -> Row:
    layout, owner = _LAYOUTS[type(record)], record.owner
    vector, token_vectors = embedding or (None, b"")
    columns = {"kind": record.kind, **layout.columns(record)}
    row = Row(
        collection=layout.collection,
        id=record.id,
        version=record.version,
        tenant_id=owner.tenant_id,
        owner_key=owner.key,
        owner_type=owner.type,
        owner_id=owner.id,
        at=getattr(record, layout.at),
        body=record.model_dump(mode="json"),
        conversation_id=record.conversation_id,
        document_id=record.document_id,
        tokens=tokens,
        vector=vector,
        token_vectors=token_vectors if layout.collection in SCORED_BY_TOKENS else b"",
        **columns,
    )
    row._keep(record)
    return row


def control_row(
    owner: Owner,
    kind: str,
    identity: str,
    version: int,
    at: datetime,
    body: dict[str, Any],
    conversation_id: str | None = None,
    document_id: str | None = None,
    parent_id: str | None = None,
) -> Row:
    """A row of ``control`` that holds no record: a marker, a receipt, a tombstone, a parked event, a conversation's owner."""
    return Row(
        collection=Collection.CONTROL,
        id=identity,
        kind=kind,
        version=version,
        tenant_id=owner.tenant_id,
        owner_key=owner.key,
        owner_type=owner.type,
        owner_id=owner.id,
        at=at,
        body=body,
        conversation_id=conversation_id,
        document_id=document_id,
        parent_id=parent_id,
    )
