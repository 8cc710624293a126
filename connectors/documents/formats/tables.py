"""Comma and tab separated values: each row is a line that names its columns."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from connectors.documents.blocks import numbered_rows, row_sections
from connectors.documents.encodings import text_of
from connectors.documents.guards import check_text
from connectors.documents.parsing import Task
from connectors.documents.table_limits import TableLimits
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents

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
    return ParsedDocument(title, tuple(row_sections(bounded_rows(rows, task.settings), title)))


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


def bounded_rows(rows: Iterable[tuple[int, str]], settings: Documents) -> Iterator[tuple[int, str]]:
    """Rows, as long as they have no more text than the settings allow: a row repeats the names of its columns."""
    characters = 0
    for number, line in rows:
        characters += len(line) + 1
        check_text(characters, settings)
        yield number, line
