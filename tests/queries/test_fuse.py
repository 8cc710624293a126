"""Ranked lists into one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.fuse import reciprocal_rank_fusion


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
