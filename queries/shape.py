"""shape: a ranking becomes the response. One global rank over all types; facts nested under their episode. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from connectors.telemetry.meters import stage
from mneme.rows import Row
from queries.entities.graph import graph_response
from queries.filtering.scope import Scope
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
    placed: list[Found] = [_FOUND[row.kind](**fields_of(row) | places.of(row) | _of_moment(row, scope)) for row in alone]
    if with_facts:
        placed += [fact for _, episode in episodes for fact in episode.atomic_facts if fact.rank is not None]
    placed.sort(key=lambda each: each.rank or 0)
    graph = graph_response(evidence.walk.entities, evidence.walk.relationships)
    return lists_of(placed, [episode for _, episode in episodes], knowledge, graph)


def lists_of(
    placed: Sequence[Found], episodes: Sequence[FoundEpisode], knowledge: Collection[str], graph: Graph
) -> dict[str, Any]:
    """The lists of a ``SearchResponse``: what holds a place, by kind, and the episodes, the ``knowledge`` apart."""

    def of(kind: type[Kind]) -> tuple[Kind, ...]:
        return tuple(each for each in placed if isinstance(each, kind))

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
    readings = [places.readings[each.row.id] for each in facts if each.row.id in places.readings]
    return FoundEpisode(
        **fields_of(row) | places.of(row) | {"reading": max(readings, default=None)},
        atomic_facts=tuple(FoundFact(**fields_of(each.row) | places.of(each.row)) for each in nested),
    )


def fields_of(row: Row) -> dict[str, Any]:
    """The fields of a row's record that its response has."""
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
