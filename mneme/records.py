"""Records of the memory: immutable, each with a deterministic id.

Times are aware and UTC. ``version`` is the counter of the lane that writes the record (flows/lanes/epochs.py): of two
writes the higher wins, whichever arrives last.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mneme.ids import owner_key

OwnerType = Literal["user", "agent", "group", "tenant"]
Scalar = str | int | float | bool
Metadata = dict[str, tuple[Scalar, ...]]  # of a record made from messages: the values of all of them, each once


class _Frozen(BaseModel):
    # A validator is made when it is first needed: most programs see few kinds of records.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", defer_build=True)


class Owner(_Frozen):
    """The owner of a record. ``tenant`` owns knowledge that belongs to nobody in particular."""

    tenant_id: str
    type: OwnerType
    id: str

    def __eq__(self, other: object) -> bool:
        """As its fields are. A model's own way takes ten times as long, and each message is asked some four times."""
        return self is other or (isinstance(other, Owner) and self.__dict__ == other.__dict__)

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """Names the owner across tenants: the routing value of the index, the key of the owner's lane."""
        return owner_key(self.tenant_id, self.type, self.id)


class Position(_Frozen):
    """The position of an event in its source: a Kafka offset, or a line of a file (partition 0, topic ``file:<hash>``)."""

    topic: str
    partition: int
    offset: int

    @property
    def is_in_a_file(self) -> bool:
        """Return whether it is a line of a file, which does not tell when it arrived."""
        return self.topic.startswith("file:")

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


class Citation(_Frozen):
    """The place of a text in a document, which a result cites. ``section`` and ``place`` as of ``Section`` (mneme/ports)."""

    document_id: str
    name: str
    section: str = ""
    place: str = ""
    uri: str | None = None

    def __str__(self) -> str:
        """File and place in few words: ``offer.pdf, page 2``; where no place is known, the section."""
        return ", ".join(filter(None, (self.name, self.place or self.section)))


class ToolCall(_Frozen):
    """A tool that an agent called in a message."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    name: str
    arguments: str = ""
    result: str | None = None


class Record(_Frozen):
    """The common part of all records. ``created_at`` is when the newest of its sources arrived: a replay gives the same."""

    id: str
    owner: Owner
    conversation_id: str | None = None
    document_id: str | None = None
    created_at: datetime
    version: int


class Corrected(_Frozen):
    """The end of words that turned out wrong: from ``at`` on the fact ``by`` stands in their place."""

    at: datetime
    by: str


class StoredMessage(Record):
    """A raw message, searchable from the moment it arrives.

    ``edited_by`` is the event that last changed it. A ``deleted`` one has no text any more; it stays, unfindable,
    so that the same message sent again is known. ``corrects`` is the ``message_id`` of the one whose words it puts right;
    ``corrected`` are words of its own that another put right. Of words that were ``retracted`` only the hashes are left.
    """

    kind: Literal["message"] = "message"
    message_id: str
    sender_id: str
    sender_name: str
    role: Literal["user", "assistant", "system", "tool"]
    sent_at: datetime
    timezone: str
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    agent_id: str | None = None
    tokens: int
    position: Position
    metadata: dict[str, Scalar] = Field(default_factory=dict)
    edited_by: Position | None = None
    deleted: bool = False
    corrects: str | None = None
    corrected: dict[str, Corrected] = Field(default_factory=dict)
    retracted: tuple[str, ...] = ()
    citation: Citation | None = None


class StoredDocument(Record):
    """A document, or an attachment of a message: what it is and what was made of it. Lies in ``control``, never found.

    ``edition`` is a hash of everything that its chunks are made from: the same one again changes nothing. ``chunk_ids`` are
    ids of its messages, ``replaced_ids`` those of the edition before that it no longer has. ``conversation_id`` is that of the
    message it is attached to (``message_id``), or of the conversation that its speech is (``replaced_speech``: was, in the
    edition before). ``unread`` says what was not read, and why.
    """

    kind: Literal["document"] = "document"
    name: str
    title: str
    format: str
    edition: str
    status: Literal["reading", "read", "unread"]
    chunk_ids: tuple[str, ...] = ()
    replaced_ids: tuple[str, ...] = ()
    replaced_speech: str | None = None
    dated_at: datetime
    position: Position
    uri: str | None = None
    media_type: str | None = None
    message_id: str | None = None
    pages: int | None = None
    characters: int = 0
    unread: tuple[str, ...] = ()
    metadata: dict[str, Scalar] = Field(default_factory=dict)

    @property
    def speech(self) -> str | None:
        """The conversation that its speech is, if it is speech."""
        return self.conversation_id if self.message_id is None else None


ClosedBy = Literal["boundary", "limit", "idle", "flush", "end", "section", "correction"]


class Episode(Record):
    """A coherent stretch of one conversation, or one section of one document. Its vector is of subject + summary.

    It lists everything that was made from it, so that a revision can replace all of it: facts, foresights, case,
    and in ``aggregate_ids`` the entities, relationships and profile that it is mentioned in. ``begins_because`` is what
    spoke for the cut before it. A ``provisional`` episode was shown while its conversation paused, and may go on.
    """

    kind: Literal["episode"] = "episode"
    subject: str
    summary: str
    episode: str
    started_at: datetime
    ended_at: datetime
    timezone: str = "UTC"
    participants: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()
    foresight_ids: tuple[str, ...] = ()
    case_id: str | None = None
    aggregate_ids: tuple[str, ...] = ()
    agent_id: str | None = None
    metadata: Metadata = Field(default_factory=dict)
    section: str | None = None
    citation: Citation | None = None
    begins_because: tuple[str, ...] = ()
    closed_by: ClosedBy
    provisional: bool = False
    extractor: str


class Validity(_Frozen):
    """The effect of other statements on one: computed by reconcile (flows/consistency/), never by the extractor.

    It holds from ``valid_from`` until ``valid_to`` (exclusive), when ``superseded_by`` was said. One that only repeats
    another is ``merged_into`` it, and is not found any more: the other stands for it, with its sources in
    ``also_said_in`` (message ids), their metadata in ``also_metadata`` and itself in ``repeated_by``.
    """

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    merged_into: str | None = None
    repeated_by: tuple[str, ...] = ()
    also_said_in: tuple[str, ...] = ()
    also_metadata: Metadata = Field(default_factory=dict)


class Claim(_Frozen):
    """One (subject, attribute, value) that a statement makes, which alone can end.

    ``attribute`` is one of the table of relations (mneme/relations); ``value`` is as said. A claim that ``ends`` says that
    the value holds no longer ("Ann left Google"); without a value, that none does ("Ann quit her job"). ``evidence`` is the
    sentence that makes it. ``valid_to`` and ``superseded_by`` (the id of a fact or foresight) are what later claims did to
    it: computed by reconcile, never by the extractor.
    """

    subject: str
    attribute: str
    value: str
    ends: bool = False
    evidence: str = ""
    valid_to: datetime | None = None
    superseded_by: str | None = None

    @property
    def about(self) -> str:
        """Subject and attribute in a form that can be compared: ``ann|home``."""
        return f"{self.subject.casefold()}|{self.attribute}"


class Spoken(_Frozen):
    """Words of a message that a quote takes along, unchanged."""

    speaker: str
    words: str
    message_id: str


Artifact = Literal["answer", "code", "draft", "file", "letter", "list", "output", "quotation"]


class Quote(_Frozen):
    """A fact without a model: the words of one message, unchanged, and what they need to be read alone.

    ``language`` is an ISO 639-1 code, empty where it is not known. ``question`` is what the words answer; else ``context``
    what they reply to, or the sentence before them where they lean on it ("it", "there", a bare "yes"); ``behind`` what is
    before the question or the message replied to, where that says too little alone. Of an ``artifact`` inside a message
    (code, a draft, a list, quoted text, a long answer of an assistant) nothing is claimed about its speaker.
    """

    speaker: str
    listener: str = ""
    words: str
    language: str = ""
    question: Spoken | None = None
    context: Spoken | None = None
    behind: Spoken | None = None
    artifact: Artifact | None = None


class AtomicFact(Record):
    """One self-contained, dated statement from one episode; immutable for a revision of its episode.

    What it tells happens from ``event_at`` until ``event_until`` (exclusive). ``quote`` has its parts where no model wrote
    it: then ``atomic_fact`` is put together from them (flows/extraction/quotes.py), and its first message is the one that
    said it. ``validity`` is what came of it as a whole, each claim has its own; one that was ``corrected`` claims nothing.
    """

    kind: Literal["fact"] = "fact"
    parent_episode_id: str
    atomic_fact: str
    topic_name: str
    message_ids: tuple[str, ...]
    speakers: tuple[str, ...] = ()
    said_at: datetime
    event_at: datetime | None = None
    event_until: datetime | None = None
    agent_id: str | None = None
    metadata: Metadata = Field(default_factory=dict)
    citation: Citation | None = None
    quote: Quote | None = None
    claims: tuple[Claim, ...] = ()
    corrected: Corrected | None = None
    validity: Validity = Validity()

    @property
    def text(self) -> str:
        """The statement as it is shown."""
        return self.atomic_fact

    @property
    def words(self) -> str:
        """The statement without what a quote has around it."""
        return self.atomic_fact if self.quote is None else self.quote.words

    @property
    def happens_at(self) -> datetime | None:
        """The time at which it happens, where that is known."""
        return self.event_at

    @property
    def by_model(self) -> bool:
        """Return whether it is no quote."""
        return self.quote is None


class Foresight(Record):
    """Something expected: a plan, an appointment, a deadline, from ``start`` until ``end``. A later statement may cancel it."""

    kind: Literal["foresight"] = "foresight"
    parent_episode_id: str
    statement: str
    evidence: str
    message_ids: tuple[str, ...]
    said_at: datetime
    start: datetime | None = None
    end: datetime | None = None
    metadata: Metadata = Field(default_factory=dict)
    citation: Citation | None = None
    claims: tuple[Claim, ...] = ()
    validity: Validity = Validity()

    @property
    def text(self) -> str:
        """The statement as it is shown."""
        return self.statement

    @property
    def words(self) -> str:
        """The statement: nothing is put around it."""
        return self.statement

    @property
    def happens_at(self) -> datetime | None:
        """The time at which it begins, where that is known."""
        return self.start

    @property
    def by_model(self) -> bool:
        """Return whether it is no quote: only its statement counts."""
        return True


Statement = AtomicFact | Foresight
"""What claims something, can be said again and can end."""


class Stated(_Frozen):
    """A cluster's entry of a fact or foresight: enough to decide what becomes of it without reading it.

    In a cluster about a subject's attribute: ``values`` are those that it states, ``ends`` those that it says to hold no longer
    ("": all). In one of the same words: whether it ``repeats`` others of its kind and they it, as long as it holds, which is
    until the first of its claims ends (``holds_until``). ``by_model`` says that it has no quote. ``corrected`` says that these
    words are wrong, whoever said them until then.
    """

    id: str
    said_at: datetime
    event_at: datetime | None = None
    message_ids: tuple[str, ...]
    metadata: Metadata = Field(default_factory=dict)
    values: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    repeats: bool = False
    holds_until: datetime | None = None
    by_model: bool = False
    corrected: Corrected | None = None


class Cluster(Record):
    """Records re-evaluated together when one of them changes: statements about the same, entities that share a name, ...

    Lies in ``control``, never found. Of statements (facts, foresights) it has what they say of ``about`` (``Claim.about``, or
    ``said|`` and a hash of their words); of other records the ``member_ids``. ``linked_ids`` are clusters of statements that
    are near in meaning and related.
    """

    kind: Literal["cluster"] = "cluster"
    about: str = ""
    statements: tuple[Stated, ...] = ()
    member_ids: tuple[str, ...] = ()
    linked_ids: tuple[str, ...] = ()


class Mention(_Frozen):
    """A mention of an entity, a relationship or an owner in one episode: the raw material of an aggregate.

    An entity's mention has the ``name`` and ``type`` it was given there; a relationship's the ``date`` it began, or
    ``ended``; that of a line of a profile the ``claim`` that it is made from, if any.
    """

    episode_id: str
    text: str
    at: datetime
    message_ids: tuple[str, ...] = ()
    name: str = ""
    type: str = ""
    date: datetime | None = None
    ended: bool = False
    claim: Claim | None = None


class Aggregate(Record):
    """A record built again from its mentions whenever one comes or goes.

    There is room for the newest. ``left_out_until`` is when the newest of the others was said: of what was said until then, not
    all is among the mentions. None where all is.
    """

    left_out_until: datetime | None = None


class Entity(Aggregate):
    """A node of the graph, rebuilt from its mentions. ``summary`` has at most 500 characters.

    Names of the same thing ("Ann", "Ann Miller") are nodes of their own, of which one is the entity: the others are
    ``merged_into`` it and not found any more, their names are its ``aliases`` and their mentions part of its summary.
    """

    kind: Literal["entity"] = "entity"
    name: str
    type: str
    summary: str
    mentions: tuple[Mention, ...]
    aliases: tuple[str, ...] = ()
    merged_into: str | None = None


class Relationship(Aggregate):
    """An edge of the graph, one for each ``source, relation, target``."""

    kind: Literal["relationship"] = "relationship"
    source: str
    relation: str
    target: str
    date: datetime | None
    mentions: tuple[Mention, ...]
    validity: Validity = Validity()


class ProfileItem(_Frozen):
    """One line of a portrait, with what shows it: the first time, then every time it was said again."""

    about: str
    statement: str
    category: str
    implicit: bool = False
    evidence: tuple[Mention, ...]


class Profile(Aggregate):
    """The portrait of an owner: what holds now. ``evidence`` is everything it is made from, what no longer holds included."""

    kind: Literal["profile"] = "profile"
    explicit: tuple[ProfileItem, ...]
    implicit: tuple[ProfileItem, ...] = ()
    evidence: tuple[ProfileItem, ...] = ()


class AgentCase(Record):
    """A task that an agent did."""

    kind: Literal["case"] = "case"
    parent_episode_id: str
    agent_id: str
    task_intent: str
    approach: str
    quality_score: float
    key_insight: str
    message_ids: tuple[str, ...]
    metadata: Metadata = Field(default_factory=dict)
    at: datetime


class AgentSkill(Record):
    """A skill that an agent learnt from several cases."""

    kind: Literal["skill"] = "skill"
    agent_id: str
    name: str
    description: str
    content: str
    confidence: float
    source_case_ids: tuple[str, ...]


AnyRecord = (
    StoredMessage
    | Episode
    | AtomicFact
    | Foresight
    | Cluster
    | Entity
    | Relationship
    | Profile
    | AgentCase
    | AgentSkill
    | StoredDocument
)
