"""Agreement in words, and the interval of a share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.answers.agreement import token_f1, wilson, word_recall


def test_words_agree_whatever_their_form_and_order() -> None:
    assert word_recall("In May she was running with two dogs", "dogs ran; two") == pytest.approx(2 / 3)
    assert word_recall("Two dogs, running", "the two dogs run") == 1.0
    assert word_recall("", "dogs") == 0.0


def test_a_word_counts_as_often_as_the_gold_has_it() -> None:
    assert word_recall("red", "red red") == 0.5


def test_a_gold_without_words_says_nothing() -> None:
    assert word_recall("anything", "the and of") is None
    assert token_f1("anything", "") is None


def test_more_words_than_needed_cost_f1() -> None:
    assert token_f1("kayak", "kayak") == 1.0
    assert token_f1("kayak lake boat", "kayak") == pytest.approx(0.5)
    assert token_f1("boat", "kayak") == 0.0


@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_holds_the_share_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] <= high <= 1
    assert low < high


def test_the_interval_of_wilson_is_the_published_one() -> None:
    # 81 of 263, from Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
