"""Time is aware UTC inside, and the speaker's zone is kept in a form that can be read again."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import InputError
from mneme.times import SendingClock, from_milliseconds, to_milliseconds, zone, zone_name_of


@given(moment=st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_milliseconds_come_back_as_they_were(moment: datetime) -> None:
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert from_milliseconds(to_milliseconds(moment)) == whole


@given(minutes=st.integers(-14 * 60, 14 * 60))
def test_an_offset_is_written_so_that_it_can_be_read_again(minutes: int) -> None:
    moment = datetime(2026, 3, 2, 12, tzinfo=timezone(timedelta(minutes=minutes)))
    assert moment.astimezone(zone(zone_name_of(moment))).utcoffset() == moment.utcoffset()


def test_a_zone_with_a_name_keeps_it() -> None:
    assert zone_name_of(datetime(2026, 7, 1, tzinfo=ZoneInfo("Europe/Paris"))) == "Europe/Paris"
    assert datetime(2026, 7, 1, 12, tzinfo=zone("Europe/Paris")).utcoffset() == timedelta(hours=2)


@pytest.mark.parametrize(("name", "hours"), [("", 0), ("UTC", 0), ("Z", 0), ("+08:00", 8), ("-0530", -5.5), ("+09", 9)])
def test_zones_by_offset(name: str, hours: float) -> None:
    assert datetime(2026, 1, 1, tzinfo=zone(name)).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["Mars/Olympus", "+25:00", "+ab", "../../etc/passwd", "\0"])
def test_a_zone_that_does_not_exist_is_refused_by_its_field(name: str) -> None:
    with pytest.raises(InputError, match="timezone"):
        zone(name)


def test_what_is_sent_in_one_instant_keeps_its_order() -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    clock = SendingClock(lambda: noon)
    moments = [clock() for _ in range(3)]
    assert moments == [noon, noon + timedelta(milliseconds=1), noon + timedelta(milliseconds=2)]


def test_the_sending_clock_is_never_more_than_a_minute_ahead() -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    clock = SendingClock(lambda: noon)
    assert max(clock() for _ in range(100_000)) == noon + timedelta(minutes=1)
