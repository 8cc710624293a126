"""How far days are from each other, above all where they are close together."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.dates import DaySpan, Grain
from queries.answers.dates import (
    Dated,
    asks_for_difference,
    between,
    calendar_difference,
    day_meant,
    day_of,
    difference,
    event_days,
    from_question,
    merged,
    pairs,
)

days = st.dates(date(1950, 1, 1), date(2100, 12, 31))


def on(text: str) -> DaySpan:
    return DaySpan.of_day(date.fromisoformat(text))


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("2023-06-15", "2023-06-16", "1 day"),
        ("2023-06-15", "2023-06-17", "2 days"),
        ("2023-06-15", "2023-06-21", "6 days"),
        ("2023-06-15", "2023-06-22", "7 days (exactly 1 week)"),
        ("2023-06-15", "2023-06-23", "8 days (1 week and 1 day)"),
        ("2023-06-15", "2023-06-29", "14 days (exactly 2 weeks)"),
        ("2023-06-30", "2023-07-01", "1 day"),
        ("2023-01-31", "2023-02-28", "28 days (4 weeks; 1 month)"),
        ("2023-01-31", "2023-03-01", "29 days (4 weeks and 1 day; 1 month and 1 day)"),
        ("2023-02-28", "2023-03-31", "31 days (4 weeks and 3 days; 1 month and 3 days)"),
        ("2023-04-30", "2023-05-30", "30 days (4 weeks and 2 days; 1 month)"),
        ("2024-02-28", "2024-03-01", "2 days"),
        ("2023-02-28", "2023-03-01", "1 day"),
        ("2024-02-29", "2025-02-28", "365 days (52 weeks and 1 day; 1 year)"),
        ("2024-02-29", "2025-03-01", "366 days (52 weeks and 2 days; 1 year and 1 day)"),
        ("2022-12-31", "2023-01-01", "1 day"),
        ("2021-05-10", "2023-08-13", "825 days (117 weeks and 6 days; 2 years, 3 months and 3 days)"),
    ],
)
def test_days_that_are_close_together_or_around_the_ends_of_months(first: str, second: str, told: str) -> None:
    assert difference(date.fromisoformat(first), date.fromisoformat(second)) == told
    assert difference(date.fromisoformat(second), date.fromisoformat(first)) == told


@given(days, days)
def test_a_calendar_difference_leads_from_the_one_day_to_the_other(one: date, other: date) -> None:
    earlier, later = min(one, other), max(one, other)
    years, months, rest = calendar_difference(earlier, later)
    assert years >= 0
    assert 0 <= months < 12
    assert 0 <= rest < 31
    total = earlier.year * 12 + earlier.month - 1 + 12 * years + months
    first_of_month = date(total // 12, total % 12 + 1, 1)
    last = (first_of_month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    reached = first_of_month.replace(day=min(earlier.day, last.day))
    assert reached + timedelta(days=rest) == later


@given(days, days)
def test_the_days_of_a_difference_are_those_between(one: date, other: date) -> None:
    assert difference(one, other).split(" ")[0] == str(abs((one - other).days))


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("2023-06-22", "2023-06-22 (Thursday) is the question's date itself"),
        ("2023-06-21", "2023-06-21 (Wednesday) is 1 day (yesterday) before the question's date"),
        ("2023-06-20", "2023-06-20 (Tuesday) is 2 days before the question's date"),
        ("2023-06-23", "2023-06-23 (Friday) is 1 day (tomorrow) after the question's date"),
        ("2023-06-15", "2023-06-15 (Thursday) is 7 days (exactly 1 week) before the question's date"),
        ("2023-06-29", "2023-06-29 (Thursday) is 7 days (exactly 1 week) after the question's date"),
    ],
)
def test_distances_are_from_the_day_of_the_question(day: str, told: str) -> None:
    assert from_question(on(day), date(2023, 6, 22)) == told


def test_a_stretch_is_told_by_its_beginning_and_its_end() -> None:
    may = DaySpan(date(2023, 5, 1), date(2023, 5, 31), Grain.MONTH)
    assert from_question(may, date(2023, 6, 1)) == (
        "2023-05 ended 1 day and began 31 days (4 weeks and 3 days; 1 month) before the question's date"
    )
    assert from_question(may, date(2023, 5, 1)) == "2023-05 holds the question's date"
    assert from_question(may, date(2023, 4, 30)) == "2023-05 begins 1 day after the question's date"


def test_two_memories_of_neighbouring_days_are_told_apart() -> None:
    close = [Dated(on("2023-06-16"), (2,)), Dated(on("2023-06-15"), (1,)), Dated(on("2023-06-22"), (3,))]
    assert pairs(close) == [
        "from 2023-06-15 (Thursday) [1] to 2023-06-16 (Friday) [2]: 1 day",
        "from 2023-06-15 (Thursday) [1] to 2023-06-22 (Thursday) [3]: 7 days (exactly 1 week)",
        "from 2023-06-16 (Friday) [2] to 2023-06-22 (Thursday) [3]: 6 days",
    ]


def test_a_pair_with_a_stretch_says_what_is_counted() -> None:
    month = Dated(DaySpan(date(2023, 5, 1), date(2023, 5, 31), Grain.MONTH), (1,))
    assert between(Dated(on("2023-06-01"), (2,)), month).startswith(
        "from 2023-05 [1] to 2023-06-01 (Thursday) [2]: from first day"
    )


def test_a_date_that_several_memories_name_is_one() -> None:
    assert merged([Dated(on("2023-06-15"), (4,)), Dated(on("2023-06-16"), (2,)), Dated(on("2023-06-15"), (1,))]) == [
        Dated(on("2023-06-15"), (1, 4)),
        Dated(on("2023-06-16"), (2,)),
    ]


def test_a_day_is_one_of_the_calendar_where_the_question_is_asked() -> None:
    moment = datetime(2023, 6, 15, 23, 30, tzinfo=UTC)
    assert day_of(moment, UTC) == date(2023, 6, 15)
    assert day_of(moment, ZoneInfo("Asia/Shanghai")) == date(2023, 6, 16)
    assert day_of(datetime(2023, 6, 15, 2, tzinfo=UTC), ZoneInfo("America/New_York")) == date(2023, 6, 14)


def test_a_change_of_clocks_costs_no_day() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    before, after = datetime(2023, 3, 25, 12, tzinfo=berlin), datetime(2023, 3, 26, 12, tzinfo=berlin)
    assert difference(day_of(before, berlin), day_of(after, berlin)) == "1 day"


@pytest.mark.parametrize("offset", [-10, -5, 0, 1, 5.5, 8, 12])
def test_a_named_day_is_the_speakers_wherever_the_question_is_asked(offset: float) -> None:
    midnight = datetime(2023, 6, 15, tzinfo=timezone(timedelta(hours=offset)))
    for zone in (UTC, timezone(timedelta(hours=offset))):
        assert day_meant(midnight.astimezone(UTC), zone) == date(2023, 6, 15)


def test_what_happened_is_known_as_exactly_as_it_was_said() -> None:
    first = datetime(2023, 5, 1, tzinfo=UTC)
    assert event_days(first, datetime(2023, 6, 1, tzinfo=UTC), UTC).grain is Grain.MONTH
    assert event_days(first, datetime(2023, 5, 8, tzinfo=UTC), UTC).days == 7
    assert event_days(first, datetime(2023, 5, 2, tzinfo=UTC), UTC) == event_days(first, None, UTC) == on("2023-05-01")


@pytest.mark.parametrize(
    "question",
    [
        "How many days passed between the race and the wedding?",
        "How long after the move did she find work?",
        "Which came first, the race or the wedding?",
        "搬家和婚礼之间隔了多少天？",
        "哪个先发生？",
    ],
)
def test_questions_about_two_events_ask_for_a_difference(question: str) -> None:
    assert asks_for_difference(question)


@pytest.mark.parametrize("question", ["When did Ann move?", "Where does she live?", "她什么时候搬家的？"])
def test_other_questions_do_not(question: str) -> None:
    assert not asks_for_difference(question)
