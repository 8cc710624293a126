"""The boundary model: fitted on several kinds of conversation at once, cross-validated, and cut with as the flow does.

1. For each situation (times or none, vectors or none) collect an example for each message that can begin an episode.
2. Fit a logistic model for each fold, without that fold.
3. Choose the operating point that serves all kinds best; it becomes probability 0.5.
4. Cut online, each conversation by the models that were fitted without its fold.

scikit-learn, a development dependency, is needed for step 2 only, and is imported there.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.boundary_sets import FOLDS, Kind, utterances_of
from evaluation.segmentation import Results, cut
from flows.boundaries.features import features
from flows.boundaries.model import Head, expand, situation
from flows.boundaries.semantic import SemanticDetector
from mneme.errors import InputError, SettingsError
from mneme.rows import Vector
from mneme.settings import Boundaries

Numbers = npt.NDArray[np.float64]

GATES = ("speakers.assisted", "shape.usual_log_words", "shape.lower_case", "shape.questions", "shape.shortness")
STRENGTH = 0.02  # inverse of the L2 penalty: .005 to .1 differ by at most .015 of F1 on any set in cross-validation
MERGING = 0.5  # the beta of F for timed chats: a wrong cut costs more than a missing one, for episodes merge by default
LESS_AHEAD = 0.15  # of the examples see fewer messages ahead, as when a conversation pauses


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """One row for each message that can begin an episode: features, whether it does, its fold, its kind and weight."""

    names: tuple[str, ...]
    rows: Numbers
    labels: npt.NDArray[np.bool_]
    folds: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    weights: Numbers


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """``folds``: for each fold the heads that were fitted without it, by situation. ``points``: the operating point
    (log-odds) of each situation over all folds."""

    folds: tuple[Mapping[str, Head], ...]
    points: Mapping[str, float]


def logistic_regression() -> Any:
    """The class of scikit-learn. Commands call this first, so that nobody waits for vectors in vain.

    Raises:
        SettingsError: it is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ModuleNotFoundError as error:
        raise SettingsError(
            "fitting boundaries needs scikit-learn, which only development installs: pip install 'scikit-learn>=1.6'"
        ) from error
    return LogisticRegression


# --- step 1 ----------------------------------------------------------------------------------------------------------


def examples_of(kinds: Sequence[Kind], vectors: Mapping[str, Vector] | None) -> dict[str, Examples]:
    """The examples of each situation. The open episode of an example begins where the true one does.

    (Contexts cut by an earlier model instead changed no figure.)
    """
    chance = random.Random(0)
    names: tuple[str, ...] = ()
    found: dict[str, list[tuple[Numbers, bool, int, int, float]]] = {}
    for number, kind in enumerate(kinds):
        for fold, dialogue in enumerate(kind.dialogues):
            utterances, begin = utterances_of(dialogue, vectors), 0
            for at in range(1, len(utterances)):
                ahead = chance.choice((0, 1)) if chance.random() < LESS_AHEAD else 2
                values = features(utterances[begin:at], utterances[at], utterances[at + 1 : at + 1 + ahead])
                names = tuple(values)
                label = at in dialogue.boundaries
                row = np.fromiter(values.values(), np.float64, len(values))
                found.setdefault(situation(values), []).append((row, label, fold % FOLDS, number, kind.weight))
                begin = at if label else begin
    return {name: _table(names, rows) for name, rows in found.items()}


def _table(names: tuple[str, ...], found: Sequence[tuple[Numbers, bool, int, int, float]]) -> Examples:
    rows, labels, folds, kinds, weights = zip(*found, strict=True)
    return Examples(names, np.stack(rows), np.array(labels), np.array(folds), np.array(kinds), np.array(weights))


def only(examples: Examples, chosen: npt.NDArray[np.bool_]) -> Examples:
    """Some of the examples."""
    return Examples(
        examples.names,
        examples.rows[chosen],
        examples.labels[chosen],
        examples.folds[chosen],
        examples.kinds[chosen],
        examples.weights[chosen],
    )


# --- steps 2 and 3 ---------------------------------------------------------------------------------------------------


def cross_validate(by_situation: Mapping[str, Examples]) -> CrossValidated:
    """Steps 2 and 3 for every situation.

    Nothing that is true of a fold enters its heads: their operating point is chosen on the examples they were fitted on.
    ``points``, for a model fitted on everything, is chosen on what each head says of the fold that it has not seen.

    Raises:
        InputError: there are too few examples to fit on.
        SettingsError: scikit-learn is not installed.
    """
    folds: list[dict[str, Head]] = [{} for _ in range(FOLDS)]
    points = {}
    for name, examples in by_situation.items():
        beta = MERGING if name.startswith("timed") else 1.0
        odds = np.zeros(len(examples.labels))
        for fold in range(FOLDS):
            mine = examples.folds == fold
            others = only(examples, ~mine)
            head = fit(others)
            odds[mine] = log_odds(head, only(examples, mine))
            folds[fold][name] = moved(head, operating_point(others, log_odds(head, others), beta))
        points[name] = operating_point(examples, odds, beta)
    return CrossValidated(tuple(folds), points)


def fit(examples: Examples) -> Head:
    """One logistic model. Features that never vary here (similarity without vectors) get no coefficient.

    Raises:
        InputError: there is no boundary among the examples, or nothing else.
        SettingsError: scikit-learn is not installed.
    """
    if examples.labels.all() or not examples.labels.any():
        raise InputError("nothing to fit on: all examples of a fold are alike; give sets with more conversations")
    varying = np.flatnonzero(examples.rows.std(axis=0) > 1e-9)
    names = tuple(examples.names[index] for index in varying)
    gates = tuple(gate for gate in GATES if gate in names)
    rows = examples.rows[:, varying]
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    expanded = expand((rows - means) / scales, [names.index(gate) for gate in gates])
    model = logistic_regression()(C=STRENGTH, max_iter=2000).fit(expanded, examples.labels, sample_weight=examples.weights)
    weights = model.coef_[0].reshape(1 + len(gates), len(names))
    return Head(names, gates, means, scales, weights, float(model.intercept_[0]))


def log_odds(head: Head, examples: Examples) -> Numbers:
    """The log-odds of a boundary for each example."""
    columns = [examples.names.index(name) for name in head.names]
    standardised = (examples.rows[:, columns] - head.means) / head.scales
    expanded = expand(standardised, [head.names.index(gate) for gate in head.gates])
    return np.asarray(expanded @ head.weights.ravel() + head.intercept)


def operating_point(examples: Examples, odds: Numbers, beta: float) -> float:
    """The log-odds above which cutting gives the best F-beta, averaged over the kinds of conversation."""

    def mean_f(threshold: float) -> float:
        made = odds > threshold
        figures = []
        for kind in np.unique(examples.kinds):
            here = examples.kinds == kind
            right = int((made & examples.labels & here).sum())
            weighed = int(made[here].sum()) + beta**2 * int(examples.labels[here].sum())
            figures.append((1 + beta**2) * right / max(1.0, weighed))
        return sum(figures) / len(figures)

    return max((step / 10 for step in range(-20, 21)), key=mean_f)


def moved(head: Head, point: float) -> Head:
    """The head for which the log-odds ``point`` are a probability of 0.5."""
    return replace(head, intercept=head.intercept - point)


# --- step 4 ----------------------------------------------------------------------------------------------------------


def cut_online(
    kind: Kind, vectors: Mapping[str, Vector] | None, folds: Sequence[Mapping[str, Head]], settings: Boundaries
) -> Results:
    """Every dialogue of a kind, cut by the heads of its fold (of ``folds``; one for all of them when there is only one)."""
    detectors = [SemanticDetector(settings, heads) for heads in folds]
    return [
        (dialogue, cut(detectors[number % len(detectors)], utterances_of(dialogue, vectors), settings.max_messages))
        for number, dialogue in enumerate(kind.dialogues)
    ]
