"""What both languages share: a rule finds a phrase and says which days it means."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Literal

from mneme.dates.spans import DaySpan
from mneme.guarded import ByWord


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase at ``start`` to ``end`` and its days; ``relative`` to the day it was said, perhaps for its year only.

    Without days it only looks like a date ("Monday to Friday", every week), and no part of it is one.
    """

    start: int
    end: int
    span: DaySpan | None
    relative: bool
    lacks_year: bool


NO_DATE: Literal["no date"] = "no date"  # what a phrase means that only looks like one
Meaning = Callable[[re.Match[str], date], DaySpan | Literal["no date"] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and what a match means on the day it is said; None when this rule says nothing about it.

    ``lacks_year`` says that nothing but the year would have to be added to understand the phrase on any day.
    """

    pattern: re.Pattern[str]
    meaning: Meaning
    relative: bool = True
    lacks_year: bool = False


class Rules:
    """The rules of a language."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._by_word = ByWord(rule.pattern for rule in self._rules)

    def worth_trying(self, text: str) -> list[Rule]:
        """The rules that may find something in a text, by its words."""
        return [self._rules[number] for number in self._by_word.worth_searching(text)]


def apply(rules: Iterable[Rule], text: str, said: date, most: int) -> list[Found]:
    """Everything that the rules find, each ``most`` phrases; these may overlap. Days beyond the calendar are no dates."""
    found = []
    for rule in rules:
        for match in islice(rule.pattern.finditer(text), most):
            try:
                span = rule.meaning(match, said)
            except (ValueError, OverflowError):  # 31 June, the year 12000
                continue
            if span is not None:
                days = span if isinstance(span, DaySpan) else None
                found.append(Found(match.start(), match.end(), days, rule.relative, rule.lacks_year))
    return found
