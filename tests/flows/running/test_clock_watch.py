"""A clock that is put back is noticed; one that runs, or is put forward, is not."""

import threading
import time
from itertools import chain, repeat

from flows.running.clock_watch import seconds_back

YEAR = 365 * 24 * 3600.0


def watched(*ahead: float) -> float:
    """What is told of a clock that is ahead by so many seconds at each look, and then for good."""
    stopping, looks = threading.Event(), chain(ahead, repeat(None))

    def wall() -> float:
        if (by := next(looks)) is None:
            stopping.set()
            by = ahead[-1]
        return time.monotonic() + by

    return seconds_back(stopping, wall, look_seconds=0.0)


def test_a_clock_that_is_put_back_is_noticed() -> None:
    assert 3599 < watched(0.0, 0.0, -3600.0) < 3601


def test_a_clock_that_was_wrong_for_a_while_is_noticed_when_it_is_put_right() -> None:
    assert watched(0.0, YEAR, YEAR, 0.0) > YEAR - 1


def test_a_clock_that_is_put_forward_or_runs_a_little_late_is_let_be() -> None:
    assert watched(0.0, YEAR, YEAR - 4.0, YEAR - 8.0, YEAR - 12.0) == 0.0
