"""Distances between days, computed by code: models get them wrong, most of all where dates are close together.

Everything is counted from the day of the question and never from today. A day is a day of the calendar where the question is
asked: from 23:59 to 00:01 it is one, and from noon to noon over a change of clocks as well.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import combinations

from mneme.dates import DaySpan, Grain

_WHOLE_DAY = timedelta(hours=13)  # from any midnight between Honolulu and Auckland to the same day in UTC


@dataclass(frozen=True, slots=True)
class Dated:
    """A day, or a stretch of days, that memories name: the numbers of those in the context."""

    span: DaySpan
    numbers: tuple[int, ...] = ()


def day_of(moment: datetime, zone: tzinfo) -> date:
    """The day of a moment on the calendar of who asks."""
    return moment.astimezone(zone).date()


def day_meant(moment: datetime, zone: tzinfo) -> date:
    """The day that was named, of a moment that is the midnight before it where it was named.

    Which zone that was is not kept: a midnight where the question is asked is one, else a full hour late in the day of UTC
    is the midnight of a speaker further east, and one early in the day of a speaker further west. Hence not for the moment at
    which something was said, nor for the end of what that replaced: it may be a full hour, and is no midnight (``day_of``).
    """
    local = moment.astimezone(zone)
    if local.time() == time():
        return local.date()
    utc = moment.astimezone(UTC)
    is_midnight = (utc.minute % 15, utc.second, utc.microsecond) == (0, 0, 0)
    if not is_midnight:
        return local.date()
    return (utc + _WHOLE_DAY).date() if utc.hour >= 10 else utc.date()


def event_days(event_at: datetime, event_until: datetime | None, zone: tzinfo) -> DaySpan:
    """The days from ``event_at`` until ``event_until`` (exclusive), as the month or the year that they are.

    >>> name_of(event_days(datetime(2018, 1, 1, tzinfo=UTC), datetime(2019, 1, 1, tzinfo=UTC), UTC))
    '2018'
    """
    first = day_meant(event_at, zone)
    last = day_meant(event_until, zone) - timedelta(days=1) if event_until else first
    if last <= first:
        return DaySpan.of_day(first)
    if first.day == 1 and last == date(first.year, first.month, monthrange(first.year, first.month)[1]):
        return DaySpan(first, last, Grain.MONTH)
    if (first.month, first.day, last.month, last.day, last.year) == (1, 1, 12, 31, first.year):
        return DaySpan(first, last, Grain.YEAR)
    return DaySpan.between(first, last)


def calendar_difference(earlier: date, later: date) -> tuple[int, int, int]:
    """Years, months and days from one day to a later one, as people count: a month later is the same day of the next month.

    Where that month is shorter it is its last day: 31 January to 28 February is one month.

    >>> calendar_difference(date(2023, 1, 31), date(2023, 3, 1)), calendar_difference(date(2024, 2, 29), date(2025, 2, 28))
    ((0, 1, 1), (1, 0, 0))
    """
    months = (later.year - earlier.year) * 12 + later.month - earlier.month
    if _months_after(earlier, months) > later:
        months -= 1
    return months // 12, months % 12, (later - _months_after(earlier, months)).days


def difference(first: date, second: date) -> str:
    """The distance of two days: in days, and in weeks, months and years.

    >>> difference(date(2023, 6, 15), date(2023, 6, 22)), difference(date(2023, 1, 30), date(2023, 3, 2))
    ('7 days (exactly 1 week)', '31 days (4 weeks and 3 days; 1 month and 2 days)')
    """
    earlier, later = min(first, second), max(first, second)
    days = (later - earlier).days
    weeks, over = divmod(days, 7)
    readings = []
    if weeks:
        readings.append(_counted(weeks, "week") + (f" and {_counted(over, 'day')}" if over else ""))
    years, months, rest = calendar_difference(earlier, later)
    if years or months:
        parts = [_counted(number, unit) for number, unit in ((years, "year"), (months, "month"), (rest, "day")) if number]
        readings.append(" and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))))
    if not readings:
        return _counted(days, "day")
    exactly = "exactly " if len(readings) == 1 and not over else ""
    return f"{_counted(days, 'day')} ({exactly}{'; '.join(readings)})"


def from_question(span: DaySpan, asked: date) -> str:
    """One line: a day, its weekday, and how far it is from the day of the question.

    >>> from_question(DaySpan.of_day(date(2023, 6, 15)), date(2023, 6, 22))
    "2023-06-15 (Thursday) is 7 days (exactly 1 week) before the question's date"
    """
    named = name_of(span)
    if span.first <= asked <= span.last:
        return f"{named} is the question's date itself" if span.days == 1 else f"{named} holds the question's date"
    if span.last < asked:
        if span.days == 1:
            return f"{named} is {difference(span.first, asked)}{_yesterday(span.first, asked)} before the question's date"
        return (
            f"{named} ended {difference(span.last, asked)} and began {difference(span.first, asked)} before the question's date"
        )
    if span.days == 1:
        return f"{named} is {difference(asked, span.first)}{_yesterday(span.first, asked)} after the question's date"
    return f"{named} begins {difference(asked, span.first)} after the question's date"


def between(one: Dated, other: Dated) -> str:
    """One line: how far two dates are apart; of stretches from first day to first day.

    >>> between(Dated(DaySpan.of_day(date(2023, 6, 22)), (3,)), Dated(DaySpan.of_day(date(2023, 6, 15)), (7,)))
    'from 2023-06-15 (Thursday) [7] to 2023-06-22 (Thursday) [3]: 7 days (exactly 1 week)'
    """
    earlier, later = sorted((one, other), key=lambda each: (each.span.first, each.span.last))
    names = [name_of(each.span) + "".join(f" [{number}]" for number in each.numbers) for each in (earlier, later)]
    approximate = "" if earlier.span.days == later.span.days == 1 else "from first day to first day, "
    return f"from {names[0]} to {names[1]}: {approximate}{difference(earlier.span.first, later.span.first)}"


def pairs(dates: Sequence[Dated]) -> list[str]:
    """The distances of any two dates, in order of time."""
    ordered = sorted(dates, key=lambda each: (each.span.first, each.span.last))
    return [between(one, other) for one, other in combinations(ordered, 2)]


def merged(dates: Iterable[Dated]) -> list[Dated]:
    """Each date once, with the numbers of all memories that name it, in the order in which they come."""
    numbers: dict[DaySpan, dict[int, None]] = {}
    for each in dates:
        numbers.setdefault(each.span, {}).update(dict.fromkeys(each.numbers))
    return [Dated(span, tuple(sorted(named))) for span, named in numbers.items()]


def name_of(span: DaySpan) -> str:
    """A date as it stands in the context: ISO days with the weekday, or the month, the year, or the first day and the last.

    >>> name_of(DaySpan.of_day(date(2024, 2, 29))), name_of(DaySpan(date(2024, 2, 1), date(2024, 2, 29), Grain.MONTH))
    ('2024-02-29 (Thursday)', '2024-02')
    """
    match span.grain:
        case Grain.DAY:
            return f"{span.first.isoformat()} ({span.first:%A})"
        case Grain.MONTH:
            return f"{span.first:%Y-%m}"
        case Grain.YEAR:
            return f"{span.first:%Y}"
        case Grain.RANGE:
            return f"{span.first.isoformat()} to {span.last.isoformat()}"


def asks_for_difference(question: str) -> bool:
    """True if a question asks how far two events are apart, or which came first; English and Chinese.

    >>> asks_for_difference("How many days were between the race and the wedding?"), asks_for_difference("When was the race?")
    (True, False)
    """
    return bool(_DIFFERENCE.search(question))


_DIFFERENCE = re.compile(
    r"\bhow (?:long|many|much)\b[^?.!]{0,80}"
    r"\b(?:between|before|after|until|from|since|apart|pass(?:ed)?|elapsed?|later|earlier)\b"
    r"|\b(?:which|who|what)\b[^?.!]{0,80}\b(?:first|last|earlier|later|sooner)\b"
    r"|\bbefore or after\b|\bin (?:what|which) order\b"
    "|之间|相[隔差距]|隔了?多|过了多|多久[之以]?[前后]|[前后]多久|[早晚][了多还]|先后|哪个更?[先早晚]|谁更?[先早晚]",
    re.IGNORECASE,
)


def _yesterday(day: date, asked: date) -> str:
    return {-1: " (yesterday)", 1: " (tomorrow)"}.get((day - asked).days, "")


def _months_after(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
