"""Find the patterns that are worth a search in a text, and read patterns by name from data files.

Most patterns are found in few sentences: with the 403 patterns of what English sentences claim, a look-up by word takes a
quarter of the time of a search for each. The words are read off the pattern itself, so that the two cannot drift apart:
every match of ``\\b(?:looking|look) forward to\\b`` contains "forward". A word is a run of the letters a to z in lower case
that touches no other such letter; any other character except a blank is a word of its own, and every digit is the word "0".

``needed_words`` expands a pattern into the texts that it may match, its ways, with a mark for what may be anything.
Too few words are never wrong: then the pattern is only searched more often.

Rules are code, and the words that they look for stand beside it as data. The file of a module is named like it
(``foresight.toml`` beside ``foresight.py``). It has a section for each language where one rule serves two. A pattern is one
text, or a list of texts that are joined; ``{name}`` in it stands for a text of the section ``fragments``, there or in
patterns.toml.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from mneme.text import STOP_WORDS

_WORD = re.compile(r"[a-z]+|[^\sa-z]")
_FOLDED = str.maketrans("İıſ", "iis")  # letters that IGNORECASE takes for others, and ``lower`` does not
_OF_EVERY_TEXT = frozenset({""})


@lru_cache(maxsize=1_024)  # the rules ask for the same sentences in turn
def words_of(text: str) -> frozenset[str]:
    """The words of a text, in lower case, and the empty word, which every text has.

    >>> sorted(words_of("I'm at No. 52"))
    ['', "'", '.', '0', 'at', 'i', 'm', 'no']
    """
    words = _WORD.findall(text.translate(_FOLDED).lower())
    return frozenset(["", *("0" if word.isdecimal() else word for word in words)])


class Cue:
    """A pattern that is searched only in a text with a word that it needs: few sentences have one, and a search is slower."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = re.compile(pattern, flags)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in a text."""
        return self._pattern.search(text) if self._may_be_in(text) else None

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """The text with all matches replaced, or the first ``count``."""
        return self._pattern.sub(replacement, text, count) if self._may_be_in(text) else text

    def _may_be_in(self, text: str) -> bool:
        return not self._words.isdisjoint(words_of(text))

    @cached_property
    def _words(self) -> frozenset[str]:
        return needed_words(self._pattern.pattern) or _OF_EVERY_TEXT


class PatternIndex:
    """Many patterns by the words that they need."""

    def __init__(self, patterns: Iterable[re.Pattern[str]]) -> None:
        self._patterns = tuple(patterns)

    def candidates(self, text: str) -> list[int]:
        """The numbers of the patterns that a text may match, in their order."""
        return sorted({number for word in self._by_word.keys() & words_of(text) for number in self._by_word[word]})

    @cached_property  # most programs use a few of all patterns
    def _by_word(self) -> dict[str, list[int]]:
        by_word: dict[str, list[int]] = defaultdict(list)
        for number, pattern in enumerate(self._patterns):
            for word in needed_words(pattern.pattern) or _OF_EVERY_TEXT:
                by_word[word].append(number)
        return dict(by_word)


# --- the words that a pattern needs ----------------------------------------------------------------------------------

_ANY = "\0"  # in a way: what may be any text, letters too
_EDGE = " "  # in a way: a blank, or a place where no letter goes on
_MOST_WAYS = 1_000
_MOST_OF_A_CLASS = 12  # characters
_TOKEN = re.compile(
    r"\\x..|\\u....|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]"  # a character, a class
    r"|\(\?\(\w+\)|\(\?P<\w+>|\(\?P=\w+\)|\(\?<?[=!]|\(\?>|\(\?[a-zA-Z-]*:|\(\?[a-zA-Z]+\)"  # how a group begins
    r"|\{\d*,?\d*\}[+?]?|[*+?][+?]?"  # a repetition
    r"|[a-zA-Z]{2,}(?![*+?{])|.",  # letters of which none is repeated; anything else
    re.DOTALL,
)
_REPETITION = re.compile(r"([*+?])[+?]?|\{(\d*)(,?)(\d*)\}[+?]?")
_MEMBER = re.compile(r"(?P<first>\\x..|\\u....|\\.|.)(?:-(?P<last>\\x..|\\u....|\\.|.))?", re.DOTALL)
_WHOLE_WORD = re.compile(r"(?<![a-z\0])[a-z]+(?![a-z\0])|[^\sa-z\0]")
_KINDS = {
    **dict.fromkeys((r"\n", r"\t", r"\s", r"\W", r"\b", r"\A", r"\Z", "^", "$"), _EDGE),
    **dict.fromkeys((r"\w", r"\S", r"\D", "."), _ANY),
    r"\d": "0",
    r"\B": "",
}


@cache  # one pattern is in several indices
def needed_words(pattern: str) -> frozenset[str]:
    """Words of which each text that a pattern is found in has one; none where there may be none.

    >>> sorted(needed_words(r"\\b(?:call(?:ed)? off|cancel)\\b|fell th?rough$"))
    ['call', 'called', 'cancel', 'through', 'trough']
    """
    return _needed(_alternatives(_TOKEN.findall(pattern)[::-1]))


def _alternatives(tokens: list[str]) -> set[str]:
    """The ways through a pattern, or through a group to its end; ``tokens`` are taken from the end of the list."""
    done: set[str] = set()
    ways, last = {""}, {""}
    while tokens and (token := tokens.pop()) != ")":
        if token == "|":
            done |= _joined(ways, last)
            ways, last = {""}, {""}
        elif repetition := _REPETITION.fullmatch(token):
            last = _repeated(last, repetition)
        else:
            ways, last = _joined(ways, last), _element(token, tokens)
    return done | _joined(ways, last)


def _element(token: str, tokens: list[str]) -> set[str]:
    """The ways through one element; the rest of a group is taken from ``tokens``."""
    match token:
        case "(?!" | "(?<!":
            excludes_letters = r"\w" in tokens[-1] and tokens[-2] == ")"
            _alternatives(tokens)
            return {_EDGE if excludes_letters else ""}
        case "(?=" | "(?<=":
            nearest = {way[:1] if token == "(?=" else way[-1:] for way in _alternatives(tokens)}
            return {"" if any(not each or each == _ANY or _is_letter(each) for each in nearest) else _EDGE}
        case _ if token.startswith("(?P="):
            return {_ANY}
        case _ if token.startswith("(?("):  # a condition may have one way only
            return _alternatives(tokens) | {""}
        case _ if token.startswith("("):
            return {""} if token.endswith(")") else _alternatives(tokens)  # flags, or a group
        case _ if token.startswith("["):
            return _class(token[1:-1])
    return {token.lower() if len(token) > 1 and token.isalpha() else _character(token)}


def _class(members: str) -> set[str]:
    """The ways through a class of characters."""
    ways = {_ANY} if members.startswith("^") else set()
    for member in _MEMBER.finditer(members):
        first, last = _character(member["first"]), _character(member["last"] or member["first"])
        if first == last:
            ways.add(first)
        elif "a" <= first < last <= "z":
            ways.update(map(chr, range(ord(first), ord(last) + 1)))
        else:
            ways.add(_ANY)
    return {_ANY} if _ANY in ways or len(ways) > _MOST_OF_A_CLASS else ways


def _character(token: str) -> str:
    """The way through one character, or through a token that stands for several."""
    if token in _KINDS:
        return _KINDS[token]
    if token.startswith("\\") and token[1:].isalnum():
        if len(token) == 2:  # what a group had
            return _ANY
        token = chr(int(token[2:], 16))
    character = token[-1].lower()
    if character.isdecimal():
        return "0"
    is_edge = character.isspace() or (not character.isascii() and character != character.upper())
    return _EDGE if is_edge else character


def _repeated(ways: set[str], repetition: re.Match[str]) -> set[str]:
    """The ways through an element that may be left out, or comes several times."""
    sign, least, comma, most = repetition.groups()
    none = {""} if sign in ("?", "*") or (not sign and least in ("", "0")) else set()
    if sign == "?" or (most or (not comma and least)) == "1" or all(len(way) == 1 and not _is_letter(way) for way in ways):
        return ways | none
    end = _EDGE if all(way and way[-1] != _ANY and not _is_letter(way[-1]) for way in ways) else ""
    return ways | {f"{way}{_ANY}{end}" for way in ways} | none


def _joined(ways: set[str], following: set[str]) -> set[str]:
    """The ways through two parts. Of too many only the words are kept that they need."""
    if len(ways) * len(following) > _MOST_WAYS:
        ways, following = _collapsed(ways), _collapsed(following)
    if len(ways) * len(following) > _MOST_WAYS:
        following = {_ANY}
    return {f"{way}{after}" for way in ways for after in following}


def _collapsed(ways: set[str]) -> set[str]:
    return {f"{_ANY}{_EDGE}{word}{_EDGE}{_ANY}" for word in _needed(ways)} or {_ANY}


def _needed(ways: set[str]) -> frozenset[str]:
    """A few rare words, of which every way has one; none where a way has none."""
    choices = {frozenset(_WHOLE_WORD.findall(f"{_ANY}{way}{_ANY}")) for way in ways}
    chosen: set[str] = set()
    while choices := {words for words in choices if chosen.isdisjoint(words)}:
        ways_of = Counter(word for words in choices for word in words)
        if not all(choices):
            return frozenset()
        chosen.add(min(ways_of, key=lambda word: (_frequency(word) / ways_of[word], word)))
    return frozenset(chosen)


def _frequency(word: str) -> int:
    """Roughly how often a word is found."""
    if not word.isalpha() or not word.isascii():
        return 100 if word in ".,'’-!?" else 10 if word == "0" else 2
    return 20 if word in STOP_WORDS else 1


def _is_letter(character: str) -> bool:
    return "a" <= character <= "z"


# --- patterns by name from data files --------------------------------------------------------------------------------

_FRAGMENT = re.compile(r"\{([a-zA-Z_]+)\}")


@cache
def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


COMMON: Mapping[str, str | Sequence[str]] = _read(Path(__file__).with_suffix(".toml"))["fragments"]
"""The fragments of the patterns of all files: weekdays, months, feasts."""


def expanded(pattern: str, fragments: Mapping[str, str | Sequence[str]]) -> str:
    """A pattern with what its fragments stand for."""
    while _FRAGMENT.search(pattern):
        pattern = _FRAGMENT.sub(lambda mark: "".join(fragments[mark[1]]), pattern)
    return pattern


class _Section:
    """One section of the file of a module; what stands above all sections where none is named."""

    def __init__(self, module: str, section: str = "") -> None:
        """The patterns of a module, by its ``__file__``."""
        self._file, self._name = Path(module).with_suffix(".toml"), section

    def words(self, name: str) -> frozenset[str]:
        """The words of a list, which stand with blanks between them."""
        texts = self._texts()[name]
        return frozenset((texts if isinstance(texts, str) else " ".join(texts)).split())

    def fragment(self, name: str) -> str:
        """The text of a fragment, for patterns that are put together elsewhere."""
        return self._expanded(f"{{{name}}}", name)

    def _texts(self) -> Mapping[str, Any]:
        data = _read(self._file)
        section: Mapping[str, Any] = data[self._name] if self._name else data
        return section

    def _expanded(self, text: str, name: str) -> str:
        try:
            return expanded(text, {**COMMON, **_read(self._file).get("fragments", {})})
        except KeyError as error:
            raise AttributeError(f"{self._file.name} has no fragment {error.args[0]}, for {name}") from error

    def _text(self, name: str) -> str:
        """The text of a pattern.

        Raises:
            AttributeError: the section has none of this name, or it names a fragment that is in no file.
        """
        texts = self._texts()
        if name not in texts or isinstance(texts[name], dict):
            raise AttributeError(f"{self._file.name} has no pattern {self._name}.{name}")
        return self._expanded("".join(texts[name]), f"{self._name}.{name}")


class Patterns(_Section):
    """Patterns as attributes, compiled when they are first asked for."""

    def __getattr__(self, name: str) -> re.Pattern[str]:
        self.__dict__[name] = found = re.compile(self._text(name))
        return found

    def by_name(self) -> dict[str, re.Pattern[str]]:
        """All patterns of the section, in their order."""
        return {name: getattr(self, name) for name in self._texts()}


class Cues(_Section):
    """The same as ``Cue``: searched only in sentences with a word that they need."""

    def __getattr__(self, name: str) -> Cue:
        self.__dict__[name] = found = Cue(self._text(name))
        return found
