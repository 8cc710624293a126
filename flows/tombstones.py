"""What was erased stays out: tombstones in ``control``, which tell what is older than an erasure. They name nobody.

An event is older than an erasure if it stands before it in the same partition of the source, or else if it arrived
before it (a message of a file: was sent before it, since a file has no time of arrival).
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from flows.conversations.owners import Origin, tenant_of
from flows.items import Amendment, Erasure
from flows.lanes import lane_of
from mneme.ids import content_hash, document_key, lasting_name, make_id
from mneme.records import Owner, Position, StoredMessage
from mneme.rows import Collection, Key, Row

_REMEMBERED = 8192  # of a bucket; the index knows all older ones


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Until where something is erased."""

    position: Position
    arrived_at: datetime

    def covers(self, position: Position, arrived_at: datetime) -> bool:
        """Whether an event from there, that arrived then, is older than the erasure."""
        if (position.topic, position.partition) == (self.position.topic, self.position.partition):
            return position.offset <= self.position.offset
        return arrived_at <= self.arrived_at


class Tombstones:
    """The erasures of a moment ago, which the index may not show yet."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Tombstone] = OrderedDict()

    def add(self, erasure: Erasure, lanes: Iterable[str]) -> None:
        """Remember one, and the conversations that it is known to be about."""
        for subject in (_subject_of(erasure), *lanes):
            self._known[subject] = Tombstone(erasure.position, erasure.arrived_at)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)

    def cover(self, message: StoredMessage) -> bool:
        """Whether one of them erases this message."""
        return self.cover_event(
            message.owner, message.conversation_id, message.document_id, message.position, message.created_at
        )

    def cover_event(
        self, owner: Owner, conversation_id: str | None, document_id: str | None, position: Position, arrived_at: datetime
    ) -> bool:
        """Whether one of them erases what an event from there, that arrived then, says of a conversation or document."""
        if not self._known:  # as nearly always
            return False
        found = (self._known.get(subject) for subject in _subjects(owner, conversation_id, document_id))
        return any(each.covers(position, arrived_at) for each in found if each is not None)

    def cover_amendment(self, amendment: Amendment) -> bool:
        """Whether one of them erases the conversation of this edit or delete, after it."""
        found = self._known.get(amendment.lane)
        return found is not None and found.covers(amendment.position, amendment.received_at or found.arrived_at)


def tombstone_row(erasure: Erasure, version: int) -> Row:
    """The row that keeps older events out for ever."""
    key, tenant = _key(erasure.tenant_id, _subject_of(erasure)), tenant_of(erasure.tenant_id)
    return Row(
        collection=key.collection,
        id=key.id,
        kind="erased",
        version=version,
        tenant_id=tenant.tenant_id,
        owner_key=tenant.key,
        owner_type=tenant.type,
        owner_id=tenant.id,
        at=erasure.arrived_at,
        body={"position": erasure.position.model_dump(), "arrived_at": erasure.arrived_at.isoformat()},
    )


def tombstone_keys(owner: Owner, conversation_id: str | None, document_id: str | None = None) -> list[Key]:
    """Where the tombstones would lie that erase a conversation, a document, or their owner."""
    return [_key(owner.tenant_id, subject) for subject in _subjects(owner, conversation_id, document_id)]


def conversation_tombstone_key(tenant_id: str, conversation_id: str) -> Key:
    """Where the tombstone of a conversation would lie."""
    return _key(tenant_id, lane_of(tenant_id, conversation_id))


def is_erased(message: StoredMessage, rows: Mapping[Key, Row]) -> bool:
    """Whether one of these rows is a tombstone that erases this message."""
    return is_covered(message.owner, message.conversation_id, message.document_id, message.position, message.created_at, rows)


def has_erased_beginning(origin: Origin, conversation_id: str, rows: Mapping[Key, Row]) -> bool:
    """Whether one of these rows is a tombstone that erases what a conversation began with."""
    return is_covered(origin.owner, conversation_id, None, origin.began_with, origin.began_at, rows)


def is_covered(
    owner: Owner,
    conversation_id: str | None,
    document_id: str | None,
    position: Position,
    arrived_at: datetime,
    rows: Mapping[Key, Row],
) -> bool:
    """Whether one of these rows is a tombstone that erases what an event says of a conversation or document."""
    keys = tombstone_keys(owner, conversation_id, document_id)
    found = [tombstone for key in keys if (tombstone := tombstone_of(rows.get(key))) is not None]
    return any(each.covers(position, arrived_at) for each in found)


def tombstone_of(row: Row | None) -> Tombstone | None:
    """What a row of a tombstone says."""
    if row is None:
        return None
    return Tombstone(Position.model_validate(row.body["position"]), datetime.fromisoformat(row.body["arrived_at"]))


@lru_cache(maxsize=4096)  # every message asks for those of its conversation and its owner, twice
def _key(tenant_id: str, subject: str) -> Key:
    # A hash, since it outlives whom it is about.
    identity = make_id("erased", tenant_id, content_hash(lasting_name(subject).encode()))
    return Key(Collection.CONTROL, tenant_of(tenant_id).key, lasting_name(identity))


def _subject_of(erasure: Erasure) -> str:
    if not erasure.is_of_an_owner:
        return erasure.lane
    assert erasure.owner is not None, "it is known whose all is erased"
    return _owner_subject(erasure.owner)


def _subjects(owner: Owner, conversation_id: str | None, document_id: str | None) -> Iterator[str]:
    """What a message may be erased with."""
    if document_id is not None:
        yield document_key(owner.key, document_id)
    if conversation_id is not None:
        yield lane_of(owner.tenant_id, conversation_id)
    yield _owner_subject(owner)


def _owner_subject(owner: Owner) -> str:
    return f"owner {owner.key}"
