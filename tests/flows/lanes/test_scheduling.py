"""Keyed jobs: slow work beside the worker, in order; and timers: the earliest time of a conversation counts, once."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.lanes.scheduling import KeyedJobs, NotReady, Timers, next_poll, worth_retrying
from mneme.errors import (
    ModelKeyRefused,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    StoreRejected,
    StoreUnavailable,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Bench:
    """A pool whose work a test finishes by hand."""

    def __init__(self) -> None:
        self.now = NOW
        self.futures: list[Future[str]] = []
        self.jobs: KeyedJobs[str, str] = KeyedJobs(self._submit, lambda: self.now)

    def _submit(self, call: object) -> "Future[str]":
        self.futures.append(Future())
        return self.futures[-1]

    def done(self) -> list[tuple[str, object]]:
        return [(item, outcome) for item, outcome in self.jobs.finished()]


def test_results_come_in_the_order_of_submission_within_a_queue() -> None:
    bench = Bench()
    for item in ("a1", "a2"):
        bench.jobs.add("a", item, lambda: "")
    bench.futures[1].set_result("second")
    assert bench.done() == []
    bench.futures[0].set_result("first")
    assert bench.done() == [("a1", "first"), ("a2", "second")]
    assert bench.jobs.items() == []
    assert bench.jobs.wake_at() is None


def test_queues_never_wait_for_one_another() -> None:
    bench = Bench()
    bench.jobs.add("slow", "s", lambda: "")
    bench.jobs.add("quick", "q", lambda: "")
    bench.futures[1].set_result("done")
    assert bench.done() == [("q", "done")]
    assert bench.jobs.items() == ["s"]


def test_an_item_without_a_job_keeps_its_place() -> None:
    bench = Bench()
    bench.jobs.add("a", "work", lambda: "")
    bench.jobs.add("a", "flush", None)
    assert bench.done() == []
    bench.futures[0].set_result("w")
    assert bench.done() == [("work", "w"), ("flush", None)]


def test_a_job_at_the_head_begins_when_all_before_it_is_out() -> None:
    bench = Bench()
    bench.jobs.add("a", "message", lambda: "")
    bench.jobs.add("a", "edit", lambda: "", at_head=True)
    bench.jobs.add("a", "later", lambda: "")
    message, later = bench.futures
    later.set_result("l")
    assert bench.done() == []
    assert len(bench.futures) == 2, "the edit has not begun"
    message.set_result("m")
    assert bench.done() == [("message", "m")]
    bench.futures[2].set_result("e")
    assert bench.done() == [("edit", "e"), ("later", "l")]


def test_what_is_down_is_tried_again_with_growing_pauses() -> None:
    bench = Bench()
    bench.jobs.add("a", "x", lambda: "")
    for pause in (2, 4, 8):
        bench.futures[-1].set_exception(StoreUnavailable("down"))
        assert bench.done() == []
        tries = len(bench.futures)
        bench.now += timedelta(seconds=pause - 0.5)
        assert bench.done() == []
        assert len(bench.futures) == tries
        bench.now += timedelta(seconds=1)
        assert bench.done() == []
        assert len(bench.futures) == tries + 1
    bench.futures[-1].set_result("at last")
    assert bench.done() == [("x", "at last")]


def test_what_is_on_its_way_has_a_minute_in_which_the_outside_answers() -> None:
    now, ran, error = [NOW], list[str](), Exception()

    def submit(call: Callable[[], str]) -> "Future[str]":
        ran.append(call())
        future: Future[str] = Future()
        if ran[-1] == "otherwise":
            future.set_result("given up")
        else:
            future.set_exception(error)
        return future

    jobs: KeyedJobs[str, str] = KeyedJobs(submit, lambda: now[0])

    def passes(seconds: int, raised: Exception) -> list[tuple[str, object]]:
        nonlocal error
        error, found = raised, list[tuple[str, object]]()
        for _ in range(10 * seconds):
            now[0] += timedelta(seconds=0.1)
            found += jobs.finished()
        return found

    not_ready = NotReady("it is on its way", lambda: "otherwise")
    error = not_ready
    jobs.add("a", "x", lambda: "looked")
    assert passes(50, not_ready) == []
    assert passes(200, StoreUnavailable("down")) == []
    assert passes(59, not_ready) == []
    assert ran.count("otherwise") == 0
    assert passes(62, not_ready) == [("x", "given up")]


def test_what_has_nothing_else_to_do_waits_as_long_as_it_takes() -> None:
    bench = Bench()
    bench.jobs.add("a", "x", lambda: "")
    for _ in range(1000):
        if not bench.futures[-1].done():
            bench.futures[-1].set_exception(NotReady("it is on its way"))
        assert bench.done() == []
        bench.now += timedelta(seconds=1)


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (ModelTimeout(""), True),
        (ModelRateLimited(""), True),
        (StoreUnavailable(""), True),
        (ModelKeyRefused(""), True),
        (ModelRefused(""), False),
        (ModelMalformed(""), False),
        (StoreRejected(""), False),
        (ZeroDivisionError(), False),
    ],
)
def test_only_what_may_pass_is_tried_again(error: Exception, again: bool) -> None:
    assert worth_retrying(error) is again


@given(moment=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))
def test_all_steps_poll_on_one_grid_of_20_milliseconds(moment: datetime) -> None:
    due = next_poll(moment)
    assert timedelta(0) < due - moment <= timedelta(milliseconds=20)
    assert due.microsecond % 20_000 == 0


# --- timers ----------------------------------------------------------------------------------------------------------


def test_what_is_due_is_taken_once_earliest_first() -> None:
    timers = Timers()
    timers.set("b", NOW + MINUTE)
    timers.set("a", NOW)
    assert timers.next() == NOW
    assert [timers.take(NOW + MINUTE) for _ in range(3)] == ["a", "b", None]


def test_an_earlier_time_takes_the_place_of_a_later_one_and_not_the_other_way_round() -> None:
    timers = Timers()
    timers.set("a", NOW + MINUTE)
    timers.set("a", NOW)
    timers.set("a", NOW + 2 * MINUTE)
    assert timers.take(NOW) == "a"
    assert timers.take(NOW + 5 * MINUTE) is None


def test_what_was_cancelled_is_not_taken() -> None:
    timers = Timers()
    timers.set("a", NOW)
    timers.set("b", NOW)
    timers.cancel("a")
    assert [timers.take(NOW) for _ in range(2)] == ["b", None]
