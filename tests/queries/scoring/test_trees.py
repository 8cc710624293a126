"""Boosted trees: values that add up."""

import numpy as np
import pytest
from pydantic import ValidationError

from queries.scoring.trees import LEAVES, SPLITS, Tree, Trees

NAMES = ("bm25", "cosine")
BY_WORDS = Tree(features=("bm25", *["cosine"] * (SPLITS - 1)), thresholds=(0.5,) * SPLITS, values=tuple(range(LEAVES)))


def test_each_row_falls_to_the_side_of_its_features():
    found = Trees(trees=(BY_WORDS,), bias=0.0).log_odds(np.array([[0.5, 0.5], [0.5, 0.6], [0.6, 0.5], [0.6, 0.6]]), NAMES)
    assert found.tolist() == [0.0, 3.0, 4.0, 7.0]


def test_trees_and_the_bias_add_up():
    assert Trees(trees=(BY_WORDS, BY_WORDS), bias=-1.0).log_odds(np.ones((1, 2)), NAMES).tolist() == [13.0]


def test_nothing_is_made_of_no_rows():
    assert Trees(trees=(BY_WORDS,), bias=-1.0).log_odds(np.zeros((0, 2)), NAMES).shape == (0,)


def test_a_tree_that_lacks_a_split_is_refused():
    with pytest.raises(ValidationError, match="fit again"):
        Tree(features=("bm25",), thresholds=(0.5,), values=(0.0, 1.0))
