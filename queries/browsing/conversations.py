"""The conversations of an owner, the one with the latest message first: ``Memories.conversations``."""

from dataclasses import replace

from mneme.ports import Filter, Group, MemoryIndex
from mneme.rows import Collection
from queries.browsing.cursors import check_limit, cursor, place_of
from queries.browsing.listed import ConversationPage, ConversationSummary
from queries.browsing.listing import own_rows
from queries.filtering.scope import Scope


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
    whole = _whole(rows, page)
    episodes = {each.conversation_id: each for each in index.conversations(Collection.EPISODES, whole, len(page))}
    messages = {each.conversation_id: each for each in page}
    if rows.since or rows.before or rows.people or rows.labels:
        messages |= {each.conversation_id: each for each in index.conversations(Collection.MESSAGES, whole, len(page))}
    places = [(each.last_at, each.conversation_id) for each in page]
    return ConversationPage(
        items=tuple(_summary(messages[identity], episodes.get(identity)) for _, identity in places),
        next=cursor(places[-1]) if len(found) > limit else None,
    )


def _whole(rows: Filter, page: list[Group]) -> Filter:
    """Everything of these conversations."""
    return Filter(
        rows.tenant_id,
        rows.owner_keys,
        rows.owner_ids,
        conversation_ids=tuple(each.conversation_id for each in page),
        outside_documents=True,
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
