"""Erasing: everything that is known of a conversation, a document or an owner leaves the index. Blocks: for the pool.

1. Wait until all that was sent on before is in the index and visible (a marker behind it, like that of a flush).
2. Find every row: by a scan, and among what the owner's lane wrote since.
3. Messages that came in behind the erasure stay, and episodes made of nothing else.
4. The other episodes are withdrawn as if they had never been (flows/consistency/revise.py), so that what else is known of
   the owner says nothing of them any more.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from flows.consistency.revise import Revision
from flows.conversations.owners import conversation_key
from flows.items import Erased, Erasure
from flows.pump import NotYet
from flows.reading.waiting import KIND as UNREAD
from flows.tombstones import Tombstone
from mneme.ids import chunk_id, document_key, message_id
from mneme.ports import Filter, MemoryIndex
from mneme.records import Position, StoredDocument, StoredMessage
from mneme.rows import Collection, Key, Row


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """What an erasure changes: rows of the owner's lane (None: removed), and rows of others' that are removed."""

    changes: dict[Key, Row | None]
    others: tuple[Row, ...]
    erased: Erased


def sweep(
    erasure: Erasure,
    marker: Row,
    index: MemoryIndex,
    unseen: Mapping[Key, Row | None],
    revise: Callable[[Sequence[Revision]], dict[Key, Row | None]],
) -> Swept:
    """Find what is to be erased.

    Args:
        erasure: of a conversation whose owner is known, or of an owner.
        marker: what is in the index when all that was sent on before is; one of another attempt does not count.
        index: what was acknowledged.
        unseen: what the owner's lane wrote lately (flows/unseen.py).
        revise: what revisions of the owner's episodes change.

    Raises:
        NotYet: the marker is not there.
        StoreUnavailable: the index does not answer.
    """
    # 1.
    found = index.get([marker.key]).get(marker.key)
    if found is None or found.body != marker.body:
        raise NotYet(f"{marker.id}: what was sent on before is on its way to the index")
    # 2.
    rows = {row.key: row for row in _stored(erasure, index)}
    rows |= {row.key: row for row in unseen.values() if row is not None and _is_of(erasure, row)}
    rows = {key: row for key, row in rows.items() if unseen.get(key, row) is not None}
    named = rows.values() if erasure.document_id is None else ()  # of a document goes no conversation that it is attached to
    conversations = {row.conversation_id for row in named if row.conversation_id is not None}
    if erasure.conversation_id is not None:
        conversations.add(erasure.conversation_id)
    rows |= index.get([conversation_key(erasure.tenant_id, each) for each in sorted(conversations)])
    # 3.
    tombstone = Tombstone(erasure.position, erasure.arrived_at)
    gone = tuple(row for row in rows.values() if _is_of_the_source(row) and _is_older(row, tombstone))
    episodes = {row.id: row for row in rows.values() if row.collection is Collection.EPISODES}
    kept = _newer(episodes.values(), rows, {row.key for row in gone}, tombstone, index)
    # 4.
    own = {key: row for key, row in rows.items() if not _is_of_the_source(row)}
    if erasure.is_of_an_owner and not kept:
        changes: dict[Key, Row | None] = dict.fromkeys(own)
    else:
        changes = revise([Revision(each) for each in episodes if each not in kept])
        changes |= {key: None for key, row in own.items() if _episode_id(row) not in {None, *kept}}
    removed = Counter(key.collection.value for key, row in changes.items() if row is None)
    removed.update(row.collection.value for row in gone)
    return Swept(changes, gone, Erased(erasure, dict(removed), tuple(sorted(conversations))))


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
    for collection in Collection:
        yield from index.scan(collection, scope)


def _is_of(erasure: Erasure, row: Row) -> bool:
    of_conversation = erasure.conversation_id is None or row.conversation_id == erasure.conversation_id
    return of_conversation and (erasure.document_id is None or row.document_id == erasure.document_id)


def _is_of_the_source(row: Row) -> bool:
    """Whether a row was written by a conversation's lane: as it came, not made from episodes."""
    return row.collection is Collection.MESSAGES or row.kind in ("conversation", "document", UNREAD)


def _is_older(row: Row, tombstone: Tombstone) -> bool:
    if row.kind == "conversation":
        return _covers(tombstone, Position.model_validate(row.body["began_with"]), row.at)
    if row.kind == UNREAD:
        return _covers(tombstone, Position.model_validate(row.body["position"]), row.at)
    record = row.record()
    assert isinstance(record, StoredMessage | StoredDocument)
    return _covers(tombstone, record.position, record.created_at)


def _covers(tombstone: Tombstone, position: Position, arrived_at: datetime) -> bool:
    """Whether a stored row is older. One of a file that says it was sent after the erasure had come before it all the same."""
    if position.is_in_a_file:
        arrived_at = min(arrived_at, tombstone.arrived_at)
    return tombstone.covers(position, arrived_at)


def _newer(
    episodes: Iterable[Row], rows: Mapping[Key, Row], gone: Container[Key], tombstone: Tombstone, index: MemoryIndex
) -> set[str]:
    """The ids of the episodes that are made of messages behind the erasure only."""
    sources = {row.id: _sources(row) for row in episodes}
    candidates = {key for keys in sources.values() if not any(key in gone for key in keys) for key in keys}
    found = index.get([key for key in candidates if key not in rows])  # the newest may not be visible yet
    staying = {key for key in candidates if key in rows} | {key for key, row in found.items() if not _is_older(row, tombstone)}
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
