"""Work side by side: what a model does not answer is left, everything else is done."""

import io
import threading
from collections import Counter

import pytest
from rich.console import Console

from evaluation.answers.work import work_through
from mneme.errors import ModelError, ModelPending, StoreUnavailable

QUIET = Console(file=io.StringIO())


def test_what_fails_is_tried_once_more_and_then_left_with_its_reason() -> None:
    tried: Counter[int] = Counter()

    def do(number: int) -> None:
        tried[number] += 1
        if number == 3 or (number == 2 and tried[number] == 1):
            raise ModelError(f"no {number}")

    failed = work_through([1, 2, 3], do, 2, QUIET, "working")
    assert {number: str(error) for number, error in failed.items()} == {3: "no 3"}
    assert tried == {1: 1, 2: 2, 3: 2}


def test_what_waits_in_a_file_is_not_tried_again() -> None:
    tried: Counter[int] = Counter()

    def do(number: int) -> None:
        tried[number] += 1
        raise ModelPending("in the file")

    assert set(work_through([1, 2], do, 2, QUIET, "working")) == {1, 2}
    assert set(tried.values()) == {1}


def test_no_more_are_under_way_than_are_allowed() -> None:
    lock, together = threading.Barrier(3, timeout=10), []
    counted = threading.Lock()
    now = [0]

    def do(number: int) -> None:
        with counted:
            now[0] += 1
            together.append(now[0])
        lock.wait()
        with counted:
            now[0] -= 1

    assert not work_through(range(6), do, 3, QUIET, "working")
    assert max(together) == 3


def test_another_error_ends_the_work() -> None:
    def do(number: int) -> None:
        raise StoreUnavailable("gone")

    with pytest.raises(StoreUnavailable, match="gone"):
        work_through([1, 2, 3], do, 1, QUIET, "working")
