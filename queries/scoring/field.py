"""All candidates of one question, in one order, and the contract of their scorers. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mneme.rows import Vector
from queries.questions.people import is_assistant
from queries.questions.understand import Question
from queries.recall import Candidate

Numbers = npt.NDArray[np.float64]


def probability(log_odds: Numbers) -> Numbers:
    """The chances, from 0 to 1, of some log-odds."""
    found: Numbers = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
    return found


class LegScores:
    """BM25 and cosine of some candidates, in their order; a row without a vector is as far as the farthest."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.bm25: Numbers = np.array([each.bm25 or 0.0 for each in candidates], dtype=np.float64)
        cosine = np.array([each.cosine for each in candidates], dtype=np.float64)  # None becomes NaN
        self.unknown = np.isnan(cosine)
        farthest = cosine[~self.unknown].min() if not self.unknown.all() else 0.0
        self.cosine: Numbers = np.where(self.unknown, farthest, cosine)

    @cached_property
    def share(self) -> Numbers:
        """BM25 as a share of the best."""
        best = self.bm25.max(initial=0.0)
        return np.maximum(self.bm25, 0.0) / best if best > 0 else np.zeros_like(self.bm25)

    @cached_property
    def near(self) -> Numbers:
        """The cosine between the farthest (0) and the nearest (1)."""
        return between(self.cosine)


def between(numbers: Numbers) -> Numbers:
    """Numbers between the lowest (0) and the highest (1)."""
    low, high = numbers.min(initial=np.inf), numbers.max(initial=-np.inf)
    return (numbers - low) / (high - low) if high > low else np.ones_like(numbers)


def rank_of(numbers: Numbers) -> Numbers:
    """0 for the best, falling with the logarithm of the place; equal numbers share the last of their places."""
    worst_last = -numbers
    places = np.sort(worst_last).searchsorted(worst_last, side="right")
    return -np.log(np.maximum(1, places)) / 5


@dataclass(frozen=True, eq=False)
class Field:
    """The candidates of a question: first what stands alone, then facts episode by episode.

    ``parents`` is the place in ``episodes`` of each statement's episode, -1 for what stands alone. Facts of an episode lie
    side by side in the order they were said. ``matches`` tell how well the tokens of each statement match those of the question
    (queries/scoring/late_interaction.py), from -1 to 1; None where they were not compared. ``vectors`` are those of the
    statements, None of each that is not known; empty where none is. ``token_vectors`` are those of the tokens of each
    statement that was compared, else without bytes, and ``asked`` those of the question.
    """

    statements: Sequence[Candidate]
    episodes: Sequence[Candidate]
    parents: npt.NDArray[np.int64]
    matches: Numbers | None = None
    vectors: Sequence[Vector | None] = ()
    token_vectors: Sequence[bytes] = ()
    asked: bytes = b""

    @cached_property
    def legs(self) -> LegScores:
        """Those of the statements."""
        return LegScores(self.statements)

    @cached_property
    def match(self) -> Numbers:
        """The match of the tokens between the worst (0) and the best (1); 0 where they were not compared."""
        return np.zeros(len(self.statements)) if self.matches is None else between(self.matches)

    @cached_property
    def with_assistant(self) -> bool:
        """True if an assistant is among those who talk."""
        talking = {each.row.people for each in (*self.statements, *self.episodes)}
        return any(map(is_assistant, {person for people in talking for person in people}))

    def best_of_episodes(self, numbers: Numbers) -> Numbers:
        """The highest of the numbers of each episode's facts; 0 where it has none. ``numbers`` are those of the statements."""
        return self._of_episodes(np.maximum, numbers)

    def mean_of_episodes(self, numbers: Numbers, without: float = 0.0) -> Numbers:
        """The mean of the numbers of each episode's facts; ``without`` where it has none."""
        counts = self.counts
        return np.where(counts > 0, self._of_episodes(np.add, numbers) / np.maximum(counts, 1), without)

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of facts of each episode."""
        return np.bincount(self.parents[self.parents >= 0], minlength=len(self.episodes))

    def _of_episodes(self, reduce: np.ufunc, numbers: Numbers) -> Numbers:
        """The numbers of each episode's facts reduced to one; 0 where it has none."""
        reduced = np.zeros(len(self.episodes))
        present = self.counts > 0
        if present.any():
            starts = np.flatnonzero(self.parents >= 0)[0] + np.concatenate(([0], np.cumsum(self.counts[present])[:-1]))
            reduced[present] = reduce.reduceat(numbers, starts)
        return reduced

    @classmethod
    def of(
        cls, episodes: Sequence[Candidate], facts: Mapping[str, Sequence[Candidate]], others: Sequence[Candidate]
    ) -> "Field":
        """The field of these episodes, the facts of each by its id, and the others."""
        inside = [(place, fact) for place, each in enumerate(episodes) for fact in facts.get(each.row.id, ())]
        parents = [-1] * len(others) + [place for place, _ in inside]
        return cls([*others, *(fact for _, fact in inside)], episodes, np.array(parents, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Scored:
    """The final score of every candidate by its id, and of those that were read the log-odds that they answer."""

    scores: dict[str, float]
    readings: Mapping[str, float]


class Scorer(Protocol):
    """Candidates to scores."""

    @property
    def name(self) -> str:
        """Its name in the response."""

    def score(self, question: Question, field: Field, messages: Iterable[Candidate]) -> Scored:
        """The final score of every candidate of the field.

        From 0 to 1, higher fits better; comparable among the candidates of one question only. A fact's score is that of the
        fact together with its episode; the best fact of an episode stands above the episode.

        Args:
            question: what is asked.
            field: the candidates, both legs known where they are on.
            messages: the raw messages that were recalled, also those that are in an episode.
        """
