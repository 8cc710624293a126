"""What a history tells: statements, relationships and lines of a portrait about one person or thing, each with its dates."""

from datetime import datetime
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from mneme.records import Citation, Mention


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class Link(_Told):
    """Another statement, as far as it is needed to understand one."""

    id: str
    text: str
    said_at: datetime


class ToldStatement(_Told):
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


class ToldFact(ToldStatement):
    """A fact."""

    topic_name: str
    event_at: datetime | None
    event_until: datetime | None

    @property
    def at(self) -> datetime:
        """When it happened, as far as that was said; what lay ahead stands where it was said, as what was planned then."""
        return min(self.event_at or self.said_at, self.said_at)


class ToldForesight(ToldStatement):
    """Something expected. ``expired``: it lies behind, was cancelled or replaced. ``told_as_fact``: a fact says it as well."""

    start: datetime | None
    end: datetime | None
    expired: bool
    told_as_fact: bool

    @property
    def at(self) -> datetime:
        """When it was said: plans and their changes stand in the order in which they were made."""
        return self.said_at


class ToldRelationship(_Told):
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
        """When it began, or was first said."""
        return self.date or min(mention.at for mention in self.mentions)


class ToldLine(_Told):
    """A line of a portrait, with everything that showed it. ``holds`` is false where it is not in the portrait now."""

    about: str
    statement: str
    category: str
    implicit: bool
    holds: bool
    evidence: tuple[Mention, ...]

    @property
    def at(self) -> datetime:
        """When it was first shown."""
        return min(mention.at for mention in self.evidence)


Entry: TypeAlias = ToldFact | ToldForesight | ToldRelationship | ToldLine


class History(_Told):
    """What is remembered of somebody or something. Each list is in the order in which it happened.

    ``names`` are all it goes by; ``others`` are entities that ``asked`` may mean as well. ``notes`` say what was left out.
    """

    asked: str
    name: str
    names: tuple[str, ...]
    type: str
    summary: str
    others: tuple[str, ...] = ()
    facts: tuple[ToldFact, ...]
    foresights: tuple[ToldForesight, ...]
    relationships: tuple[ToldRelationship, ...]
    profile: tuple[ToldLine, ...]
    notes: tuple[str, ...] = ()

    def timeline(self) -> tuple[Entry, ...]:
        """Everything in one list, in the order in which it happened; without foresights that only repeat a fact."""
        foresights = (each for each in self.foresights if not each.told_as_fact)
        entries: list[Entry] = [*self.facts, *foresights, *self.relationships, *self.profile]
        return tuple(sorted(entries, key=lambda each: each.at))
