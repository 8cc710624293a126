"""Stretches of the calendar (a day, a week, a month, from one day to another), and the rules that find them in a text."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from itertools import islice
from typing import Literal

from mneme.patterns import COMMON, PatternIndex

MONTHS = tuple(name.capitalize() for name in str(COMMON["months"]).split("|"))
WEEKDAYS = tuple(str(COMMON["weekdays"]).split("|"))

_WEEK, _SEASON = 7, 100  # days that a week has, and a season has not
_SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # meteorological, northern


class Grain(StrEnum):
    """The unit in which a stretch is known."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class DaySpan:
    """From the first day to the last, both included."""

    first: date
    last: date
    grain: Grain

    @classmethod
    def of_day(cls, day: date) -> "DaySpan":
        """One day."""
        return cls(day, day, Grain.DAY)

    @classmethod
    def between(cls, first: date, last: date) -> "DaySpan":
        """From one day to another, whichever comes first."""
        return cls.of_day(first) if first == last else cls(min(first, last), max(first, last), Grain.RANGE)

    def bounds(self, zone: tzinfo) -> tuple[datetime, datetime]:
        """The stretch as UTC moments: midnight before the first day, midnight after the last (exclusive).

        Raises:
            OverflowError: the stretch touches the end of the calendar.
        """
        start = datetime.combine(self.first, time(), zone)
        end = datetime.combine(self.last + timedelta(days=1), time(), zone)
        return start.astimezone(UTC), end.astimezone(UTC)

    def first_days(self, most: int) -> list[date]:
        """Its days, at most so many."""
        return [self.first + timedelta(days=ahead) for ahead in range(min(self.days, most))]

    @property
    def days(self) -> int:
        """The number of days."""
        return (self.last - self.first).days + 1

    def in_english(self) -> str:
        """``7 May 2023``, ``June 2023``, ``2022``, or ``29 May to 4 June 2023``."""
        first, last = self.first, self.last
        match self.grain:
            case Grain.DAY:
                return _english_day(first)
            case Grain.MONTH:
                return f"{MONTHS[first.month - 1]} {first.year}"
            case Grain.YEAR:
                return str(first.year)
            case Grain.RANGE:
                if first.year != last.year:
                    return f"{_english_day(first)} to {_english_day(last)}"
                if first.month != last.month:
                    return f"{first.day} {MONTHS[first.month - 1]} to {_english_day(last)}"
                return f"{first.day} to {_english_day(last)}"

    def in_chinese(self) -> str:
        """``2023年5月7日``, ``2023年6月``, ``2022年``, or ``2023年5月29日至6月4日``."""
        first, last = self.first, self.last
        match self.grain:
            case Grain.DAY:
                return f"{first.year}年{first.month}月{first.day}日"
            case Grain.MONTH:
                return f"{first.year}年{first.month}月"
            case Grain.YEAR:
                return f"{first.year}年"
            case Grain.RANGE:
                year = "" if first.year == last.year else f"{last.year}年"
                return f"{first.year}年{first.month}月{first.day}日至{year}{last.month}月{last.day}日"


def days_from(of: date, days: int) -> DaySpan:
    """The day that is ``days`` after (before, when negative)."""
    return DaySpan.of_day(of + timedelta(days=days))


def week(of: date, weeks: int = 0) -> DaySpan:
    """The week, Monday to Sunday, that is ``weeks`` after the one of the day."""
    monday = of - timedelta(days=of.weekday()) + timedelta(weeks=weeks)
    return DaySpan(monday, monday + timedelta(days=6), Grain.RANGE)


def weekend(of: date, weeks: int = 0) -> DaySpan:
    """Saturday and Sunday of such a week."""
    saturday = week(of, weeks).first + timedelta(days=5)
    return DaySpan(saturday, saturday + timedelta(days=1), Grain.RANGE)


def month(of: date, months: int = 0) -> DaySpan:
    """The month that is ``months`` after the one of the day."""
    first = _first_of_month(of, months)
    return DaySpan(first, _first_of_month(first, 1) - timedelta(days=1), Grain.MONTH)


def year(number: int) -> DaySpan:
    """A year."""
    return DaySpan(date(number, 1, 1), date(number, 12, 31), Grain.YEAR)


def season(name: str, number: int) -> DaySpan:
    """Spring, summer, autumn or winter that begins in a year: three whole months."""
    first = date(number, _SEASON_STARTS[name], 1)
    return DaySpan(first, _first_of_month(first, 3) - timedelta(days=1), Grain.RANGE)


def part(whole: DaySpan, which: str) -> DaySpan:
    """The ``early``, ``mid`` or ``late`` third of a stretch; its ``start`` or ``end``: a week of a month, a month of a year."""
    if which in ("start", "end") and whole.days <= _WEEK:
        which = "early" if which == "start" else "late"
    if which in ("start", "end"):
        days = timedelta(days=whole.days // (12 if whole.days > _SEASON else 4) - 1)
        first, last = (whole.first, whole.first + days) if which == "start" else (whole.last - days, whole.last)
        return DaySpan(first, last, Grain.RANGE)
    third = max(1, whole.days // 3)
    first = whole.first + timedelta(days={"early": 0, "mid": third, "late": 2 * third}[which])
    last = whole.last if which == "late" else first + timedelta(days=third - 1)
    return DaySpan(first, last, Grain.RANGE)


def _first_of_month(of: date, months: int) -> date:
    count = of.year * 12 + of.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def _english_day(of: date) -> str:
    return f"{of.day} {MONTHS[of.month - 1]} {of.year}"


# --- of several readings the nearest ----------------------------------------------------------------------------------

_WITHIN_REASON = timedelta(days=280)  # nine months: of what is further away than its like on the other side one says the year


@dataclass(frozen=True, slots=True)
class Likely:
    """The likeliest days of several that a phrase may mean."""

    span: DaySpan


Days = DaySpan | Likely


def years_around(said: date, *days: tuple[int, int]) -> list[int]:
    """The year in which something is named and two on each side, where they have these days (month, day): 29 February."""
    # A year of the calendar is left at each end: a winter goes on in the next one.
    years = range(max(MINYEAR + 1, said.year - 2), min(MAXYEAR - 1, said.year + 2) + 1)
    return [year for year in years if all(day <= monthrange(year, month)[1] for month, day in days)]


def nearest(candidates: Sequence[DaySpan], said: date, back: bool | None, ahead: float = 1) -> Days | None:
    """The nearest of the same days in several years, on the side of the tense; likely where another is within reason.

    Args:
        candidates: the days in each year, in order.
        said: the day on which they are named.
        back: whether the sentence looks back; None where nothing tells.
        ahead: how far a day to come counts, of its distance; below 1 where those behind show in the tense.
    """
    by_tense = [each for each in candidates if back is None or (each.first <= said if back else each.last >= said)]
    if not by_tense:
        return None
    span = min(by_tense, key=lambda each: max(ahead * (each.first - said).days, (said - each.last).days, 0))
    goes_on = span.days > 1 and span.first <= said <= span.last  # "in March" of March may be this one, and that of last year
    far = span.first - said > _WITHIN_REASON or said - span.last > _WITHIN_REASON
    return Likely(span) if back is None or goes_on or far else span


def if_certain(certain: bool, span: DaySpan) -> Days:
    """The days, or the same as likely ones."""
    return span if certain else Likely(span)


def days_of_month(first: int, last: int, said: date, back: bool | None) -> DaySpan | None:
    """The 19th, or the 3rd to the 7th, of the month where it lies ahead, or behind when the sentence looks back."""
    for months in (0, -1, -2) if back else (0, 1, 2):
        whole = month(said, months)
        try:
            span = DaySpan.between(whole.first.replace(day=first), whole.first.replace(day=last))
        except ValueError:  # the 31st of a shorter month
            continue
        if span.first <= said if back else span.last >= said:
            return span
    return None


NO_DATE: Literal["no date"] = "no date"  # what a phrase means that only looks like one
Meaning = Callable[[re.Match[str], date], Days | Literal["no date"] | None]


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase at ``start`` to ``end`` and its days; ``relative`` to the day it was said, perhaps for its year only.

    Not ``certain`` where it may mean other days as well. Without days it only looks like a date ("Monday to Friday", every
    week), and no part of it is one.
    """

    start: int
    end: int
    span: DaySpan | None
    relative: bool
    lacks_year: bool
    certain: bool


def clause_around(marks: Sequence[tuple[int, int]], start: int, end: int, length: int) -> tuple[int, int]:
    """The beginning and the end of the clause of a phrase in a text, by the places of the marks between clauses."""
    begins = max((stop for _, stop in marks if stop <= start), default=0)
    return begins, min((first for first, _ in marks if first >= end), default=length)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and what a match means on the day it is said; None when this rule says nothing about it.

    ``lacks_year`` says that nothing but the year would have to be added to understand the phrase on any day.
    """

    pattern: re.Pattern[str]
    meaning: Meaning
    relative: bool
    lacks_year: bool


def rule(pattern: str, meaning: Meaning, *, relative: bool = True, lacks_year: bool = False, anycase: bool = False) -> Rule:
    """A rule by its pattern, in any case perhaps."""
    return Rule(re.compile(pattern, re.IGNORECASE if anycase else 0), meaning, relative, lacks_year)


class Rules:
    """The rules of a language."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._index = PatternIndex(rule.pattern for rule in self._rules)

    def candidates(self, text: str) -> list[Rule]:
        """The rules that may find something in a text, by its words."""
        return [self._rules[number] for number in self._index.candidates(text)]


def apply(rules: Iterable[Rule], text: str, said: date, most: int) -> list[Found]:
    """Everything that the rules find, each ``most`` phrases; these may overlap. Days beyond the calendar are no dates."""
    found = []
    for rule in rules:
        for match in islice(rule.pattern.finditer(text), most):
            try:
                days = rule.meaning(match, said)
            except (ValueError, OverflowError):  # 31 June, the year 12000
                continue
            if days is not None:
                certain = isinstance(days, DaySpan)
                span = days if isinstance(days, DaySpan) else days.span if isinstance(days, Likely) else None
                found.append(Found(match.start(), match.end(), span, rule.relative, rule.lacks_year, certain))
    return found
