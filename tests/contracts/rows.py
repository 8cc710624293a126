"""Rows for the contract tests, made from real records, small enough to read in a test."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from mneme.ports import EmbedderIdentity, Filter, MemoryIndex, Scored, Selection
from mneme.records import AtomicFact, Episode, Owner, Position, StoredMessage
from mneme.rows import Collection, Embedding, Row, Vector, row_of

DIMENSION = 8
EMBEDDER = EmbedderIdentity("contract", "fp32", DIMENSION)
ALICE = Owner(tenant_id="acme", type="user", id="alice")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def axis(number: int) -> Vector:
    """A unit vector along one axis."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[number] = 1.0
    return vector


def towards(cosine: float) -> Vector:
    """A unit vector whose cosine with ``axis(0)`` is given."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[0], vector[1] = cosine, np.sqrt(1.0 - cosine**2)
    return vector


def fact(
    id: str, text: str = "something", version: int = 1, vector: Vector | None = None, owner: Owner = ALICE, **fields: Any
) -> Row:
    """A fact whose tokens are those of ``text`` and nothing else."""
    record = AtomicFact(
        id=id,
        owner=owner,
        version=version,
        atomic_fact=text,
        created_at=NOON,
        **{"parent_episode_id": "episode", "topic_name": "", "message_ids": ("m1",), "said_at": NOON} | fields,
    )
    return row_of(record, None if vector is None else Embedding(vector))


def episode(id: str, version: int = 1, vector: Vector | None = None, owner: Owner = ALICE, **fields: Any) -> Row:
    """An episode about a garden."""
    record = Episode(
        id=id,
        owner=owner,
        version=version,
        created_at=NOON,
        **{
            "conversation_id": "garden",
            "subject": "The garden",
            "summary": "Alice plants tomatoes.",
            "episode": "Alice told Bob that she planted tomatoes behind the house.",
            "started_at": NOON,
            "ended_at": NOON + timedelta(minutes=5),
            "participants": ("Alice", "Bob"),
            "message_ids": ("m1", "m2"),
            "closed_by": "boundary",
            "extractor": "local",
        }
        | fields,
    )
    return row_of(record, None if vector is None else Embedding(vector))


def message(id: str, text: str = "Good morning", version: int = 1, owner: Owner = ALICE, **fields: Any) -> Row:
    """A raw message of Alice's."""
    record = StoredMessage(
        id=id,
        owner=owner,
        version=version,
        created_at=NOON,
        text=text,
        **{
            "conversation_id": "garden",
            "message_id": id,
            "sender_id": "alice",
            "sender_name": "Alice",
            "role": "user",
            "sent_at": NOON,
            "timezone": "Europe/Paris",
            "tokens": 3,
            "position": Position(topic="mneme.messages", partition=2, offset=41),
        }
        | fields,
    )
    return row_of(record)


def of(owner: Owner = ALICE, **fields: Any) -> Filter:
    """A filter for one owner."""
    return Filter(owner.tenant_id, (owner.key,), **fields)


def score(
    index: MemoryIndex, filter: Filter, tokens: Sequence[str], vector: Vector | None = None, limit: int = 10
) -> list[Scored]:
    """The facts that pass a filter, with both scores."""
    return index.ask((), [Selection(Collection.FACTS, filter, limit)], tokens, vector)[1][0]
