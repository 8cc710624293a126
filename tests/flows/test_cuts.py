"""Messages as a model reads them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from flows.cuts import one_line, under_times

MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def shown(*minutes: float, zone: str = "UTC") -> list[str]:
    times = [(MORNING + timedelta(minutes=each)).astimezone(ZoneInfo(zone)) for each in minutes]
    return list(under_times((at, f"line {number}") for number, at in enumerate(times)))


def test_the_time_stands_once_for_a_stretch() -> None:
    assert shown(0, 3, 9.9) == ["Mon 2026-03-02 09:00 UTC", "line 0", "line 1", "line 2"]
    assert shown(0, 10) == ["Mon 2026-03-02 09:00 UTC", "line 0", "Mon 2026-03-02 09:10 UTC", "line 1"]


def test_a_new_day_is_told() -> None:
    assert shown(14 * 60 + 58, 15 * 60 + 1)[2] == "Tue 2026-03-03 00:01 UTC"


def test_a_time_that_goes_back_is_told() -> None:
    assert shown(8, 2)[2] == "Mon 2026-03-02 09:02 UTC"


def test_local_times_have_their_offset() -> None:
    assert shown(0, zone="Asia/Tokyo")[0] == "Mon 2026-03-02 18:00 +09:00"
    assert shown(0, zone="America/St_Johns")[0] == "Mon 2026-03-02 05:30 -03:30"


def test_another_zone_is_told_at_once() -> None:
    lines = [(MORNING, "a"), (MORNING.astimezone(ZoneInfo("Asia/Tokyo")), "b")]
    assert list(under_times(lines)) == ["Mon 2026-03-02 09:00 UTC", "a", "Mon 2026-03-02 18:00 +09:00", "b"]


def test_nothing_is_no_line() -> None:
    assert list(under_times([])) == []


@given(st.text())
def test_a_text_becomes_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert line.split() == text.split()


def test_a_long_text_keeps_its_beginning_and_end() -> None:
    assert one_line("begin " + "x" * 500 + " end", 40) == "begin " + "x" * 24 + " ... " + "xxxxxx end"
    assert one_line("short", 40) == "short"
