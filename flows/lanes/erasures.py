"""Erasures: tombstones in ``control`` keep out what is older than an erasure, and a sweep finds what it removes.

Tombstones name nobody.

An event is older than an erasure if it stands before it in the same partition of the source, or else if it arrived
before it (a message of a file: was sent before it, since a file has no time of arrival). An erasure in a file arrives when it
says that it was asked for, or else now.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache

from flows.consistency.revise import Revision
from flows.items import Amendment, Erased, Erasure
from flows.lanes.owners import Origin, conversation_key, conversations_of, origin_of, tenant_of
from flows.lanes.parked_events import UNREAD
from flows.lanes.scheduling import NotReady
from mneme.ids import chunk_id, content_hash, conversation_path, document_key, lasting_name, make_id, message_id
from mneme.ports import Filter, MemoryIndex
from mneme.records import Owner, Position, StoredDocument, StoredMessage
from mneme.rows import Collection, Key, Row, control_row

_LONG_AGO, _NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_REMEMBERED = 8192  # of a bucket; the index knows all older ones


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Until where something is erased."""

    position: Position
    arrived_at: datetime

    def covers(self, position: Position, arrived_at: datetime) -> bool:
        """Return whether an event from there, that arrived then, is older than the erasure."""
        if position.is_beside(self.position):
            return position.offset <= self.position.offset
        return arrived_at <= self.arrived_at

    def replaces(self, other: "Tombstone | None") -> bool:
        """Return whether it stands in the place of another of the same: one that is newer stays."""
        return other is None or self.covers(other.position, other.arrived_at)


@dataclass(frozen=True, slots=True)
class Said:
    """The subjects of an event, and where and when it came: so much decides whether it is erased."""

    owner: Owner
    conversation_id: str | None
    document_id: str | None
    position: Position
    arrived_at: datetime

    @classmethod
    def of(cls, record: StoredMessage | StoredDocument) -> "Said":
        """That of a stored record."""
        return cls(record.owner, record.conversation_id, record.document_id, record.position, record.created_at)

    @classmethod
    def first(cls, origin: Origin, conversation_id: str) -> "Said":
        """That of the message with which a conversation began."""
        return cls(origin.owner, conversation_id, None, origin.began_with, origin.began_at)


class Tombstones:
    """The erasures of a moment ago, which the index may not show yet."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Tombstone] = OrderedDict()

    def add(self, erasure: Erasure, lanes: Iterable[str]) -> None:
        """Remember one, and the conversations that it is known to be about."""
        tombstone = Tombstone(erasure.position, erasure.arrived_at)
        for subject in (_subject_of(erasure), *lanes):
            if not erasure.is_dated or tombstone.replaces(self._known.get(subject)):
                self._known[subject] = tombstone
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)

    def cover(self, said: Said) -> bool:
        """Return whether one of them erases what was said."""
        if not self._known:  # as nearly always
            return False
        tombstones = (self._known.get(subject) for subject in _subjects(said.owner, said.conversation_id, said.document_id))
        return any(each.covers(said.position, said.arrived_at) for each in tombstones if each is not None)

    def cover_amendment(self, amendment: Amendment) -> bool:
        """Return whether one of them certainly erases the conversation of this edit or delete, after it."""
        tombstone = self._known.get(amendment.lane)
        return tombstone is not None and tombstone.covers(amendment.position, amendment.received_at or _NEVER)

    def cover_an_owner(self, tenant_id: str, position: Position, arrived_at: datetime) -> bool:
        """Return whether one of them erases any owner of a tenant after an event from there, that arrived then."""
        owners = f"owner {make_id(tenant_id)}/"
        return any(each.startswith(owners) and known.covers(position, arrived_at) for each, known in [*self._known.items()])


def tombstone_row(erasure: Erasure, version: int) -> Row:
    """The row that keeps older events out for ever."""
    key, tenant = _key(erasure.tenant_id, _subject_of(erasure)), tenant_of(erasure.tenant_id)
    until = {"position": erasure.position.model_dump(), "arrived_at": erasure.arrived_at.isoformat()}
    return control_row(
        tenant, "erased", key.id, version, erasure.arrived_at, {**until, "is_of_an_owner": erasure.is_of_an_owner}
    )


def tombstone_keys(owner: Owner, conversation_id: str | None, document_id: str | None = None) -> list[Key]:
    """The keys of the tombstones that would erase a conversation, a document, or their owner."""
    return [_key(owner.tenant_id, subject) for subject in _subjects(owner, conversation_id, document_id)]


def is_amendment_erased(
    amendment: Amendment, stored: StoredMessage | None, owner: Owner | None, lately: Tombstones, index: MemoryIndex
) -> bool:
    """Return whether an edit or delete of a message is older than an erasure. Blocks: for the pool.

    The message is ``stored``, or its conversation's ``owner`` is remembered. Else any owner of its tenant who was erased since
    may be the owner: rather one edit too many is lost than the text of an erased one kept.
    """
    tenant = tenant_of(amendment.tenant_id)
    owner = stored.owner if stored is not None else amendment.owner or owner
    # An edit in a file tells no time, but it is no older than its message.
    at = amendment.received_at or (stored.created_at if stored is not None else _LONG_AGO)
    said = Said(owner or tenant, amendment.conversation_id, None, amendment.position, at)
    if is_erased(said, index.get(tombstone_keys(said.owner, said.conversation_id)), lately):
        return True
    if owner is not None:
        return False
    if lately.cover_an_owner(tenant.tenant_id, amendment.position, at):
        return True
    newer = Filter(tenant.tenant_id, (tenant.key,), kinds=("erased",), since=amendment.received_at)
    rows = index.scan(Collection.CONTROL, newer)
    tombstones = [tombstone_of(row) for row in rows if row.body.get("is_of_an_owner", True)]  # older ones do not tell
    return any(each is not None and each.covers(amendment.position, at) for each in tombstones)


def has_erased(tenant_id: str, index: MemoryIndex) -> bool:
    """Return whether anybody of a tenant was ever erased, as far as the index shows. Blocks: for the pool."""
    tenant = tenant_of(tenant_id)
    return index.count(Collection.CONTROL, Filter(tenant.tenant_id, (tenant.key,), kinds=("erased",))) > 0


def is_erased(said: Said, rows: Mapping[Key, Row], lately: Tombstones | None = None) -> bool:
    """Return whether what was said is erased: by a tombstone among these rows, or by an erasure of a moment ago."""
    if lately is not None and lately.cover(said):
        return True
    tombstones = (tombstone_of(rows.get(key)) for key in tombstone_keys(said.owner, said.conversation_id, said.document_id))
    return any(each.covers(said.position, said.arrived_at) for each in tombstones if each is not None)


def tombstone_of(row: Row | None) -> Tombstone | None:
    """The tombstone in a row."""
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
    """The subjects of tombstones that erase a message."""
    if document_id is not None:
        yield document_key(owner.key, document_id)
    if conversation_id is not None:
        yield conversation_path(owner.tenant_id, conversation_id)
    yield _owner_subject(owner)


def _owner_subject(owner: Owner) -> str:
    return f"owner {owner.key}"


@dataclass(frozen=True, slots=True, eq=False)
class SweepResult:
    """The changes of an erasure: rows of the owner's lane (None: removed), and rows of other lanes that are removed."""

    changes: dict[Key, Row | None]
    others: tuple[Row, ...]
    erased: Erased


def sweep(
    erasure: Erasure,
    marker: Row,
    index: MemoryIndex,
    unrefreshed: Mapping[Key, Row | None],
    revise: Callable[[Sequence[Revision]], dict[Key, Row | None]],
) -> SweepResult:
    """Find what is to be erased.

    Args:
        erasure: of a conversation whose owner is known, or of an owner.
        marker: what is in the index when all that was sent on before is; one of another attempt does not count.
        index: what was acknowledged.
        unrefreshed: what the owner's lane wrote lately (flows/lanes/state.py).
        revise: what revisions of the owner's episodes change.

    Raises:
        NotReady: the marker is not there.
        StoreUnavailable: the index does not answer.
    """
    # 1.
    found = index.get([marker.key]).get(marker.key)
    if found is None or found.body != marker.body:
        raise NotReady(f"{marker.id}: what was sent on before is on its way to the index")
    # 2.
    rows = {row.key: row for row in _stored(erasure, index)}
    rows |= {row.key: row for row in unrefreshed.values() if row is not None and _is_of(erasure, row)}
    rows = {key: row for key, row in rows.items() if unrefreshed.get(key, row) is not None}
    named = rows.values() if erasure.document_id is None else ()  # of a document goes no conversation that it is attached to
    conversations = {row.conversation_id for row in named if row.conversation_id is not None}
    conversations |= {*erasure.speech, *([erasure.conversation_id] if erasure.conversation_id is not None else [])}
    begun = index.get([conversation_key(erasure.tenant_id, each) for each in sorted(conversations)])
    if erasure.is_of_an_owner:  # who wrote into the conversation of another, and waits to be refused, does not end it
        others = {key: row for key, row in begun.items() if not _is_begun_by(erasure.owner, row)}
        conversations -= {row.conversation_id for row in others.values()}
        begun = {key: row for key, row in begun.items() if key not in others}
    rows |= begun
    # 3.
    older = {row.key for row in rows.values() if _is_of_the_source(row) and _is_older(row, erasure)}
    episodes = {row.id: row for row in rows.values() if row.collection is Collection.EPISODES}
    kept = _newer(episodes.values(), rows, older, erasure, index)
    if erasure.is_dated:  # of the past: an episode that reaches over that time goes whole, and its conversation may go on
        older |= {key for row in episodes.values() if row.id not in kept for key in _sources(row)}
        staying = [row for row in rows.values() if row.collection is Collection.MESSAGES and row.key not in older]
        older -= {conversation_key(row.tenant_id, row.conversation_id) for row in staying if row.conversation_id is not None}
    gone = tuple(sorted((row for row in rows.values() if row.key in older), key=_turn))
    # 4.
    own = {key: row for key, row in rows.items() if not _is_of_the_source(row)}
    if erasure.is_of_an_owner and not kept:
        changes: dict[Key, Row | None] = dict.fromkeys(own)
    else:
        changes = revise([Revision(each) for each in episodes if each not in kept])
        changes |= {key: None for key, row in own.items() if _episode_id(row) not in {None, *kept}}
    removed = Counter(key.collection.value for key, row in changes.items() if row is None)
    if erasure.is_dated:
        changes |= _tombstone_in_its_place(erasure, index)
    removed.update(row.collection.value for row in gone)
    return SweepResult(changes, gone, Erased(erasure, dict(removed), tuple(sorted(conversations))))


def _stored(erasure: Erasure, index: MemoryIndex) -> Iterator[Row]:
    assert erasure.owner is not None, "known by now"
    scope = Filter(
        erasure.tenant_id,
        (erasure.owner.key,),
        (erasure.owner.id,),
        conversation_ids=() if erasure.conversation_id is None else (erasure.conversation_id,),
        document_ids=() if erasure.document_id is None else (erasure.document_id,),
        hidden=True,
    )
    spoken = [replace(scope, conversation_ids=erasure.speech, document_ids=())] if erasure.speech else []
    for collection in Collection:
        for each in (scope, *spoken):
            yield from index.scan(collection, each)
    if erasure.is_of_an_owner:  # the messages of some may be gone: read again behind the tombstone, they were kept out
        yield from conversations_of(erasure.owner, index)


def _is_of(erasure: Erasure, row: Row) -> bool:
    if row.conversation_id is not None and row.conversation_id in erasure.speech:
        return True
    of_conversation = erasure.conversation_id is None or row.conversation_id == erasure.conversation_id
    return of_conversation and (erasure.document_id is None or row.document_id == erasure.document_id)


def _is_begun_by(owner: Owner | None, conversation: Row) -> bool:
    origin = origin_of(conversation)
    return origin is not None and origin.owner == owner


def _turn(row: Row) -> int:
    """The order in which rows are removed: a sweep that is done again after a crash finds conversations by the last of them.

    Documents and rows of conversations go last. A row without a parent goes first, because only messages lead to it.
    """
    if row.kind == "conversation":
        return 0 if row.parent_id is None else 2
    return 3 if row.kind == "document" else 1


def _is_of_the_source(row: Row) -> bool:
    """Return whether a row was written by a conversation's lane: as it came, not made from episodes."""
    return row.collection is Collection.MESSAGES or row.kind in ("conversation", "document", UNREAD)


def _is_older(row: Row, erasure: Erasure) -> bool:
    """Return whether a stored row is older than an erasure.

    One of a file came before it even if it says it was sent later. But where a file tells when the erasure was asked for, the
    time of a message counts. What else there is of files tells none: documents, and what was said in recordings.
    """
    tombstone = Tombstone(erasure.position, erasure.arrived_at)
    tells_its_time = False
    if row.kind == "conversation":
        position, arrived_at = Position.model_validate(row.body["began_with"]), row.at
    elif row.kind == UNREAD:
        position, arrived_at = Position.model_validate(row.body["position"]), row.at
    else:
        record = row.record()
        assert isinstance(record, StoredMessage | StoredDocument)
        position, arrived_at = record.position, record.created_at
        tells_its_time = isinstance(record, StoredMessage) and record.citation is None
    if position.is_in_a_file and not (erasure.is_dated and tells_its_time):
        arrived_at = min(arrived_at, erasure.arrived_at)
    return tombstone.covers(position, arrived_at)


def _tombstone_in_its_place(erasure: Erasure, index: MemoryIndex) -> dict[Key, Row]:
    """The tombstones of an erasure, each unless a newer one of the same is there."""
    buckets = range(len(erasure.speech) + 1) if erasure.speech else (erasure.bucket,)
    rows = {row.key: row for each in buckets for row in [tombstone_row(replace(erasure, bucket=each), 0)]}
    there, tombstone = index.get(list(rows)), Tombstone(erasure.position, erasure.arrived_at)
    return {key: row for key, row in rows.items() if tombstone.replaces(tombstone_of(there.get(key)))}


def _newer(
    episodes: Iterable[Row], rows: Mapping[Key, Row], gone: Container[Key], erasure: Erasure, index: MemoryIndex
) -> set[str]:
    """The ids of the episodes that are made of messages behind the erasure only."""
    sources = {row.id: _sources(row) for row in episodes}
    candidates = {key for keys in sources.values() if not any(key in gone for key in keys) for key in keys}
    stored = index.get([key for key in candidates if key not in rows])  # the newest may not be visible yet
    staying = {key for key in candidates if key in rows} | {key for key, row in stored.items() if not _is_older(row, erasure)}
    return {identity for identity, keys in sources.items() if staying.issuperset(keys)}


def _sources(row: Row) -> list[Key]:
    if row.document_id is not None:
        ids = [chunk_id(document_key(row.owner_key, row.document_id), each) for each in row.message_ids]
    else:
        ids = [message_id(row.tenant_id, row.conversation_id or "", each) for each in row.message_ids]
    return [Key(Collection.MESSAGES, row.owner_key, each) for each in ids]


def _episode_id(row: Row) -> str | None:
    """The episode that a row is, or was made from; None for what several episodes share."""
    return row.id if row.collection is Collection.EPISODES else row.parent_id
