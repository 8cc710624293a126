"""What both languages share: a rule finds a phrase and says which days it means."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

from mneme.dates.spans import DaySpan
from mneme.guarded import needed_words, words_of


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
    """The rules of a language; of a text only those are tried of which it has a word (mneme/guarded.py)."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    def find(self, text: str, said: date) -> list[Found]:
        """Everything that the rules find; phrases may overlap. Days beyond the calendar are no dates."""
        by_word, always = self._by_word
        numbers = {number for word in by_word.keys() & words_of(text) for number in by_word[word]}
        found = []
        for number in sorted(numbers | always):
            rule = self._rules[number]
            for match in rule.pattern.finditer(text):
                try:
                    span = rule.meaning(match, said)
                except (ValueError, OverflowError):  # 31 June, the year 12000
                    continue
                if span is not None:
                    days = span if isinstance(span, DaySpan) else None
                    found.append(Found(match.start(), match.end(), days, rule.relative, rule.lacks_year))
        return found

    @cached_property
    def _by_word(self) -> tuple[dict[str, list[int]], frozenset[int]]:
        """The numbers of the rules by the words that they need, and of those that need none."""
        by_word: dict[str, list[int]] = defaultdict(list)
        always = set()
        for number, rule in enumerate(self._rules):
            needed = needed_words(rule.pattern.pattern, rule.pattern.flags)
            for word in needed:
                by_word[word].append(number)
            always |= set() if needed else {number}
        return dict(by_word), frozenset(always)
