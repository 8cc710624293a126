"""A small logistic model of a boundary, with its coefficients beside it (evaluation/fit_boundaries.py fits them).

One head for each situation, whether vectors are known or words only. A head weighs each feature, and again in
proportion to each gate: the gates tell registers apart (help desk, chat of friends), where the same signal weighs
differently.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from flows.boundaries.rows import NAMES, Numbers

VECTORS, WORDS_ONLY = "vectors", "words only"  # the situations: heads by name
FURTHEST = 4.0  # standard deviations at which a feature is clipped: nothing unheard-of decides alone
FURTHEST_GATE = 2.0
_VECTORS_KNOWN = NAMES.index("similarity.known")


@dataclass(frozen=True, eq=False)
class Head:
    """Coefficients for one situation: ``weights`` of shape (1 + gates, features), the first row without a gate."""

    names: tuple[str, ...]
    gates: tuple[str, ...]
    means: Numbers
    scales: Numbers
    weights: Numbers
    intercept: float

    def evidence(self, row: Numbers) -> dict[str, float]:
        """What each feature of a row (flows/boundaries/features.py) adds to the log-odds of a boundary."""
        rows = expand(self._standardised(row[None]), self._gates)[0]
        contributions = (rows.reshape(self.weights.shape) * self.weights).sum(axis=0)
        return dict(zip(self.names, contributions.tolist(), strict=True))

    def log_odds(self, rows: Numbers) -> Numbers:
        """The log-odds of a boundary for each row: the sum of all evidence, without taking it apart."""
        clipped = np.minimum(np.maximum(self._standardised(rows), -FURTHEST), FURTHEST)
        gates = np.minimum(np.maximum(clipped[:, self._gates], -FURTHEST_GATE), FURTHEST_GATE)
        found: Numbers = self.intercept + ((self.weights[0] + gates @ self.weights[1:]) * clipped).sum(axis=1)
        return found

    def _standardised(self, rows: Numbers) -> Numbers:
        return (rows.take(self._columns, axis=1) - self.means) / self.scales

    @cached_property
    def _columns(self) -> npt.NDArray[np.int64]:
        return np.array([NAMES.index(name) for name in self.names])

    @cached_property
    def _gates(self) -> list[int]:
        return [self.names.index(gate) for gate in self.gates]


def expand(standardised: Numbers, gates: Sequence[int]) -> Numbers:
    """Rows of standardised features, clipped, followed by themselves times each gate (a column of them)."""
    clipped = np.clip(standardised, -FURTHEST, FURTHEST)
    gated = [clipped * np.clip(clipped[:, [gate]], -FURTHEST_GATE, FURTHEST_GATE) for gate in gates]
    return np.concatenate([clipped, *gated], axis=1)


def logistic(log_odds: float) -> float:
    """Log-odds as a probability, without overflow."""
    return 0.5 * (1 + math.tanh(0.5 * log_odds))


def situations(rows: Numbers) -> list[str]:
    """The name of the head that serves each row."""
    return [VECTORS if known else WORDS_ONLY for known in rows[:, _VECTORS_KNOWN].tolist()]


def probabilities(heads: Mapping[str, Head], rows: Numbers) -> list[float]:
    """How probable a boundary is before each message of which a row tells, 0 to 1."""
    names = situations(rows)
    if len(kinds := set(names)) == 1:
        return [*map(logistic, heads[kinds.pop()].log_odds(rows).tolist())]
    return [logistic(heads[name].log_odds(row[None])[0]) for name, row in zip(names, rows, strict=True)]


@cache
def shipped_heads() -> dict[str, Head]:
    """The heads of coefficients.json, by situation."""
    return heads_from(json.loads(files("flows.boundaries").joinpath("coefficients.json").read_text(encoding="utf-8")))


def heads_from(data: Mapping[str, Any]) -> dict[str, Head]:
    """Heads from the form of coefficients.json: for each feature its mean, its scale and its weights."""
    heads = {}
    for name, head in data["heads"].items():
        table = np.array(list(head["features"].values()), dtype=np.float64)
        heads[name] = Head(
            names=tuple(head["features"]),
            gates=tuple(head["gates"]),
            means=table[:, 0],
            scales=table[:, 1],
            weights=table[:, 2:].T,
            intercept=float(head["intercept"]),
        )
    return heads
