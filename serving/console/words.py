"""Dates, spans and numbers as the console writes them."""

from datetime import UTC, datetime

from mneme.times import zone
from serving.terminal import rendering
from serving.terminal.words import count

__all__ = ["count", "day", "expected", "moment", "number", "seconds", "span", "whole_day"]


def moment(at: datetime, timezone: str = "UTC") -> str:
    """``5 Mar 2025, 12:31``, on the speaker's clock."""
    local = at.astimezone(zone(timezone))
    return f"{local.day} {local:%b %Y, %H:%M}"


def day(at: datetime) -> str:
    """``5 Mar 2025``."""
    return f"{at.astimezone(UTC).day} {at.astimezone(UTC):%b %Y}"


def whole_day(at: datetime) -> str:
    """The day of something dated by days: it begins at the speaker's midnight, which may be late on the day before in UTC."""
    return day(datetime.strptime(rendering.whole_day(at.astimezone(UTC)), "%Y-%m-%d").replace(tzinfo=UTC))


def span(start: datetime, end: datetime, timezone: str = "UTC") -> str:
    """``5 Mar 2025, 12:31 – 12:53``; both days where there are two."""
    first, last = start.astimezone(zone(timezone)), end.astimezone(zone(timezone))
    if first.date() == last.date():
        return f"{moment(start, timezone)} – {last:%H:%M}" if last > first else moment(start, timezone)
    return f"{moment(start, timezone)} – {moment(end, timezone)}"


def expected(start: datetime | None, end: datetime | None) -> str:
    """The day, the month or the year of something expected, as precisely as it was said."""
    if start is None:
        return f"until {day(end)}" if end is not None else ""
    said = rendering.expected(start, end)  # 2025-03-07, 2025-03 or 2025
    form = {10: "%Y-%m-%d", 7: "%Y-%m", 4: "%Y"}[len(said)]
    first = datetime.strptime(said, form).replace(tzinfo=UTC)
    return day(first) if len(said) == 10 else f"{first:%b %Y}" if len(said) == 7 else said


def number(value: float) -> str:
    """``12,345``; below 10 with two digits behind the point, below 0.01 with two that count."""
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.0f}"


def seconds(value: float) -> str:
    """``0.4 s``, ``12 s``, ``3 min``."""
    if value >= 120:
        return f"{value / 60:.0f} min"
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
