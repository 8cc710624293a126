"""``mneme bench fit boundaries``: fits the semantic boundary detector, on several kinds of conversation at once.

1. Read the dialogues, without times and with times at every pace (evaluation/boundary_sets.py), and embed every message once.
   Collect an example for each message that can begin an episode, with vectors or without.
2. Cross-validate: fit a logistic model for each fold, without that fold. Choose the operating point that serves all kinds best;
   it becomes probability 0.5.
3. Fit on everything and write the coefficients. `mneme bench boundaries` measures what was fitted without a fold.
"""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from sklearn.linear_model import LogisticRegression

from evaluation.boundary_sets import FOLDS, Kind, Results, cuts_of, read_kinds, utterances_of, vectors_of
from evaluation.fitting import check_ready
from evaluation.options import FittedOption, SegmentationArgument
from flows.boundaries.features import features
from flows.boundaries.semantic import VECTORS, WORDS_ONLY, Head, SemanticDetector, expand, heads_from
from flows.cuts import Cut
from mneme.errors import InputError
from mneme.rows import Vector
from mneme.settings import Boundaries, Settings
from mneme.times import utc_now

Numbers = npt.NDArray[np.float64]

GATES = (
    "speakers.assisted",
    "shape.usual_log_words",
    "shape.lower_case",
    "shape.questions",
    "shape.shortness",
    "time.known",
    "time.pause",
)
STRENGTH = 0.02  # inverse of the L2 penalty: .005 to .1 differ by at most .015 of F1 on any set in cross-validation
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
    """``folds``: for each fold the head that was fitted without it. ``point``: the operating point (log-odds) over all."""

    folds: tuple[Head, ...]
    point: float


# --- examples ---------------------------------------------------------------------------------------------------------


def examples_of(kinds: Sequence[Kind], vectors: Mapping[str, Vector] | None) -> Examples:
    """The examples, with vectors or without. The open episode of an example begins where the true one does.

    (Contexts cut by an earlier model instead changed no figure.)
    """
    chance = random.Random(0)
    names: tuple[str, ...] = ()
    found: list[tuple[Numbers, bool, int, int, float]] = []
    for number, kind in enumerate(kinds):
        for fold, dialogue in enumerate(kind.dialogues):
            utterances, begin = utterances_of(dialogue, vectors), 0
            for at in range(1, len(utterances)):
                ahead = chance.choice((0, 1)) if chance.random() < LESS_AHEAD else 2
                values = features(utterances[begin:at], utterances[at], utterances[at + 1 : at + 1 + ahead])
                names = tuple(values)
                label = at in dialogue.boundaries
                row = np.fromiter(values.values(), np.float64, len(values))
                found.append((row, label, fold % FOLDS, number, kind.weight))
                begin = at if label else begin
    rows, labels, folds, numbers, weights = zip(*found, strict=True)
    return Examples(names, np.stack(rows), np.array(labels), np.array(folds), np.array(numbers), np.array(weights))


def only(examples: Examples, chosen: npt.NDArray[np.bool_]) -> Examples:
    """Some of the examples."""
    columns = ("rows", "labels", "folds", "kinds", "weights")
    return replace(examples, **{name: getattr(examples, name)[chosen] for name in columns})


# --- cross-validation -------------------------------------------------------------------------------------------------


def cross_validate(examples: Examples) -> CrossValidated:
    """The head of each fold, fitted on the others, and the operating point.

    Nothing that is true of a fold enters its head: its operating point is chosen on the examples it was fitted on.
    ``point``, for a model fitted on everything, is chosen on what each head says of the fold that it has not seen.

    Raises:
        InputError: there are too few examples to fit on.
    """
    folds = []
    odds = np.zeros(len(examples.labels))
    for fold in range(FOLDS):
        mine = examples.folds == fold
        others = only(examples, ~mine)
        head = fit(others)
        odds[mine] = log_odds(head, only(examples, mine))
        folds.append(moved(head, operating_point(others, log_odds(head, others))))
    return CrossValidated(tuple(folds), operating_point(examples, odds))


def fit(examples: Examples) -> Head:
    """One logistic model. Features that never vary here (similarity without vectors) get no coefficient.

    Raises:
        InputError: there is no boundary among the examples, or nothing else.
    """
    if examples.labels.all() or not examples.labels.any():
        raise InputError("nothing to fit on: all examples of a fold are alike; give sets with more conversations")
    varying = np.flatnonzero(examples.rows.std(axis=0) > 1e-9)
    names = tuple(examples.names[index] for index in varying)
    gates = tuple(gate for gate in GATES if gate in names)
    rows = examples.rows[:, varying]
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    expanded = expand((rows - means) / scales, [names.index(gate) for gate in gates])
    model = LogisticRegression(C=STRENGTH, max_iter=2000).fit(expanded, examples.labels, sample_weight=examples.weights)
    weights = model.coef_[0].reshape(1 + len(gates), len(names))
    return Head(names, gates, means, scales, weights, float(model.intercept_[0]))


def log_odds(head: Head, examples: Examples) -> Numbers:
    """The log-odds of a boundary for each example."""
    columns = [examples.names.index(name) for name in head.names]
    standardised = (examples.rows[:, columns] - head.means) / head.scales
    expanded = expand(standardised, [head.names.index(gate) for gate in head.gates])
    return np.asarray(expanded @ head.weights.ravel() + head.intercept)


def operating_point(examples: Examples, odds: Numbers) -> float:
    """The log-odds above which cutting gives the best F1, averaged over the kinds of conversation."""

    def mean_f(threshold: float) -> float:
        made = odds > threshold
        figures = []
        for kind in np.unique(examples.kinds):
            here = examples.kinds == kind
            right = int((made & examples.labels & here).sum())
            figures.append(2 * right / max(1, int(made[here].sum()) + int(examples.labels[here].sum())))
        return sum(figures) / len(figures)

    return max((step / 10 for step in range(-20, 21)), key=mean_f)


def moved(head: Head, point: float) -> Head:
    """The head for which the log-odds ``point`` are a probability of 0.5."""
    return replace(head, intercept=head.intercept - point)


# --- cuts -------------------------------------------------------------------------------------------------------------


def cut_online(kind: Kind, vectors: Mapping[str, Vector] | None, folds: Sequence[Head], settings: Boundaries) -> Results:
    """Every dialogue of a kind, cut by the flow with the head of its fold (of ``folds``; one is for all)."""
    situation = VECTORS if vectors else WORDS_ONLY
    detectors = [SemanticDetector(settings, {situation: head}) for head in folds]
    return [
        (dialogue, _begins(cuts_of(utterances_of(dialogue, vectors), detectors[number % len(detectors)], settings)))
        for number, dialogue in enumerate(kind.dialogues)
    ]


def _begins(episodes: Iterable[Cut]) -> frozenset[int]:
    """With which messages all but the first of them begin."""
    ends = accumulate(len(episode.utterances) for episode in episodes)
    return frozenset([0, *ends][1:-1])


DEFAULT_OUT = Path(__file__).parent.parent / "flows" / "boundaries" / "coefficients.json"


def run_fit_boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[Path, typer.Argument(metavar="LOCOMO_FILE", help="Your LoCoMo JSON.", show_default=False)],
    settings: Settings,
    console: Console,
    out: FittedOption = DEFAULT_OUT,
) -> None:
    """The semantic boundary detector: writes its coefficients; `mneme bench boundaries` measures.

    The detector's own settings are the defaults, for which its model is made.

    Raises:
        InputError: a file cannot be read or written, or there is too little to fit on.
        SettingsError: the embedder cannot be opened.
    """
    check_ready(out)
    # 1.
    kinds = read_kinds(segmentation, locomo)
    known = vectors_of(kinds, settings, console)
    # 2. and 3.
    fitted: dict[str, Head] = {}
    for situation, given in ((VECTORS, known), (WORDS_ONLY, None)):
        with console.status(f"fitting, {situation}"):
            examples = examples_of(kinds, given)
            validated = cross_validate(examples)
            fitted[situation] = moved(fit(examples), validated.point)
    about = {
        "command": "mneme bench fit boundaries SEGMENTATION_FOLDER LOCOMO_FILE",
        "date": utc_now().date().isoformat(),
        "data": [f"{kind.name}: {len(kind.dialogues)} conversations, weight {kind.weight}" for kind in kinds],
        "folds": FOLDS,
    }
    text = as_json(fitted, about)
    heads_from(json.loads(text))  # what cannot be read back is not written
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"out: {out} cannot be written ({error.strerror}); choose another file") from error
    console.print(f"coefficients: {out}", soft_wrap=True, highlight=False)


def as_json(heads: Mapping[str, Head], fitted: Mapping[str, Any]) -> str:
    """The form of coefficients.json, a line for each feature: mean, scale, weight, weight for each gate."""
    lines = ["{", f'"fitted": {json.dumps(fitted)},', '"heads": {']
    for number, (name, head) in enumerate(heads.items()):
        lines.append(f'"{name}": {{"gates": {json.dumps(head.gates)}, "intercept": {head.intercept:.4f}, "features": {{')
        table = np.vstack([head.means, head.scales, head.weights]).T
        rows = [
            f'"{feature}": [{", ".join(f"{value:.4g}" for value in row)}]'
            for feature, row in zip(head.names, table, strict=True)
        ]
        lines += [",\n".join(rows), "}}" + ("," if number < len(heads) - 1 else "")]
    return "\n".join([*lines, "}", "}", ""])
