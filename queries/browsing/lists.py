"""Pages of conversations and of memories, the newest first, one memory by its id, the documents and the owners of a tenant."""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import get_args

from mneme.errors import InputError
from mneme.ids import chunk_episode_id, owner_key
from mneme.ports import Filter, Group, MemoryIndex, Place
from mneme.records import (
    AgentCase,
    AgentSkill,
    AnyRecord,
    AtomicFact,
    Entity,
    Episode,
    Foresight,
    Profile,
    Relationship,
    StoredDocument,
    StoredMessage,
)
from mneme.rows import Collection, Key, Row
from mneme.times import to_milliseconds
from queries.browsing.responses import (
    ConversationPage,
    ConversationSummary,
    DocumentList,
    ListedDocument,
    Memory,
    MemoryKind,
    MemoryPage,
    OwnerSummary,
)
from queries.filtering.scope import Scope
from queries.records import shared_fields

_KINDS: tuple[MemoryKind, ...] = get_args(MemoryKind)
_HOMES: dict[Collection, tuple[MemoryKind, ...]] = {
    Collection.MESSAGES: ("message",),
    Collection.EPISODES: ("episode",),
    Collection.FACTS: ("fact",),
    Collection.MEMORIES: ("foresight", "profile", "case", "skill"),
    Collection.GRAPH: ("entity", "relationship"),
}

LARGEST_PAGE = 200

MOST_OWNERS = 1_000

MOST_DOCUMENTS = 100_000  # that are looked through, by id; others are asked for by conversation_id and document_id


def read_memories(index: MemoryIndex, scope: Scope, kind: str | None, limit: int, after: str | None) -> MemoryPage:
    """A page of the memories of one kind, or of all that are an owner's own.

    Raises:
        InputError: an unknown kind, a wrong limit or cursor, or filters that are for a search.
        StoreError: the index cannot answer.
    """
    check_limit(limit)
    rows = _of_kind(scope, kind)
    wanted = ("episode",) if kind == "knowledge" else _KINDS if kind is None else (kind,)
    place = place_of(after)
    asked = {home: tuple(each for each in kinds if each in wanted) for home, kinds in _HOMES.items()}
    pages = [
        index.page(home, replace(rows, kinds=kinds), limit + 1, place)
        for home, kinds in asked.items()
        if kinds and rows.owner_keys
    ]
    found = list(islice(merge(*pages, key=lambda row: (-to_milliseconds(row.at), row.id)), limit + 1))
    shown = found[:limit]
    return MemoryPage(
        items=tuple(memory_of(row) for row in shown),
        next=cursor((shown[-1].at, shown[-1].id)) if len(found) > limit else None,
    )


def read_memory(index: MemoryIndex, scope: Scope, identity: str) -> Memory | None:
    """The memory with an id, if it is one of these owners', or of the tenant's documents.

    Raises:
        StoreError: the index cannot answer.
    """
    keys = [Key(collection, owner, identity) for collection in _HOMES for owner in scope.rows.owner_keys]
    rows = [row for row in index.get(keys).values() if scope.rows.is_of_owners(row) and row.kind != "deleted"]
    return memory_of(rows[0]) if rows else None


def own_rows(scope: Scope, what: str) -> Filter:
    """The rows of the owners themselves, without the tenant's documents.

    Raises:
        InputError: the scope is one of the past, or of some kinds: these are for a search.
    """
    if scope.is_past or scope.kinds or scope.expired:
        raise InputError(f"filters: as_of, kinds and expired are for a search; {what} has none")
    knowledge = owner_key(scope.rows.tenant_id, "tenant", scope.rows.tenant_id)
    return replace(scope.rows, owner_keys=tuple(each for each in scope.rows.owner_keys if each != knowledge), valid_at=None)


def all_rows(scope: Scope, what: str) -> Filter:
    """The rows of the owners themselves, for what is made from everything of theirs.

    Raises:
        InputError: the scope leaves some of it out.
    """
    own = own_rows(scope, what)
    given = {
        "metadata": own.labels,
        "participants": own.people,
        "conversation_id": own.conversation_ids,
        "document_id": own.document_ids,
        "since": own.since,
        "before": own.before,
    }
    if left_out := [name for name, value in given.items() if value]:
        raise InputError(f"filters: {', '.join(left_out)} are for a search; {what} is made from everything of an owner")
    return own


def memory_of(row: Row) -> Memory:
    """A row as a list shows it."""
    record = row.record()
    validity = record.validity if isinstance(record, AtomicFact | Foresight | Relationship) else None
    is_knowledge = row.owner_type == "tenant" and isinstance(record, Episode)
    return Memory(
        id=row.id,
        kind="knowledge" if is_knowledge else record.kind,
        owner=row.owner_key,
        text=_text(record),
        at=row.at,
        until=row.until,
        event_at=row.event_at,
        valid_from=validity.valid_from if validity else None,
        valid_to=row.valid_to,
        superseded_by=validity.superseded_by if validity else None,
        conversation_id=row.conversation_id,
        document_id=row.document_id,
        parent_episode_id=row.parent_id,
        message_ids=row.message_ids,
        citation=getattr(record, "citation", None),
        body=row.body,
    )


def _of_kind(scope: Scope, kind: str | None) -> Filter:
    if kind is not None and kind not in _KINDS:
        raise InputError(f"kind: {kind!r} is not known; accepted are {', '.join(_KINDS)}")
    own = own_rows(scope, "a list of memories")
    if kind != "knowledge":
        return own
    knowledge = tuple(each for each in scope.rows.owner_keys if each not in own.owner_keys)
    return replace(own, owner_keys=knowledge)


def _text(record: AnyRecord) -> str:
    match record:
        case StoredMessage():
            return record.text
        case Episode():
            return record.subject if record.summary == record.subject else f"{record.subject}: {record.summary}"
        case AtomicFact():
            return record.atomic_fact
        case Foresight():
            return record.statement
        case Profile():
            return "; ".join(item.statement for item in (*record.explicit, *record.implicit))
        case AgentCase():
            return f"{record.task_intent}: {record.key_insight}" if record.key_insight else record.task_intent
        case AgentSkill():
            return f"{record.name}: {record.description}" if record.description else record.name
        case Entity():
            return f"{record.name}: {record.summary}" if record.summary else record.name
        case Relationship():
            return f"{record.source} {record.relation.replace('_', ' ')} {record.target}"
        case _:
            raise AssertionError(f"{record.id} is in no list")


def cursor(place: Place) -> str:
    """A place in a list as a text.

    >>> place_of(cursor((datetime(2026, 3, 2, tzinfo=UTC), "standup")))
    (datetime.datetime(2026, 3, 2, 0, 0, tzinfo=datetime.timezone.utc), 'standup')
    """
    at, identity = place
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), identity]).encode()).decode().rstrip("=")


def place_of(after: str | None) -> Place | None:
    """The place behind which a page begins.

    Raises:
        InputError: it is no cursor.
    """
    if after is None:
        return None
    try:
        at, identity = json.loads(base64.b64decode(after + "=" * (-len(after) % 4), altchars=b"-_", validate=True))
        moment = datetime.fromisoformat(at).astimezone(UTC)
        identity.encode()
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error, RecursionError) as error:
        raise InputError("after: this is no cursor; give the next of the page before, or leave it out") from error
    return moment, identity


def check_limit(limit: int) -> None:
    """
    Raises:
        InputError: a page cannot have so many items.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LARGEST_PAGE:
        raise InputError(f"limit: {limit!r} is not possible; a page has 1 to {LARGEST_PAGE} items")


def read_conversations(index: MemoryIndex, scope: Scope, limit: int, after: str | None) -> ConversationPage:
    """A page of conversations.

    1. Which: by their latest messages, those of attached documents aside.
    2. What was made of them: their episodes. Where only a stretch of time was asked for, all messages are counted now.

    Raises:
        InputError: a wrong limit or cursor, or filters that are for a search.
        StoreError: the index cannot answer.
    """
    check_limit(limit)
    rows = replace(own_rows(scope, "a list of conversations"), outside_documents=True)
    # 1.
    found = index.conversations(Collection.MESSAGES, rows, limit + 1, place_of(after))
    page = found[:limit]
    if not page:
        return ConversationPage(items=())
    # 2.
    ids = tuple(each.conversation_id for each in page)
    whole = Filter(rows.tenant_id, rows.owner_keys, rows.owner_ids, conversation_ids=ids, outside_documents=True)
    episodes = {each.conversation_id: each for each in index.conversations(Collection.EPISODES, whole, len(page))}
    messages = {each.conversation_id: each for each in page}
    if rows.since or rows.before or rows.people or rows.labels:
        messages |= {each.conversation_id: each for each in index.conversations(Collection.MESSAGES, whole, len(page))}
    places = [(each.last_at, each.conversation_id) for each in page]
    return ConversationPage(
        items=tuple(_summary(messages[identity], episodes.get(identity)) for _, identity in places),
        next=cursor(places[-1]) if len(found) > limit else None,
    )


def _summary(messages: Group, episodes: Group | None) -> ConversationSummary:
    newest = messages.newest.body
    return ConversationSummary(
        conversation_id=messages.conversation_id,
        owner=messages.newest.owner_key,
        title=str(episodes.newest.body["subject"]) if episodes else "",
        started_at=messages.first_at,
        last_at=messages.last_at,
        messages=messages.rows,
        episodes=episodes.rows if episodes else 0,
        open_messages=max(messages.rows - episodes.messages, 0) if episodes else messages.rows,
        participants=episodes.people if episodes else (newest["sender_name"] or newest["sender_id"],),
    )


def read_owners(index: MemoryIndex, tenant_id: str) -> tuple[OwnerSummary, ...]:
    """The owners of a tenant's memories, that of the latest message first.

    Raises:
        StoreError: the index cannot answer.
    """
    return tuple(
        OwnerSummary.model_validate(
            {"type": each.owner_type, "id": each.owner_id, "messages": each.rows, "last_at": each.last_at}
        )
        for each in index.owners(tenant_id, MOST_OWNERS)
    )


def read_documents(index: MemoryIndex, scope: Scope) -> DocumentList:
    """The documents of the owners of a scope: the tenant's knowledge among them, as in a search.

    ``since`` and ``before`` are about the date of a document.

    Raises:
        InputError: the scope is one of the past, or narrowed by metadata, kinds or participants: these are for a search.
        StoreError: the index cannot answer.
    """
    if scope.is_past or scope.is_narrowed or scope.rows.people:
        raise InputError("filters: as_of, metadata, kinds and participants are for a search; a list of documents has none")
    records = list(islice(stored_documents(index, scope.rows), MOST_DOCUMENTS))
    listed = [listed_document(each) for each in records if _is_within(each, scope.rows)]
    listed.sort(key=lambda each: each.document_id)
    listed.sort(key=lambda each: each.dated_at, reverse=True)
    full = f"there may be more: only {MOST_DOCUMENTS:,} documents were looked at"
    return DocumentList(documents=tuple(listed), notes=(full,) if len(records) == MOST_DOCUMENTS else ())


def stored_documents(index: MemoryIndex, rows: Filter) -> Iterator[StoredDocument]:
    """The documents among the rows of a filter, whatever their dates, in the order of the index."""
    filter = replace(rows, kinds=("document",), since=None, before=None, valid_at=None)
    for row in index.scan(Collection.CONTROL, filter):
        record = row.record()
        if isinstance(record, StoredDocument):
            yield record


def in_order(documents: Iterable[StoredDocument]) -> dict[str, tuple[int, int]]:
    """For each chunk and its episode, by their ids, which document it is of and its place there, both from 0."""
    ordered = sorted(documents, key=lambda each: (each.dated_at, each.id))
    places = {chunk: (number, at) for number, each in enumerate(ordered) for at, chunk in enumerate(each.chunk_ids)}
    return places | {chunk_episode_id(chunk): place for chunk, place in places.items()}


def listed_document(document: StoredDocument) -> ListedDocument:
    """A document as a list shows it."""
    own = {"document_id": document.document_id or document.id, "owner": document.owner.key}
    counted = {"chunks": len(document.chunk_ids), "received_at": document.created_at}
    return ListedDocument(**shared_fields(ListedDocument, document) | own | counted)


def _is_within(document: StoredDocument, rows: Filter) -> bool:
    since, before = rows.since, rows.before
    return (since is None or since <= document.dated_at) and (before is None or document.dated_at < before)
