"""Excel files: the tables of each sheet, row by row with their headers."""

import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import reduce
from itertools import accumulate, groupby
from pathlib import PurePath
from typing import Any

from connectors.documents.blocks import numbered_rows, row_sections
from connectors.documents.dates import date_in
from connectors.documents.guards import TableLimits
from connectors.documents.local import Task
from connectors.documents.office import Package, is_old, old_properties
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_LARGEST_MERGED = 10_000  # cells; more is for the looks
_MOST_MERGED = 1_000_000  # cells of all merged ones in a sheet; more overlap each other, as no program writes them
Area = tuple[int, int, int, int]  # of merged cells: the first row, from 1, and column, from 0; the last ones
Rows = dict[int, dict[int, str]]  # the cells that hold something, by their row, from 1, and their column, from 0

Sheet = tuple[str, Iterator[Sequence[Any]], Sequence[Area]]  # its name, its rows without empty cells at their end, merged cells


def parse_sheets(content: bytes, task: Task) -> ParsedDocument:
    """Sections of a few rows of each sheet, placed ``sheet Budget, rows 2-40``. Formulas are their values as last computed.

    Raises:
        InputError: the file is broken, encrypted or no Excel file, or larger than the settings allow.
    """
    package = None if is_old(content) else Package(content)
    limits = TableLimits(task.settings)
    sections: list[Section] = []
    pages = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what openpyxl leaves out, such as the colours that depend on a value
        for name, values, merged in _old_sheets(content) if package is None else _sheets(content, package):
            pages += 1
            rows = _rows(values, limits)
            _repeat_merged(rows, merged)
            lines = (line for table in _tables(rows) for line in numbered_rows(table))
            sections += list(row_sections(lines, name, f"sheet {name}")) or [Section(name, name, f"sheet {name}")]
    properties = package.properties() if package else old_properties(content)
    title = properties.title or PurePath(task.name).stem
    dated_at = properties.dated_at or date_in(line for each in sections for line in (each.title, *each.text.split("\n")))
    return ParsedDocument(title, tuple(sections), dated_at, properties.metadata, pages=pages)


def _sheets(content: bytes, package: Package) -> Iterator[Sheet]:
    """The sheets of a file."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # some programs write wrong ones
        yield sheet.title, sheet.iter_rows(values_only=True), _merged(package.read(sheet._worksheet_path) or b"")


def _old_sheets(content: bytes) -> Iterator[Sheet]:
    """The same of a file of the format before 2007."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=content, logfile=io.StringIO(), on_demand=True, ragged_rows=True)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise InputError("it is encrypted; save it without a password") from error
        raise
    for number, name in enumerate(book.sheet_names()):
        sheet = book.sheet_by_index(number)
        yield name, ([_old_value(cell, book.datemode) for cell in sheet.row(at)] for at in range(sheet.nrows)), ()
        book.unload_sheet(number)


def _old_value(cell: Any, datemode: int) -> Any:
    """The value of a cell in Python's types; what counts from the first day is a time."""
    import xlrd

    match cell.ctype:
        case xlrd.XL_CELL_DATE:
            moment = xlrd.xldate.xldate_as_datetime(cell.value, datemode)
            return moment.time() if cell.value < 1 else moment
        case xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        case xlrd.XL_CELL_ERROR:
            return None
        case _:
            return cell.value


def _merged(sheet: bytes) -> Sequence[Area]:
    """The merged cells of a sheet, which openpyxl does not tell of one that is read row by row."""
    areas = [(int(top), _column(left), int(bottom), _column(right)) for left, top, right, bottom in _MERGED.findall(sheet)]
    areas = [area for area in areas if _size(area) <= _LARGEST_MERGED]
    return [area for area, cells in zip(areas, accumulate(map(_size, areas)), strict=True) if cells <= _MOST_MERGED]


def _size(area: Area) -> int:
    top, left, bottom, right = area
    return (bottom - top + 1) * (right - left + 1)


def _column(letters: bytes) -> int:
    """The position of a column from 0, by its letters: ``AA`` is 26."""
    return reduce(lambda number, letter: number * 26 + letter - 64, letters, 0) - 1


def _rows(values: Iterator[Sequence[Any]], limits: TableLimits) -> Rows:
    rows: Rows = {}
    for number, row in enumerate(values, start=1):
        if cells := {at: text for at, cell in enumerate(row) if (text := _text(cell))}:
            limits.add_row(len(cells))
            rows[number] = cells
    return rows


def _repeat_merged(rows: Rows, areas: Sequence[Area]) -> None:
    """Put the value of a merged cell at each position that it covers, as far as the sheet reaches."""
    last_row, last_column = max(rows, default=0), max(map(max, rows.values()), default=0)
    for top, left, bottom, right in areas:
        if value := rows.get(top, {}).get(left):
            for number in range(top, min(bottom, last_row) + 1):
                rows.setdefault(number, {}).update(dict.fromkeys(range(left, min(right, last_column) + 1), value))


def _tables(rows: Rows) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """The tables of a sheet with the numbers of their rows: what an empty row divides, without columns empty in all of it."""
    for _, run in groupby(enumerate(sorted(rows)), lambda each: each[1] - each[0]):
        numbers = [number for _, number in run]
        columns = sorted({at for number in numbers for at in rows[number]})
        yield _table(rows, numbers, columns)


def _table(rows: Rows, numbers: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    return ((number, [rows[number].get(at, "") for at in columns]) for number in numbers)


def _text(cell: Any) -> str:
    """A cell as a person writes it: 120 and not 120.0, a day without midnight; nothing where a formula failed."""
    match cell:
        case None:
            return ""
        case str():
            return "" if cell in _ERRORS else cell
        case bool():
            return str(cell).upper()
        case datetime():
            return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "seconds")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
        case float() if math.isnan(cell):
            return ""
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else format(cell, ".15g")
        case _:
            return str(cell)


_ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"))
