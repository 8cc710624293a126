"""Scores without training: both legs on a scale of the question's own candidates, weighed by the settings. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from queries.fuse import min_max, share_of_best, weighted_mean
from queries.questions.understand import Question
from queries.recall import Candidate
from queries.scoring.field import Field

ALPHA = 0.5  # share of the fact in a score, where the settings do not say
# Of BM25 against the cosine; of the better neighbour, and of a speaker whom the question names, against a fact's own 1.
_BM25, _NEIGHBOUR, _SPEAKER = 0.5, 0.15, 0.2


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one candidate, each from 0 to 1; None where it does not apply.

    ``bm25`` is the share of the best BM25, ``cosine`` the min-max of cosines. ``neighbour_...`` are those of the better
    one of the two facts beside it in its episode. ``speaker_named`` tells whether the question names who spoke; it is
    None when the question names no speaker of any candidate.
    """

    bm25: float | None
    cosine: float | None
    neighbour_bm25: float | None = None
    neighbour_cosine: float | None = None
    speaker_named: float | None = None


class MinMaxScorer:
    """The weighted mean of the features that apply: for an embedder without learned coefficients.

    On LoCoMo (five conversations, twelve-message episodes) a weight of BM25 between .4 and .7, of the neighbour between
    0 and .3 and of the speaker between .1 and .3 moves recall@10 by less than one point: the values sit in the middle.
    """

    name = "min-max"

    def __init__(self, alpha: float | None = None) -> None:
        """Prepare.

        Args:
            alpha: share of the fact in a score; the rest is its episode's.
        """
        self._alpha = ALPHA if alpha is None else alpha

    def score(self, question: Question, field: Field, messages: Iterable[Candidate]) -> dict[str, float]:
        """See ``Scorer``. A fact is ``alpha`` of its own and the rest of its episode's score."""
        facts: dict[str, list[Candidate]] = {each.row.id: [] for each in field.episodes}
        others: list[Candidate] = []
        for candidate, parent in zip(field.statements, field.parents, strict=True):
            (facts[field.episodes[parent].row.id] if parent >= 0 else others).append(candidate)
        scores = self._statements(question, facts, others)
        inside = {episode: [each.row.id for each in candidates] for episode, candidates in facts.items()}
        scores |= self._episodes(field.episodes, inside, scores)
        alpha = self._alpha
        return scores | {
            each: alpha * scores[each] + (1 - alpha) * scores[episode] for episode, ids in inside.items() for each in ids
        }

    def _statements(
        self, question: Question, facts: Mapping[str, Sequence[Candidate]], others: Sequence[Candidate]
    ) -> dict[str, float]:
        """Of facts (by episode, in the order they were said) and of whatever else stands for itself, on one scale."""
        everyone = [*others, *(fact for inside in facts.values() for fact in inside)]
        legs = _legs(everyone)
        said_by = {people: question.names(people) for people in {each.row.people for each in everyone}}
        named = {each.row.id: said_by[each.row.people] for each in everyone}
        anyone_named = any(named.values())

        def features(candidate: Candidate, beside: Sequence[Candidate]) -> Features:
            bm25, cosine = legs[candidate.row.id]
            neighbours = [legs[each.row.id] for each in beside]
            best = max(neighbours, key=lambda each: (each[0] or 0.0) + (each[1] or 0.0), default=(None, None))
            return Features(bm25, cosine, *best, float(named[candidate.row.id]) if anyone_named else None)

        scores = {other.row.id: self.weigh(features(other, ())) for other in others}
        for inside in facts.values():
            for at, fact in enumerate(inside):
                scores[fact.row.id] = self.weigh(features(fact, [*inside[max(0, at - 1) : at], *inside[at + 1 : at + 2]]))
        return scores

    def _episodes(
        self, episodes: Sequence[Candidate], facts: Mapping[str, Sequence[str]], fact_scores: Mapping[str, float]
    ) -> dict[str, float]:
        """The mean of an episode's own score, its best fact's and the mean of its facts'.

        An episode whose one fact fits, and whose other facts are about the same, is better than one with a lucky word.
        """
        legs = _legs(episodes)
        scores = {}
        for episode in episodes:
            own = self.weigh(Features(*legs[episode.row.id]))
            inside = [fact_scores[fact] for fact in facts.get(episode.row.id, ())]
            scores[episode.row.id] = (own + max(inside) + sum(inside) / len(inside)) / 3 if inside else own
        return scores

    def weigh(self, features: Features) -> float:
        """The weighted mean of both legs, of the better neighbour's legs, and of the speaker."""
        own = _mean(features.bm25, features.cosine)
        neighbour = _mean(features.neighbour_bm25, features.neighbour_cosine)
        return weighted_mean([(1.0, own or 0.0), (_NEIGHBOUR, neighbour), (_SPEAKER, features.speaker_named)])


def _mean(bm25: float | None, cosine: float | None) -> float | None:
    if bm25 is None and cosine is None:
        return None
    return weighted_mean([(_BM25, bm25), (1 - _BM25, cosine)])


def _legs(candidates: Sequence[Candidate]) -> dict[str, tuple[float | None, float | None]]:
    """Both legs of each candidate, normalised among these."""
    bm25 = share_of_best({each.row.id: each.bm25 for each in candidates if each.bm25 is not None})
    cosine = min_max({each.row.id: each.cosine for each in candidates if each.cosine is not None})
    return {each.row.id: (bm25.get(each.row.id), cosine.get(each.row.id)) for each in candidates}
