"""Lines that no reader takes for words: what recognition makes of specks, borders and bad scans."""

import re

from mneme.text import has_cjk

_STRANGE = re.compile(r"[|¦~^_\\{}<>«»¬§¤®©°*=]|[^\W\d_]\d+[^\W\d_]|\ufffd")  # beside words, or a digit within one: "qu1ck"
_SPECK = re.compile(r"\W+|(?![aAI])[^\W\d_]")  # marks alone, or a letter
_MOST_STRANGE = 0.4  # of the words of a line, or of the characters of a Chinese one


def is_noise(line: str) -> bool:
    """Whether a line is mostly specks and broken words.

    >>> is_noise(";._ |  -- . e a s o n 3 l"), is_noise("Desk | 120 EUR | 3 weeks")
    (True, False)
    """
    words = line.replace(" | ", " ").split()
    if not words:
        return True
    if has_cjk(line):
        characters = "".join(words)
        return sum(not character.isalnum() for character in characters) > _MOST_STRANGE * len(characters)
    strange = sum(_SPECK.fullmatch(word) is not None or _STRANGE.search(word) is not None for word in words)
    return strange > _MOST_STRANGE * len(words)
