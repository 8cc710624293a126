"""The outcome of a search method: who holds places, in which order, and how it came about. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mneme.ids import episode_of
from mneme.rows import Row
from queries.compete import Competition, Standing, best_first
from queries.filtering.scope import Scope, repetitions
from queries.granularity.forms import Form
from queries.granularity.preference import Preference
from queries.recall import Candidates, Recalled
from queries.responses import TraceStep
from queries.supersession import in_order


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The outcome of a method: who holds places, best first; the score of every candidate; and how it came about.

    ``successor`` names for each superseded statement what superseded it, in what the question asks for. ``readings`` are the
    log-odds that a statement answers, of those that were read (queries/scoring/reader.py).
    """

    standings: Sequence[Standing]
    scores: dict[str, float]
    recalled: Recalled
    evidence: Candidates
    successor: dict[str, str]
    scoring: str
    notes: tuple[str, ...] = ()
    readings: Mapping[str, float] = field(default_factory=dict)
    fused: dict[str, float] | None = None
    competition: Competition | None = None
    preferred: Preference | None = None

    def row(self, identity: str) -> Row:
        """The row of a candidate."""
        return next(row for row in self.evidence.rows() if row.id == identity)

    @property
    def round_trips(self) -> int:
        """Number of times that the index was waited for."""
        return bool(self.recalled.rankings) + self.evidence.round_trips

    def counts(self) -> dict[str, int]:
        """Number of candidates of each collection."""
        return {
            "episodes": len(self.evidence.episodes),
            "facts": sum(len(inside) for inside in self.evidence.facts.values()),
            "messages": len(self.evidence.messages),
            "memories": len(self.evidence.memories),
        }


def places(evidence: Candidates, scores: dict[str, float], scope: Scope) -> list[Standing]:
    """Everything but facts that may hold a place, by score; what has none is left out."""
    candidates = [*evidence.episodes.values(), *evidence.messages.values(), *evidence.memories.values()]
    ids = [each.row.id for each in candidates if each.row.id in scores and scope.may_hold(each.row)]
    return best_first([Standing(each, scores[each]) for each in ids])


def successors_first(
    standings: Sequence[Standing], scores: dict[str, float], evidence: Candidates, successor: dict[str, str]
) -> list[Standing]:
    """Each standing directly behind what superseded it; the scores of those that moved up are set.

    An episode stands for its best fact: one of its own, or an older one that it only says again.
    """
    if not successor:
        return list(standings)
    statements_of: dict[str, list[str]] = {}
    for each in evidence.all():
        if each.row.kind == "fact" and scores.get(each.row.id, 0.0) > 0:
            for statement in (each.row.id, *repetitions(each.row)):
                statements_of.setdefault(episode_of(statement), []).append(each.row.id)

    def statement_of(standing: Standing) -> str | None:
        if standing.id not in evidence.episodes:
            return standing.id
        return max(statements_of.get(standing.id, ()), key=lambda each: scores[each], default=None)

    ordered = in_order(standings, successor, statement_of)
    scores.update((standing.id, standing.score) for standing in ordered)
    return ordered


def reordered(ranking: Ranking, standings: Sequence[Standing]) -> Ranking:
    """The ranking with its standings in another order, in which what superseded another still stands before it."""
    scores = dict(ranking.scores)
    ordered = successors_first(standings, scores, ranking.evidence, ranking.successor)
    return replace(ranking, standings=ordered, scores=scores | {each.id: each.score for each in ordered})


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
    if competition := ranking.competition:
        for standing in competition.standings:
            episode, reason = competition.replaced.get(standing.id), "a place was free"
            if episode is not None:
                reason = f"by its fact {standing.id}"
                steps.append(TraceStep(stage="compete", move="replaced", id=episode.id, score=episode.score, reason=reason))
                reason = f"in place of its episode {episode.id}"
            steps.append(TraceStep(stage="compete", move="entered", id=standing.id, score=standing.score, reason=reason))
    return tuple(steps)
