"""Static vectors, distilled from a model that is a table."""

from collections.abc import Sequence

import numpy as np

from evaluation.embedders.static_vectors import StaticVectors
from mneme.rows import Vector

BEFORE, AFTER = 0, 1
VOCABULARY = 60
MEANINGS = np.random.default_rng(1).normal(size=(VOCABULARY, 16)).astype(np.float32)
MEANINGS[10] = MEANINGS[20] + 0.01  # two words for one thing


def run(batch: Sequence[Sequence[int]]) -> Vector:
    assert all(text[0] == BEFORE and text[-1] == AFTER for text in batch)
    return np.stack([MEANINGS[list(text[1:-1])].mean(axis=0) for text in batch])


def distilled(components: int = 8) -> StaticVectors:
    return StaticVectors.distilled(run, VOCABULARY, (BEFORE, AFTER), components)


def test_vectors_have_the_wanted_dimension_and_length_one() -> None:
    vectors = distilled(8).run([[BEFORE, 5, 6, AFTER], [BEFORE, 7, AFTER]])
    assert vectors.shape == (2, 8)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_what_the_model_takes_for_the_same_stays_near() -> None:
    one, same, other = distilled().run([[BEFORE, 10, AFTER], [BEFORE, 20, AFTER], [BEFORE, 30, AFTER]])
    assert one @ same > 0.99 > one @ other


def test_a_rare_token_counts_more_than_a_frequent_one() -> None:
    frequent, rare, both = distilled().run([[BEFORE, 2, AFTER], [BEFORE, 50, AFTER], [BEFORE, 2, 50, AFTER]])
    assert both @ rare > both @ frequent


def test_a_text_without_a_token_has_a_vector_of_zeros() -> None:
    assert not distilled().run([[BEFORE, AFTER]]).any()
