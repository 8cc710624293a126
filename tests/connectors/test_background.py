"""When work in the background is done."""

import threading
import time

from connectors.background import BackgroundJob
from mneme.errors import StoreUnavailable


def calls_after(job: BackgroundJob, calls: list[float], count: int) -> int:
    """How often it was done, once it should have been ``count`` times and then had time for more."""
    deadline = time.monotonic() + 120
    while len(calls) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    job.close(finish=False)
    return len(calls)


def test_one_call_serves_all_who_ask_before_it_and_another_those_who_asked_last():
    calls: list[float] = []
    job = BackgroundJob(lambda: calls.append(time.monotonic()), "not done", 0.1)
    job.ask()
    assert calls_after(job, calls, 1) == 1

    job = BackgroundJob(lambda: calls.append(time.monotonic()), "not done", 0.1)
    asked_last = 0.0
    for _ in range(5):
        job.ask()
        asked_last = time.monotonic()
    assert calls_after(job, calls, 3) == 3
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
        assert calls_after(job, calls, expected) == expected


def test_a_close_leaves_out_what_was_asked_for_or_waits_for_it():
    calls: list[float] = []
    job = BackgroundJob(lambda: calls.append(0.0), "not done", 0.05)
    job.ask()
    job.close(finish=False)
    time.sleep(0.2)
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
    time.sleep(0.05)
    assert calls == [0.0], "closed"
