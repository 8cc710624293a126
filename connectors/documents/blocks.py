"""Blocks: a document as a parser meets it, one piece after the other; and the sections that they make."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, repeat
from typing import Literal

from mneme.ports import Section
from mneme.text import STOP_WORDS, has_cjk

BlockKind = Literal["title", "text", "item", "row"]

_SENTENCE_END = re.compile(r"[。！？…][」』”’）)\"']*|(?:(?<![.!?])[.!?]++|:(?=$))[\"'”’)\]]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|vs|fig|inc|ltd|approx|cf|ca|z\.b|bzw)|\b\w(?:\.\w)*)\.$", re.IGNORECASE
)
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]$")
_BULLET = re.compile(r"^[-*–•◦▪‣●○·\uf0b7]\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_LONGEST_REST = 800  # characters; more of a page without a sentence end is no sentence
_SHORTEST_CLAUSE = 10  # Chinese characters; below, a line without an end is a caption or a label as likely as not


@dataclass(frozen=True, slots=True)
class Block:
    """A heading (``level`` from 1), a paragraph, an item of a list, or a row of a table as one line; ``place`` cites it."""

    kind: BlockKind
    text: str
    place: str = ""
    level: int = 1


def sections_of(blocks: Iterable[Block], document_title: str) -> tuple[Section, ...]:
    """The sections that blocks make.

    1. A title begins a section; the title of a section is the path of titles above it, ``Guide > Installing``.
    2. A new place begins a section of the same title, but a sentence that goes on over the place is not torn: its rest goes
       to where it began.
    3. Paragraphs are lines apart, items and rows lines of their own. A title with nothing below is its own text. A section
       before any title has the title of the document, and so has one below an empty title: a slide without any.
    """
    drafts: list[_Draft] = []
    path: tuple[tuple[int, str], ...] = ()
    heading: Block | None = None  # with nothing below, so far
    fresh = True  # whether the next block begins a section
    for block in _rejoined(_clean(blocks)):
        if block.kind == "title":
            if heading is not None and block.level <= heading.level:
                drafts.append(_Draft(path, heading.place, [heading]))
            path = tuple(above for above in path if above[0] < block.level)
            heading = None
            if block.text:
                path = (*path, (block.level, block.text))
                heading = block
            fresh = True
            continue
        if fresh or drafts[-1].place != block.place:
            drafts.append(_Draft(path, block.place))
            heading, fresh = None, False
        drafts[-1].blocks.append(block)
    if heading is not None:
        drafts.append(_Draft(path, heading.place, [heading]))
    return tuple(draft.section(document_title) for draft in drafts)


def join_lines(lines: Iterable[str]) -> str:
    """The lines of one paragraph as one: a word hyphenated at the end of a line is whole, Chinese lines get no blank between.

    >>> join_lines(["A hyphen-", "ated word", "and more."])
    'A hyphenated word and more.'
    """
    pieces: list[str] = []  # joined once: a copy for each line would take the square of them
    for line in filter(None, map(str.strip, lines)):
        pieces[-1:] = _pair(pieces[-1], line) if pieces else (line,)
    return "".join(pieces)


def rows_of(table: Iterable[Sequence[str]], headers: int | None = None) -> Iterator[str]:
    """The rows of a table as lines that name their columns: ``Item: Desk; Price: 120``. See ``numbered_rows``."""
    return (line for _, line in numbered_rows(enumerate(table), headers))


def numbered_rows(table: Iterable[tuple[int, Sequence[str]]], headers: int | None = None) -> Iterator[tuple[int, str]]:
    """The rows of a table as lines that name their columns, each with the number that it came with.

    Empty cells are left out. A row of one value in all its cells, as a title above the header, is that value. A header that
    comes again, as on the next page, is left out.

    Args:
        table: numbers and cells, row by row, merged cells repeated. It is read as it goes: a large one never is in memory.
        headers: how many of the first rows are headers; None: the first 50 rows tell.
    """
    plain = ((number, [" ".join(str(cell).split()) for cell in row]) for number, row in table)
    rows = ((number, cells) for number, cells in plain if any(cells))
    first = list(islice(rows, _ROWS_THAT_TELL))
    if headers is None:
        wide = max((len(cells) for _, cells in first), default=0) > 1
        while wide and len(first) > 1 and _is_banner(first[0][1], [cells for _, cells in first[1:]]):
            number, cells = first.pop(0)
            yield number, next(filter(None, cells))
        headers = _headers([cells for _, cells in first])
    line_of = row_formatter([cells for _, cells in first[:headers]])
    for number, cells in chain(first[headers:], rows):
        if line := line_of(cells):
            yield number, line


def row_formatter(above: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], str]:
    """A function that makes lines of the rows below some headers; a header that comes again becomes an empty line."""
    names = _names(above)
    colon, semicolon = ("：", "；") if has_cjk("".join(names)) else (": ", "; ")

    def line_of(row: Sequence[str]) -> str:
        if len(set(row)) == 1 and (len(row) > 1 or not above):
            return row[0]
        if not above:
            return _field(row) if len(row) == 2 and _is_label(row[0]) and row[1] else " | ".join(filter(None, row))
        if row in above:
            return ""
        return semicolon.join(
            f"{name}{colon}{cell}" if name else cell for name, cell in zip(chain(names, repeat("")), row, strict=False) if cell
        )

    return line_of


def row_sections(rows: Iterable[tuple[int, str]], title: str, place: str = "") -> Iterator[Section]:
    """Sections of numbered rows, each small enough to be found as one; their places are ``rows 2-40``, behind ``place``.

    The lines of a section are its rows one by one, a row without text an empty line: see ``place_within``.
    """
    size = begin = end = 0
    lines: list[str] = []

    def section() -> Section:
        rows = f"row {begin}" if begin == end else f"rows {begin}-{end}"
        return Section(title, "\n".join(lines), f"{place}, {rows}" if place else rows)

    for number, line in rows:
        if lines and (size + len(line) > _ROWS_OF_A_SECTION or number - end > _WIDEST_GAP):
            yield section()
            size, lines = 0, []
        begin = begin if lines else number
        lines += [""] * (number - end - 1) if lines else []
        lines.append(line)
        end, size = number, size + len(line) + 1
    if lines:
        yield section()


def place_within(place: str, first: int, lines: int = 1) -> str:
    """The place of some lines of a section, where its place counts lines or rows; else the place of the section.

    >>> place_within("sheet Budget, rows 2-40", 3), place_within("line 12", 1, 5), place_within("page 3", 7)
    ('sheet Budget, row 5', 'line 13', 'page 3')

    Args:
        place: of the section.
        first: how many lines of the section stand before.
        lines: how many lines they are.
    """
    found = _COUNTED.search(place)
    if found is None:
        return place
    begin = int(found["begin"]) + first
    is_range = found["unit"] == "row" and lines > 1
    return f"{place[: found.start('unit')]}{found['unit']}{f's {begin}-{begin + lines - 1}' if is_range else f' {begin}'}"


@dataclass(slots=True)
class _Draft:
    path: tuple[tuple[int, str], ...]
    place: str
    blocks: list[Block] = field(default_factory=list)

    def section(self, document_title: str) -> Section:
        pieces: list[str] = []
        earlier: BlockKind = "title"
        for block in self.blocks:
            if pieces:
                pieces.append("\n" if block.kind == earlier != "text" else "\n\n")
            pieces.append(f"- {block.text}" if block.kind == "item" else block.text)
            earlier = block.kind
        title = " > ".join(name for _, name in self.path)
        return Section(title or document_title, "".join(pieces), self.place)


def _clean(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        text = _CONTROL.sub("", block.text)
        text = text.strip() if block.kind == "text" else " ".join(text.split())
        if block.kind == "item":
            text = _BULLET.sub("", text)
        if text or block.kind == "title":
            yield replace(block, text=text)


def _rejoined(blocks: Iterable[Block]) -> list[Block]:
    """Blocks with sentences whole: what goes on at another place is moved back to where it began."""
    joined: list[Block] = []
    reached = ""  # the place that the last block goes on to, or its own
    for block in blocks:
        if joined and block.place != reached and _goes_on(joined[-1], block):
            end = _first_end(block.text)
            if end <= _LONGEST_REST:
                joined[-1] = replace(joined[-1], text="".join(_pair(joined[-1].text, block.text[:end])))
                reached = block.place
                block = replace(block, text=block.text[end:].strip())
                if not block.text:
                    continue
        joined.append(block)
        reached = block.place
    return joined


def _goes_on(earlier: Block, later: Block) -> bool:
    """True if the last sentence of a block goes on in one at the next place."""
    if earlier.kind not in ("text", "item") or later.kind != "text" or _ends(earlier.text):
        return False
    last, first = earlier.text[-1], later.text[0]
    if first.islower() or last in ",，、":
        return True
    if has_cjk(last) and has_cjk(first):
        clause = re.split("[，。！？；：、\n]", earlier.text)[-1]
        spoken = len(clause) >= _SHORTEST_CLAUSE or clause != earlier.text
        return spoken and bool(_SENTENCE_END.search(later.text) or "，" in later.text)
    words = earlier.text.split()
    return len(words) > 3 and words[-1] in STOP_WORDS


def _ends(text: str) -> bool:
    """True if a text ends where a sentence does."""
    return any(match.end() == len(text) for match in _ends_of(text))


def _first_end(text: str) -> int:
    """The end of the first sentence of a text."""
    return next((match.end() for match in _ends_of(text)), len(text))


def _ends_of(text: str) -> Iterator[re.Match[str]]:
    for match in _SENTENCE_END.finditer(text):
        if not (match[0] == "." and _ABBREVIATION.search(text, max(0, match.start() - 12), match.end())):
            yield match


def _pair(begin: str, rest: str) -> tuple[str, str]:
    """Two pieces of text as they stand one after the other: without the hyphen between them, or with a blank."""
    hyphen = _HYPHENATED.search(begin, len(begin) - 1)
    if hyphen and rest[0].islower():
        return begin[: hyphen.start()], rest
    if hyphen or (_is_wide(begin[-1]) and _is_wide(rest[0])):  # hyphen: a name like Rhine-Westphalia
        return begin, rest
    return f"{begin} ", rest


def _is_wide(character: str) -> bool:
    return has_cjk(character) or "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uffef"


_ROWS_THAT_TELL = 50  # what a header looks like, they show; a table of a million rows is not held for it
_ROWS_OF_A_SECTION = 1_500  # characters: about what is found as one, so that its place cites few rows
_WIDEST_GAP = 4  # numbers from a row to the next of its section; more empty rows begin another
_COUNTED = re.compile(r"(?:^|, )(?P<unit>line|row)s? (?P<begin>\d+)(?:-\d+)?$")
_LONGEST_HEADER = 60  # characters
_NUMBER = re.compile(
    r"[-+−(]?\s*+(?:[$€£¥￥]|USD|EUR|RMB)?\s*+\d[\d.,'’\s\u00a0/:年月日TZ+-]*(?:%|‰|[$€£¥元]|万|亿|[a-zA-Z]{1,3})?\)?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_MEASURE = re.compile(r"[-+−]?\d[\d.,'’\s]*(\D\S{0,11})")  # a quantity and its unit: 12 m2


def _headers(rows: Sequence[Sequence[str]]) -> int:
    """The number of header rows: none, one or two."""
    for count in (1, 2):
        above = rows[:count]
        below = [row for row in rows[count:] if row not in above]
        if below and _name_columns(above, below):
            return count
    return 0


def _name_columns(above: Sequence[Sequence[str]], below: Sequence[Sequence[str]]) -> bool:
    """True if rows name the columns of those below them: words over numbers, or words that do not come again."""
    names = _names(above)
    columns = [[row[at] for row in below if at < len(row) and row[at]] for at in range(len(names))]
    named = list(filter(None, names))
    if not any(names[1:]) or len(set(named)) < len(named) or max(map(len, named)) > _LONGEST_HEADER:
        return False
    if any(2 * len(column) > len(below) for name, column in zip(names[1:], columns[1:], strict=True) if not name):
        return False  # only the corner above the names of rows, and a column of few remarks, have none
    if any(name in column for name, column in zip(names, columns, strict=True) if name):
        return False
    if any((unit := _unit(name)) and unit in map(_unit, column) for name, column in zip(names, columns, strict=True)):
        return False  # a quantity above others in its own unit
    if all(map(_YEAR.fullmatch, names[1:])):
        return not _is_number(names[0]) and not any(_YEAR.fullmatch(cell) for column in columns[1:] for cell in column)
    if any(map(_is_number, named)):
        return False
    counted = [sum(map(_is_number, column)) for column in columns]
    if any(count and count == len(column) for count, column in zip(counted, columns, strict=True)):
        return True
    if len(above) > 1:
        return False  # two rows of words above words: nothing tells
    is_form = len(names) == 2 and (0 < counted[1] < len(columns[1]) or named[0].endswith((":", "：")) or _unit(names[1]) != "")
    return not is_form  # names of fields beside what they hold


def _is_banner(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """True if a row is a title over the whole table: one value, in rows below that have more."""
    return (
        len(set(filter(None, row))) == 1
        and (row[0] != "" or len(set(row)) == 1)
        and any(len(set(each)) > 2 or all(each) for each in below)
    )


def _names(above: Sequence[Sequence[str]]) -> list[str]:
    """The names of columns; those of two rows are one after the other, ``2025 Plan``."""
    names = []
    for at in range(max(map(len, above), default=0)):
        parts = [row[at] for row in above if at < len(row) and row[at]]
        names.append(" ".join(dict.fromkeys(parts)).rstrip(":： "))
    return names


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell))


def _unit(cell: str) -> str:
    measured = _MEASURE.fullmatch(cell)
    return measured[1].lower() if measured else ""


def _is_label(cell: str) -> bool:
    """True if a cell may name what stands beside it, as in a form."""
    return bool(cell) and len(cell) <= _LONGEST_HEADER and not _is_number(cell) and not _unit(cell) and not _ends(cell)


def _field(row: Sequence[str]) -> str:
    """A row of a form: ``Kitchen: 12 m2``."""
    return f"{row[0].rstrip(':： ')}{'：' if has_cjk(row[0]) else ': '}{row[1]}"
