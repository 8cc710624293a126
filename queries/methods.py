"""The search methods: which legs each uses, and how its results come into one order."""

from collections.abc import Sequence
from dataclasses import dataclass

from mneme.ids import episode_of
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Retrieval
from queries.compete import Competition, Entrant, Standing, compete
from queries.complete import Completer, Evidence
from queries.foresights import fitting, repeated
from queries.fuse import reciprocal_rank_fusion
from queries.recall import Candidate, Legs, Recalled, recall
from queries.responses import TraceStep
from queries.scope import Scope, repetitions
from queries.scoring import Scorer, score_episodes, score_statements
from queries.succession import in_order, inherit, successors
from queries.understand import Question

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
    held = _raise(_places(evidence, scores), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, "bm25")


def vector(index: MemoryIndex, completer: Completer, question: Question, scope: Scope, settings: Retrieval) -> Ranking:
    """MaxSim: an episode by the cosine of its best fact, or its own where that is higher; never by a mean."""
    collections = (Collection.EPISODES, Collection.FACTS, *_STANDALONE)
    legs = Legs(text=(), vector=collections, depth=_depth(question, settings))
    recalled = recall(index, question, scope, legs)
    best: dict[str, float] = {}
    for each in recalled.of(Collection.EPISODES).values():
        best[each.row.id] = each.cosine or 0.0
    for each in recalled.of(Collection.FACTS).values():
        for episode in recalled.episodes_of(each.row.id):
            best[episode] = max(best.get(episode, -1.0), each.cosine or 0.0)
    episode_ids = sorted(best, key=lambda identity: (-best[identity], identity))[: question.top_k]
    evidence = completer.complete(question, scope, legs, recalled, episode_ids)
    successor = _successors(question, scope, evidence)
    scores = inherit({each.row.id: each.cosine for each in _everyone(evidence) if each.cosine is not None}, successor)
    for episode, facts in evidence.facts.items():
        similar = [scores[each.row.id] for each in facts if each.row.id in scores]
        scores[episode] = max([*similar, scores.get(episode, -1.0)])
    held = _raise(_places(evidence, scores), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, "maxsim")


def hybrid(
    index: MemoryIndex, completer: Completer, question: Question, scope: Scope, settings: Retrieval, scorer: Scorer
) -> Ranking:
    """mRAG: both legs over episodes and facts, then facts compete with episodes for the places.

    1. Recall in one round trip, and fuse: which episodes are worth looking into, and in which order.
    2. Complete: their facts, and every leg that is missing.
    3. Score facts with their neighbours, episodes with their facts, everything on one scale, and a fact together with its
       episode. A statement fits at least as well as what it superseded (queries/succession.py).
    4. Compete (queries/compete.py); what is no episode competes as an episode without facts. A foresight that only
       repeats a fact with a place leaves, and its place is competed for again.
    5. What superseded another stands before it.
    """
    # 1.
    collections = (Collection.EPISODES, Collection.FACTS, *_STANDALONE)
    legs = Legs((*collections, Collection.GRAPH), collections, _depth(question, settings))
    recalled = recall(index, question, scope, legs)
    fused = reciprocal_rank_fusion(recalled.episode_rankings(), settings.rrf_k)
    episode_ids = list(fused)[: max(settings.candidates, question.top_k)]
    # 2.
    evidence = completer.complete(question, scope, legs, recalled, episode_ids)
    # 3.
    facts = {episode: inside for episode, inside in evidence.facts.items() if episode in evidence.episodes}
    statements = [fact for candidates in facts.values() for fact in candidates]
    others = fitting([*evidence.messages.values(), *evidence.memories.values()], statements)
    scores = score_statements(question, scorer, facts, others)
    inside = {episode: [each.row.id for each in candidates] for episode, candidates in facts.items()}
    scores |= score_episodes(scorer, list(evidence.episodes.values()), inside, scores)
    alpha = settings.alpha
    scores |= {each: alpha * scores[each] + (1 - alpha) * scores[episode] for episode, ids in inside.items() for each in ids}
    successor = _successors(question, scope, evidence)
    scores = inherit(scores, successor)
    # 4.
    entrants = [
        *(Entrant(each, scores[each], fused[each]) for each in evidence.episodes),
        *(Entrant(each.row.id, scores[each.row.id]) for each in others),
    ]
    while True:
        competition = compete(
            entrants,
            lambda parents: {parent: [(each, scores[each]) for each in inside.get(parent, ())] for parent in parents},
            top_k=question.top_k,
            alpha=1.0,  # the scores are final
            batch=settings.expand_batch,
            patience=settings.patience,
        )
        told_by_facts = repeated((each.id for each in competition.standings), others, facts)
        if not told_by_facts:
            break
        entrants = [each for each in entrants if each.id not in told_by_facts]
    # 5.
    standings = _raise(competition.standings, scores, evidence, successor)
    notes = ("fusion lr: no coefficients for this embedder, rrf is used",) if settings.fusion == "lr" else ()
    return Ranking(standings, scores, recalled, evidence, scorer.name, notes, fused, competition)


def trace_of(ranking: Ranking) -> tuple[TraceStep, ...]:
    """Every stage of a search in words: each leg's places and scores, the fused order, the competition."""
    steps = []
    for (collection, leg), ids in ranking.recalled.rankings.items():
        for place, identity in enumerate(ids, start=1):
            score = getattr(ranking.recalled.of(collection)[identity], leg)
            steps.append(TraceStep(stage="recall", move=leg, id=identity, score=score, reason=f"{collection} {place}"))
    for place, (identity, score) in enumerate((ranking.fused or {}).items(), start=1):
        steps.append(TraceStep(stage="fuse", move="fused", id=identity, score=score, reason=f"episodes {place}"))
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


def _places(evidence: Evidence, scores: dict[str, float]) -> list[Standing]:
    """Everything but facts by score; what has none is left out."""
    ids = [*evidence.episodes, *evidence.messages, *evidence.memories]
    return sorted((Standing(each, scores[each]) for each in ids if each in scores), key=lambda each: (-each.score, each.id))


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
