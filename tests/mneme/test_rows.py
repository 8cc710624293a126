"""Vectors as an index keeps them, and rows with their records."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.rows import LARGEST, directions, whole_numbers
from tests.contracts.rows import fact

vectors = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=8).map(lambda numbers: np.array(numbers, np.float32))


@given(vectors.filter(lambda vector: bool(np.abs(vector).max() > 1e-30)))
def test_a_direction_is_kept_as_far_as_whole_numbers_tell_it(vector):
    kept = directions(whole_numbers(vector))
    assert np.abs(whole_numbers(vector)).max() == LARGEST
    assert np.linalg.norm(kept) == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(kept, vector / np.linalg.norm(vector.astype(np.float64)), atol=3 / LARGEST)


@given(vectors.filter(lambda vector: bool(np.abs(vector).max() > 1e-30)))
def test_what_is_kept_once_stays_the_same(vector):
    numbers = whole_numbers(vector)
    np.testing.assert_array_equal(whole_numbers(directions(numbers)), numbers)


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_what_has_no_direction_has_zeros(number):
    vector = np.array([number, number], np.float32)
    assert whole_numbers(vector).tolist() == directions(whole_numbers(vector)).tolist() == [0, 0]


def test_a_row_has_the_record_that_it_was_made_from_in_its_own_version() -> None:
    row = fact("f", version=2)
    assert row.record() is row.record()
    assert row.stored_again(3, None).record() == row.record().model_copy(update={"version": 3})


def test_a_row_that_was_read_gives_the_record_that_was_written() -> None:
    written = fact("f")
    assert replace(written).record() == written.record()
