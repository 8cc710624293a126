"""How far what is so now is raised is fitted on which later statements took the place of an older one."""

import numpy as np
import pytest

from evaluation.fit_present import READILY, Example, fit
from mneme.errors import InputError
from queries.scoring.present import FEATURES, Statements


def example(another_value: float, category: str, question_set: str = "changes") -> Example:
    """Two statements, of which the older fits best; the later answers where something became otherwise."""
    pairs = np.zeros((2, 2, len(FEATURES)))
    pairs[1, 0, FEATURES.index("another_value")] = another_value
    earlier = np.array([[False, False], [True, False]])
    changed = category == "change"
    return Example(
        question_set,
        category,
        Statements((), np.array([1.0, 0.0]), earlier, pairs),
        [not changed, changed],
        [changed, not changed],
    )


CHANGES = [example(1.0, "change"), example(0.0, "lasting")] * 20


def test_what_changes_have_and_what_lasts_has_not_weighs_for_a_change():
    weights, bias = fit(CHANGES)
    assert weights["another_value"] > 1
    assert weights["near_in_words"] == 0
    assert bias < READILY


def test_in_other_sets_what_does_not_answer_took_no_place():
    weights, _ = fit(CHANGES + [example(1.0, "single-hop", "locomo")] * 20)
    assert weights["another_value"] < fit(CHANGES)[0]["another_value"]


def test_without_a_change_there_is_nothing_to_fit_on():
    with pytest.raises(InputError, match="too little"):
        fit([example(0.0, "lasting")])
