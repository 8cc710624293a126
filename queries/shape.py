"""shape: a ranking becomes the response. One global rank over all types; facts nested under their episode. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel

from connectors.aging_cache import Derived
from connectors.telemetry.searches import stage
from mneme.ports import MemoryIndex
from mneme.records import AgentCase, AgentSkill, AtomicFact, Episode, Foresight, Profile, StoredMessage, Validity
from mneme.rows import Collection, Row
from queries.complete import Evidence
from queries.entities.graph import Walk, graph_response
from queries.filtering.scope import Scope
from queries.questions.understand import Question
from queries.ranking import Ranking
from queries.recall import Candidate
from queries.records import record_of
from queries.responses import (
    AgentMemory,
    FoundCase,
    FoundEpisode,
    FoundFact,
    FoundForesight,
    FoundMessage,
    FoundProfile,
    FoundSkill,
    Graph,
    SearchResponse,
)
from queries.supersession import best_first

Found = TypeVar("Found", FoundMessage, FoundProfile, FoundForesight, FoundCase, FoundSkill)

_MOST = 1000  # messages of one response


@dataclass(frozen=True, slots=True)
class _Places:
    """The score and the rank of every id."""

    scores: Mapping[str, float]
    ranks: Mapping[str, int]

    def of(self, row: Row) -> dict[str, Any]:
        """The fields of a row's place."""
        return {"id": row.id, "score": self.scores[row.id], "rank": self.ranks.get(row.id)}


@stage("shape")
def shape(question: Question, ranking: Ranking, scope: Scope, facts_per_episode: int, with_facts: bool) -> dict[str, Any]:
    """The lists of a ``SearchResponse``, each in the order of its best ranks.

    Args:
        question: names the entities of the graph.
        ranking: the outcome of a method; its standings are the places, best first.
        scope: says which foresights are over.
        facts_per_episode: how many facts are nested under an episode at most; those that hold a place always are.
        with_facts: whether facts that hold places are listed by themselves as well (hybrid).
    """
    ranks = {standing.id: rank for rank, standing in enumerate(ranking.standings, start=1)}
    places = _Places(ranking.scores, ranks)
    evidence = ranking.evidence
    shown = {standing.parent or standing.id for standing in ranking.standings}
    episodes = [
        (candidate.row, _episode(candidate.row, places, evidence.facts.get(identity, ()), facts_per_episode))
        for identity, candidate in evidence.episodes.items()
        if identity in shown
    ]
    episodes.sort(key=lambda each: _best_rank(each[1]))
    ranked_facts = [fact for _, episode in episodes for fact in episode.atomic_facts if fact.rank is not None]
    memories = list(evidence.memories.values())
    return {
        "episodes": tuple(episode for row, episode in episodes if row.owner_type != "tenant"),
        "knowledge": tuple(episode for row, episode in episodes if row.owner_type == "tenant"),
        "facts": tuple(sorted(ranked_facts, key=lambda fact: fact.rank or 0)) if with_facts else (),
        "raw_messages": _ranked(evidence.messages.values(), places, _message),
        "profiles": _ranked(memories, places, _profile),
        "foresights": _ranked(memories, places, partial(_foresight, scope)),
        "agent_memory": AgentMemory(cases=_ranked(memories, places, _case), skills=_ranked(memories, places, _skill)),
        "graph": _graph(evidence.walk, evidence),
    }


def _best_rank(episode: FoundEpisode) -> int:
    ranks = [each for each in (episode.rank, *(fact.rank for fact in episode.atomic_facts)) if each is not None]
    return min(ranks)


def _episode(row: Row, places: _Places, facts: Sequence[Candidate], most: int) -> FoundEpisode:
    """An episode with the facts that hold places, and the best others that match at all."""
    holders = [each for each in facts if each.row.id in places.ranks]
    holders.sort(key=lambda each: places.ranks[each.row.id])
    others = [each for each in facts if each.row.id not in places.ranks and places.scores.get(each.row.id, 0.0) > 0.0]
    others.sort(key=lambda each: best_first(each.row, places.scores[each.row.id]))
    nested = [*holders, *others][: max(most, len(holders))]
    return FoundEpisode(
        **places.of(row),
        **_episode_fields(row),
        atomic_facts=tuple(_fact(each.row, places) for each in nested),
    )


def _fact(row: Row, places: _Places) -> FoundFact:
    return FoundFact(**places.of(row), **_fact_fields(row))


def _fields_of_episode(row: Row) -> dict[str, Any]:
    """The fields of an episode that do not depend on its place."""
    episode = _record(row, Episode)
    names = ("subject", "summary", "episode", "conversation_id", "document_id", "section", "citation")
    return _fields(episode, *names, "started_at", "ended_at", "participants", "message_ids")


def _fields_of_fact(row: Row) -> dict[str, Any]:
    """The fields of a fact that do not depend on its place."""
    fact = _record(row, AtomicFact)
    names = ("atomic_fact", "topic_name", "parent_episode_id", "message_ids", "said_at", "citation", "event_at")
    return _fields(fact, *names, "quote", "claims") | _validity(fact.validity)


_episode_fields = Derived(_fields_of_episode)
_fact_fields = Derived(_fields_of_fact)


def _validity(validity: Validity) -> dict[str, Any]:
    """The fields of validity of a found statement."""
    return _fields(validity, "valid_from", "valid_to", "superseded_by", "repeated_by", "also_said_in")


def _fields(record: BaseModel, *names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


def _ranked(
    candidates: Iterable[Candidate], places: _Places, make: Callable[[Row, _Places], Found | None]
) -> tuple[Found, ...]:
    """The candidates of one kind that hold places, best first."""
    holders = sorted((each.row for each in candidates if each.row.id in places.ranks), key=lambda row: places.ranks[row.id])
    return tuple(found for row in holders if (found := make(row, places)) is not None)


def _message(row: Row, places: _Places) -> FoundMessage:
    message = _record(row, StoredMessage)
    return FoundMessage(
        **places.of(row),
        message_id=row.message_ids[0],
        conversation_id=message.conversation_id,
        sender_id=message.sender_id,
        sender_name=message.sender_name,
        text=message.text,
        sent_at=row.at,
        citation=message.citation,
        parent_episode_id=row.parent_id,
    )


def _profile(row: Row, places: _Places) -> FoundProfile | None:
    record = record_of(row)
    if not isinstance(record, Profile):
        return None
    return FoundProfile(**places.of(row), explicit=record.explicit, implicit=record.implicit)


def _foresight(scope: Scope, row: Row, places: _Places) -> FoundForesight | None:
    record = record_of(row)
    if not isinstance(record, Foresight):
        return None
    return FoundForesight(
        **places.of(row),
        statement=record.statement,
        evidence=record.evidence,
        start=record.start,
        end=record.end,
        said_at=record.said_at,
        citation=record.citation,
        expired=scope.is_over(row),
        parent_episode_id=record.parent_episode_id,
        message_ids=record.message_ids,
        claims=record.claims,
        **_validity(record.validity),
    )


def _case(row: Row, places: _Places) -> FoundCase | None:
    record = record_of(row)
    if not isinstance(record, AgentCase):
        return None
    return FoundCase(
        **places.of(row),
        task_intent=record.task_intent,
        approach=record.approach,
        key_insight=record.key_insight,
        quality_score=record.quality_score,
        parent_episode_id=record.parent_episode_id,
        message_ids=record.message_ids,
    )


def _skill(row: Row, places: _Places) -> FoundSkill | None:
    record = record_of(row)
    if not isinstance(record, AgentSkill):
        return None
    return FoundSkill(
        **places.of(row),
        name=record.name,
        description=record.description,
        content=record.content,
        confidence=record.confidence,
        source_case_ids=record.source_case_ids,
    )


def _graph(walk: Walk, evidence: Evidence) -> Graph:
    """The part of the graph reached from the names in the question, with the facts that mention it."""
    facts_of: dict[str, dict[str, list[str]]] = {}  # by episode and message, of the episodes that are mentioned

    def facts_of_message(episode: str, message: str) -> Sequence[str]:
        if episode not in facts_of:
            by_message = facts_of[episode] = {}
            for each in evidence.facts.get(episode, ()):
                for said_in in each.row.message_ids or ("",):
                    by_message.setdefault(said_in, []).append(each.row.id)
        return facts_of[episode].get(message, ())

    return graph_response(walk.entities, walk.relationships, facts_of_message)


Stored = TypeVar("Stored", Episode, AtomicFact, StoredMessage)


def _record(row: Row, kind: type[Stored]) -> Stored:
    record = record_of(row)
    assert isinstance(record, kind), f"{row.id} lies among the {row.collection} and is a {row.kind}"
    return record


def neighbours(index: MemoryIndex, scope: Scope, response: SearchResponse, count: int) -> tuple[FoundMessage, ...]:
    """The messages around those that hold places, in the order in which they were said, without a rank.

    An episode's own border is kept: behind it another matter begins. What a filter by time, people or metadata leaves
    out may be among them: they are shown for the context.

    Args:
        index: holds the messages.
        scope: whose memory it is.
        response: what was found.
        count: messages before, and as many after.
    """
    episodes = {each.id: each for each in (*response.episodes, *response.knowledge)}
    wanted: dict[tuple[str, str], FoundEpisode] = {}
    for item in response.ranked():
        match item:
            case FoundFact() | FoundMessage():
                episode = episodes.get(item.parent_episode_id or "")
                said = item.message_ids if isinstance(item, FoundFact) else (item.message_id,)
            case FoundEpisode():
                episode, said = item, tuple(each for fact in item.atomic_facts for each in fact.message_ids)
            case _:
                continue
        if episode is not None and episode.conversation_id is not None:
            wanted |= {(episode.conversation_id, each): episode for each in _around(episode.message_ids, said, count)}
    shown = {(each.conversation_id, each.message_id) for each in response.raw_messages}
    missing = [each for each in wanted if each not in shown][:_MOST]
    if not missing:
        return ()
    rows = replace(
        scope.rows,
        people=(),
        labels=(),
        since=None,
        before=scope.moment if scope.is_past else None,
        conversation_ids=tuple({conversation: None for conversation, _ in missing}),
        message_ids=tuple({message: None for _, message in missing}),
    )
    found = index.score(Collection.MESSAGES, rows, (), None, _MOST)
    messages = []
    for row in (known for each in found if (known := scope.known(each.row)) is not None):
        message = row.record()
        episode = wanted.get((row.conversation_id or "", row.message_ids[0]))
        if isinstance(message, StoredMessage) and episode is not None:
            messages.append(
                FoundMessage(
                    id=row.id,
                    score=0.0,
                    message_id=row.message_ids[0],
                    conversation_id=row.conversation_id,
                    sender_id=message.sender_id,
                    sender_name=message.sender_name,
                    text=message.text,
                    sent_at=row.at,
                    citation=message.citation,
                    parent_episode_id=episode.id,
                )
            )
    return tuple(sorted(messages, key=lambda each: (each.sent_at, each.id)))


def _around(order: tuple[str, ...], said: Iterable[str], count: int) -> list[str]:
    """The ids at most ``count`` places before or after one of those that were said, these left out."""
    said = set(said)
    at = [place for place, each in enumerate(order) if each in said]
    near = {place for each in at for place in range(max(0, each - count), min(len(order), each + count + 1))}
    return [order[place] for place in sorted(near - set(at))]
