"""The search methods: which legs each uses, and how its results come into one order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mneme.dates import DateMention
from mneme.ids import episode_of
from mneme.ports import MemoryIndex
from mneme.rows import Collection, Row
from mneme.settings import Retrieval
from queries.compete import Competition, Entrant, Standing, compete
from queries.complete import Completer, Evidence
from queries.entities.graph import leads, lifted
from queries.filtering.scope import Scope, repetitions
from queries.fuse import reciprocal_rank_fusion
from queries.granularity.foresights import fitting, told_twice
from queries.granularity.forms import Form
from queries.granularity.preference import Preference, days_ahead, preference, weigh
from queries.questions.understand import Question
from queries.recall import Candidate, Legs, Recalled, recall
from queries.responses import TraceStep
from queries.scoring.field import Field
from queries.scoring.scorer import Scorer
from queries.succession import in_order, inherit, successors

Focus = Callable[[Question, Iterable[str]], Question | None]
"""``understand.focus`` with the embedder."""

_GRAPH = "graph"  # the name of its leg
_BELOW_ALL = -1.0  # the score of what may not hold a place: whatever is in it goes first
_STANDALONE = (Collection.MESSAGES, Collection.MEMORIES)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The outcome of a method: who holds places, best first; the score of every candidate; and how it came about."""

    standings: Sequence[Standing]
    scores: dict[str, float]
    recalled: Recalled
    evidence: Evidence
    scoring: str
    notes: tuple[str, ...] = ()
    fused: dict[str, float] | None = None
    competition: Competition | None = None
    preferred: Preference | None = None

    def row(self, identity: str) -> Row:
        """The row of a candidate."""
        return next(each.row for each in _everyone(self.evidence) if each.row.id == identity)

    @property
    def round_trips(self) -> int:
        """How often the index was waited for."""
        return bool(self.recalled.rankings) + self.evidence.round_trips

    def counts(self) -> dict[str, int]:
        """How many candidates of each collection were looked at."""
        return {
            "episodes": len(self.evidence.episodes),
            "facts": sum(len(inside) for inside in self.evidence.facts.values()),
            "messages": len(self.evidence.messages),
            "memories": len(self.evidence.memories),
        }


def keyword(index: MemoryIndex, completer: Completer, question: Question, scope: Scope, settings: Retrieval) -> Ranking:
    """BM25: episodes, raw messages and other memories by their own score; no vector anywhere."""
    collections = (Collection.EPISODES, *_STANDALONE, Collection.GRAPH)
    legs = Legs(text=collections, vector=(), depth=_depth(question, settings))
    recalled = recall(index, question, scope, legs)
    episode_ids = list(recalled.of(Collection.EPISODES))[: question.top_k]
    evidence = completer.complete(question, scope, legs, recalled, episode_ids)
    scores = {each.row.id: each.bm25 or 0.0 for each in _everyone(evidence)}
    successor = _successors(question, scope, evidence)
    scores = inherit(scores, successor)
    held = _raise(_places(evidence, scores, scope), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, "bm25", _notes(scope))


def vector(
    index: MemoryIndex, completer: Completer, question: Question, scope: Scope, settings: Retrieval, focus: Focus
) -> Ranking:
    """MaxSim: an episode by the cosine of its best fact, or its own where that is higher; never by a mean."""
    collections = (Collection.EPISODES, Collection.FACTS, *_STANDALONE)
    legs = Legs(text=(Collection.GRAPH,), vector=collections, depth=_depth(question, settings))
    recalled = recall(index, question, scope, legs)
    best: dict[str, float] = {}
    for each in recalled.of(Collection.EPISODES).values():
        best[each.row.id] = each.cosine or 0.0
    for each in recalled.of(Collection.FACTS).values():
        for episode in recalled.episodes_of(each.row.id):
            best[episode] = max(best.get(episode, -1.0), each.cosine or 0.0)
    episode_ids = sorted(best, key=lambda identity: (-best[identity], identity))[: question.top_k]
    focused = focus(question, recalled.people())
    evidence = completer.complete(question, scope, legs, recalled, episode_ids, focused=focused)
    successor = _successors(question, scope, evidence)
    scores = inherit({each.row.id: each.cosine for each in _everyone(evidence) if each.cosine is not None}, successor)
    for episode, facts in evidence.facts.items():
        similar = [scores[each.row.id] for each in facts if each.row.id in scores]
        scores[episode] = max([*similar, scores.get(episode, -1.0)])
    held = _raise(_places(evidence, scores, scope), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, "maxsim", _notes(scope))


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What competes for the places of a hybrid search, before anything is scored.

    ``fused`` are the episodes in the order in which they are looked into. ``facts`` are those of each episode, ``others`` what
    is no episode and no fact; all of them are in ``field``.
    """

    recalled: Recalled
    evidence: Evidence
    fused: dict[str, float]
    facts: Mapping[str, Sequence[Candidate]]
    others: Sequence[Candidate]
    field: Field
    ahead: Sequence[DateMention]

    @property
    def messages(self) -> Iterable[Candidate]:
        """The raw messages that were recalled, whether they are in an episode or not."""
        return self.recalled.of(Collection.MESSAGES).values()


def gather(
    index: MemoryIndex,
    completer: Completer,
    question: Question,
    scope: Scope,
    settings: Retrieval,
    focus: Focus,
    leg_weights: Mapping[str, float],
) -> Gathered:
    """The first two phases of mRAG.

    1. Recall in one round trip, and fuse: which episodes are worth looking into, and in which order.
    2. Complete: their facts, and every leg that is missing.
    """
    # 1.
    collections = (Collection.EPISODES, Collection.FACTS, *_STANDALONE)
    legs = Legs((*collections, Collection.GRAPH), collections, _depth(question, settings))
    recalled = recall(index, question, scope, legs)
    rankings = recalled.episode_rankings()
    follow = settings.graph_weight > 0
    if follow and leads(question, recalled.walk):
        rankings[_GRAPH] = recalled.walk.episodes()
    fused = _fused(rankings, settings.rrf_k, leg_weights)
    episode_ids = list(fused)[: max(settings.candidates, question.top_k)]
    # 2.
    focused = focus(question, recalled.people())
    evidence = completer.complete(question, scope, legs, recalled, episode_ids, follow, focused)
    if set(evidence.episodes) - fused.keys():  # the graph led to more
        fused = _fused(rankings | {_GRAPH: evidence.walk.episodes()}, settings.rrf_k, leg_weights)
    facts = {episode: inside for episode, inside in evidence.facts.items() if episode in evidence.episodes}
    ahead = days_ahead(question.text, scope.moment)
    standalone = [each for each in (*evidence.messages.values(), *evidence.memories.values()) if scope.may_hold(each.row)]
    others = fitting(standalone, [fact for inside in facts.values() for fact in inside], ahead)
    field = Field.of(_told_by(evidence, recalled.of(Collection.MESSAGES), settings), facts, others)
    return Gathered(recalled, evidence, fused, facts, others, field, ahead)


def hybrid(question: Question, scope: Scope, gathered: Gathered, settings: Retrieval, scorer: Scorer) -> Ranking:
    """mRAG: both legs over episodes and facts (``gather``), then facts compete with episodes for the places.

    3. Score facts with their neighbours, episodes with their facts, everything on one scale, and a fact together with its
       episode. A statement fits at least as well as what it superseded (queries/succession.py). The type of memory that the
       question asks for is favoured (queries/granularity/preference.py).
    4. Compete (queries/compete.py); what is no episode competes as an episode without facts, and so does an episode that is
       to be told as a whole. Of a foresight and a fact that say the same one leaves, and its place is competed for again.
    5. What superseded another stands before it.
    """
    evidence, facts, others, ahead = gathered.evidence, gathered.facts, gathered.others, gathered.ahead
    fused = gathered.fused
    # 3.
    scores = scorer.score(question, gathered.field, gathered.messages)
    reached = {each.row.id: each.graph for inside in facts.values() for each in inside}
    scores = lifted(scores, reached, settings.graph_weight)
    successor = _successors(question, scope, evidence)
    preferred = Preference()
    if settings.granularity:
        candidates = [each for each in _everyone(evidence) if scope.may_hold(each.row)]
        preferred = preference(question, candidates, scores, ahead)
    scores = weigh(inherit(scores, successor), preferred.favoured)
    # 4.
    barred = {each for each, candidate in evidence.episodes.items() if not scope.may_hold(candidate.row)}
    inside = {
        episode: [each.row.id for each in candidates if scope.may_hold(each.row)] for episode, candidates in facts.items()
    }
    entrants = [
        *(
            Entrant(each, scores[each], None if each in preferred.whole or not settings.competition else fused[each])
            for each in evidence.episodes
            if each not in barred
        ),
        *(Entrant(each, _BELOW_ALL, fused[each]) for each in barred),
        *(Entrant(each.row.id, scores[each.row.id]) for each in others),
    ]
    left: set[str] = set()

    def expand(parents: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        return {parent: [(each, scores[each]) for each in inside.get(parent, ()) if each not in left] for parent in parents}

    while True:
        competition = compete(
            [each for each in entrants if each.id not in left],
            expand,
            top_k=question.top_k,
            alpha=1.0,  # the scores are final
            batch=settings.expand_batch,
            patience=settings.patience,
        )
        leaving = told_twice(competition.standings, others, facts, preferred.favoured)
        if not leaving:
            break
        left |= leaving
    # 5.
    held = [each for each in competition.standings if each.id not in barred]
    standings = _raise(held, scores, evidence, successor)
    return Ranking(standings, scores, gathered.recalled, evidence, scorer.name, (), fused, competition, preferred)


def _fused(rankings: Mapping[str, Sequence[str]], rrf_k: int, leg_weights: Mapping[str, float]) -> dict[str, float]:
    """The episodes in the order in which they are looked into; a leg without a weight of its own counts as the mean leg."""
    mean = sum(leg_weights.values()) / len(leg_weights) if leg_weights else 1.0
    weights = [leg_weights.get(leg, mean) for leg in rankings]
    return reciprocal_rank_fusion(list(rankings.values()), rrf_k, weights)


def _told_by(evidence: Evidence, messages: Mapping[str, Candidate], settings: Retrieval) -> list[Candidate]:
    """The episodes as they are scored: by their own text, or by the best of their messages that were found."""
    episodes = list(evidence.episodes.values())
    if settings.episodes_by == "narrative":
        return episodes
    found = {(each.row.conversation_id, each.row.message_ids[0]): each for each in messages.values()}

    def by_messages(episode: Candidate) -> Candidate:
        row = episode.row
        inside = [found[key] for message in row.message_ids if (key := (row.conversation_id, message)) in found]
        bm25 = max((each.bm25 for each in inside if each.bm25 is not None), default=0.0)
        return replace(
            episode, bm25=bm25, cosine=max((each.cosine for each in inside if each.cosine is not None), default=None)
        )

    return [by_messages(each) for each in episodes]


def rearranged(ranking: Ranking, standings: Sequence[Standing], question: Question, scope: Scope) -> Ranking:
    """The ranking with its standings in another order, in which what superseded another still stands before it."""
    scores = dict(ranking.scores)
    held = _raise(standings, scores, ranking.evidence, _successors(question, scope, ranking.evidence))
    return replace(ranking, standings=held, scores=scores | {each.id: each.score for each in held})


def trace_of(ranking: Ranking) -> tuple[TraceStep, ...]:
    """Every stage of a search in words: each leg's places and scores, the fused order, what was asked for, the competition."""
    steps = []
    for (collection, leg), ids in ranking.recalled.rankings.items():
        for place, identity in enumerate(ids, start=1):
            score = getattr(ranking.recalled.of(collection)[identity], leg)
            steps.append(TraceStep(stage="recall", move=leg, id=identity, score=score, reason=f"{collection} {place}"))
    for place, (identity, score) in enumerate((ranking.fused or {}).items(), start=1):
        steps.append(TraceStep(stage="fuse", move="fused", id=identity, score=score, reason=f"episodes {place}"))
    preferred = ranking.preferred
    if preferred and preferred.form not in (None, Form.POINT, Form.PLAIN):  # of these the preference is no news
        favoured = sorted(preferred.favoured, key=lambda each: (-ranking.scores[each], each))
        for place, identity in enumerate(favoured, start=1):
            kind, score = ranking.row(identity).kind, ranking.scores[identity]
            steps.append(TraceStep(stage="prefer", move=preferred.form, id=identity, score=score, reason=f"{kind} {place}"))
    for step in ranking.competition.trace if ranking.competition else ():
        steps.append(
            TraceStep(stage="compete", move=step.move, id=step.id, score=step.score, reason=step.reason, round=step.round)
        )
    return tuple(steps)


def _depth(question: Question, settings: Retrieval) -> int:
    return max(settings.recall, 2 * question.top_k)


def _everyone(evidence: Evidence) -> list[Candidate]:
    facts = [each for inside in evidence.facts.values() for each in inside]
    return [*evidence.episodes.values(), *facts, *evidence.messages.values(), *evidence.memories.values()]


def _places(evidence: Evidence, scores: dict[str, float], scope: Scope) -> list[Standing]:
    """Everything but facts that may hold a place, by score; what has none is left out."""
    candidates = [*evidence.episodes.values(), *evidence.messages.values(), *evidence.memories.values()]
    ids = [each.row.id for each in candidates if each.row.id in scores and scope.may_hold(each.row)]
    return sorted((Standing(each, scores[each]) for each in ids), key=lambda each: (-each.score, each.id))


def _notes(scope: Scope) -> tuple[str, ...]:
    """What a method without facts of their own cannot give."""
    note = "kinds: with this method facts are found within their episodes; hybrid gives them places"
    return (note,) if "fact" in scope.kinds else ()


def _successors(question: Question, scope: Scope, evidence: Evidence) -> dict[str, str]:
    """What superseded what among the statements found; nothing, if the question is about the past."""
    return {} if question.about_past else successors((each.row for each in _everyone(evidence)), scope)


def _raise(
    standings: Sequence[Standing], scores: dict[str, float], evidence: Evidence, successor: dict[str, str]
) -> list[Standing]:
    """Each standing directly behind what superseded it; the scores of those that moved up are set.

    An episode stands for its best fact: one of its own, or an older one that it only says again.
    """
    if not successor:
        return list(standings)
    said_in: dict[str, list[str]] = {}
    for each in _everyone(evidence):
        if each.row.kind == "fact" and scores.get(each.row.id, 0.0) > 0:
            for statement in (each.row.id, *repetitions(each.row)):
                said_in.setdefault(episode_of(statement), []).append(each.row.id)

    def statement_of(standing: Standing) -> str | None:
        if standing.id not in evidence.episodes:
            return standing.id
        return max(said_in.get(standing.id, ()), key=lambda each: scores[each], default=None)

    ordered = in_order(standings, successor, statement_of)
    scores.update((standing.id, standing.score) for standing in ordered)
    return ordered
