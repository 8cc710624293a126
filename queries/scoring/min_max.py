"""Scores without training: both legs on a scale of the question's own candidates. Pure.

On LoCoMo (five conversations, twelve-message episodes) a weight of BM25 between .4 and .7, of the neighbour between 0 and .3
and of the speaker between .1 and .3 moves recall@10 by less than one point: the values sit in the middle.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from queries.questions.understand import Question
from queries.recall import Candidate
from queries.scoring.field import Field, LegScores, Numbers, Scored

ALPHA = 0.5  # share of the fact in a score, where the settings do not say
# Of BM25 against the cosine; of the better neighbour, and of a speaker whom the question names, against a fact's own 1.
_BM25, _NEIGHBOUR, _SPEAKER = 0.5, 0.15, 0.2

Mask = npt.NDArray[np.bool_]


class MinMaxScorer:
    """The weighted mean of the features that apply: for an embedder without learned coefficients."""

    name = "min-max"

    def __init__(self, alpha: float | None = None) -> None:
        """Prepare.

        Args:
            alpha: share of the fact in a score; the rest is its episode's.
        """
        self._alpha = ALPHA if alpha is None else alpha

    def score(self, question: Question, field: Field, messages: Iterable[Candidate]) -> Scored:
        """See ``Scorer``.

        1. A statement is the mean of its own legs, of the better one of the two facts beside it in its episode, and of its
           speaker, where the question names one.
        2. An episode is the mean of its own score, its best fact's and the mean of its facts': one whose best fact fits, and
           whose other facts are about the same, is better than one with a lucky word.
        3. A fact is ``alpha`` of its own and the rest of its episode's score.
        """
        # 1.
        legs, known, sums = _mean_of_legs(field.statements)
        beside, has_neighbour = _better_neighbour(field, sums)
        people = [each.row.people for each in field.statements]
        said_by = {each: question.names(each) for each in set(people)}
        named = np.array([said_by[each] for each in people], dtype=np.float64)
        speaker = _SPEAKER if named.any() else 0.0
        has_neighbour &= known[beside]
        statements = legs + _NEIGHBOUR * np.where(has_neighbour, legs[beside], 0.0) + speaker * named
        statements /= 1.0 + _NEIGHBOUR * has_neighbour + speaker
        # 2.
        own = _mean_of_legs(field.episodes)[0]
        of_facts = own + field.best_of_episodes(statements) + field.mean_of_episodes(statements)
        episodes = np.where(field.counts > 0, of_facts / 3, own)
        # 3.
        with_episodes = self._alpha * statements + (1 - self._alpha) * np.append(episodes, 0.0)[field.parents]
        statements = np.where(field.parents < 0, statements, with_episodes)
        ids = (each.row.id for each in (*field.episodes, *field.statements))
        return Scored(dict(zip(ids, (*episodes.tolist(), *statements.tolist()), strict=True)), {})


def _mean_of_legs(candidates: Sequence[Candidate]) -> tuple[Numbers, Mask, Numbers]:
    """The weighted mean of the legs that are known of each candidate, 0 where none is; if one is known; and their sum."""
    legs = LegScores(candidates)
    has_bm25 = np.array([each.bm25 is not None for each in candidates], dtype=np.bool_)
    bm25, cosine = legs.share * has_bm25, legs.near * ~legs.unknown
    weights = _BM25 * has_bm25 + (1 - _BM25) * ~legs.unknown
    known = weights > 0
    return (_BM25 * bm25 + (1 - _BM25) * cosine) / np.where(known, weights, 1.0), known, bm25 + cosine


def _better_neighbour(field: Field, sums: Numbers) -> tuple[npt.NDArray[np.int64], Mask]:
    """The place of the better one of the two facts beside each in its episode, the one before it if both are as good."""
    places = np.arange(len(sums))
    same = (field.parents[1:] == field.parents[:-1]) & (field.parents[1:] >= 0)
    before, behind = np.append([False], same)[: len(sums)], np.append(same, [False])[: len(sums)]
    previous, following = places - 1, np.minimum(places + 1, len(sums) - 1)
    is_previous = before & (~behind | (sums[previous] >= sums[following]))
    return np.where(is_previous, previous, following), before | behind
