"""Traditional and simplified Chinese: the rules are written in simplified characters, and read both; so does keyword search."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC


_BLANK_MARK = re.compile(r"(?<=[\u4e00-\u9fff])\s(?=[\u4e00-\u9fff]|\d+[月号日点:](?!\s)|\s)")  # not in 我 5 月 3 日去
_HALF = re.compile("[\ud800-\udfff]")  # halves of characters, which the library does not take
# Of Taiwan and Hong Kong, kept by the library because simplified texts have them as well, in some words
_KEPT = str.maketrans("著瞭藉妳牠衞枱糭粧敍", "着了借你它卫台粽妆叙")


def simplified(text: str) -> str:
    """A text in simplified characters, each in the place of its own; unchanged where a word would grow or shrink.

    >>> simplified("12月9號要幫你慶生嗎")
    '12月9号要帮你庆生吗'
    """
    if text.isascii():
        return text
    converted = _converter().convert(_HALF.sub("\ufffd", text))
    return converted if len(converted) == len(text) else text


def folded(text: str) -> str:
    """A text with one character for all that are variants of each other, for comparing; never to be shown.

    Each character goes by itself, so that the fold of a part is a part of the fold. "乾隆" becomes "干隆", also where it is
    asked for.

    >>> folded("我在臺北買了一把結他"), folded("看著 乾隆")
    ('我在台北买了一把结他', '看着 干隆')
    """
    return text.translate(_folds)


def parted(text: str) -> str:
    """A text with commas where a chat parts its clauses by blanks; each character keeps its place.

    >>> parted("我20号走 7月1号报到")
    '我20号走，7月1号报到'
    """
    return _BLANK_MARK.sub("，", text)


def as_written(words: str, simple: str, text: str) -> str:
    """Words that were found in the simplified form of a text, in the characters of the text itself."""
    at = simple.find(words)
    return text[at : at + len(words)] if at >= 0 else words


class _Folds(dict[int, str]):
    """The fold of each character that was met so far, by its code."""

    def __missing__(self, code: int) -> str:
        self[code] = fold = simplified(chr(code)).translate(_KEPT)
        return fold


_folds = _Folds()


@cache
def _converter() -> "OpenCC":
    from opencc import OpenCC  # reads its dictionaries, and most texts are not Chinese

    return OpenCC("t2s")
