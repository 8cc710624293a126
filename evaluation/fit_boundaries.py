"""Fits the coefficients of the semantic boundary detector, on several kinds of conversation at once.

    python -m evaluation.fit_boundaries SEGMENTATION_FOLDER LOCOMO_FILE [--out FILE] [--vectors CACHE.npz]

1. Read the dialogues: help desk (SuperDialseg), tasks (Dialseg711), small talk (TIAGE), friends over months (LoCoMo);
   and chats with times made of them (evaluation/timed_chats.py).
2. Embed every message once.
3. For each situation (times or none, vectors or none) fit a logistic model out of fold, and choose the operating point
   that serves all kinds best; it becomes probability 0.5.
4. Measure out of fold and online, as the flow asks the detector, and print the figures.
5. Fit on everything and write the coefficients.

Fitted on one kind alone, a model falls from F1 .80 to .30 on another. scikit-learn (a development dependency) is
needed here only.
"""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from connectors.minilm import MiniLmEmbedder
from evaluation.segmentation import Dialogue, Scores, cut, load_dialogues, load_locomo_sessions, score
from evaluation.timed_chats import timed_chats
from flows.boundaries.features import features
from flows.boundaries.model import Head, expand, heads_from, situation
from flows.boundaries.semantic import SemanticDetector
from flows.cuts import Utterance, embedding_text
from mneme.rows import Vector
from mneme.settings import Boundaries, load_settings

Numbers = npt.NDArray[np.float64]

FOLDS = 5
GATES = ("speakers.assisted", "shape.usual_log_words", "shape.lower_case", "shape.questions", "shape.shortness")
STRENGTH = 0.02  # inverse of the L2 penalty: .005 to .1 differ by at most .015 of F1 on any set in cross-validation
MERGING = 0.5  # the beta of F for timed chats: a wrong cut costs more than a missing one, for episodes merge by default
LESS_AHEAD = 0.15  # of the examples see fewer messages ahead, as when a conversation pauses
DEFAULT_OUT = Path(__file__).parent.parent / "flows" / "boundaries" / "coefficients.json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of conversation. ``weight`` of one of its messages keeps the biggest set from deciding alone."""

    name: str
    dialogues: tuple[Dialogue, ...]
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """One row for each message that can begin an episode: features, whether it does, its fold, its kind and weight."""

    names: tuple[str, ...]
    rows: Numbers
    labels: npt.NDArray[np.bool_]
    folds: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    weights: Numbers


def kinds_of(segmentation: Path, locomo: Path) -> list[Kind]:
    """Step 1: every kind of conversation, untimed and timed."""
    tiage = load_dialogues(segmentation / "tiage_train.jsonl")
    desk = load_dialogues(segmentation / "superdialseg_validation.jsonl")
    tasks = load_dialogues(segmentation / "dialseg711_first300.jsonl")
    return [
        Kind("TIAGE", tuple(tiage), 1.5),
        Kind("SuperDialseg", tuple(desk), 0.5),
        Kind("Dialseg711", tuple(tasks), 1.0),
        Kind("LoCoMo", tuple(load_locomo_sessions(locomo, timed=False)), 2.0),
        Kind("TIAGE, timed", tuple(timed_chats(tiage, seed=1)), 1.0),
        Kind("SuperDialseg, timed", tuple(timed_chats(desk, seed=2)), 0.3),
        Kind("Dialseg711, timed", tuple(timed_chats(tasks, seed=3)), 0.5),
        Kind("LoCoMo, timed", tuple(load_locomo_sessions(locomo, timed=True)), 2.0),
    ]


def embed(kinds: Sequence[Kind], cache: Path | None) -> dict[str, Vector]:
    """Step 2: the vector of every distinct message, from the cache as far as it goes."""
    texts = sorted({embedding_text(message) for kind in kinds for dialogue in kind.dialogues for message in dialogue.messages})
    known: dict[str, Vector] = {}
    if cache and cache.exists():
        with np.load(cache) as stored:
            known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))
    missing = [text for text in texts if text not in known]
    if missing:
        known |= zip(missing, MiniLmEmbedder(load_settings().embedder).embed(missing), strict=True)
    if cache and missing:
        np.savez(cache, texts=np.array(list(known)), vectors=np.stack(list(known.values())))
    return known


def utterances_of(dialogue: Dialogue, vectors: Mapping[str, Vector] | None) -> list[Utterance]:
    """The messages of a dialogue as the detector sees them, with or without vectors."""
    return [Utterance(message, vectors[embedding_text(message)] if vectors else None) for message in dialogue.messages]


def examples_of(kinds: Sequence[Kind], vectors: Mapping[str, Vector] | None) -> dict[str, Examples]:
    """The examples of each situation. The open episode of an example begins where the true one does.

    (Contexts cut by an earlier model instead changed no figure.)
    """
    chance = random.Random(0)
    found: dict[str, list[tuple[dict[str, float], bool, int, int, float]]] = {}
    for number, kind in enumerate(kinds):
        for fold, dialogue in enumerate(kind.dialogues):
            utterances, begin = utterances_of(dialogue, vectors), 0
            for at in range(1, len(utterances)):
                ahead = chance.choice((0, 1)) if chance.random() < LESS_AHEAD else 2
                values = features(utterances[begin:at], utterances[at], utterances[at + 1 : at + 1 + ahead])
                label = at in dialogue.boundaries
                found.setdefault(situation(values), []).append((values, label, fold % FOLDS, number, kind.weight))
                begin = at if label else begin
    return {name: _table(rows) for name, rows in found.items()}


def _table(rows: Sequence[tuple[dict[str, float], bool, int, int, float]]) -> Examples:
    names = tuple(rows[0][0])
    values, labels, folds, kinds, weights = zip(*rows, strict=True)
    return Examples(
        names,
        np.array([[row[name] for name in names] for row in values]),
        np.array(labels),
        np.array(folds),
        np.array(kinds),
        np.array(weights),
    )


def fit(examples: Examples) -> Head:
    """One logistic model. Features that never vary here (similarity without vectors) get no coefficient."""
    varying = np.flatnonzero(examples.rows.std(axis=0) > 1e-9)
    names = tuple(examples.names[index] for index in varying)
    gates = tuple(gate for gate in GATES if gate in names)
    rows = examples.rows[:, varying]
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    expanded = expand((rows - means) / scales, [names.index(gate) for gate in gates])
    model = LogisticRegression(C=STRENGTH, max_iter=2000).fit(expanded, examples.labels, sample_weight=examples.weights)
    weights = model.coef_[0].reshape(1 + len(gates), len(names))
    return Head(names, gates, means, scales, weights, float(model.intercept_[0]))


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


def out_of_fold(examples: Examples, beta: float) -> tuple[list[Head], float]:
    """Step 3: a head for each fold, fitted without it, and the operating point that they share."""
    heads = [fit(only(examples, examples.folds != fold)) for fold in range(FOLDS)]
    odds = np.zeros(len(examples.labels))
    for fold, head in enumerate(heads):
        mine = examples.folds == fold
        odds[mine] = log_odds(head, only(examples, mine))
    point = operating_point(examples, odds, beta)
    return [_moved(head, point) for head in heads], point


def _moved(head: Head, point: float) -> Head:
    return replace(head, intercept=head.intercept - point)


def measure(kind: Kind, vectors: Mapping[str, Vector] | None, heads: Sequence[Mapping[str, Head]]) -> Scores:
    """Step 4: cuts of one kind, online, each dialogue by the heads that were fitted without its fold."""
    detectors = [SemanticDetector(Boundaries(), of_fold) for of_fold in heads]
    return score(
        [
            (dialogue, cut(detectors[number % FOLDS], utterances_of(dialogue, vectors)))
            for number, dialogue in enumerate(kind.dialogues)
        ]
    )


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the five steps."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fit_boundaries", description=__doc__)
    parser.add_argument("segmentation", type=Path)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    parser.add_argument("--vectors", type=Path, help="an .npz file that keeps the vectors for the next time")
    options = parser.parse_args(arguments)

    kinds = kinds_of(options.segmentation, options.locomo)
    vectors = embed(kinds, options.vectors)
    shipped: dict[str, Head] = {}
    for given in (vectors, None):
        by_situation = examples_of(kinds, given)
        folds: list[dict[str, Head]] = [{} for _ in range(FOLDS)]
        for name, examples in by_situation.items():
            heads, point = out_of_fold(examples, MERGING if name.startswith("timed") else 1.0)
            for of_fold, head in zip(folds, heads, strict=True):
                of_fold[name] = head
            shipped[name] = _moved(fit(examples), point)
        for kind in kinds:
            found = measure(kind, given, folds)
            print(
                f"{kind.name:20} {'vectors' if given else 'words only':10}  Pk {found.pk:.3f}"
                f"  WindowDiff {found.window_diff:.3f}  precision {found.precision:.3f}  recall {found.recall:.3f}"
                f"  F1 {found.f1:.3f}",
                flush=True,
            )
    fitted = {
        "command": "python -m evaluation.fit_boundaries SEGMENTATION_FOLDER LOCOMO_FILE",
        "date": date.today().isoformat(),
        "data": [f"{kind.name}: {len(kind.dialogues)} conversations, weight {kind.weight}" for kind in kinds],
        "folds": FOLDS,
    }
    text = as_json(shipped, fitted)
    heads_from(json.loads(text))  # what cannot be read back is not written
    options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
