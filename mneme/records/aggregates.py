"""Records that many episodes give: clusters of statements, entities, relationships, profiles and skills."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from mneme.records.base import Frozen, Metadata, Record
from mneme.records.memories import Claim, Validity
from mneme.records.sources import Corrected


class Stated(Frozen):
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


class Mention(Frozen):
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


class ProfileItem(Frozen):
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


class AgentSkill(Record):
    """A skill that an agent learnt from several cases."""

    kind: Literal["skill"] = "skill"
    agent_id: str
    name: str
    description: str
    content: str
    confidence: float
    source_case_ids: tuple[str, ...]
