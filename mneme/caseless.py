"""Patterns that are found in any case, and cost little where they are not found.

With ``re.IGNORECASE`` Python's engine enters every alternative at every place; without it, it passes over those whose first
character is another, which takes a half to a tenth of the time. Most patterns are not found in most sentences. So a
text is searched in lower case first, and only one in which something is found is searched again as it is written.
"""

import re
from collections.abc import Callable, Iterable
from sys import maxsize

_NOT_LITERAL = re.compile(r"\\.|\(\?P")
_CAPITAL = re.compile(r"[A-Z]|\(\?-?i")
_OF_ITS_OWN = re.compile("[ıſ]")  # letters that IGNORECASE takes for others, and ``lower`` does not


class Caseless:
    """What ``re.compile(pattern, re.IGNORECASE | flags)`` gives, with the same results.

    Raises:
        ValueError: the pattern is not written in lower case, or says itself where case matters.
    """

    __slots__ = ("_any_case", "_lower")

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        if _CAPITAL.search(_NOT_LITERAL.sub("", pattern)):
            raise ValueError(f"not in lower case: {pattern}")
        self._lower = re.compile(pattern, flags)
        self._any_case = re.compile(pattern, flags | re.IGNORECASE)

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        lowered = _lowered(text)
        if lowered is not None and self._lower.search(lowered, pos, endpos) is None:
            return None
        return self._any_case.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        lowered = _lowered(text)
        if lowered is not None and self._lower.match(lowered, pos, endpos) is None:
            return None
        return self._any_case.match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        lowered = _lowered(text)
        if lowered is not None and self._lower.fullmatch(lowered, pos, endpos) is None:
            return None
        return self._any_case.fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterable[re.Match[str]]:
        """As that of a pattern."""
        lowered = _lowered(text)
        if lowered is not None and self._lower.search(lowered, pos, endpos) is None:
            return ()
        return self._any_case.finditer(text, pos, endpos)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As that of a pattern."""
        lowered = _lowered(text)
        if lowered is not None and self._lower.search(lowered) is None:
            return text
        return self._any_case.sub(replacement, text, count)


def _lowered(text: str) -> str | None:
    """The text in lower case, character by character; None where that is not what IGNORECASE compares."""
    lowered = text.lower()
    if not text.isascii() and (len(lowered) != len(text) or _OF_ITS_OWN.search(lowered)):
        return None
    return lowered
