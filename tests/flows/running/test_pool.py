"""The pool of threads: it works like any other, and it can be left."""

import threading
import time
from concurrent.futures import CancelledError

import pytest

from flows.running.pool import Pool


def test_results_and_errors_come_back() -> None:
    pool = Pool(2, "test")
    good, bad = pool.submit(lambda: 3), pool.submit(lambda: 1 // 0)
    assert good.result(120) == 3
    with pytest.raises(ZeroDivisionError):
        bad.result(120)
    pool.close(10)


def test_no_more_run_at_a_time_than_there_are_threads_and_all_are_done() -> None:
    pool, lock, at_work, most = Pool(3, "test"), threading.Lock(), [0], [0]
    three = threading.Barrier(3, timeout=120)

    def work(number: int) -> int:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        three.wait()
        with lock:
            at_work[0] -= 1
        return number

    futures = [pool.submit(lambda number=number: work(number)) for number in range(39)]
    assert [future.result(120) for future in futures] == list(range(39))
    assert most[0] == 3
    pool.close(10)


def test_a_call_that_never_ends_does_not_hold_up_the_end() -> None:
    pool, never, begun = Pool(1, "test"), threading.Event(), threading.Event()
    stuck = pool.submit(lambda: begun.set() or never.wait())
    behind = pool.submit(lambda: 1)
    assert begun.wait(120)
    started = time.monotonic()
    pool.close(grace_seconds=0.1)
    assert time.monotonic() - started < 60
    assert not stuck.done()
    with pytest.raises(CancelledError):
        behind.result(1)
    never.set()


def test_what_runs_gets_its_time_at_the_end() -> None:
    pool, begun = Pool(1, "test"), threading.Event()
    running = pool.submit(lambda: begun.set() or time.sleep(0.1) or "done")
    assert begun.wait(120)
    pool.close(grace_seconds=30)
    assert running.result(0) == "done"


def test_a_closed_pool_takes_nothing_more() -> None:
    pool = Pool(1, "test")
    pool.close(1)
    pool.close(1)
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(lambda: None)
