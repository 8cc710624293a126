"""shape: a ranking becomes the response. One global rank over all types; facts nested under their episode. Pure."""

from collections.abc import Collection as Ids
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from connectors.aging_cache import Derived
from connectors.telemetry.meters import stage
from mneme.ports import MemoryIndex, Selection
from mneme.rows import Collection, Row
from queries.entities.graph import graph_response
from queries.filtering.scope import Scope, profile_rows
from queries.questions.types import QuestionType, asks_for_several
from queries.questions.understand import Question
from queries.ranking import Ranking
from queries.recall import Candidate
from queries.records import record_of, shared_fields
from queries.responses import (
    AgentMemory,
    Found,
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

Kind = TypeVar("Kind", FoundFact, FoundMessage, FoundProfile, FoundForesight, FoundCase, FoundSkill)
_FOUND: Mapping[str, type[Found]] = {
    "episode": FoundEpisode,
    "fact": FoundFact,
    "message": FoundMessage,
    "profile": FoundProfile,
    "foresight": FoundForesight,
    "case": FoundCase,
    "skill": FoundSkill,
}

_MOST = 1000  # messages of one response


@dataclass(frozen=True, slots=True)
class _Places:
    """The score and the rank of every id, and the log-odds that those answer that were read."""

    scores: Mapping[str, float]
    ranks: Mapping[str, int]
    readings: Mapping[str, float]

    def of(self, row: Row) -> dict[str, Any]:
        """The fields of a row's place."""
        return {
            "id": row.id,
            "score": self.scores[row.id],
            "rank": self.ranks.get(row.id),
            "reading": self.readings.get(row.id),
        }


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
    places = _Places(ranking.scores, ranks, ranking.readings)
    evidence = ranking.evidence
    shown = {standing.parent or standing.id for standing in ranking.standings}
    episodes = [
        (candidate.row, _episode(candidate.row, places, evidence.facts.get(identity, ()), facts_per_episode))
        for identity, candidate in evidence.episodes.items()
        if identity in shown
    ]
    episodes.sort(key=lambda each: _best_rank(each[1]))
    knowledge = {row.id for row, _ in episodes if row.owner_type == "tenant"}
    alone = [each.row for each in (*evidence.messages.values(), *evidence.memories.values()) if each.row.id in ranks]
    held: list[Found] = [_FOUND[row.kind](**_fields(row) | places.of(row) | _of_moment(row, scope)) for row in alone]
    if with_facts:
        held += [fact for _, episode in episodes for fact in episode.atomic_facts if fact.rank is not None]
    held.sort(key=lambda each: each.rank or 0)
    graph = graph_response(evidence.walk.entities, evidence.walk.relationships)
    return lists_of(held, [episode for _, episode in episodes], knowledge, graph)


def lists_of(held: Sequence[Found], episodes: Sequence[FoundEpisode], knowledge: Ids[str], graph: Graph) -> dict[str, Any]:
    """The lists of a ``SearchResponse``: what holds a place, by kind, and the episodes, the ``knowledge`` apart."""

    def of(kind: type[Kind]) -> tuple[Kind, ...]:
        return tuple(each for each in held if isinstance(each, kind))

    return {
        "episodes": tuple(each for each in episodes if each.id not in knowledge),
        "knowledge": tuple(each for each in episodes if each.id in knowledge),
        "facts": of(FoundFact),
        "raw_messages": of(FoundMessage),
        "profiles": of(FoundProfile),
        "foresights": of(FoundForesight),
        "agent_memory": AgentMemory(cases=of(FoundCase), skills=of(FoundSkill)),
        "graph": graph,
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
    read = [places.readings[each.row.id] for each in facts if each.row.id in places.readings]
    return FoundEpisode(
        **_fields(row) | places.of(row) | {"reading": max(read, default=None)},
        atomic_facts=tuple(FoundFact(**_fields(each.row) | places.of(each.row)) for each in nested),
    )


@Derived  # many searches find the same
def _fields(row: Row) -> dict[str, Any]:
    return shared_fields(_FOUND[row.kind], record_of(row))


def _of_moment(row: Row, scope: Scope) -> dict[str, Any]:
    """The fields that the record does not have: they depend on the moment, or on what became of it since."""
    match row.kind:
        case "foresight":
            return {"expired": scope.is_over(row)}
        case "message":
            return {"parent_episode_id": row.parent_id}
        case _:
            return {}


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
    _, (found,) = index.ask((), [Selection(Collection.MESSAGES, rows, _MOST)], (), None)
    messages = []
    for row in (known for each in found if (known := scope.known(each.row)) is not None):
        episode = wanted.get((row.conversation_id or "", row.message_ids[0]))
        if row.kind == "message" and episode is not None:
            messages.append(FoundMessage(**_fields(row), score=0.0, parent_episode_id=episode.id))
    return tuple(sorted(messages, key=lambda each: (each.sent_at, each.id)))


def with_portrait(index: MemoryIndex, scope: Scope, found: SearchResponse) -> SearchResponse:
    """Add the owners' profile, without a rank, where the question asks for several things or for a taste.

    One line of it tells what many memories do. A filter that leaves some memories out leaves it out: it is made of all.
    """
    asked, rows = found.query, scope.rows
    wants_all = asked.type == QuestionType.PREFERENCE or asks_for_several(asked.text)
    chosen = rows.people or rows.conversation_ids or rows.document_ids or rows.since or (rows.before and not scope.is_past)
    if found.profiles or scope.is_narrowed or chosen or not wants_all:
        return found
    portraits = (known for row in profile_rows(index, rows) if (known := scope.known(row)) is not None)
    profiles = tuple(FoundProfile(**_fields(row), score=0.0) for row in portraits)
    return found.model_copy(update={"profiles": profiles})


def _around(order: tuple[str, ...], said: Iterable[str], count: int) -> list[str]:
    """The ids at most ``count`` places before or after one of those that were said, these left out."""
    said = set(said)
    at = [place for place, each in enumerate(order) if each in said]
    near = {place for each in at for place in range(max(0, each - count), min(len(order), each + count + 1))}
    return [order[place] for place in sorted(near - set(at))]
