"""Fits the order of the first places (queries/scoring/first_places.py), a part of ``mneme bench fit fusion``.

The best ten of a question are one list. Of its softmax those that answer should have the most (Cao et al. 2007); squares of
weights cost. A set counts as the square root of its questions, so that neither the largest nor the smallest decides alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from queries.scoring.field import Numbers
from queries.scoring.first_places import FIRST_PLACES_FEATURES
from queries.scoring.weights import Weights

PENALTY = 0.01  # of the squares of weights; .003 orders unseen talks as well
_SMALLEST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Ten:
    """The best statements of a question, best first: their ``FIRST_PLACES_FEATURES``, and which of them answer."""

    question_set: str
    features: Numbers
    answers: npt.NDArray[np.bool_]


def fit_first_places(tens: Sequence[Ten]) -> Weights | None:
    """The weights, or None where no list has both what answers and what does not."""
    told = [each for each in tens if each.answers.any() and not each.answers.all()]
    if not told:
        return None
    rows, answers = np.vstack([each.features for each in told]), np.concatenate([each.answers for each in told])
    lengths = np.array([len(each.answers) for each in told])
    starts = np.cumsum([0, *lengths[:-1]])
    sizes = Counter(each.question_set for each in told)
    counts = np.array([sizes[each.question_set] ** -0.5 for each in told])
    counts /= counts.sum()
    widths = rows.std(axis=0) + _SMALLEST
    rows = rows / widths

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        """The mean of -log(share of those that answer), and its gradient."""
        scores = rows @ weights
        odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
        every, right = np.add.reduceat(odds, starts), np.add.reduceat(odds * answers, starts)
        right = np.maximum(right, _SMALLEST)
        change = odds / np.repeat(every, lengths) - odds * answers / np.repeat(right, lengths)
        cost = counts @ -np.log(right / every) + PENALTY * weights @ weights
        return float(cost), rows.T @ (change * np.repeat(counts, lengths)) + 2 * PENALTY * weights

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x / widths
    return Weights(weights=dict(zip(FIRST_PLACES_FEATURES, np.round(found, 4).tolist(), strict=True)), bias=0.0)
