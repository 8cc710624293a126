"""Words that tell of the same matter, in seven languages: a question says "work", who answers it "job", "shift" or "office".

Everyday matters alone, those that people are asked about most (matters.toml). Beside the words as they are, a matter is a
further word that question and answer may share.
"""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from mneme.text import has_cjk

_SHORT = 4  # letters; a word of no more is itself alone, but for an ending, and a longer one begins others
_ENDING = "(?:s|n|e|en|t)?"


@lru_cache(1024)
def matters_of(text: str) -> frozenset[str]:
    """The everyday matters that a text speaks of.

    >>> sorted(matters_of("Where does Ann work?")), sorted(matters_of("Mein Gehalt ist klein."))
    (['#work'], ['#pay'])
    """
    return frozenset(f"#{matter}" for matter, pattern in _patterns().items() if pattern.search(text))


def asking_words() -> str:
    """The words that only ask, of the languages other than English."""
    return str(_table()["asking"])


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {matter: _pattern(words.split()) for matter, words in _table()["matters"].items()}


def _pattern(words: list[str]) -> re.Pattern[str]:
    parts = []
    for word in words:
        ending = rf"{_ENDING}\b" if len(word) <= _SHORT else ""
        parts.append(re.escape(word) if has_cjk(word) else rf"\b{re.escape(word)}{ending}")
    return re.compile("|".join(parts), re.IGNORECASE)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("queries.answers") / "matters.toml").read_text(encoding="utf-8"))
