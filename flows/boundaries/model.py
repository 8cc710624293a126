"""A small logistic model of a boundary, with its coefficients beside it (evaluation/fit_boundaries.py fits them).

One head for each situation, whether times and whether vectors are known. A head weighs each feature, and again in
proportion to each gate: the gates tell registers apart (help desk, chat of friends), where the same signal weighs
differently.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

FURTHEST = 4.0  # standard deviations at which a feature is clipped: nothing unheard-of decides alone
FURTHEST_GATE = 2.0


@dataclass(frozen=True, eq=False)
class Head:
    """Coefficients for one situation: ``weights`` of shape (1 + gates, features), the first row without a gate."""

    names: tuple[str, ...]
    gates: tuple[str, ...]
    means: Numbers
    scales: Numbers
    weights: Numbers
    intercept: float

    def evidence(self, values: Mapping[str, float]) -> dict[str, float]:
        """What each feature adds to the log-odds of a boundary."""
        rows = expand(self._standardised(values)[None], self._gates)[0]
        contributions = (rows.reshape(self.weights.shape) * self.weights).sum(axis=0)
        return dict(zip(self.names, contributions.tolist(), strict=True))

    def probability(self, values: Mapping[str, float]) -> float:
        """How probable a boundary is, 0 to 1: the sum of all evidence, without taking it apart."""
        clipped = np.minimum(np.maximum(self._standardised(values), -FURTHEST), FURTHEST)
        gates = np.minimum(np.maximum(clipped[self._gates], -FURTHEST_GATE), FURTHEST_GATE)
        return logistic(self.intercept + float((self.weights[0] + gates @ self.weights[1:]) @ clipped))

    def _standardised(self, values: Mapping[str, float]) -> Numbers:
        return (np.array(self._in_order(values)) - self.means) / self.scales

    @cached_property
    def _in_order(self) -> Callable[[Mapping[str, float]], tuple[float, ...]]:
        return itemgetter(*self.names)

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


def situation(values: Mapping[str, float]) -> str:
    """The name of the head that serves these features."""
    time = "timed" if values["time.known"] else "untimed"
    return f"{time}, vectors" if values["similarity.known"] else f"{time}, words only"


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
