"""Rules for dates in both languages: a rule finds a phrase and says which days it means."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Literal

from mneme.dates.spans import Days, DaySpan, Likely
from mneme.pattern_index import PatternIndex

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
