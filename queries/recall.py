"""recall: what the index finds for a question, and what that leaves open, in up to three round trips.

1. BM25 and k-NN over episodes and over facts, over raw messages (what was said a moment ago is in no episode yet), over the
   few other memories, and BM25 over the graph.
2. ``complete``, all at once: the facts of the episodes that are worth looking into; the scores of episodes and memories that
   one leg did not give (a missing leg is computed, never taken as 0); the episodes of the messages found; and the graph
   beyond the names in the question.
3. Only if the graph leads somewhere: the episodes that tell of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from connectors.telemetry.meters import stage
from mneme.ids import episode_of
from mneme.ports import Filter, MemoryIndex, Selection, TextLeg, VectorLeg
from mneme.records import Entity, Relationship
from mneme.rows import Collection, Row, Vector
from queries.entities.graph import Walk, leads, legs_beyond, parts_of, walk
from queries.filtering.scope import Scope
from queries.questions.people import asker_among
from queries.questions.understand import Question
from queries.supersession import successors

_SAID = (Collection.FACTS, Collection.MESSAGES)
_TOLD = (Collection.EPISODES, Collection.FACTS)
_GRAPH_HITS = 60  # entities and relationships that share a word with the question

_FACTS_OF_AN_EPISODE = 100  # no extractor makes more from the 50 messages that an episode may have
_EPISODES_OF_A_MESSAGE_ID = 10  # callers number messages anew in each conversation: one id may be in several episodes
_EPISODES_OF_GRAPH = 20  # that the graph leads to and nothing else does, the best
_MOST_ROWS = 10_000  # what OpenSearch returns at most for one search


@dataclass(slots=True, eq=False)
class Candidate:
    """A row with what is known of its fit. ``bm25`` and ``cosine`` are None until they are known, or where off."""

    row: Row
    bm25: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Legs:
    """The legs that a method uses, and their depth; ``episodes`` is that of episodes, which are long, where it differs."""

    text: tuple[Collection, ...]
    vector: tuple[Collection, ...]
    depth: int
    episodes: int | None = None

    def depth_of(self, collection: Collection) -> int:
        """Number of hits of a leg."""
        if collection is Collection.GRAPH:
            return _GRAPH_HITS
        return self.episodes if self.episodes and collection is Collection.EPISODES else self.depth


@dataclass(slots=True, eq=False)
class Recalled:
    """The results of the first round trip: candidates by collection and id, and each leg's ranking of ids.

    ``successor`` names for each superseded fact what superseded it; empty for a question about the past. ``graph`` are the
    entities and relationships among them, ``walk`` is the way through it as far as they lead. ``asker`` is the name of who
    asks.
    """

    candidates: dict[Collection, dict[str, Candidate]] = field(default_factory=dict)
    rankings: dict[tuple[Collection, str], list[str]] = field(default_factory=dict)
    successor: dict[str, str] = field(default_factory=dict)
    asker: str | None = None
    graph: list[Entity | Relationship] = field(default_factory=list)
    walk: Walk = field(default_factory=Walk)

    def of(self, collection: Collection) -> dict[str, Candidate]:
        """The candidates of a collection."""
        return self.candidates.get(collection, {})

    def episodes_of(self, facts: Iterable[str]) -> dict[str, None]:
        """The episodes that facts lead to, in their order: of each its own, and first that of what superseded it."""
        candidates, successor = self.of(Collection.FACTS), self.successor
        episodes: dict[str, None] = {}
        for fact in facts:
            if newer := successor.get(fact):
                episodes[episode_of(newer)] = None
            episodes[candidates[fact].row.parent_id or ""] = None
        return episodes

    def people(self) -> tuple[str, ...]:
        """The people in what was found."""
        groups = dict.fromkeys(each.row.people for collection in _SAID for each in self.of(collection).values())
        return tuple(dict.fromkeys(person for people in groups for person in people))

    def asker_of(self, owner: str | None) -> str | None:
        """The name of who asks, where what was found tells it: ``asker_among``."""
        senders = {
            (each.row.people[0], each.row.people[-1])
            for each in self.of(Collection.MESSAGES).values()
            if each.row.document_id is None
        }
        rows = (each.row for collection in _TOLD for each in self.of(collection).values())
        groups = {row.people for row in rows if row.document_id is None}
        speakers = {person for people in groups for person in people} | {name for _, name in senders}
        return asker_among(speakers, senders, owner)

    def episode_rankings(self) -> dict[str, list[str]]:
        """The rankings of episodes by leg: by themselves, and by their best fact (a fact's parent joins the candidates)."""
        rankings = {}
        for (collection, leg), ranking in self.rankings.items():
            if collection is Collection.EPISODES:
                rankings[f"{collection}_{leg}"] = ranking
            elif collection is Collection.FACTS:
                rankings[f"{collection}_{leg}"] = list(self.episodes_of(ranking))
        return rankings


@stage("recall")
def recall(index: MemoryIndex, question: Question, scope: Scope, legs: Legs) -> Recalled:
    """The first round trip. Legs without tokens or without a vector are left out."""
    searches: list[TextLeg | VectorLeg] = []
    if question.tokens:
        for collection in legs.text:
            searches.append(TextLeg(collection, scope.filter(collection), question.tokens, legs.depth_of(collection)))
    if question.vector is not None:
        for collection in legs.vector:
            # Episodes and portraits are told in the third person, facts and messages by who speaks.
            vector = question.spoken.embedding.vector if question.spoken and collection in _SAID else question.vector
            searches.append(VectorLeg(collection, scope.filter(collection), vector, legs.depth_of(collection)))
    recalled = Recalled()
    if not searches:
        return recalled
    for search, hits in zip(searches, index.recall(searches), strict=True):
        leg = "bm25" if isinstance(search, TextLeg) else "cosine"
        candidates = recalled.candidates.setdefault(search.collection, {})
        scored = [(row, hit.score) for hit in hits if (row := scope.known(hit.row)) is not None]
        for row, score in scored:
            setattr(candidates.setdefault(row.id, Candidate(row)), leg, score)
        recalled.rankings[search.collection, leg] = [row.id for row, _ in scored]
    recalled.asker = recalled.asker_of(question.owner)
    facts = [each.row for each in recalled.of(Collection.FACTS).values()]
    recalled.successor = successors(facts, scope, question, recalled.asker)
    recalled.graph = parts_of([each.row for each in recalled.of(Collection.GRAPH).values()])
    recalled.walk = walk(question, recalled.graph, scope.moment)
    return recalled


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Everything a ranking needs, by id. ``facts`` are those of each episode, in the order they were said."""

    episodes: Mapping[str, Candidate]
    facts: Mapping[str, Sequence[Candidate]]
    messages: Mapping[str, Candidate]
    memories: Mapping[str, Candidate]
    walk: Walk
    round_trips: int

    def all(self) -> list[Candidate]:
        """Every candidate, facts included."""
        facts = [each for inside in self.facts.values() for each in inside]
        return [*self.episodes.values(), *facts, *self.messages.values(), *self.memories.values()]

    def rows(self) -> list[Row]:
        """The row of every candidate."""
        return [each.row for each in self.all()]


@stage("complete")
def complete(
    index: MemoryIndex,
    question: Question,
    scope: Scope,
    legs: Legs,
    recalled: Recalled,
    episode_ids: Sequence[str],
    follow: bool = False,
    focused: Question | None = None,
) -> Candidates:
    """The evidence for these episodes, and for everything found that is no episode.

    With ``focused`` all are scored by that question, which is not the one that was recalled with (``understand.focus``).
    With ``follow`` also for episodes that the graph leads to, where it leads somewhere.
    A leg that the method does not use (``legs``), or that is off for this question, stays unknown.
    """
    by_words = set(legs.text) - {Collection.GRAPH}
    asked = focused or question
    wanted = _Wanted(asked.tokens if by_words else (), asked.vector if legs.vector else None, focused is not None)
    recalled_episodes = recalled.of(Collection.EPISODES)
    episodes = {each: recalled_episodes[each] for each in episode_ids if each in recalled_episodes}
    memories = recalled.of(Collection.MEMORIES)
    loose = _in_no_episode(recalled.of(Collection.MESSAGES), recalled_episodes.values())

    # 1. All at once. An episode that only a fact led to counts as within the filters if one of its facts is; but what may
    # not be in it is not: then it is not shown, and its messages that pass are found by themselves.
    open_episodes = tuple(each for each in episode_ids if each not in episodes or wanted.lacks(episodes[each]))
    anywhere = replace(
        scope.rows, people=(), since=None, before=None, labels=tuple(each for each in scope.rows.labels if each.negated)
    )
    facts_wanted = scope.filter(Collection.FACTS)
    at_once = [
        _facts_of(episode_ids, facts_wanted),
        _by_ids(Collection.EPISODES, anywhere, open_episodes),
        _missing(Collection.MEMORIES, scope.filter(Collection.MEMORIES), memories, wanted),
        _missing(Collection.MESSAGES, scope.rows, loose, wanted),
        _holding(anywhere, loose),
    ]
    beyond = legs_beyond(recalled.walk, question.tokens, scope.filter(Collection.GRAPH))
    more_graph, candidates = _round_trip(index, scope, wanted, beyond, at_once)
    facts, more_episodes, more_memories, more_messages, holders = candidates
    graph = [*recalled.graph, *more_graph]
    walked = walk(question, graph, scope.moment) if more_graph else recalled.walk
    follow = follow and leads(walked)

    # 2. Only if the graph leads on.
    reached = tuple(each for each in walked.episodes() if each not in episode_ids)[:_EPISODES_OF_GRAPH] if follow else ()
    onward = legs_beyond(walked, (*question.tokens, *_tokens(beyond)), scope.filter(Collection.GRAPH)) if follow else ()
    at_last = [_facts_of(reached, facts_wanted), _by_ids(Collection.EPISODES, anywhere, reached)]
    more_graph, (reached_facts, reached_episodes) = _round_trip(index, scope, wanted, onward, at_last)
    facts |= reached_facts
    more_episodes |= reached_episodes
    if more_graph:
        walked = walk(question, [*graph, *more_graph], scope.moment)
    by_episode = _by_episode(facts.values())
    episodes |= {each: more for each, more in more_episodes.items() if each in episodes or each in by_episode}
    return Candidates(
        episodes=episodes,
        facts=by_episode,
        messages=_in_no_episode({**loose, **more_messages}, holders.values()),
        memories={**memories, **more_memories},
        walk=walked,
        round_trips=any([beyond, *(ask.limit for ask in at_once)]) + any([onward, *(ask.limit for ask in at_last)]),
    )


def _round_trip(
    index: MemoryIndex, scope: Scope, wanted: "_Wanted", beyond: Sequence[TextLeg], asks: Sequence[Selection]
) -> tuple[list[Entity | Relationship], list[dict[str, Candidate]]]:
    """Ask for parts of the graph, and for the rows of each selection with both their scores.

    What cannot find anything is not asked.
    """
    sent = [each for each in asks if each.limit]
    if not (beyond or sent):
        return [], [{} for _ in asks]
    recalled, scored_each = index.ask(beyond, sent, wanted.tokens, wanted.vector)
    answers = iter(scored_each)
    candidates, by_words = [], bool(wanted.tokens)
    for each in asks:
        scored = next(answers) if each.limit else []
        known = ((row, bm25, cosine) for one, bm25, cosine in scored if (row := scope.known(one)) is not None)
        candidates.append({row.id: Candidate(row, bm25 if by_words else None, cosine) for row, bm25, cosine in known})
    parts = parts_of([row for hits in recalled for hit in hits if (row := scope.known(hit.row)) is not None])
    return parts, candidates


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """The scores that this search uses."""

    tokens: tuple[str, ...]
    vector: Vector | None
    anew: bool

    def lacks(self, candidate: Candidate) -> bool:
        """True if one of them is not known yet of this candidate."""
        return (
            self.anew
            or (bool(self.tokens) and candidate.bm25 is None)
            or (self.vector is not None and candidate.cosine is None)
        )


def _tokens(searches: Iterable[TextLeg]) -> Iterator[str]:
    return (token for search in searches for token in search.tokens)


def _missing(collection: Collection, scope: Filter, found: Mapping[str, Candidate], wanted: _Wanted) -> Selection:
    return _by_ids(collection, scope, tuple(identity for identity, each in found.items() if wanted.lacks(each)))


def _by_ids(collection: Collection, scope: Filter, ids: tuple[str, ...]) -> Selection:
    return Selection(collection, replace(scope, ids=ids) if ids else scope, min(len(ids), _MOST_ROWS))


def _facts_of(episodes: Sequence[str], scope: Filter) -> Selection:
    narrowed = replace(scope, parent_ids=tuple(episodes)) if episodes else scope
    return Selection(Collection.FACTS, narrowed, min(_FACTS_OF_AN_EPISODE * len(episodes), _MOST_ROWS))


def _holding(scope: Filter, messages: Mapping[str, Candidate]) -> Selection:
    """The episodes that list one of these messages."""
    rows = [each.row for each in messages.values()]
    narrowed = replace(
        scope,
        conversation_ids=tuple({row.conversation_id: None for row in rows if row.conversation_id}),
        message_ids=tuple(dict.fromkeys(identity for row in rows for identity in row.message_ids)),
    )
    return Selection(Collection.EPISODES, narrowed, min(_EPISODES_OF_A_MESSAGE_ID * len(rows), _MOST_ROWS))


def _in_no_episode(messages: Mapping[str, Candidate], episodes: Iterable[Candidate]) -> dict[str, Candidate]:
    in_episodes: dict[str | None, set[str]] = {}
    for each in episodes:
        in_episodes.setdefault(each.row.conversation_id, set()).update(each.row.message_ids)
    nothing: set[str] = set()
    return {
        identity: each
        for identity, each in messages.items()
        if in_episodes.get(each.row.conversation_id, nothing).isdisjoint(each.row.message_ids)
    }


def _by_episode(facts: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """Facts by their episode, in the order they were said: neighbours there are neighbours in the conversation."""
    inside: dict[str, list[Candidate]] = {}
    for fact in facts:
        if fact.row.parent_id:
            inside.setdefault(fact.row.parent_id, []).append(fact)
    for of_one in inside.values():
        of_one.sort(key=_place_in_episode)
    return inside


def _place_in_episode(fact: Candidate) -> tuple[datetime, int, str]:
    """Those of one message by the numbers at the end of their ids, which differ in nothing else."""
    row = fact.row
    return row.at, len(row.id), row.id
