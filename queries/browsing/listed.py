"""What lists and shows return: conversations, memories of any kind, owners, a portrait with its evidence, a receipt.

A page holds at most as many ``items`` as were asked for; ``next`` is where the next one begins (``after``), null at the end.
It names the last item, so that nothing is shown twice or left out when new ones come meanwhile.
"""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from mneme.records import Citation, OwnerType
from queries.browsing.told import Link, ToldLine

MemoryKind = Literal[
    "message",
    "episode",
    "fact",
    "foresight",
    "profile",
    "case",
    "skill",
    "entity",
    "relationship",
    "knowledge",
]


class _Listed(BaseModel):
    model_config = ConfigDict(frozen=True)


class ConversationSummary(_Listed):
    """A conversation in a list. ``owner`` is ``tenant/type/id``.

    ``title`` is the subject of its latest episode, empty while it has none; ``participants`` are those of all its episodes,
    before that whoever wrote its latest message. ``open_messages`` of its ``messages`` are in no episode yet: found by
    their words, and told by no fact.
    """

    conversation_id: str
    owner: str
    title: str
    started_at: datetime
    last_at: datetime
    messages: int
    episodes: int
    open_messages: int
    participants: tuple[str, ...] = ()


class ConversationPage(_Listed):
    """Conversations, the one with the latest message first."""

    items: tuple[ConversationSummary, ...]
    next: str | None = None


class Memory(_Listed):
    """A memory of any kind, in a list or alone.

    ``text`` is what it says, in few words; ``body`` is the whole record (mneme/records.py). ``at`` is when it was said or
    began, of a portrait, a skill, an entity or a relationship when it last changed. A statement that only repeats another is
    in no list. It held from ``valid_from`` until ``valid_to``, when ``superseded_by`` took its place.
    """

    id: str
    kind: MemoryKind
    owner: str
    text: str
    at: datetime
    until: datetime | None = None
    event_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    conversation_id: str | None = None
    document_id: str | None = None
    parent_episode_id: str | None = None
    message_ids: tuple[str, ...] = ()
    citation: Citation | None = None
    body: dict[str, Any]


class MemoryPage(_Listed):
    """Memories, the newest first."""

    items: tuple[Memory, ...]
    next: str | None = None


class OwnerSummary(_Listed):
    """Whose memory there is: a user's, a group's, an agent's, or the tenant's. ``messages`` counts chunks of documents, too."""

    type: OwnerType
    id: str
    messages: int
    last_at: datetime


class Change(_Listed):
    """A statement that took the place of another, ``at`` the moment from which it held instead."""

    at: datetime
    older: Link
    newer: Link | None


class Portrait(_Listed):
    """What is known of an owner: the lines of the profile, each with what shows it, and what changed.

    ``lines`` that do not hold any more, or were shown too seldom to be in the profile, have ``holds`` false. ``changes`` are
    those of facts, the newest first; ``notes`` say what was left out.
    """

    owner: str
    updated_at: datetime | None
    lines: tuple[ToldLine, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


class Receipt(_Listed):
    """That an erasure is done, since ``erased_at``: ``removed`` counts what was taken from where.

    Under ``claims_refused`` it counts what is left: claim checks that their store did not let the flow delete.
    """

    erased_at: datetime
    removed: dict[str, int]
