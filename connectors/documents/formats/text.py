"""Plain text, Markdown, and comma or tab separated values."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from operator import itemgetter
from pathlib import PurePath

from connectors.documents.blocks import numbered_rows, row_formatter, row_sections
from connectors.documents.dates import date_in, moment_of
from connectors.documents.encodings import text_of
from connectors.documents.guards import TableLimits, bounded, check_text
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section
from mneme.settings import Documents

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {4}|\t|\s*([-*+>|]|\d+[.)])(\s|$|\|)|\s*(```|~~~|---|===)")  # above a rule, not above a heading
_LONGEST_TITLE = 4  # lines; "---" below more of them is a rule
_LONG = 6_000  # characters of a section; a longer one is cut between paragraphs, so that its place cites few lines
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BAR = re.compile(r"(?<!\\)\|")
_DATE_FIELDS = ("date", "dated", "created", "created_at", "published", "updated")


def parse_markdown(content: bytes, task: Task) -> ParsedDocument:
    """Sections by headings (``# Title``, or a line underlined with ``===`` or ``---``), of plain text too: notes have them.

    The title of a section is the path of headings above it, ``Guide > Installing``, and its place is the first line of its
    text, whose lines are those of the file. Lines in fenced code are no headings; a heading with nothing below it is its own
    text. The rows of a table name their columns. The document's title is that of its front matter, else its first heading,
    else the file's name; its date is that of its front matter, else of a line like ``Date: 2026-03-01`` among the first, taken
    as UTC.
    """
    lines = text_of(content).split("\n")
    fields, begin = _front_matter(lines)
    read = bounded(_with_named_columns(lines[begin:]), task.settings, itemgetter(0))
    drafts = [draft for draft in _sections(read, begin) if draft.text]
    heading = next((draft.path[0] for draft in drafts if draft.path), "")
    title = fields.get("title") or heading or PurePath(task.name).stem
    sections = (draft.section(title) for draft in drafts)
    return ParsedDocument(title, tuple(sections), _date(fields, lines[begin:]), fields)


@dataclass(slots=True)
class _Draft:
    """A section in the making: the headings above it, and its lines, of which the first is the line ``begin`` of the file."""

    path: tuple[str, ...]
    begin: int
    heading_line: int = 0
    lines: list[str] = field(default_factory=list)
    is_leaf: bool = True

    @property
    def text(self) -> str:
        own = "\n".join(self.lines).strip("\n").rstrip()
        return own or (self.path[-1] if self.heading_line and self.is_leaf else "")

    def section(self, document_title: str) -> Section:
        above = next((number for number, line in enumerate(self.lines) if line), None)
        line = self.heading_line if above is None else self.begin + above
        return Section(" > ".join(self.path) or document_title, self.text, f"line {line}")


Marked = tuple[str, bool]  # a line, and whether it is fenced code or a fence


def _marked(lines: Iterable[str]) -> Iterator[Marked]:
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        ends = mark and fence and mark[1].startswith(fence) and not line[mark.end() :].strip()
        if mark and not fence:
            fence = mark[1]
        yield line, bool(fence)
        if ends:
            fence = ""


def _sections(lines: Iterable[Marked], begin: int) -> Iterator[_Draft]:
    """Lines, the first of which follows ``begin``, cut at headings and, where a stretch is long, between paragraphs."""
    draft = _Draft((), begin + 1)
    size = 0
    headings: list[tuple[int, str]] = []
    for number, (line, is_code) in enumerate(lines, start=begin + 1):
        heading = None if is_code else _heading(line, draft.lines)
        if heading is None and size > _LONG and not is_code and not line.strip():
            yield draft
            draft, size = _Draft(draft.path, number + 1), 0
            continue
        if heading is None:
            draft.lines.append(line)
            size += len(line) + 1
            continue
        level, title, lines_above = heading
        if lines_above:
            del draft.lines[-lines_above:]
        draft.is_leaf = not headings or level <= headings[-1][0]
        yield draft
        headings = [(above, name) for above, name in headings if above < level] + [(level, title)]
        draft, size = _Draft(tuple(name for _, name in headings), number + 1, number - lines_above), 0
    yield draft


def _with_named_columns(lines: list[str]) -> Iterator[Marked]:
    """Lines, the rows of tables with the names of their columns in place of the bars; each stays where it is in the file."""
    line_of: Callable[[Sequence[str]], str] | None = None
    for number, (line, is_code) in enumerate(_marked(lines)):
        if is_code or "|" not in line:
            line_of = None
            yield line, is_code
            continue
        rule = lines[number + 1] if number + 1 < len(lines) else ""
        if line_of is None and "|" in rule and _TABLE_RULE.fullmatch(rule):
            header = _cells(line)
            line_of = row_formatter([header] if any(header) else [])
            yield "", False
        elif line_of is not None:
            yield "" if _TABLE_RULE.fullmatch(line) else line_of(_cells(line)), False
        else:
            yield line, False


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(row.strip().removeprefix("|").removesuffix("|"))]


def _heading(line: str, above: list[str]) -> tuple[int, str, int] | None:
    """The level and the title of a heading, and how many of the lines above are part of it."""
    if atx := _ATX.match(line):
        title = line[atx.end() :].strip()
        bare = title.rstrip("#")  # "# Title #" is closed; "# C#" is not
        title = bare.rstrip() if not bare or bare[-1].isspace() else title
        return (len(atx[1]), title, 0) if title else None
    if setext := _SETEXT.match(line):
        paragraph = list(takewhile(str.strip, reversed(above[-_LONGEST_TITLE - 1 :])))[::-1]
        if 0 < len(paragraph) <= _LONGEST_TITLE and not any(_NO_PARAGRAPH.match(earlier) for earlier in paragraph):
            return (1 if setext[1][0] == "=" else 2), " ".join(earlier.strip() for earlier in paragraph), len(paragraph)
    return None


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """The fields between ``---`` lines at the very top, names in lower case, and the index of the first line after."""
    if lines[0].strip() != "---":
        return {}, 0
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() in ("---", "...")), None)
    if end is None:
        return {}, 0
    pairs = (line.partition(":") for line in lines[1:end] if line[:1].isalpha())
    return {name.strip().lower(): value.strip().strip("\"'") for name, colon, value in pairs if colon}, end + 1


def _date(fields: Mapping[str, str], first_lines: list[str]) -> datetime | None:
    written = (moment_of(fields[name]) for name in _DATE_FIELDS if name in fields)
    return next(filter(None, written), None) or date_in(first_lines)


_DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 50  # rows by which the delimiter and the header are found
_LONGEST_CELL = 1_000_000
_MOST_AGREE = 0.8  # of the rows have as many cells as each other


def parse_csv(content: bytes, task: Task) -> ParsedDocument:
    """Sections of a few rows, cited as ``rows 2-40``, counted as a spreadsheet shows them: the header is row 1.

    Raises:
        InputError: its text is longer, or its table larger, than the settings allow; or a quotation never ends.
    """
    text = text_of(content)
    title = PurePath(task.name).stem
    rows = numbered_rows(_rows(text, delimiter_of(text) or ",", task.settings))
    bounded_rows = bounded(rows, task.settings, itemgetter(1))  # a row repeats the names of its columns
    return ParsedDocument(title, tuple(row_sections(bounded_rows, title)))


def delimiter_of(text: str, strict: bool = False) -> str | None:
    """The separator of the cells of a table; None for other text. The first 64 Ki characters decide.

    Args:
        strict: nothing says that it is a table: only what prose never looks like is one, many cells in many equal rows.
    """
    lines = text[:65_536].split("\n")[: _LOOKED_AT if len(text) <= 65_536 else -1]
    head = [line for line in lines if line.strip()]
    best: tuple[float, str] | None = None
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in csv.reader(head, delimiter=delimiter, strict=False) if row]
        except csv.Error:
            continue
        width, agree = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
        if width < 2 or agree < _MOST_AGREE * len(rows):
            continue
        if strict and (len(rows) < 3 or (delimiter != "\t" and (width < 3 or _is_prose(rows)))):
            continue
        score = width * agree / len(rows)
        best = max(best or (0.0, ""), (score, delimiter))
    return best[1] if best else None


def _is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """True if cells begin with a space, as after a comma of a sentence, or are empty at both ends, as of a Markdown table."""
    cells = [cell for row in rows for cell in row[1:]]
    return sum(cell.startswith(" ") for cell in cells) > len(cells) / 2 or all(not row[0] and not row[-1] for row in rows)


def _rows(text: str, delimiter: str, settings: Documents) -> Iterator[tuple[int, list[str]]]:
    """The rows with their numbers from 1."""
    csv.field_size_limit(_LONGEST_CELL)
    limits = TableLimits(settings)
    try:
        for number, row in enumerate(csv.reader(_text_lines(text, settings), delimiter=delimiter), start=1):
            limits.add_row(len(row))
            yield number, row
    except csv.Error as error:
        raise InputError(f"it is no table of comma separated values ({error}); a quotation may lack its end") from error


def _text_lines(text: str, settings: Documents) -> Iterator[str]:
    """Lines, none longer than the text of a whole document: a line is in memory as cells before they are counted."""
    for line in io.StringIO(text, newline=""):
        check_text(len(line), settings)
        yield line
