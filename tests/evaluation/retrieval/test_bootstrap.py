"""Intervals, where they are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics import interval


def column(values: list[float]) -> np.ndarray:
    return np.array(values, dtype=np.float64)[:, None]


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    # 200 questions, half right: the mean of a draw is binomial(200, .5) / 200, deviation .0354.
    found = interval(column([0.0, 1.0] * 100))
    assert found is not None
    assert found.low[0] == pytest.approx(0.5 - 1.96 * 0.0354, abs=0.006)
    assert found.high[0] == pytest.approx(0.5 + 1.96 * 0.0354, abs=0.006)


def test_questions_that_stand_and_fall_with_their_conversation_say_less() -> None:
    # Ten conversations of twenty questions, all right or all wrong: ten things are known, not two hundred.
    values = column([float(conversation % 2) for conversation in range(10) for _ in range(20)])
    clusters = [str(conversation) for conversation in range(10) for _ in range(20)]
    alone, together = interval(values), interval(values, clusters)
    assert alone is not None
    assert together is not None
    assert together.high[0] - together.low[0] > 3 * (alone.high[0] - alone.low[0])


def test_a_conversation_counts_by_its_questions() -> None:
    # Conversation a has three questions at 1, b one at 0: a draw of a and b has mean .75, not .5.
    found = interval(column([1.0, 1.0, 1.0, 0.0]), ["a", "a", "a", "b"])
    assert found is not None
    assert (found.low[0], found.high[0]) == (0.0, 1.0)
    drawn_both = interval(column([1.0, 1.0, 1.0, 0.0] * 500), [f"{name}{n}" for n in range(500) for name in "aaab"])
    assert drawn_both is not None
    assert drawn_both.low[0] < 0.75 < drawn_both.high[0]


def test_each_question_a_conversation_of_its_own_is_the_same_as_none() -> None:
    values = column([0.1, 0.4, 0.9, 0.2, 0.7])
    alone, together = interval(values), interval(values, list("abcde"))
    assert alone is not None
    assert together is not None
    assert (alone.low[0], alone.high[0]) == (together.low[0], together.high[0])


@pytest.mark.parametrize("clusters", [None, ["a", "a"]])
def test_of_one_unit_nothing_is_said(clusters: list[str] | None) -> None:
    values = column([0.5]) if clusters is None else column([0.5, 0.6])
    assert interval(values, clusters) is None


def test_the_same_seed_gives_the_same_and_columns_are_drawn_together() -> None:
    values = np.random.default_rng(3).random((30, 1))
    twice = interval(np.hstack([values, values]), resamples=500)
    again = interval(values, resamples=500)
    other = interval(values, resamples=500, seed=2)
    assert twice is not None
    assert again is not None
    assert other is not None
    assert twice.low.tolist() == pytest.approx([again.low[0]] * 2)
    assert other.low[0] != pytest.approx(again.low[0])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20))
def test_an_interval_lies_within_the_values(values: list[float]) -> None:
    found = interval(column(values), resamples=200)
    assert found is not None
    assert min(values) - 1e-9 <= found.low[0] <= found.high[0] <= max(values) + 1e-9
