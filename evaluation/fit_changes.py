"""Fit the chance that a statement tells of a change (queries/scoring/change.py), as a part of ``mneme bench fit present``.

Statements are those of the talks of evaluation/changes.json that are fitted on, and of evaluation/told_changes.json: the later
of two about the same tells of a change, the earlier and whatever stands beside them does not. All are written for this set, in
twelve languages: 481 changes by hand, and 1,900 by language models, each told in two or three ways and beside what only seems
to be one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.fitting import fitted, folds_of
from evaluation.retrieval.sets import changes
from evaluation.retrieval.sets.changes import Statement
from mneme.ports import Embedder, EmbedderIdentity
from mneme.rows import Vector
from queries.scoring.change import ChangeWeights, model_of, tells_of_change

TOLD_CHANGES = Path(__file__).parent / "told_changes.json"
STRENGTH = 1.0  # inverse of the L2 penalty
_FOLDS = 5


def statements() -> list[Statement]:
    """All statements to fit on."""
    told = json.loads(TOLD_CHANGES.read_text(encoding="utf-8"))
    of_items = (_of_item(f"told-{number}", item) for number, item in enumerate(told))
    return [*changes.statements("fit"), *chain.from_iterable(of_items)]


def _of_item(group: str, item: Mapping[str, Any]) -> list[Statement]:
    others = (item["before"], *item["beside"])
    return [*(Statement(each, True, group) for each in item["after"]), *(Statement(each, False, group) for each in others)]


@dataclass(frozen=True, slots=True)
class FittedChanges:
    """The regressions by the name of the model; ``without``: those that did not see a group, by the group."""

    weights: Mapping[str, ChangeWeights]
    without: Mapping[str, Mapping[str, ChangeWeights]]


def fit_changes(known: Sequence[Statement], embedder: Embedder) -> FittedChanges:
    """Fit a regression for each model of the embedder.

    Raises:
        ModelError: the embedder cannot embed.
    """
    vectors = dict(zip([each.text for each in known], embedder.embed([each.text for each in known]), strict=True))
    folds = folds_of((each.group for each in known), _FOLDS)
    others = [[each for each in known if folds[each.group] != fold] for fold in range(_FOLDS)]
    of_fold = [_fitted(each, vectors, embedder.identity) for each in others]
    without = {group: of_fold[fold] for group, fold in folds.items()}
    return FittedChanges(_fitted(known, vectors, embedder.identity), without)


def _fitted(known: Sequence[Statement], vectors: Mapping[str, Vector], embedder: EmbedderIdentity) -> dict[str, ChangeWeights]:
    """A regression for each model that embeds some of the statements."""
    of_model: dict[str, list[Statement]] = {}
    for each in known:
        of_model.setdefault(model_of(each.text, embedder), []).append(each)
    return {model: _regression(own, vectors) for model, own in of_model.items()}


def _regression(known: Sequence[Statement], vectors: Mapping[str, Vector]) -> ChangeWeights:
    rows = np.array([[*vectors[each.text], tells_of_change(each.text)] for each in known])
    is_change = [each.is_change for each in known]
    names = list(map(str, range(rows.shape[1])))
    weights, bias = fitted(names, rows, is_change, None, STRENGTH, max_iter=1000, class_weight="balanced")
    *vector, words = weights.values()
    return ChangeWeights(vector=tuple(vector), words=words, bias=bias)
