"""Records that one episode gives: itself, its facts and foresights with their claims, and the case of an agent."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from mneme.records.base import Citation, Frozen, Metadata, Record
from mneme.records.sources import Corrected

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


class Validity(Frozen):
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


class Claim(Frozen):
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


class Spoken(Frozen):
    """Words of a message that a quote takes along, unchanged."""

    speaker: str
    words: str
    message_id: str


Artifact = Literal["answer", "code", "draft", "file", "letter", "list", "output", "quotation"]


class Quote(Frozen):
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
"""A record that claims something, can be said again and can end."""


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
