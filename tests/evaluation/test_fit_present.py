"""How far what is so now is raised is fitted on which later statements took the place of an older one."""

import numpy as np
import pytest

from evaluation.fit_present import Example, fit
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


CHANGES = [example(1.0, "change"), example(0.0, "lasting")] * 2_000


def took(examples: list[Example], another_value: float) -> float:
    """The log-odds that a later statement took the place of an older one, by another value or none."""
    return float(fit(examples).log_odds(example(another_value, "change").statements.features)[1, 0])


def test_what_changes_have_and_what_lasts_has_not_tells_a_change():
    assert took(CHANGES, 1.0) > took(CHANGES, 0.0) + 1


def test_in_other_sets_what_does_not_answer_took_no_place():
    others = [example(1.0, "single-hop", "locomo")] * 2_000
    assert took(CHANGES + others, 1.0) < took(CHANGES, 1.0)


def test_without_a_change_there_is_nothing_to_fit_on():
    with pytest.raises(InputError, match="too little"):
        fit([example(0.0, "lasting")])
