"""Rules for dates in both languages: a rule finds a phrase and says which days it means, of several readings the nearest."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import Literal

from mneme.dates import spans
from mneme.dates.spans import DaySpan
from mneme.pattern_index import PatternIndex

_WITHIN_REASON = timedelta(days=280)  # nine months: of what is further away than its like on the other side one says the year


@dataclass(frozen=True, slots=True)
class Likely:
    """The likeliest days of several that a phrase may mean."""

    span: DaySpan


NO_DATE: Literal["no date"] = "no date"  # what a phrase means that only looks like one
Days = DaySpan | Likely
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


def in_years(within: Callable[[int], DaySpan], said: date) -> list[DaySpan]:
    """The same days in the year in which they are named and in two around it; some years lack a 29 February."""
    found = []
    for year in range(said.year - 2, said.year + 3):
        try:
            found.append(within(year))
        except (ValueError, OverflowError):
            continue
    return found


def nearest(candidates: Sequence[DaySpan], said: date, back: bool | None, ahead: float = 1) -> Days | None:
    """Of the same days in several years the nearest on the side that the tense tells; likely where another is within reason.

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
        whole = spans.month(said, months)
        try:
            span = DaySpan.between(whole.first.replace(day=first), whole.first.replace(day=last))
        except ValueError:  # the 31st of a shorter month
            continue
        if span.first <= said if back else span.last >= said:
            return span
    return None
