"""Words of a message that somebody corrected or retracted: found in its text, left out of it, known again by their hash."""

import re
from functools import lru_cache

from mneme.ids import folded, long_hash

_SEAM = re.compile(r"[^\S\n]*\0[^\S\n]*")
_EMPTY_LINES = re.compile(r"\n\s*\n\s*\n+")


def says(text: str, words: str) -> bool:
    """Tell whether a text has the words, whole, whatever blanks are between them.

    >>> says("Oh no.\\nI live in  Rome.", "I live in Rome."), says("I lived in Rome.", "live in Rome")
    (True, False)
    """
    return bool(words.strip()) and _pattern(words).search(text) is not None


def without(text: str, *words: str) -> str:
    """A text with the words left out wherever they stand; where it has none of them, the text itself.

    >>> without("Hi. I live in Rome. I love it.", "I live in Rome.")
    'Hi. I love it.'
    """
    left = text
    for each in words:
        if says(left, each):
            left = _EMPTY_LINES.sub("\n\n", _SEAM.sub(" ", _pattern(each).sub("\0", left)))
            left = "\n".join(line.strip(" ") if not line.strip() else line.rstrip(" ") for line in left.split("\n")).strip()
    return left


def hash_of(words: str) -> str:
    """The hash by which words are known again, whatever their case and blanks."""
    return long_hash(folded(words))


@lru_cache(maxsize=64)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words.split())) + r"(?!\w)")
