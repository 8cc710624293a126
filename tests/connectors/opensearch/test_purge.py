"""When deleted documents are merged away."""

import time

from connectors.opensearch.maintenance import DelayedPurge
from mneme.errors import StoreUnavailable


def calls_after(purge: DelayedPurge, calls: list[float], count: int) -> int:
    """How often it merged, once it should have done so ``count`` times and then had time for more."""
    deadline = time.monotonic() + 10
    while len(calls) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    purge.cancel()
    return len(calls)


def test_one_merge_serves_all_who_ask_before_it_and_another_those_who_asked_last():
    calls: list[float] = []
    purge = DelayedPurge(lambda: calls.append(time.monotonic()), 0.1)
    purge.ask()
    assert calls_after(purge, calls, 1) == 1

    purge = DelayedPurge(lambda: calls.append(time.monotonic()), 0.1)
    asked_last = 0.0
    for _ in range(5):
        purge.ask()
        asked_last = time.monotonic()
    assert calls_after(purge, calls, 3) == 3
    assert calls[-1] - asked_last >= 0.1


def test_a_merge_that_the_server_cannot_do_now_is_asked_for_again():
    calls: list[float] = []

    def merge() -> None:
        calls.append(time.monotonic())
        if len(calls) == 1:
            raise StoreUnavailable("no node answers")

    purge = DelayedPurge(merge, 0.05)
    purge.ask()
    assert calls_after(purge, calls, 2) == 2


def test_after_a_cancel_nothing_is_merged():
    calls: list[float] = []
    purge = DelayedPurge(lambda: calls.append(0.0), 0.05)
    purge.ask()
    purge.cancel()
    time.sleep(0.2)
    assert calls == []
