"""merged: what an agent found in all its searches becomes one response. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from mneme.relations import attributes_asked
from queries.agents.evidence import Episodic, Evidence, Place, parent_of, time_of
from queries.agents.query import Order
from queries.compete import Standing
from queries.questions.understand import both_ends
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
)
from queries.supersession import in_order, successor_of

Kind = TypeVar("Kind", FoundFact, FoundEpisode, FoundMessage, FoundProfile, FoundForesight, FoundCase, FoundSkill)


def merged(
    evidence: Evidence,
    places: Sequence[Place],
    limit: int,
    order: Order,
    facts_per_episode: int,
    newest_first: bool,
    equal_scores: bool,
) -> dict[str, Any]:
    """The lists of a ``SearchResponse``.

    1. What is searched for only once keeps its place; what was searched for again fills the others, and what superseded another
       stands before it.
    2. Scores never rise with the rank; or all are 1.
    3. An episode is shown where it holds a place, or a fact of it does, with the best that any search nested.

    Args:
        evidence: of one search or more.
        places: in their final order.
        limit: how many places the response has.
        order: by score, or by when things were said.
        facts_per_episode: nested at most, but for those that hold places.
        newest_first: whether what superseded another stands before it; not for a question about the past.
        equal_scores: whether all scores are 1.
    """
    # 1.
    listed = _listed(evidence, _newest_first(evidence, places) if newest_first else places, limit)
    # 2.
    scores = _scores(listed) if not equal_scores else [1.0] * len(listed)
    scored = list(zip(listed, scores, strict=True))
    if order is Order.CHRONOLOGICAL:
        scored.sort(key=lambda each: _moment(each[0].item))
    held = [_placed(place.item, score, rank) for rank, (place, score) in enumerate(scored, start=1)]
    # 3.
    known = evidence.episodes()
    by_id = {each.id: each for each in held}
    shown = dict.fromkeys(parent_of(each) or each.id for each in held if isinstance(each, Episodic))
    episodes = [_episode(known[identity], by_id, facts_per_episode) for identity in shown if identity in known]
    knowledge = {each.id for searched in evidence.searches for each in searched.response.knowledge}
    return {
        "episodes": tuple(each for each in episodes if each.id not in knowledge),
        "knowledge": tuple(each for each in episodes if each.id in knowledge),
        "facts": _of(held, FoundFact),
        "raw_messages": _of(held, FoundMessage),
        "profiles": _of(held, FoundProfile),
        "foresights": _of(held, FoundForesight),
        "agent_memory": AgentMemory(cases=_of(held, FoundCase), skills=_of(held, FoundSkill)),
        "graph": evidence.graph(),
    }


class _Listed(NamedTuple):
    """Anything that holds a place."""

    item: Found
    score: float


def _listed(evidence: Evidence, places: Sequence[Place], limit: int) -> list[_Listed]:
    """The first ``limit`` places, one of each search among them, and at its old rank what is searched for only once.

    That is scored as what stands before it.
    """
    first = evidence.first
    standing = evidence.standing_by(first) if first else []
    room = limit - sum((item.rank or 1) <= limit for item in standing)
    listed = [_Listed(each.item, each.score) for each in evidence.with_slots(places, room)]
    for item in standing:
        at = min((item.rank or 1) - 1, len(listed))
        listed.insert(at, _Listed(item, listed[at - 1].score if at else listed[0].score if listed else 1.0))
    return listed[:limit]


def _newest_first(evidence: Evidence, places: Sequence[Place]) -> list[Place]:
    """The places, each directly behind what superseded it."""
    query = evidence.first.query if evidence.first else None
    asked = attributes_asked(both_ends(query.text)) if query else ()
    owner = query.filters_applied.get("user_id") if query else None
    successor = {}
    for fact in (fact for episode in evidence.episodes().values() for fact in episode.atomic_facts):
        if newer := successor_of(fact.claims, asked, owner, None, fact.superseded_by):
            successor[fact.id] = newer
    if not successor:
        return list(places)
    by_id = {each.item.id: each for each in places}
    ordered = in_order([Standing(each.item.id, each.score) for each in places], successor, lambda each: each.id)
    return [Place(by_id[each.id].item, each.score) for each in ordered]


def _scores(places: Sequence[_Listed]) -> list[float]:
    """Their scores, none above the one before it."""
    return list(accumulate((each.score for each in places), min))


def _moment(item: Found) -> tuple[datetime, str]:
    """The time at which it was said; a result without one comes last."""
    return (time_of(item) if isinstance(item, Episodic) else datetime.max.replace(tzinfo=UTC)), item.id


def _placed(item: Found, score: float, rank: int) -> Found:
    return item.model_copy(update={"score": score, "rank": rank})


def _episode(episode: FoundEpisode, held: Mapping[str, Found], most: int) -> FoundEpisode:
    """An episode with those of its facts that hold places, and the best others."""
    placed = held.get(episode.id)
    facts = [each for each in episode.atomic_facts if each.id not in held]
    holders = [each for each in held.values() if isinstance(each, FoundFact) and each.parent_episode_id == episode.id]
    others = sorted(facts, key=lambda each: (-each.score, each.id))[: max(0, most - len(holders))]
    return episode.model_copy(
        update={
            "score": placed.score if placed else episode.score,
            "rank": placed.rank if placed else None,
            "atomic_facts": (*holders, *(each.model_copy(update={"rank": None}) for each in others)),
        }
    )


def _of(held: Iterable[Found], kind: type[Kind]) -> tuple[Kind, ...]:
    return tuple(each for each in held if isinstance(each, kind))
