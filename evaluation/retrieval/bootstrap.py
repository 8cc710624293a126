"""Confidence intervals of means over questions: the percentile bootstrap.

1. Draw as many units as there are, with replacement, 10,000 times.
2. The mean of each draw; the 2.5th and the 97.5th percentile of all are the interval.

Units are questions, or whole conversations where ``clusters`` names them: questions of one conversation share its
episodes and its people, so that the interval over conversations says what another conversation may give. Values of two
runs are paired: resample the differences question by question, which takes out how hard a question is.

Sources: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; for two retrieval runs Sakai,
"Evaluating Evaluation Metrics based on the Bootstrap", SIGIR 2006; for clusters Davison and Hinkley, "Bootstrap Methods
and their Application", 1997, section 3.8 (whole groups, kept as they are).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000
SEED = 1
_AT_A_TIME = 500  # resamples, at a time, so that they fit into the cache of a processor

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """The 95 % interval of each column."""

    low: Values
    high: Values


def interval(
    values: Values, clusters: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """The 95 % interval of the mean of each column of ``values``, of shape (questions, columns).

    None where there are fewer than two units: nothing can be said of their spread. The same seed gives the same interval.
    """
    if clusters is None:
        sums, sizes = values, np.ones(len(values))
    else:
        _, place = np.unique(np.asarray(clusters), return_inverse=True)
        sizes = np.bincount(place).astype(np.float64)
        sums = np.zeros((len(sizes), values.shape[1]))
        np.add.at(sums, place, values)
    units = len(sizes)
    if units < 2:
        return None
    weights = _weights(units, resamples, seed)
    means = np.empty((resamples, values.shape[1]))
    for at in range(0, resamples, _AT_A_TIME):
        drawn = weights[at : at + _AT_A_TIME].astype(np.float64)
        means[at : at + _AT_A_TIME] = (drawn @ sums) / (drawn @ sizes)[:, None]
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return Interval(low, high)


@lru_cache(maxsize=16)  # one report asks for the same few numbers of units again and again
def _weights(units: int, resamples: int, seed: int) -> npt.NDArray[np.uint16]:
    """Return the count of each unit in each resample, of shape (resamples, units)."""
    chance = np.random.default_rng(seed)
    return np.stack([np.bincount(chance.integers(units, size=units), minlength=units) for _ in range(resamples)]).astype(
        np.uint16
    )
