"""The time that a question speaks of, and which memories fit it. Questions are asked on Wednesday, 16 August 2023."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.rows import Row
from queries.questions.periods import Period, period_fit, period_of
from queries.questions.understand import understand
from tests.contracts.rows import fact
from tests.queries.world import MAYA, conversation

ASKED = datetime(2023, 8, 16, 15, tzinfo=UTC)


def days(question: str, asked_at: datetime = ASKED) -> tuple[str | None, str | None] | None:
    """The first day and the day after the last, None for an open side."""
    period = period_of(question, asked_at)
    return period and tuple(side and side.date().isoformat() for side in (period.since, period.before))


@pytest.mark.parametrize(
    ("question", "since", "before"),
    [
        ("What did Ada do last Tuesday?", "2023-08-15", "2023-08-16"),
        ("Where did we go two weeks ago?", "2023-07-31", "2023-08-07"),
        ("What happened in May 2021?", "2021-05-01", "2021-06-01"),
        ("What did I read during the summer?", "2023-06-01", "2023-09-01"),
        ("Where did I live in 2019?", "2019-01-01", "2020-01-01"),
        ("What did Tom say on 7 July, 2022?", "2022-07-07", "2022-07-08"),
        ("What happened the week before 16 June 2023?", "2023-06-09", "2023-06-16"),
        ("What happened the week after 16 June 2023?", "2023-06-17", "2023-06-24"),
        ("What did Tom tell me at last week's meeting?", "2023-08-07", "2023-08-14"),
        ("How long did I run last Tuesday?", "2023-08-15", "2023-08-16"),
        ("What is planned for Friday?", "2023-08-18", "2023-08-19"),
        ("Where is Ada going next month?", "2023-09-01", "2023-10-01"),
        ("上周二我做了什么？", "2023-08-08", "2023-08-09"),
        ("去年夏天小雨去了哪里？", "2022-06-01", "2022-09-01"),
        ("三天前谁来了？", "2023-08-13", "2023-08-14"),
        ("5月我们去了哪里？", "2023-05-01", "2023-06-01"),
        ("下周五有什么安排？", "2023-08-25", "2023-08-26"),
    ],
)
def test_a_date_is_read_from_the_day_of_the_question(question, since, before):
    assert days(question) == (since, before)


@pytest.mark.parametrize(
    ("question", "since"),
    [
        ("What did Ada do in October?", "2022-10-01"),
        ("Has Ada written to me on Saturday?", "2023-08-12"),
        ("Where were we at Christmas?", "2022-12-25"),
        ("Have you written anything in December?", "2022-12-01"),
        ("10月我们去了哪里？", "2022-10-01"),
        ("周五小雨说了什么？", "2023-08-11"),
    ],
)
def test_a_question_about_the_past_means_what_lies_behind(question, since):
    assert days(question)[0] == since


@pytest.mark.parametrize(
    ("question", "since"),
    [
        ("What will Ada do in October?", "2023-10-01"),
        ("What did I schedule for Saturday?", "2023-08-19"),
        ("What do I have to do on Saturday?", "2023-08-19"),
        ("10月我们要去哪里？", "2023-10-01"),
    ],
)
def test_a_question_about_what_is_to_come_means_what_lies_ahead(question, since):
    assert days(question)[0] == since


@pytest.mark.parametrize(
    ("question", "since", "before"),
    [
        ("What have I done since March?", "2023-03-01", "2023-08-16"),
        ("What did I do from March on?", "2023-03-01", "2023-08-16"),
        ("What has Ada done since this morning?", "2023-08-16", "2023-08-17"),
        ("What happened after 3 June 2023?", "2023-06-04", None),
        ("What happened before June 2023?", None, "2023-06-01"),
        ("What had I finished by May?", None, "2023-06-01"),
        ("What is due by Friday?", "2023-08-16", "2023-08-19"),
        ("三月以来我读了哪些书？", "2023-03-01", "2023-08-16"),
        ("自从去年国庆节发生了什么？", "2022-10-01", "2023-08-16"),
        ("六月之前我在哪里工作？", None, "2023-06-01"),
        ("六月之后我在哪里工作？", "2023-07-01", None),
        ("到上周五为止我读了几本书？", None, "2023-08-12"),
    ],
)
def test_a_preposition_tells_which_side_of_a_date_is_meant(question, since, before):
    assert days(question) == (since, before)


@pytest.mark.parametrize(
    ("question", "since", "before"),
    [
        ("Where was I between 3 and 9 June?", "2023-06-03", "2023-06-10"),
        ("What did I eat between March and May?", "2023-03-01", "2023-06-01"),
        ("What did I eat between November and February 2022?", "2021-11-01", "2022-03-01"),
        ("Where did I live from 2019 to 2021?", "2019-01-01", "2022-01-01"),
        ("What was said on Monday or Tuesday?", "2023-08-14", "2023-08-16"),
        ("What did I do in June, and what last week?", "2023-06-01", "2023-08-14"),
        ("从三月到五月我读了什么书？", "2023-03-01", "2023-06-01"),
        ("2019年到2021年我住在哪里？", "2019-01-01", "2022-01-01"),
    ],
)
def test_of_several_dates_it_is_all_from_the_first_to_the_last(question, since, before):
    assert days(question) == (since, before)


@pytest.mark.parametrize(
    "question",
    [
        "What does Ada like?",
        "How long is it since May?",
        "How many days have passed since 3 March?",
        "How many weeks are left until Christmas?",
        "What did we decide about the Q2 deadline?",
        "Who teaches the Friday class?",
        "Which film did May and Will see?",
        "距离国庆节还有多少天？",
        "从三月到五月有几个月？",
        "小雨喜欢什么？",
    ],
)
def test_a_duration_an_attribute_or_a_name_is_no_time(question):
    assert period_of(question, ASKED) is None


def test_a_day_is_that_of_who_asks():
    in_tokyo = datetime(2023, 8, 16, 23, tzinfo=UTC).astimezone(ZoneInfo("Asia/Tokyo"))  # the 17th there
    assert period_of("What did I do today?", in_tokyo) == Period(
        datetime(2023, 8, 16, 15, tzinfo=UTC), datetime(2023, 8, 17, 15, tzinfo=UTC)
    )


@given(st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.integers(-12, 12))
def test_yesterday_ends_when_today_begins(day, hours):
    asked = datetime(day.year, day.month, day.day, 12, tzinfo=timezone(timedelta(hours=hours)))
    yesterday, today = period_of("What did I do yesterday?", asked), period_of("What did I do today?", asked)
    assert yesterday
    assert today
    assert yesterday.before == today.since
    assert today.since <= asked < today.before


@given(
    st.text(max_size=80),
    st.sampled_from(["since March", "between 3 May", "上周二", "until", "from 2019 to", "5月以前", "the 31st"]),
)
def test_any_text_has_a_period_in_order_or_none(text, date):
    period = period_of(f"{text} {date} {text}", ASKED)
    assert period is None or period.since is None or period.before is None or period.since < period.before


# --- fit -------------------------------------------------------------------------------------------------------------

MAY = (datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC))
LATER = datetime(2023, 7, 20, tzinfo=UTC)


def fit(row: Row, question: str = "What did Ada do in May?") -> float:
    period = understand(question, None, asked_at=ASKED).period
    assert period is not None
    return period_fit(period, row)


def told(said_at: datetime, event_at: datetime | None = None, event_until: datetime | None = None) -> Row:
    return fact("f", said_at=said_at, event_at=event_at, event_until=event_until)


@pytest.mark.parametrize(
    "row",
    [
        told(LATER, MAY[0]),
        told(LATER, MAY[1] - timedelta(hours=1)),
        told(LATER, datetime(2023, 4, 1, tzinfo=UTC), MAY[0] + timedelta(hours=1)),
        told(LATER, datetime(2023, 4, 1, tzinfo=UTC), LATER),
        told(MAY[0]),
        told(MAY[1] - timedelta(seconds=1)),
        told(MAY[0], LATER),
    ],
)
def test_what_happens_or_was_said_in_the_time_fits_fully(row):
    assert fit(row) == 1.0


def test_what_is_outside_fits_half_and_less_with_each_length_of_the_period():
    assert fit(told(MAY[1])) == pytest.approx(0.5)
    assert fit(told(MAY[1] + timedelta(days=31))) == pytest.approx(0.25)
    assert fit(told(MAY[0] - timedelta(days=62))) == pytest.approx(0.125)
    assert fit(told(LATER, MAY[0] - timedelta(days=1), MAY[0])) == pytest.approx(0.5)


def test_an_event_without_an_end_lasts_its_day():
    day_before = MAY[0] - timedelta(days=1)
    assert fit(told(LATER, day_before)) == pytest.approx(0.5)
    assert fit(told(LATER, day_before + timedelta(hours=2))) == 1.0


def test_an_open_period_holds_everything_on_its_side():
    assert fit(told(datetime(1999, 1, 1, tzinfo=UTC)), "What happened before June 2023?") == 1.0
    assert fit(told(datetime(2023, 7, 1, tzinfo=UTC)), "What happened before June 2023?") == pytest.approx(0.25)


def test_an_episode_counts_from_its_beginning_to_its_end():
    [episode] = [row for row in conversation(MAYA, "c", "s", [("Ada", "a"), ("Ada", "b")]) if row.kind == "episode"]
    begins = episode.at.isoformat(sep=" ", timespec="minutes")
    assert episode.until
    assert fit(episode, f"What was said on {begins:.10}?") == 1.0
    assert fit(episode, "What was said on 2026-03-01?") == pytest.approx(0.5 ** (1 + (9 * 60 + 1) / (24 * 60)))


def test_a_question_without_a_time_has_no_period():
    assert understand("What does Ada like?", None, asked_at=ASKED).period is None
    assert understand("What did Ada do in May?", None).period is None


@given(st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)), st.integers(0, 400))
def test_the_further_away_the_less_it_fits_and_never_nothing(moment, more):
    away = timedelta(days=more) if moment >= MAY[0] else -timedelta(days=more)
    near, far = fit(told(moment)), fit(told(moment + away))
    assert near is not None
    assert far is not None
    assert 0.0 < far <= near <= 1.0
