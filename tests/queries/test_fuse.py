"""Ranked lists into one, scores onto one scale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.fuse import min_max, reciprocal_rank_fusion, share_of_best, weighted_mean


def test_an_id_gets_one_over_k_plus_place_from_each_ranking():
    fused = reciprocal_rank_fusion([["a", "b"], ["b", "c"]], k=60)
    assert fused == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62})


def test_the_fused_order_is_best_first_and_ties_are_by_id():
    assert list(reciprocal_rank_fusion([["b"], ["a"], ["c", "d"]])) == ["a", "b", "c", "d"]


def test_a_repeated_id_counts_with_its_best_place():
    assert reciprocal_rank_fusion([["a", "a", "b"]], k=1) == pytest.approx({"a": 1 / 2, "b": 1 / 3})


def test_nothing_fuses_to_nothing():
    assert reciprocal_rank_fusion([]) == {}


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4))
def test_agreeing_with_every_ranking_never_loses(rankings):
    rankings = [["best", *ranking] for ranking in rankings] or [["best"]]
    assert next(iter(reciprocal_rank_fusion(rankings))) == "best"


def test_min_max_spans_0_to_1():
    assert min_max({"a": 0.2, "b": 0.6, "c": 0.4}) == pytest.approx({"a": 0.0, "b": 1.0, "c": 0.5})


def test_min_max_of_equals_is_1_for_all():
    assert min_max({"a": 0.3, "b": 0.3}) == {"a": 1.0, "b": 1.0}
    assert min_max({}) == {}


def test_a_share_of_the_best_keeps_zero_at_zero():
    assert share_of_best({"a": 0.0, "b": 4.0, "c": 1.0}) == {"a": 0.0, "b": 1.0, "c": 0.25}
    assert share_of_best({"a": 0.0}) == {"a": 0.0}
    assert share_of_best({}) == {}


def test_a_weighted_mean_leaves_out_what_is_not_there():
    assert weighted_mean([(1, 0.8), (0.5, None), (1, 0.4)]) == pytest.approx(0.6)
    assert weighted_mean([(1, None)]) == 0.0
