"""Patterns that are found in any case, and cost little where they are not found.

With ``re.IGNORECASE`` Python's engine enters every alternative at every place; without it, it passes over those whose first
character is another, which takes a half to a tenth of the time. Most patterns are not found in most sentences. So a
text that has a word of the pattern (mneme/guarded.py) is searched in lower case, and where something is found it is
matched again as it is written.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from sys import maxsize

from mneme.guarded import Guarded, words_of

_NOT_LITERAL = re.compile(r"\\.|\(\?P")
_CAPITAL = re.compile(r"[A-Z]|\(\?-?i")
_OF_ITS_OWN = re.compile("[ıſ]")  # letters that IGNORECASE takes for others, and ``lower`` does not


class Caseless(Guarded):
    """What ``re.compile(pattern, re.IGNORECASE | flags)`` gives, with the same results.

    Raises:
        ValueError: the pattern is not written in lower case, or says itself where case matters.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        if _CAPITAL.search(_NOT_LITERAL.sub("", pattern)):
            raise ValueError(f"not in lower case: {pattern}")
        super().__init__(pattern, flags | re.IGNORECASE)
        self._lower = re.compile(pattern, flags)

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        if endpos == maxsize and self.needed.isdisjoint(words_of(text)):
            return None
        lowered = _lowered(text)
        if lowered is None:
            return self.pattern.search(text, pos, endpos)
        found = self._lower.search(lowered, pos, endpos)
        return self.pattern.match(text, found.start(), endpos) if found else None

    def match(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        if endpos == maxsize and self.needed.isdisjoint(words_of(text)):
            return None
        lowered = _lowered(text)
        if lowered is not None and self._lower.match(lowered, pos, endpos) is None:
            return None
        return self.pattern.match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        lowered = _lowered(text)
        if lowered is not None and self._lower.fullmatch(lowered, pos, endpos) is None:
            return None
        return self.pattern.fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterable[re.Match[str]]:
        """As that of a pattern."""
        if endpos == maxsize and self.needed.isdisjoint(words_of(text)):
            return ()
        lowered = _lowered(text)
        places = [found.span() for found in self._lower.finditer(lowered, pos, endpos)] if lowered is not None else [(0, 0)]
        if any(start == end for start, end in places):  # after a match of nothing another may begin at the same place
            return self.pattern.finditer(text, pos, endpos)
        return [match for start, _ in places if (match := self.pattern.match(text, start, endpos))]

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As that of a pattern."""
        if self.needed.isdisjoint(words_of(text)):
            return text
        lowered = _lowered(text)
        if lowered is not None and self._lower.search(lowered) is None:
            return text
        return self.pattern.sub(replacement, text, count)


@lru_cache(maxsize=1_024)  # the rules ask for the same sentences in turn
def _lowered(text: str) -> str | None:
    """The text in lower case, character by character; None where that is not what IGNORECASE compares."""
    lowered = text.lower()
    if not text.isascii() and (len(lowered) != len(text) or _OF_ITS_OWN.search(lowered)):
        return None
    return lowered
