"""A small logistic model of a boundary, with its coefficients beside it (evaluation/fit_boundaries.py fits them).

One head for each situation, whether vectors are known or words only. A head weighs each feature, and again in
proportion to each gate: the gates tell registers apart (help desk, chat of friends), where the same signal weighs
differently.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from flows.boundaries.cues import reading_of, turning_words
from flows.cuts import Utterance

VECTORS, WORDS_ONLY = "vectors", "words only"  # the situations: heads by name
FURTHEST = 4.0  # standard deviations at which a feature is clipped: nothing unheard-of decides alone
FURTHEST_GATE = 2.0
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Head:
    """Coefficients for one situation: ``weights`` of shape (1 + gates, features), the first row without a gate."""

    names: tuple[str, ...]
    gates: tuple[str, ...]
    means: Numbers
    scales: Numbers
    weights: Numbers
    intercept: float

    def evidence(self, features: Mapping[str, float]) -> dict[str, float]:
        """The share of each feature (flows/boundaries/features.py) in the log-odds of a boundary."""
        return dict(zip(self.names, self._contributions(features).tolist(), strict=True))

    def log_odds(self, features: Mapping[str, float]) -> float:
        """The log-odds of a boundary: the sum of all evidence."""
        return self.intercept + float(self._contributions(features).sum())

    def _contributions(self, features: Mapping[str, float]) -> Numbers:
        values = (np.array([features[name] for name in self.names]) - self.means) / self.scales
        clipped = np.minimum(np.maximum(values, -FURTHEST), FURTHEST)
        gates = np.minimum(np.maximum(clipped[self._gates], -FURTHEST_GATE), FURTHEST_GATE)
        found: Numbers = (self.weights[0] + gates @ self.weights[1:]) * clipped
        return found

    @cached_property
    def _gates(self) -> list[int]:
        return [self.names.index(gate) for gate in self.gates]


def expand(standardised: Numbers, gates: Sequence[int]) -> Numbers:
    """Rows of standardised features, clipped, followed by themselves times each gate (a column of them): what is fitted."""
    clipped = np.clip(standardised, -FURTHEST, FURTHEST)
    gated = [clipped * np.clip(clipped[:, [gate]], -FURTHEST_GATE, FURTHEST_GATE) for gate in gates]
    return np.concatenate([clipped, *gated], axis=1)


def logistic(log_odds: float) -> float:
    """Log-odds as a probability, without overflow."""
    return 0.5 * (1 + math.tanh(0.5 * log_odds))


def head_of(heads: Mapping[str, Head], features: Mapping[str, float]) -> Head:
    """The head of a message's situation."""
    return heads[VECTORS if features["similarity.known"] else WORDS_ONLY]


def probability(heads: Mapping[str, Head], features: Mapping[str, float]) -> float:
    """The probability of a boundary before a message, 0 to 1."""
    return logistic(head_of(heads, features).log_odds(features))


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


_WORDS = {"similarity": "new subject", "words": "other words", "speakers": "other speakers", "shape": "length"}
_NAMED = 2  # groups of features: the loudest ones


def reason(context: Sequence[Utterance], message: Utterance, evidence: Mapping[str, float]) -> str:
    """The strongest reasons for a boundary before ``message``; ``evidence`` is the share of each feature (``group.name``)."""
    sums: dict[str, float] = {}
    for name, value in evidence.items():
        group = name.partition(".")[0]
        sums[group] = sums.get(group, 0.0) + value
    loudest = sorted((group for group in sums if sums[group] > 0), key=lambda group: -sums[group])[:_NAMED]
    return ", ".join(_in_words(group, context[-1], message) for group in loudest) or "several weak signals"


def _in_words(group: str, before: Utterance, message: Utterance) -> str:
    if group == "time":
        return f"pause of {_length(message.message.sent_at - before.message.sent_at)}"
    if group == "cues":
        return _cue(before, message)
    return _WORDS[group]


def _cue(before: Utterance, message: Utterance) -> str:
    if words := turning_words(message.message.text):
        return f'"{words}"'
    if reading_of(message).greets:
        return "greeting"
    if reading_of(before).takes_leave:
        return "after a farewell"
    return "wording"


def _length(pause: timedelta) -> str:
    minutes = max(pause, timedelta(0)) / timedelta(minutes=1)
    if minutes < 1:
        return "seconds"
    if minutes < 90:
        return f"{minutes:.0f} min"
    if minutes < 48 * 60:
        return f"{minutes / 60:.0f} h"
    return f"{minutes / 60 / 24:.0f} days"
