"""The response of a search, of ``POST /api/v1/memories/search``, the same from Python.

``rank`` is the place in one list over all types, from 1 without gaps. It is null where something is shown for its
context only: an episode whose facts hold places instead of it, a fact nested under an episode that holds the place.

``citation`` is where it stands in a document: file, section, and page, sheet, slide or time. It is null for what was said in
a conversation, unless that is a recording's.
"""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from mneme.records import Citation, Claim, ProfileItem, Quote

Method = Literal["keyword", "vector", "hybrid", "agentic"]


class ResponseModel(BaseModel):
    """A response, or a part of one: it does not change."""

    model_config = ConfigDict(frozen=True)


class _Found(ResponseModel):
    """Something found. ``reading`` are the log-odds that it answers the question; None where a search did not read it."""

    id: str
    score: float
    rank: int | None = None
    reading: float | None = None


class _FoundStatement(_Found):
    """Something that was said, and what became of it since.

    ``message_ids`` are the callers' ids of the messages it comes from, ``also_said_in`` those in which others say the
    same; these others (``repeated_by``, their ids) are not found themselves. It held from ``valid_from`` until
    ``valid_to``, when the statement ``superseded_by`` took its place. Each of its ``claims`` ends by itself: a statement that
    makes several may hold in one and not in another.
    """

    parent_episode_id: str
    message_ids: tuple[str, ...]
    said_at: datetime
    citation: Citation | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    repeated_by: tuple[str, ...] = ()
    also_said_in: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def times_said(self) -> int:
        """Number of times that it was said."""
        return 1 + len(self.repeated_by)

    @property
    def said_in(self) -> tuple[str, ...]:
        """The ids of all messages that say it, its own first."""
        return tuple(dict.fromkeys((*self.message_ids, *self.also_said_in)))


class FoundFact(_FoundStatement):
    """An atomic fact. Without a model it is a ``quote``: then ``atomic_fact`` is put together from its parts.

    What it tells happens from ``event_at`` until ``event_until`` (exclusive), as precisely as was said: a day, week, month or
    year.
    """

    atomic_fact: str
    topic_name: str
    event_at: datetime | None = None
    event_until: datetime | None = None
    quote: Quote | None = None

    @property
    def text(self) -> str:
        """The fact."""
        return self.atomic_fact


class FoundMessage(_Found):
    """A raw message that no episode holds yet."""

    message_id: str
    conversation_id: str | None
    sender_id: str
    sender_name: str
    text: str
    sent_at: datetime
    citation: Citation | None = None
    parent_episode_id: str | None = None


class FoundEpisode(_Found):
    """An episode, with the best of its facts nested, best first; ``episode`` is the narrative."""

    subject: str
    summary: str
    episode: str
    conversation_id: str | None
    document_id: str | None
    section: str | None
    citation: Citation | None = None
    started_at: datetime
    ended_at: datetime
    participants: tuple[str, ...]
    message_ids: tuple[str, ...]
    atomic_facts: tuple[FoundFact, ...] = ()

    @property
    def text(self) -> str:
        """The subject, and the summary where it says more."""
        return self.subject if self.summary == self.subject else f"{self.subject}: {self.summary}"


class FoundProfile(_Found):
    """The portrait of an owner."""

    explicit: tuple[ProfileItem, ...]
    implicit: tuple[ProfileItem, ...]

    @property
    def text(self) -> str:
        """All statements, in one line."""
        return "; ".join(item.statement for item in (*self.explicit, *self.implicit))


class FoundForesight(_FoundStatement):
    """Something expected. ``expired``: its time lies behind, or it was cancelled or replaced."""

    statement: str
    evidence: str
    start: datetime | None
    end: datetime | None
    expired: bool = False

    @property
    def text(self) -> str:
        """The statement."""
        return self.statement


class FoundCase(_Found):
    """A task that an agent did."""

    task_intent: str
    approach: str
    key_insight: str
    quality_score: float
    parent_episode_id: str
    message_ids: tuple[str, ...]

    @property
    def text(self) -> str:
        """The task, and what it taught."""
        return f"{self.task_intent}: {self.key_insight}" if self.key_insight else self.task_intent


class FoundSkill(_Found):
    """A skill that an agent learnt from several cases."""

    name: str
    description: str
    content: str
    confidence: float
    source_case_ids: tuple[str, ...]

    @property
    def text(self) -> str:
        """Its name and description."""
        return f"{self.name}: {self.description}" if self.description else self.name


Found: TypeAlias = FoundFact | FoundEpisode | FoundMessage | FoundProfile | FoundForesight | FoundCase | FoundSkill


class AgentMemory(ResponseModel):
    """The cases and skills of agents."""

    cases: tuple[FoundCase, ...] = ()
    skills: tuple[FoundSkill, ...] = ()


class GraphEntity(ResponseModel):
    """An entity ``hop`` relationships away from the names in the question: 0 is named.

    ``mentions`` is how many times it was spoken of; ``episode_ids`` and ``message_ids`` are where, the newest ten times.
    """

    id: str
    name: str
    type: str
    summary: str
    aliases: tuple[str, ...] = ()
    hop: int = 0
    mentions: int = 0
    episode_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()


class GraphRelationship(ResponseModel):
    """An edge; ``hop`` is how many relationships it takes from a name in the question, itself counted. ``source`` and
    ``target`` are the names of their entities, whatever they were called when it was said. For the rest see ``GraphEntity``.
    """

    id: str
    source: str
    relation: str
    target: str
    date: datetime | None
    valid_to: datetime | None
    hop: int = 1
    mentions: int = 0
    episode_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()


class Graph(ResponseModel):
    """The part of the entity graph around a question or a name: evidence without a rank. ``notes`` say what was left out."""

    entities: tuple[GraphEntity, ...] = ()
    relationships: tuple[GraphRelationship, ...] = ()
    notes: tuple[str, ...] = ()


class TimeSpan(ResponseModel):
    """From ``since`` (inclusive) to ``before`` (exclusive); null at a side where it is open."""

    since: datetime | None
    before: datetime | None


class QueryEcho(ResponseModel):
    """The question as it was understood.

    ``period`` is the time that it speaks of. ``asker`` is the name of who asks ("I"), else the owner's id; null of
    a memory that is no user's. ``notes`` say what was left out, and why.
    """

    text: str
    method: Method
    filters_applied: dict[str, Any]
    type: str
    top_k: int
    period: TimeSpan | None = None
    asker: str | None = None
    notes: tuple[str, ...] = ()


class AgentMetrics(ResponseModel):
    """The work of an agent, over all its searches.

    ``selected_tool`` is the strategy (direct, split, chain, reflect) and ``planner`` who decided within it (rules, model).
    ``queries`` are what was searched for, in order, ``evidence`` the ids of what that found, each once. Times are in
    milliseconds; searches that ran side by side count the time until the last of them. Tokens are those of the model.
    ``confidence_scores`` are those of each judgement.
    """

    selected_tool: str
    planner: str
    queries: tuple[str, ...] = ()
    memory_search_called: int = 0
    memory_retrieval_time: float = 0.0
    llm_called: int = 0
    llm_time: float = 0.0
    input_token: int = 0
    output_token: int = 0
    confidence_scores: tuple[float, ...] = ()
    evidence: tuple[str, ...] = ()


class Metrics(ResponseModel):
    """The cost of the search, and its scoring. ``reranked`` places were judged by a reranker, 0 where none answered.

    ``agent`` is there for ``agentic`` only; the rest is then about the search for the question itself, but for the time.
    """

    milliseconds: float
    round_trips: int
    candidates: dict[str, int]
    scoring: str
    reranked: int = 0
    rerank_milliseconds: float = 0.0
    agent: AgentMetrics | None = None


class TraceStep(ResponseModel):
    """One step of a stage: what happened to which candidate, and why.

    Of ``agent`` the id is what was searched for, and ``round`` the number of searches before it.
    """

    stage: Literal["recall", "fuse", "prefer", "compete", "rerank", "agent"]
    move: str
    id: str
    score: float
    reason: str
    round: int = 0


class SearchResponse(ResponseModel):
    """The memories that were found. Each list is in the order of its best ranks.

    ``facts`` are those that hold places, for ``hybrid`` only; each is nested under its episode as well. ``knowledge``
    holds episodes of the tenant's documents. ``trace`` is null without ``explain=True``.

    >>> for item in found.ranked():  # doctest: +SKIP
    ...     print(item.rank, item.text)
    """

    episodes: tuple[FoundEpisode, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    profiles: tuple[FoundProfile, ...] = ()
    foresights: tuple[FoundForesight, ...] = ()
    raw_messages: tuple[FoundMessage, ...] = ()
    agent_memory: AgentMemory = AgentMemory()
    knowledge: tuple[FoundEpisode, ...] = ()
    graph: Graph = Graph()
    query: QueryEcho
    metrics: Metrics
    trace: tuple[TraceStep, ...] | None = None

    def ranked(self) -> tuple[Found, ...]:
        """The results with a place, of all types, in one list by rank; each has a ``text`` to be read.

        What has no rank is left out: it is shown for its context, as the episode of a fact or as a fact of an episode.
        """
        everything: tuple[Found, ...] = (
            *self.facts,
            *self.episodes,
            *self.knowledge,
            *self.raw_messages,
            *self.foresights,
            *self.profiles,
            *self.agent_memory.cases,
            *self.agent_memory.skills,
        )
        placed = [(each.rank, each) for each in everything if each.rank is not None]
        return tuple(each for _, each in sorted(placed, key=lambda pair: pair[0]))
