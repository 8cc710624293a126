"""Comma and tab separated values: each row is a line that names its columns."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath

from connectors.documents.blocks import below, rows_of
from connectors.documents.encodings import text_of
from connectors.documents.guards import check_text
from connectors.documents.parsing import Task
from connectors.documents.table_limits import TableLimits
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section
from mneme.settings import Documents

_DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 50  # rows by which the delimiter and the header are found
_SECTION = 1_500  # characters of one section: about what is found as one, so that its place cites few rows
_LONGEST_CELL = 1_000_000
_MOST_AGREE = 0.8  # of the rows have as many cells as each other


def parse_csv(content: bytes, task: Task) -> ParsedDocument:
    """Sections of a few rows, cited as ``rows 2-40``, counted as a spreadsheet shows them: the header is row 1.

    Raises:
        InputError: its text is longer, or its table larger, than the settings allow; or a quotation never ends.
    """
    text = text_of(content)
    title = PurePath(task.name).stem
    sections = tuple(_sections(_rows(text, delimiter_of(text) or ",", task.settings), title, task))
    return ParsedDocument(title, sections)


def parse_tsv(content: bytes, task: Task) -> ParsedDocument:
    """As ``parse_csv``."""
    return parse_csv(content, task)


def delimiter_of(text: str, strict: bool = False) -> str | None:
    """What separates the cells of a table; None where a text is none. The first 64 Ki characters decide.

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
    """Whether cells begin with a space, as after a comma of a sentence, or are empty at both ends, as of a Markdown table."""
    cells = [cell for row in rows for cell in row[1:]]
    return sum(cell.startswith(" ") for cell in cells) > len(cells) / 2 or all(not row[0] and not row[-1] for row in rows)


def _rows(text: str, delimiter: str, settings: Documents) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with their numbers from 1."""
    csv.field_size_limit(_LONGEST_CELL)
    limits = TableLimits(settings)
    try:
        for number, row in enumerate(csv.reader(_text_lines(text, settings), delimiter=delimiter), start=1):
            limits.add_row(len(row))
            cells = [" ".join(cell.split()) for cell in row]
            if any(cells):
                yield number, cells
    except csv.Error as error:
        raise InputError(f"it is no table of comma separated values ({error}); a quotation may lack its end") from error


def _text_lines(text: str, settings: Documents) -> Iterator[str]:
    """Lines, none longer than the text of a whole document: a line is in memory as cells before they are counted."""
    for line in io.StringIO(text, newline=""):
        check_text(len(line), settings)
        yield line


def _sections(rows: Iterator[tuple[int, list[str]]], title: str, task: Task) -> Iterator[Section]:
    """Sections, as the rows come: a large file never is whole in memory as cells."""
    position = characters = size = begin = end = 0
    lines: list[str] = []
    for number, line in _lines(rows):
        characters += len(line) + 1
        check_text(characters, task.settings)
        if lines and size + len(line) > _SECTION:
            yield Section(position, title, "\n".join(lines), _place(begin, end))
            position, size, lines = position + 1, 0, []
        begin = begin if lines else number
        end = number
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield Section(position, title, "\n".join(lines), _place(begin, end))


def _lines(rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, str]]:
    """Rows as lines that name their columns. What stands above the header in a single cell is a line of its own."""
    first = list(islice(rows, _LOOKED_AT))
    while len(first) > 1 and len(set(filter(None, first[0][1]))) == 1 < len(set(filter(None, first[1][1]))):
        number, cells = first.pop(0)
        yield number, next(filter(None, cells))
    tell = [cells for number, (_, cells) in enumerate(first) if not number or cells != first[0][1]]
    headers = len(tell) - sum(1 for _ in rows_of(tell))
    header = tell[:headers] if headers < len(tell) else []
    line_of = below(header)
    for number, cells in chain(first[len(header) :], rows):
        if line := line_of(cells):
            yield number, line


def _place(begin: int, end: int) -> str:
    return f"row {begin}" if begin == end else f"rows {begin}-{end}"
