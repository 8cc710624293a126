"""When conversations are due: the earliest time counts, once."""

from datetime import UTC, datetime, timedelta

from flows.lanes.scheduling import Timers

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_what_is_due_is_taken_once_earliest_first() -> None:
    timers = Timers()
    timers.set("b", NINE + MINUTE)
    timers.set("a", NINE)
    assert timers.next() == NINE
    assert [timers.take(NINE + MINUTE) for _ in range(3)] == ["a", "b", None]


def test_an_earlier_time_takes_the_place_of_a_later_one_and_not_the_other_way_round() -> None:
    timers = Timers()
    timers.set("a", NINE + MINUTE)
    timers.set("a", NINE)
    timers.set("a", NINE + 2 * MINUTE)
    assert timers.take(NINE) == "a"
    assert timers.take(NINE + 5 * MINUTE) is None


def test_what_was_cancelled_is_not_taken() -> None:
    timers = Timers()
    timers.set_all([("a", NINE), ("b", NINE)])
    timers.cancel("a")
    assert [timers.take(NINE) for _ in range(2)] == ["b", None]
