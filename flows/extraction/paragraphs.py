"""Paragraphs, items of lists, entries of logs and rows of tables, of lines that may have been wrapped by hand. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from mneme.patterns import Patterns
from mneme.text import STOP_WORDS, has_cjk

_WORDS = Patterns(__file__)
_ENDS = tuple(".!?:;。！？：；|")
_WRAPPED = 40  # characters from which a line may have been wrapped rather than ended
_NARROW = 30  # characters of the longest line; nobody wraps at less: a list, an address, a poem
_LONGEST_INTRODUCTION = 120  # characters


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, an item of a list (without its mark), an entry of a log or a row of a table, in one line.

    ``line`` is the number of its first line in the text, from 0. ``introduction`` is the line that leads to a list.
    """

    text: str
    line: int
    introduction: str = ""
    is_item: bool = False
    is_row: bool = False
    is_entry: bool = False


def paragraphs(text: str) -> Iterator[Paragraph]:
    """The paragraphs of a text, in order.

    A line goes on in the next where a sentence is open: it was long enough to be wrapped, or the next begins in lower case.
    Items of a list, entries of a log, rows of a table, headings and the lines of a list without marks have their own lines.
    """
    introduction = ""
    for group in _groups(text.split("\n")):
        joined = _joined(group.lines)
        mark = None if group.is_entry else _WORDS.mark.match(joined)
        plain = (joined[mark.end() :] if mark else joined).strip("| ")
        if not plain:
            continue
        is_item = group.is_entry or group.is_listed or (mark is not None and not joined.startswith("#"))
        if not is_item:
            introduction = joined if joined.endswith((":", "：")) and len(joined) <= _LONGEST_INTRODUCTION else ""
        yield Paragraph(plain, group.begin, introduction if is_item else "", is_item, is_row(plain), group.is_entry)


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a table: cells with the names of their columns, or between bars."""
    return _WORDS.row.match(line) is not None


@dataclass(slots=True)
class _Group:
    """Lines that belong together, the first of which is the line ``begin`` of the text.

    ``is_entry`` says that they are an entry of a log, ``is_listed`` that they stand below others in a list without marks.
    """

    begin: int
    lines: list[str]
    is_entry: bool = False
    is_listed: bool = False


def _groups(lines: list[str]) -> Iterator[_Group]:
    """The lines that belong together; a blank line stands alone."""
    group: _Group | None = None
    fenced = False
    for block, at, line in _in_blocks(lines):
        is_entry = not fenced and at in block.entries
        if group is None:
            group = _Group(at, [line], is_entry)
        elif fenced or not (is_entry or block.ends(group.lines[-1], line)):
            group.lines.append(line)
        else:
            yield group
            group = _Group(at, [line], is_entry, is_listed=block.is_list and at > block.begin)
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
    if group is not None:
        yield group


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines between two blank ones.

    ``is_list``: none was wrapped, as they are narrow or most had room for the next word. ``width`` is that of the longest
    without its last word, which may be an address of a page; ``entries`` are the lines that begin an entry of a log.
    """

    begin: int
    width: int
    is_list: bool
    entries: frozenset[int]

    def ends(self, line: str, after: str) -> bool:
        """Tell whether a line was ended, rather than wrapped, before the next."""
        if not _continues(line, after):
            return True
        may_begin = self.is_list or not (after.lstrip()[0].islower() or has_cjk(after))
        return may_begin and not _is_open(line) and (self.is_list or _has_room(line, after, self.width))


def _in_blocks(lines: list[str]) -> Iterator[tuple[_Block, int, str]]:
    """Lines with their numbers and the block that each stands in."""
    number = 0
    for is_blank, stretch in groupby(lines, key=lambda line: not line.strip()):
        within = list(stretch)
        block = _Block(number, 0, False, frozenset()) if is_blank else _block(number, within)
        yield from ((block, at, line) for at, line in enumerate(within, start=number))
        number += len(within)


def _block(begin: int, lines: list[str]) -> _Block:
    width = max(len(line.rstrip().rpartition(" ")[0]) for line in lines)
    roomy = [_has_room(line, after, width) for line, after in pairwise(lines)]
    is_narrow = max(map(len, lines)) < _NARROW and not any(map(has_cjk, lines))
    is_list = len(lines) > 1 and (is_narrow or 2 * sum(roomy) > len(roomy))
    return _Block(begin, width, is_list, frozenset(begin + at for at in _entries(lines)))


def _has_room(line: str, after: str, width: int) -> bool:
    return len(line.rstrip()) + 1 + len(after.split(maxsplit=1)[0]) < width


def _entries(lines: list[str]) -> Iterator[int]:
    """The lines that begin an entry of a log: with a stamp of one shape, two of them at least.

    A date that begins a line of wrapped prose is alone of its shape, or stands in an open sentence.
    """
    shapes = [stamp.lastindex if (stamp := _WORDS.stamp.match(line)) else None for line in lines]
    entry: int | None = None  # the shape of the entry before
    for at, shape in enumerate(shapes):
        is_first = shape in shapes[at + 1 :] and (at == 0 or not _is_open(lines[at - 1]))
        if shape is not None and (shape == entry or is_first):
            entry = shape
            yield at


def _is_open(line: str) -> bool:
    words = line.split()
    return line.rstrip().endswith((",", "，", "、", "-")) or (bool(words) and words[-1] in STOP_WORDS)


def _continues(line: str, after: str) -> bool:
    if (
        not line.strip()
        or not after.strip()
        or _WORDS.mark.match(after)
        or _WORDS.own_line.match(after)
        or _WORDS.own_line.match(line)
    ):
        return False
    if is_row(line) or is_row(after) or (_WORDS.field.match(line) and _WORDS.field.match(after)):
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


_SHORTEST, _SHORTEST_CHINESE = 4, 7  # words, characters from which a line without an end mark is no heading


def is_heading(line: str) -> bool:
    """Tell whether a line alone says no more than what follows is about, or of when it is."""
    if line.endswith(_ENDS):
        return line.endswith((":", "："))
    short = len(line) < _SHORTEST_CHINESE if has_cjk(line) else len(line.split()) < _SHORTEST
    return (short and not _WORDS.field.match(line)) or _WORDS.in_the_head.match(line) is not None


# --- lines that no reader takes for words: what recognition makes of specks, borders and bad scans -------------------


_MOST_STRANGE = 0.4  # of the words of a line, or of the characters of a Chinese one


def is_noise(line: str) -> bool:
    """Tell whether a line is mostly specks and broken words.

    >>> is_noise(";._ |  -- . e a s o n 3 l"), is_noise("Desk | 120 EUR | 3 weeks")
    (True, False)
    """
    words = line.replace(" | ", " ").split()
    if not words:
        return True
    if has_cjk(line):
        characters = "".join(words)
        return sum(not character.isalnum() for character in characters) > _MOST_STRANGE * len(characters)
    strange = sum(_WORDS.speck.fullmatch(word) is not None or _WORDS.strange.search(word) is not None for word in words)
    return strange > _MOST_STRANGE * len(words)
