"""The default detector: decides message by message from cheap signals, offline, seeing at most two messages ahead.

A small logistic model weighs the signals, with its coefficients beside it (evaluation/fit_boundaries.py fits them). It has one
head for each situation, whether vectors are known or words only. A head weighs each feature, and again in proportion to each
gate: the gates tell registers apart (help desk, chat of friends), where the same signal weighs differently.
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
from flows.boundaries.features import features
from flows.cuts import Utterance, Verdict
from mneme.settings import Boundaries

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

    def evidence(self, measured: Mapping[str, float]) -> dict[str, float]:
        """The share of each feature (flows/boundaries/features.py) in the log-odds of a boundary."""
        return dict(zip(self.names, self._contributions(measured).tolist(), strict=True))

    def log_odds(self, measured: Mapping[str, float]) -> float:
        """The log-odds of a boundary: the sum of all evidence."""
        return self.intercept + float(self._contributions(measured).sum())

    def _contributions(self, measured: Mapping[str, float]) -> Numbers:
        values = (np.array([measured[name] for name in self.names]) - self.means) / self.scales
        clipped = np.minimum(np.maximum(values, -FURTHEST), FURTHEST)
        gates = np.minimum(np.maximum(clipped[self._gates], -FURTHEST_GATE), FURTHEST_GATE)
        numbers: Numbers = (self.weights[0] + gates @ self.weights[1:]) * clipped
        return numbers

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


def head_of(heads: Mapping[str, Head], measured: Mapping[str, float]) -> Head:
    """The head of a message's situation."""
    return heads[VECTORS if measured["similarity.known"] else WORDS_ONLY]


def probability(heads: Mapping[str, Head], measured: Mapping[str, float]) -> float:
    """The probability of a boundary before a message, 0 to 1."""
    return logistic(head_of(heads, measured).log_odds(measured))


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


# What counts as a signal is a fraction of what counts as a boundary: at .3, 4.5 % of LoCoMo's messages signal, and those
# are where its sessions end.
_SIGNAL = 0.3
_HINT = 0.1


class SemanticDetector:
    """Cuts where a logistic model of the features finds a boundary more probable than ``settings.threshold``.

    Merges by default: a greeting, a farewell or midnight alone is no boundary, a long pause with a new subject is.
    Pure and cheap (under a millisecond for a message); works without vectors, from words and times alone.
    """

    window = 96  # messages of one call; each of them is decided by itself
    calls_a_model = False

    def __init__(self, settings: Boundaries, heads: Mapping[str, Head] | None = None) -> None:
        self.look_ahead = settings.look_ahead
        self._settings = settings
        self._heads = shipped_heads() if heads is None else heads

    def signals(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Return whether a boundary before the message is thinkable, before one has seen what follows."""
        if not context:
            return False
        return probability(self._heads, features(context, message, ())) > self._settings.threshold * _SIGNAL

    def suggests(self, context: Sequence[Utterance], message: Utterance) -> bool:
        """Return whether there is any ground to ask somebody who understands the words: a signal, or words that hint at a turn.

        With times the model trusts pauses, and hears no change of subject within a session; so the words are also read as
        if nothing were known of times, and a hint is enough.
        """
        if not context:
            return False
        found, threshold = features(context, message, ()), self._settings.threshold
        untimed = {name: 0.0 if name.startswith("time.") else value for name, value in found.items()}
        return probability(self._heads, found) > threshold * _SIGNAL or probability(self._heads, untimed) > threshold * _HINT

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        """Decides about each message in turn; see ``BoundaryDetector``."""
        said = [*context, *judged, *ahead]
        boundaries, reasons = [], []
        began = 0
        for at in range(len(context) or 1, len(context) + len(judged)):  # the first message of all begins an episode anyway
            values = features(said[began:at], said[at], said[at + 1 : at + 1 + self.look_ahead])
            if probability(self._heads, values) > self._settings.threshold:
                boundaries.append(at - len(context))
                reasons.append(reason(said[began:at], said[at], head_of(self._heads, values).evidence(values)))
                began = at
        complete = bool(judged) and not ahead and reading_of(judged[-1]).takes_leave
        return Verdict(tuple(boundaries), tuple(reasons), tail_complete=complete)
