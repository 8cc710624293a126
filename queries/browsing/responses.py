"""The responses of ``Memories`` but searches and answers: history, inspection, lists, a portrait, a receipt.

A page holds at most as many ``items`` as were asked for; ``next`` is where the next one begins (``after``), null at the end.
It names the last item, so that nothing is shown twice or left out when new ones come meanwhile.
"""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from mneme.records import Citation, Mention, OwnerType, Quote, Scalar
from queries.responses import ResponseModel

State = Literal["holds", "superseded", "merged", "expired"]

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


class Link(ResponseModel):
    """Another statement, as far as it is needed to understand one."""

    id: str
    text: str
    said_at: datetime


class HistoryStatement(ResponseModel):
    """Something that was said of it: ``text`` is the fact, or what is expected (then ``start`` and ``end`` say when).

    ``times_said`` counts its repetitions, ``message_ids`` are all messages that say it. It held from ``valid_from`` until
    ``valid_to``. ``supersedes`` are older statements whose place it took.
    """

    id: str
    text: str
    said_at: datetime
    conversation_id: str | None
    document_id: str | None
    citation: Citation | None = None
    message_ids: tuple[str, ...]
    times_said: int
    valid_from: datetime | None
    valid_to: datetime | None
    superseded_by: Link | None = None
    supersedes: tuple[Link, ...] = ()


class HistoryFact(HistoryStatement):
    """A fact."""

    topic_name: str
    event_at: datetime | None
    event_until: datetime | None

    @property
    def at(self) -> datetime:
        """The time of the event, as far as that was said; a plan stands at the time at which it was said."""
        return min(self.event_at or self.said_at, self.said_at)


class HistoryForesight(HistoryStatement):
    """Something expected. ``expired``: it lies behind, was cancelled or replaced. ``told_as_fact``: a fact says it as well."""

    start: datetime | None
    end: datetime | None
    expired: bool
    told_as_fact: bool

    @property
    def at(self) -> datetime:
        """The time at which it was said: plans and their changes stand in the order in which they were made."""
        return self.said_at


class HistoryRelationship(ResponseModel):
    """An edge of the graph, from ``date`` until ``valid_to``."""

    id: str
    source: str
    relation: str
    target: str
    date: datetime | None
    valid_to: datetime | None
    mentions: tuple[Mention, ...]

    @property
    def at(self) -> datetime:
        """The time at which it began, or was first said."""
        return self.date or min(mention.at for mention in self.mentions)


class HistoryLine(ResponseModel):
    """A line of a portrait, with everything that showed it. ``holds`` is false where it is not in the portrait now."""

    about: str
    statement: str
    category: str
    implicit: bool
    holds: bool = True
    evidence: tuple[Mention, ...] = ()

    @property
    def at(self) -> datetime:
        """The time of its first evidence."""
        return min(mention.at for mention in self.evidence)


Entry: TypeAlias = HistoryFact | HistoryForesight | HistoryRelationship | HistoryLine


class History(ResponseModel):
    """The memories of a person or a thing. Each list is in the order in which it happened.

    ``names`` are all it goes by; ``others`` are entities that ``asked`` may mean as well. ``notes`` say what was left out.
    """

    asked: str
    name: str
    names: tuple[str, ...]
    type: str
    summary: str
    others: tuple[str, ...] = ()
    facts: tuple[HistoryFact, ...]
    foresights: tuple[HistoryForesight, ...]
    relationships: tuple[HistoryRelationship, ...]
    profile: tuple[HistoryLine, ...]
    notes: tuple[str, ...] = ()

    def timeline(self) -> tuple[Entry, ...]:
        """Everything in one list, in the order in which it happened; without foresights that only repeat a fact."""
        foresights = (each for each in self.foresights if not each.told_as_fact)
        entries: list[Entry] = [*self.facts, *foresights, *self.relationships, *self.profile]
        return tuple(sorted(entries, key=lambda each: each.at))


Status = Literal["reading", "read", "unread"]


class ListedDocument(ResponseModel):
    """A document, or an attachment of a message (then with ``conversation_id`` and ``message_id``).

    ``status``: ``reading`` until all of it is searchable, then ``read``; ``unread`` where nothing of it could be read, and it
    is found by its name alone. ``unread`` says what of it was not read, and why. ``pages`` (or sheets, or slides) is null where
    the format knows none; ``chunks`` are what it was cut into. ``dated_at`` is its own date, ``received_at`` when it came.
    ``owner`` is ``tenant/type/id``: of the tenant's knowledge ``tenant``.
    """

    document_id: str
    owner: str
    name: str
    title: str
    format: str
    media_type: str | None
    status: Status
    unread: tuple[str, ...]
    pages: int | None
    characters: int
    chunks: int
    dated_at: datetime
    received_at: datetime
    uri: str | None
    conversation_id: str | None
    message_id: str | None
    metadata: dict[str, Scalar]

    @property
    def is_complete(self) -> bool:
        """True if all of it was read."""
        return self.status == "read" and not self.unread


class DocumentList(ResponseModel):
    """Documents, the newest first. ``notes`` say what was left out."""

    documents: tuple[ListedDocument, ...]
    notes: tuple[str, ...] = ()


class InspectedMessage(ResponseModel):
    """A message. A deleted one has no text any more; ``tools`` are the tools that an agent called in it."""

    message_id: str
    sender_name: str
    role: str
    sent_at: datetime
    timezone: str
    text: str
    tools: tuple[str, ...] = ()
    citation: Citation | None = None
    edited: bool = False
    deleted: bool = False


class InspectedStatement(ResponseModel):
    """A fact, or something expected (with ``start`` and ``end``): ``state`` says what became of it.

    ``holds``; ``superseded`` at ``valid_to`` by another; ``merged``: it only repeats ``merged_into``, which stands for it;
    ``expired``: what was expected lies behind. ``times_said`` counts those that repeat it. ``quote`` has the parts of a fact
    that no model wrote.
    """

    id: str
    text: str
    quote: Quote | None = None
    message_ids: tuple[str, ...]
    said_at: datetime
    event_at: datetime | None = None
    start: datetime | None = None
    end: datetime | None = None
    state: State = "holds"
    valid_to: datetime | None = None
    superseded_by: str | None = None
    merged_into: str | None = None
    times_said: int = 1


class InspectedEntity(ResponseModel):
    """An entity that the episode speaks of, by the name it has there; ``same_as`` is the name it is known by, if another."""

    name: str
    type: str
    text: str
    same_as: str | None = None


class InspectedRelationship(ResponseModel):
    """An edge that the episode tells of: it began at ``date``, or, if ``ended``, is over since ``valid_to``."""

    source: str
    relation: str
    target: str
    date: datetime | None
    ended: bool = False
    valid_to: datetime | None = None


class InspectedCase(ResponseModel):
    """The task that an agent did in it."""

    task_intent: str
    approach: str
    key_insight: str
    quality_score: float


class InspectedEpisode(ResponseModel):
    """One stretch with everything made from it. ``begins_because`` is what spoke for the cut before it.

    With a ``document_id`` it is a chunk of a document, and shown without messages. ``citation`` is where it stands.
    """

    id: str
    subject: str
    summary: str
    document_id: str | None = None
    section: str | None = None
    citation: Citation | None = None
    started_at: datetime
    ended_at: datetime
    timezone: str
    begins_because: tuple[str, ...]
    closed_by: str
    provisional: bool
    extractor: str
    messages: tuple[InspectedMessage, ...]
    facts: tuple[InspectedStatement, ...] = ()
    foresights: tuple[InspectedStatement, ...] = ()
    entities: tuple[InspectedEntity, ...] = ()
    relationships: tuple[InspectedRelationship, ...] = ()
    profile: tuple[HistoryLine, ...] = ()
    case: InspectedCase | None = None


class Inspection(ResponseModel):
    """A conversation, or a document (then without messages), episode by episode. ``open`` are messages in none yet.

    ``documents`` are the document itself, or what is attached to the messages of a conversation: its chunks follow the talk, in
    their order. ``notes`` say what was left out.
    """

    conversation_id: str | None
    document_id: str | None
    owner: str
    episodes: tuple[InspectedEpisode, ...]
    open: tuple[InspectedMessage, ...] = ()
    documents: tuple[ListedDocument, ...] = ()
    notes: tuple[str, ...] = ()


class ConversationSummary(ResponseModel):
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


class ConversationPage(ResponseModel):
    """Conversations, the one with the latest message first."""

    items: tuple[ConversationSummary, ...]
    next: str | None = None


class Memory(ResponseModel):
    """A memory of any kind, in a list or alone.

    ``text`` is what it says, in few words; ``body`` is the whole record (mneme/records/). ``at`` is when it was said or
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


class MemoryPage(ResponseModel):
    """Memories, the newest first."""

    items: tuple[Memory, ...]
    next: str | None = None


class OwnerSummary(ResponseModel):
    """The owner of some memories: a user, a group, an agent, or the tenant. ``messages`` counts chunks of documents, too."""

    type: OwnerType
    id: str
    messages: int
    last_at: datetime


class Change(ResponseModel):
    """A statement that took the place of another, ``at`` the moment from which it held instead."""

    at: datetime
    older: Link
    newer: Link | None


class Portrait(ResponseModel):
    """The profile of an owner: its lines, each with its evidence, and the facts that changed.

    ``lines`` that do not hold any more, or were shown too seldom to be in the profile, have ``holds`` false. ``changes`` are
    those of facts, the newest first; ``notes`` say what was left out.
    """

    owner: str
    updated_at: datetime | None
    lines: tuple[HistoryLine, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


class Receipt(ResponseModel):
    """That an erasure is done, since ``erased_at``: ``removed`` counts what was taken from where.

    Under ``claims_refused`` it counts what is left: claim checks that their store did not let the flow delete.
    """

    erased_at: datetime
    removed: dict[str, int]
