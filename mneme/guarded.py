"""Patterns that are not searched where they cannot be found: in a text that has none of the words that they need.

Most patterns are found in few sentences, and to look whether a sentence has one of their words costs a tenth of a search.
Which words a pattern needs is read off the pattern itself, so that the two cannot drift apart: every way through
``\\b(?:looking|look) forward to\\b`` has "forward" in it. A word here is a run of the letters a to z in lower case that no
other such letter touches; any other character that is no blank counts as a word of its own.

How it is read (``needed_words``): a part of a pattern is a set of ways through it. A way is the letters at its beginning,
a whole word from its middle, and the letters at its end; the letters at the end of one and at the beginning of the next make
a word, when both are known. Of a part that can be too much nothing is said: too few words are never a wrong answer, only a
pattern that is searched more often.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from importlib import import_module
from string import ascii_letters, whitespace
from sys import maxsize
from typing import Any

from mneme.text import STOP_WORDS, Runs

_WORD = re.compile(r"[a-z]+|[^\sa-z]")
_RUNS = Runs()
_NO_WORDS = (ascii_letters + whitespace).encode()  # of themselves
_FOLDED = str.maketrans("İıſ", "iis")  # letters that IGNORECASE takes for others, and ``lower`` does not
_OF_EVERY_TEXT = frozenset({""})
_MOST_WAYS = 1_000
_MOST_OF_A_CLASS = 12  # characters: ten digits, some quotation marks

_parse: Callable[[str, int], Any] = import_module("re._parser").parse  # of the supported Pythons; typeshed does not know it


@lru_cache(maxsize=1_024)  # the rules ask for the same sentences in turn
def words_of(text: str) -> frozenset[str]:
    """The words of a text in lower case, and its other characters; "0" stands for digits of other scripts.

    Every text has the empty word, which stands for what a pattern needs that needs nothing.

    >>> sorted(words_of("I'm at No. 5"))
    ['', "'", '.', '5', 'at', 'i', 'm', 'no']
    """
    if text.isascii():
        return frozenset([*_RUNS.of(text), *text.encode().translate(None, _NO_WORDS).decode(), ""])
    words = _WORD.findall(text.translate(_FOLDED).lower())
    return frozenset([*words, "", *(["0"] if any(map(str.isdecimal, words)) else [])])


class Guarded:
    """What ``re.compile(pattern, flags)`` gives, with the same results."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = re.compile(pattern, flags)

    @cached_property  # most programs use a few of all patterns
    def needed(self) -> frozenset[str]:
        """The words of which a text has one that the pattern is found in."""
        return needed_words(self.pattern.pattern, self.pattern.flags) or _OF_EVERY_TEXT

    def search(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        if endpos == maxsize and self.needed.isdisjoint(words_of(text)):  # an end within a word leaves another one
            return None
        return self.pattern.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        """As that of a pattern."""
        if endpos == maxsize and self.needed.isdisjoint(words_of(text)):
            return None
        return self.pattern.match(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = maxsize) -> Iterable[re.Match[str]]:
        """As that of a pattern."""
        if endpos == maxsize and self.needed.isdisjoint(words_of(text)):
            return ()
        return self.pattern.finditer(text, pos, endpos)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """As that of a pattern."""
        return text if self.needed.isdisjoint(words_of(text)) else self.pattern.sub(replacement, text, count)


class ByWord:
    """Many patterns by the words that they need, so that a text is asked for all of them at once."""

    def __init__(self, patterns: Iterable[re.Pattern[str]]) -> None:
        self._patterns = tuple(patterns)

    def worth_searching(self, text: str) -> list[int]:
        """The numbers of the patterns that may be found in a text, in their order."""
        found = self._words & words_of(text)
        return sorted({number for word in found for number in self._by_word[word]}) if found else []

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._by_word)

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        by_word: dict[str, list[int]] = defaultdict(list)
        for number, pattern in enumerate(self._patterns):
            for word in needed_words(pattern.pattern, pattern.flags) or _OF_EVERY_TEXT:
                by_word[word].append(number)
        return dict(by_word)


# --- what a pattern needs --------------------------------------------------------------------------------------------

_Way = tuple[str | None, str, str | None] | str
"""Letters at the beginning and at the end (None where they are not known), and between them the rarest whole word ("" for
none); or letters alone, where no word begins or ends."""

_NOTHING: _Way = ""
_ANYTHING: _Way = (None, "", None)
_EDGE: _Way = ("", "", "")  # no letter goes on here


def needed_words(pattern: str, flags: int = 0) -> frozenset[str]:
    """Words of which one is in every text that a pattern is found in; none where there may be none.

    >>> sorted(needed_words(r"\\b(?:call(?:ed)? off|cancel)\\b|fell th?rough$"))
    ['call', 'called', 'cancel', 'through', 'trough']
    """
    ways = _joined([{_ANYTHING}, _in_turn(_parse(pattern, flags)), {_ANYTHING}])
    return _better(None, ways) or frozenset()


def _in_turn(parts: Iterable[tuple[Any, Any]]) -> set[_Way]:
    return _joined(_ways(str(kind), value) for kind, value in parts)


def _ways(kind: str, value: Any) -> set[_Way]:
    """The ways through one part of a parsed pattern."""
    match kind:
        case "LITERAL":
            return {_character(value)}
        case "IN":
            return _class(value)
        case "AT":
            return {_NOTHING if str(value) == "AT_NON_BOUNDARY" else _EDGE}
        case "BRANCH":
            return set().union(*map(_in_turn, value[1]))
        case "SUBPATTERN":
            return _in_turn(value[3])
        case "ATOMIC_GROUP":
            return _in_turn(value)
        case "GROUPREF_EXISTS":
            return _in_turn(value[1]) | (_in_turn(value[2]) if value[2] else {_NOTHING})
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, part = value
            once = _in_turn(part)
            last: set[_Way] = {(None, "", _after(_ANYTHING, way)[2]) for way in once}  # its words are those of the first time
            more = _joined([once, {_ANYTHING}, last]) if most > 1 else set()
            return once | more | (set() if least else {_NOTHING})
        case "ASSERT_NOT":
            return {_EDGE if _excludes_letters(value[1]) else _NOTHING}
        case "ASSERT":
            behind, nearest = value[0] < 0, _in_turn(value[1])
            return {_EDGE if all(way[2 if behind else 0 : 3 if behind else 1] == ("",) for way in nearest) else _NOTHING}
    return {_ANYTHING}


def _character(code: int) -> _Way:
    character = chr(code).lower()
    if "a" <= character <= "z":
        return character
    return ("", "" if character.isspace() or (character.isalpha() and character != character.upper()) else character, "")


def _class(members: Iterable[tuple[Any, Any]]) -> set[_Way]:
    ways: set[_Way] = set()
    for kind, value in members:
        match str(kind):
            case "LITERAL":
                ways.add(_character(value))
            case "RANGE" if value[1] - value[0] < _MOST_OF_A_CLASS:
                ways.update(_character(code) for code in range(value[0], value[1] + 1))
            case "CATEGORY" if str(value) == "CATEGORY_DIGIT":
                ways.update(_character(ord(digit)) for digit in "0123456789")
            case "CATEGORY" if str(value) in ("CATEGORY_SPACE", "CATEGORY_NOT_WORD"):
                ways.add(_EDGE)
            case _:
                return {_ANYTHING}
    return ways if len(ways) <= _MOST_OF_A_CLASS else {_ANYTHING}


def _excludes_letters(parts: Iterable[tuple[Any, Any]]) -> bool:
    """Whether what must not stand here is any letter: ``(?!\\w)``."""
    [*all_parts] = parts
    return (
        len(all_parts) == 1 and str(all_parts[0][0]) == "IN" and "CATEGORY_WORD" in [str(each) for _, each in all_parts[0][1]]
    )


def _joined(parts: Iterable[set[_Way]]) -> set[_Way]:
    """The ways through parts that follow each other, with the words of that stretch between two edges whose words tell most."""
    ways: set[_Way] = {_NOTHING}
    best: frozenset[str] | None = None
    for part in parts:
        part = part if len(ways) * len(part) <= _MOST_WAYS else {_ANYTHING}
        ways = {_after(way, following) for way in ways for following in part}
        if all(way[2:] == ("",) for way in ways):
            best = _better(best, ways)
            ways = {(way[0], way[1] if way[0] is None else "", "") for way in ways}  # known letters become a word themselves
    best = _better(best, ways)
    if best is None:
        return ways
    ends = {(way[0], way[2]) for way in ways}
    ends = {(None, None)} if len(ends) * len(best) > _MOST_WAYS else ends
    return {(begin, word, end) for begin, end in ends for word in best}


def _better(best: frozenset[str] | None, ways: set[_Way]) -> frozenset[str] | None:
    """Which words tell more: those that are best so far, or those of ways, when each has one."""
    words = frozenset(way[1] if isinstance(way, tuple) else "" for way in ways)
    if "" in words or (best is not None and sum(map(_frequency, best)) <= sum(map(_frequency, words))):
        return best
    return words


def _after(way: _Way, following: _Way) -> _Way:
    if isinstance(way, str):
        if isinstance(following, str):
            return way + following
        return (None if following[0] is None else way + following[0], following[1], following[2])
    begin, word, end = way
    if isinstance(following, str):
        return (begin, word, None if end is None else end + following)
    between = "" if end is None or following[0] is None else end + following[0]
    return (begin, min(word, between, following[1], key=_frequency), following[2])


def _frequency(word: str) -> int:
    """Roughly how often a word is found; no word tells nothing."""
    if not word:
        return 1_000
    if not word.isascii() or not word.isalpha():
        return 100 if word in ".,'’-!?" else 2
    return 20 if word in STOP_WORDS else 1
