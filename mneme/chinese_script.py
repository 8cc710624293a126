"""Traditional and simplified Chinese: the rules are written in simplified characters, and read both."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC


_BLANK_MARK = re.compile(r"(?<=[\u4e00-\u9fff])\s(?=[\u4e00-\u9fff]|\d+[月号日点:](?!\s)|\s)")  # not in 我 5 月 3 日去
_HALF = re.compile("[\ud800-\udfff]")  # halves of characters, which the library does not take


def simplified(text: str) -> str:
    """A text in simplified characters, each in the place of its own; unchanged where a word would grow or shrink.

    >>> simplified("12月9號要幫你慶生嗎")
    '12月9号要帮你庆生吗'
    """
    if text.isascii():
        return text
    converted = _converter().convert(_HALF.sub("\ufffd", text))
    return converted if len(converted) == len(text) else text


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


@cache
def _converter() -> "OpenCC":
    from opencc import OpenCC  # reads its dictionaries, and most texts are not Chinese

    return OpenCC("t2s")
