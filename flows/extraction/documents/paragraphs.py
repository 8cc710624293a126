"""Paragraphs, items of lists and rows of tables, of text whose lines may have been wrapped by hand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mneme.text import has_cjk

_MARK = re.compile(r"^\s*(?:[#>*•\-–+]+|\d{1,2}[.)])\s+")
_OWN_LINE = re.compile(r"^\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$)")  # headings, rows of a table, fences, rules
_ENDS = tuple(".!?:;。！？：；|")
_WRAPPED = 40  # characters from which a line may have been wrapped rather than ended
_LONGEST_INTRODUCTION = 120  # characters
_ROW = re.compile(
    r"^[^:：;；|]{1,80}[:：][^;；]+[;；]\s*[^:：;；|]{1,80}[:：]|^[^|]+ \| ."
)  # "Item: Desk; Price: 120", "Desk | 120"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, an item of a list (without its mark) or a row of a table, in one line.

    ``introduction`` is the line that leads to a list.
    """

    text: str
    introduction: str = ""
    is_item: bool = False
    is_row: bool = False


def paragraphs(text: str) -> Iterator[Paragraph]:
    """The paragraphs of a text, in order.

    A line goes on in the next where a sentence is open: it was long enough to be wrapped, or the next begins in lower case.
    Items of a list, rows of a table and headings have their own lines.
    """
    introduction = ""
    for lines in _groups(text.splitlines()):
        joined = _joined(lines)
        mark = _MARK.match(joined)
        plain = (joined[mark.end() :] if mark else joined).strip("| ")
        if not plain:
            continue
        is_item = mark is not None and not joined.startswith("#")
        if not is_item:
            introduction = joined if joined.endswith((":", "：")) and len(joined) <= _LONGEST_INTRODUCTION else ""
        yield Paragraph(plain, introduction if is_item else "", is_item, is_row=is_row(plain))


def is_row(line: str) -> bool:
    """Whether a line is a row of a table: cells with the names of their columns, or between bars."""
    return _ROW.match(line) is not None


def _groups(lines: list[str]) -> Iterator[list[str]]:
    """The lines that belong together; a blank line stands alone."""
    group: list[str] = []
    fenced = False
    for line in lines:
        if group and not (fenced or _continues(group[-1], line)):
            yield group
            group = []
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        group.append(line)
    if group:
        yield group


def _continues(line: str, after: str) -> bool:
    if not line.strip() or not after.strip() or _MARK.match(after) or _OWN_LINE.match(after) or _OWN_LINE.match(line):
        return False
    if is_row(line) or is_row(after):
        return False
    if line.rstrip().endswith(_ENDS) or line.endswith(("  ", "\\")):
        return False
    return len(line) >= _WRAPPED or after.lstrip()[:1].islower()


def _joined(lines: list[str]) -> str:
    if lines[0].lstrip().startswith(("```", "~~~")):
        return "\n".join(lines)
    text = ""
    for line in (line.strip() for line in lines):
        close = not text or has_cjk(text[-1]) or has_cjk(line[:1])
        text += line if close else f" {line}"
    return text
