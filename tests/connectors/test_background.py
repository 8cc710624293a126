"""When work in the background is done."""

import threading
import time

from connectors.background import BackgroundJob
from mneme.errors import StoreUnavailable
from tests.waiting import wait_until


def calls_when_idle(job: BackgroundJob, calls: list[float]) -> int:
    """How often it was done, once nothing is asked for any more."""
    wait_until(lambda: job._timer is None)
    job.close(finish=False)
    return len(calls)


def test_one_call_serves_all_who_ask_before_it_and_another_those_who_asked_last():
    calls: list[float] = []
    job = BackgroundJob(lambda: calls.append(time.monotonic()), "not done", 0.1)
    job.ask()
    assert calls_when_idle(job, calls) == 1

    job = BackgroundJob(lambda: calls.append(time.monotonic()), "not done", 0.1)
    asked_last = 0.0
    for _ in range(5):
        job.ask()
        asked_last = time.monotonic()
    assert calls_when_idle(job, calls) == 3
    assert calls[-1] - asked_last >= 0.1


def test_what_cannot_be_done_now_is_tried_again_where_that_is_wanted():
    for tries_again, expected in ((True, 2), (False, 1)):
        calls: list[float] = []

        def work(calls: list[float] = calls) -> None:
            calls.append(time.monotonic())
            if len(calls) == 1:
                raise StoreUnavailable("no node answers")

        job = BackgroundJob(work, "not done", 0.05, tries_again)
        job.ask()
        assert calls_when_idle(job, calls) == expected


def test_a_close_leaves_out_what_was_asked_for_or_waits_for_it():
    calls: list[float] = []
    job = BackgroundJob(lambda: calls.append(0.0), "not done", 0.05)
    job.ask()
    timer = job._timer
    assert timer is not None
    job.close(finish=False)
    timer.join()
    assert calls == []
    under_way, may_end = threading.Event(), threading.Event()

    def work() -> None:
        under_way.set()
        may_end.wait(120)
        calls.append(0.0)

    job = BackgroundJob(work, "not done")
    job.ask()
    assert under_way.wait(120)
    threading.Timer(0.05, may_end.set).start()
    job.close(finish=True)
    assert calls == [0.0]
    job.ask()
    assert job._timer is None, "closed"
