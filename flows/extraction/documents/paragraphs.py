"""Paragraphs of plain text and Markdown whose lines were wrapped by hand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mneme.text import has_cjk

_MARK = re.compile(r"^\s*(?:[#>*•\-–+]+|\d{1,2}[.)])\s+")
_OWN_LINE = re.compile(r"^\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$)")  # headings, rows of a table, fences, rules
_ENDS = tuple(".!?:;。！？：；|")
_WRAPPED = 40  # characters from which a line may have been wrapped rather than ended
_LONGEST_INTRODUCTION = 80  # characters


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or an item of a list in one line, without its mark; ``introduction`` is the line that leads to a list."""

    text: str
    introduction: str = ""


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
        yield Paragraph(plain, introduction if is_item else "")


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
