"""Owners of conversations, found again however long ago these began: one small row of ``control`` for each conversation."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from mneme.ids import conversation_path
from mneme.ports import Filter, MemoryIndex
from mneme.records import Owner, Position, StoredMessage
from mneme.rows import Collection, Key, Row, control_row


@dataclass(frozen=True, slots=True)
class Origin:
    """The owner of a conversation, the event that began it, and when that arrived."""

    owner: Owner
    began_with: Position
    began_at: datetime


def conversation_key(tenant_id: str, conversation_id: str) -> Key:
    """The key of a conversation's row: it lies with the tenant, since it tells the owner."""
    return _key(tenant_id, conversation_path(tenant_id, conversation_id))


def _key(tenant_id: str, lane: str) -> Key:
    return Key(Collection.CONTROL, tenant_of(tenant_id).key, f"conversation/{lane}")


def conversation_row(first: StoredMessage) -> Row:
    """The row of the conversation that this message begins, of version 0. Where there is one it stays, unless it was erased.

    Its parent is the owner, by which an erasure finds it also when nothing else of the conversation is left.
    """
    assert first.conversation_id is not None, "a document has no such row"
    key, tenant = conversation_key(first.owner.tenant_id, first.conversation_id), tenant_of(first.owner.tenant_id)
    body = {"owner": first.owner.model_dump(), "began_with": first.position.model_dump()}
    named = {"conversation_id": first.conversation_id, "parent_id": first.owner.key}
    return control_row(tenant, "conversation", key.id, 0, first.created_at, body, **named)


def conversations_of(owner: Owner, index: MemoryIndex) -> Iterator[Row]:
    """The rows of all conversations of an owner that are searchable."""
    scope = Filter(
        owner.tenant_id, (tenant_of(owner.tenant_id).key,), kinds=("conversation",), parent_ids=(owner.key,), hidden=True
    )
    for row in index.scan(Collection.CONTROL, scope):
        if (origin := origin_of(row)) is not None and origin.owner == owner:  # a key holds the hash of a long id
            yield row


def origin_of(row: Row | None) -> Origin | None:
    """The origin that the row of a conversation tells."""
    if row is None:
        return None
    return Origin(Owner.model_validate(row.body["owner"]), Position.model_validate(row.body["began_with"]), row.at)


def owner_in(index: MemoryIndex, tenant_id: str, conversation_id: str) -> Owner | None:
    """The owner of a conversation; None where the index knows nothing of it. Raises as ``owner_of_lane``."""
    return owner_of_lane(index, tenant_id, conversation_path(tenant_id, conversation_id))


def owner_of_lane(index: MemoryIndex, tenant_id: str, lane: str) -> Owner | None:
    """The same, of a conversation that is known by its lane.

    Raises:
        StoreError: the index cannot answer.
    """
    key = _key(tenant_id, lane)
    origin = origin_of(index.get([key]).get(key))
    return None if origin is None else origin.owner


def message_key(owner: Owner, identity: str) -> Key:
    """Key of a stored message."""
    return Key(Collection.MESSAGES, owner.key, identity)


@lru_cache(maxsize=1024)
def tenant_of(tenant_id: str) -> Owner:
    """The tenant as an owner: of what belongs to nobody in particular."""
    return Owner(tenant_id=tenant_id, type="tenant", id=tenant_id)
