"""The results of all searches for one question, each once: from several ranked lists to one, and to one response. Pure.

Only what lies in episodes is searched for again, episodes, facts and raw messages; portraits, foresights, cases and skills
are those of the first search, and keep their places.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

from mneme.relations import attributes_asked
from queries.compete import Standing
from queries.fuse import reciprocal_rank_fusion
from queries.questions.understand import both_ends
from queries.responses import (
    Found,
    FoundEpisode,
    FoundFact,
    FoundMessage,
    Graph,
    GraphEntity,
    GraphRelationship,
    SearchResponse,
)
from queries.shape import lists_of
from queries.supersession import in_order, successor_of

Episodic = FoundEpisode | FoundFact | FoundMessage

# Searches for different things agree on little but what fits all of them somewhat. With the usual k of 60 two low ranks are
# worth more than a first one: on 43 questions of several hops (examples, LoCoMo dev) even searches for each hop by its words
# found 75 % of the hops among ten messages, where one search for the question finds 74 %; with k of 1 it is 88 %. The question
# itself counts double, for other queries are guesses: simple rules then find 77 % through the router, and 68 % with k of 60.
_FUSION_K = 1
_QUESTION_WEIGHT = 2.0
EPISODIC_KINDS = ("episode", "fact", "message", "knowledge")
"""The same as kinds of a filter."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One search and its answer; ``people`` are those among whose words it was searched, none for everybody's."""

    query: str
    response: SearchResponse
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A result and its score."""

    item: Episodic
    score: float


class Evidence:
    """The results, search by search. Of a result that several searches found, the form of the first is kept."""

    def __init__(self, long_term: bool = False) -> None:
        """Nothing yet.

        Args:
            long_term: whether what no episode holds yet keeps its place in the first search, as portraits do.
        """
        self.searches: list[Searched] = []
        self._long_term = long_term
        self._items: dict[str, Episodic] = {}
        self._order: tuple[Place, ...] | None = None

    def in_order(self, places: Iterable[Place]) -> "Evidence":
        """The same searches, of which only these places count, in this order."""
        view = Evidence(self._long_term)
        view.searches, view._items, view._order = self.searches, self._items, tuple(places)
        return view

    def add(self, query: str, response: SearchResponse, people: tuple[str, ...] = ()) -> int:
        """Take in what a search found; how many things are new."""
        before = len(self._items)
        self.searches.append(Searched(query, response, people))
        for item in self.episodic(response):
            self._items.setdefault(item.id, item)
        return len(self._items) - before

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries, in order."""
        return tuple(each.query for each in self.searches)

    @property
    def first(self) -> SearchResponse | None:
        """The answer to the question itself."""
        return self.searches[0].response if self.searches else None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the results, in the order in which they were found."""
        return tuple(self._items)

    def episodic(self, response: SearchResponse) -> list[Episodic]:
        """The ranked results of a response that are searched for again."""
        found = [each for each in response.ranked() if isinstance(each, Episodic)]
        return [each for each in found if not (self._long_term and is_open(each))]

    def standing_by(self, response: SearchResponse) -> list[Found]:
        """The ranked results of a response that are not searched for again."""
        again = {each.id for each in self.episodic(response)}
        return [each for each in response.ranked() if each.id not in again]

    def graph(self) -> Graph:
        """The entities and relationships of all searches, each once, nearest first."""
        graphs = [each.response.graph for each in self.searches]
        return Graph(
            entities=tuple(_nearest(each.entities for each in graphs)),
            relationships=tuple(_nearest(each.relationships for each in graphs)),
        )

    def places(self, limit: int) -> list[Place]:
        """The best of all searches, by multi-way reciprocal rank fusion; of a single search as it scored them.

        1. Fuse the ranked lists. Scores are shares of the best.
        2. Of an episode and its facts only what stands first is kept: the rest is told by it, or nested under it.
        3. The best of each search has a place, where there are so many.

        Args:
            limit: how many.
        """
        if self._order is not None:
            return list(self._order[:limit])
        return self._fused(self.rankings(), limit)

    def fused(self, places: Iterable[Place], limit: int) -> list[Place]:
        """The best of all searches, as ``places``, where the results for the question itself have an order from elsewhere."""
        others = [each for each in self.searches[1:] if not each.people]  # among people's words the question was searched for
        rankings = [[each.item.id for each in places]]
        rankings += [[each.id for each in self.episodic(searched.response)] for searched in others]
        return self._fused(rankings, limit)

    def _fused(self, rankings: Sequence[Sequence[str]], limit: int) -> list[Place]:
        # 1.
        weights = [_QUESTION_WEIGHT, *(1.0 for _ in rankings[1:])] if rankings else []
        fused = reciprocal_rank_fusion(rankings, _FUSION_K, weights)
        best = max(fused.values(), default=1.0)
        alone = len(self.searches) == 1
        scored = {identity: self._items[identity].score if alone else score / best for identity, score in fused.items()}
        # 2.
        kept = list(_once([Place(self._items[identity], score) for identity, score in scored.items()]))
        # 3.
        return with_slots(kept, rankings, limit)

    def scored(self, places: Iterable[Place], limit: int) -> list[Place]:
        """The best by scores from elsewhere, and behind them what else was found, each once as ``places`` has it."""
        first = list(places)
        known = {each.item.id for each in first}
        rest = [each for each in self.places(len(self._items)) if each.item.id not in known]
        return list(_once([*first, *rest]))[:limit]

    def rankings(self) -> list[list[str]]:
        """The ids that each search found, best first."""
        return [[each.id for each in self.episodic(searched.response)] for searched in self.searches]

    def episodes(self) -> dict[str, FoundEpisode]:
        """Every episode that any search shows, with the facts that any of them nests, best first."""
        shown: dict[str, FoundEpisode] = {}
        for searched in self.searches:
            for episode in (*searched.response.episodes, *searched.response.knowledge):
                known = shown.get(episode.id)
                shown[episode.id] = episode if known is None else _joined(known, episode)
        return shown


def is_open(item: Found) -> bool:
    """True if it is a message that no episode holds yet."""
    return isinstance(item, FoundMessage) and item.parent_episode_id is None


def parent_of(item: Found) -> str | None:
    """The episode that a fact or a message lies in; None for what stands by itself."""
    return item.parent_episode_id if isinstance(item, FoundFact | FoundMessage) else None


def with_slots(places: Sequence[Place], rankings: Sequence[Sequence[str]], limit: int) -> list[Place]:
    """The first ``limit`` places, among them the best of each ranking, in the place of the last that can go.

    What several rankings have low stands before what one has first, by the sum of its ranks; for the question, it is noise.
    The best of another ranking stays, and so does the first place.
    """
    by_id = {each.item.id: each for each in places}
    best = dict.fromkeys(
        identity for ranking in rankings if (identity := next((each for each in ranking if each in by_id), ""))
    )
    chosen = list(places[:limit])
    for identity in best:
        if any(each.item.id == identity for each in chosen):
            continue
        spare = next((at for at in range(len(chosen) - 1, 0, -1) if chosen[at].item.id not in best), None)
        if spare is None:
            break
        del chosen[spare]
        chosen.append(by_id[identity])
    return chosen


def _once(places: Iterable[Place]) -> Iterator[Place]:
    """Places, best first, without episodes of which a fact stands before them, and without facts whose episode does."""
    whole: set[str] = set()
    in_parts: set[str] = set()
    for place in places:
        parent = parent_of(place.item)
        if place.item.id in in_parts or parent in whole:
            continue
        yield place
        if parent is not None:
            in_parts.add(parent)
        else:
            whole.add(place.item.id)


def _joined(known: FoundEpisode, again: FoundEpisode) -> FoundEpisode:
    """The episode with the facts of both, each once, with its best score."""
    best: dict[str, FoundFact] = {}
    for each in (*known.atomic_facts, *again.atomic_facts):
        if each.id not in best or each.score > best[each.id].score:
            best[each.id] = each
    facts = sorted(best.values(), key=lambda each: (-each.score, each.id))
    return known.model_copy(update={"atomic_facts": tuple(facts)})


Part = TypeVar("Part", GraphEntity, GraphRelationship)


def _nearest(parts: Iterable[Iterable[Part]]) -> list[Part]:
    """Each once, as near as any search came to it, nearest first."""
    nearest: dict[str, Part] = {}
    for part in (part for several in parts for part in several):
        if part.id not in nearest or part.hop < nearest[part.id].hop:
            nearest[part.id] = part
    return sorted(nearest.values(), key=lambda part: part.hop)


def merged(
    evidence: Evidence,
    places: Sequence[Place],
    limit: int,
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
        facts_per_episode: nested at most, but for those that hold places.
        newest_first: whether what superseded another stands before it; not for a question about the past.
        equal_scores: whether all scores are 1.
    """
    # 1.
    listed = _listed(evidence, _newest_first(evidence, places) if newest_first else places, limit)
    # 2.
    scores = [1.0] * len(listed) if equal_scores else accumulate((score for _, score in listed), min)
    held: list[Found] = [
        item.model_copy(update={"score": score, "rank": rank})
        for rank, ((item, _), score) in enumerate(zip(listed, scores, strict=True), start=1)
    ]
    # 3.
    known = evidence.episodes()
    by_id = {each.id: each for each in held}
    shown = dict.fromkeys(parent_of(each) or each.id for each in held if isinstance(each, Episodic))
    episodes = [_episode(known[identity], by_id, facts_per_episode) for identity in shown if identity in known]
    knowledge = {each.id for searched in evidence.searches for each in searched.response.knowledge}
    return lists_of(held, episodes, knowledge, evidence.graph())


def _listed(evidence: Evidence, places: Sequence[Place], limit: int) -> list[tuple[Found, float]]:
    """The first ``limit`` results with their scores, one of each search among them, and at its old rank what is searched for
    only once. That is scored as what stands before it.
    """
    first = evidence.first
    standing = evidence.standing_by(first) if first else []
    room = limit - sum((item.rank or 1) <= limit for item in standing)
    listed: list[tuple[Found, float]] = [(each.item, each.score) for each in with_slots(places, evidence.rankings(), room)]
    for item in standing:
        at = min((item.rank or 1) - 1, len(listed))
        listed.insert(at, (item, listed[max(at - 1, 0)][1] if listed else 1.0))
    return listed[:limit]


def _newest_first(evidence: Evidence, places: Sequence[Place]) -> list[Place]:
    """The places, each directly behind what superseded it."""
    query = evidence.first.query if evidence.first else None
    asked = attributes_asked(both_ends(query.text)) if query else ()
    asker = query.asker if query else None
    successor = {
        fact.id: newer
        for episode in evidence.episodes().values()
        for fact in episode.atomic_facts
        if (newer := successor_of(fact.claims, asked, asker, None, fact.superseded_by))
    }
    if not successor:
        return list(places)
    by_id = {each.item.id: each for each in places}
    ordered = in_order([Standing(each.item.id, each.score) for each in places], successor, lambda each: each.id)
    return [Place(by_id[each.id].item, each.score) for each in ordered]


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
