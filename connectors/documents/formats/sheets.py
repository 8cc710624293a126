"""Excel files: the tables of each sheet, row by row with their headers."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import reduce
from itertools import accumulate
from pathlib import PurePath
from typing import Any

from connectors.documents.blocks import numbered_rows, row_sections
from connectors.documents.dates import date_in
from connectors.documents.elements import open_workbook
from connectors.documents.guards import TableLimits
from connectors.documents.local import Task
from connectors.documents.office import OldProperties, Package, is_old
from mneme.ports import ParsedDocument, Section

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_LARGEST_MERGED = 10_000  # cells; more is for the looks
_MOST_MERGED = 1_000_000  # cells of all merged ones in a sheet; more overlap each other, as no program writes them
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def parse_sheets(content: bytes, task: Task) -> ParsedDocument:
    """Sections of a few rows of each sheet, placed ``sheet Budget, rows 2-40``. Formulas are their values as last computed.

    Raises:
        InputError: the file is broken, encrypted or no Excel file, or larger than the settings allow.
    """
    package = None if is_old(content) else Package(content)
    merged = _merged(package) if package else {}
    limits = TableLimits(task.settings)
    sections: list[Section] = []
    pages = 0
    with open_workbook(content) as (is_numbered, sheets):
        for name, rows in sheets:
            pages += 1
            place = f"sheet {name}"
            whole = _unmerged(rows, merged[name]) if name in merged and is_numbered else rows
            lines = (line for table in _tables(whole, limits) for line in numbered_rows(table))
            found = list(row_sections(lines, name, place)) or [Section(0, name, name, place)]
            if not is_numbered:
                found = [replace(section, place=place) for section in found]
            sections += [replace(section, position=len(sections) + at) for at, section in enumerate(found)]
    properties = package or OldProperties(content)
    title = properties.title() or PurePath(task.name).stem
    dated_at = properties.dated_at() or date_in(line for each in sections for line in (each.title, *each.text.split("\n")))
    return ParsedDocument(title, tuple(sections), dated_at, properties.metadata(), pages=pages)


def _merged(package: Package) -> dict[str, list[tuple[int, int, int, int]]]:
    """By sheet, the first row and column and the last ones of cells that are merged, from 0; of sheets that have any."""
    name = next(package.related("", "officeDocument"), "xl/workbook.xml")
    root = package.tree(name)
    if root is None:
        return {}
    parts = package.relationships(name)
    merged: dict[str, list[tuple[int, int, int, int]]] = {}
    for sheet in root.iter("{*}sheet"):
        content = package.read(parts.get(sheet.get(_RELATION, ""), "")) or b""
        areas = [
            (int(top) - 1, _column(left), int(bottom) - 1, _column(right))
            for left, top, right, bottom in _MERGED.findall(content)
        ]
        areas = [area for area in areas if (area[2] - area[0] + 1) * (area[3] - area[1] + 1) <= _LARGEST_MERGED]
        covered = accumulate((area[2] - area[0] + 1) * (area[3] - area[1] + 1) for area in areas)
        areas = [area for area, cells in zip(areas, covered, strict=True) if cells <= _MOST_MERGED]
        if areas:
            merged[sheet.get("name", "")] = areas
    return merged


def _column(letters: bytes) -> int:
    """The position of a column from 0, by its letters: ``AA`` is 26."""
    return reduce(lambda number, letter: number * 26 + letter - 64, letters, 0) - 1


def _unmerged(rows: Iterator[Sequence[Any]], areas: Sequence[tuple[int, int, int, int]]) -> Iterator[list[Any]]:
    """Rows with the value of a merged cell in each position that it covers."""
    beginning = defaultdict(list)
    for area in areas:
        beginning[area[0]].append(area)
    open_areas: list[tuple[tuple[int, int, int, int], Any]] = []
    for number, row in enumerate(rows):
        cells = list(row)
        open_areas = [each for each in open_areas if each[0][2] >= number]
        open_areas += [(area, cells[area[1]]) for area in beginning.get(number, ()) if area[1] < len(cells)]
        for (_, left, _, right), value in open_areas:
            for at in range(left, min(right + 1, len(cells))):
                cells[at] = value
        yield cells


def _tables(rows: Iterator[Sequence[Any]], limits: TableLimits) -> Iterator[list[tuple[int, list[str]]]]:
    """The tables of a sheet with the numbers of their rows: what an empty row divides, without columns empty in all of it."""
    table: list[tuple[int, list[str]]] = []
    for number, row in enumerate(rows, start=1):
        cells = [_text(cell) for cell in row]
        if any(cells):
            limits.add_row(sum(map(bool, cells)))
            table.append((number, cells))
        elif table:
            yield _narrowed(table)
            table = []
    if table:
        yield _narrowed(table)


def _narrowed(table: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    columns = sorted({at for _, row in table for at, cell in enumerate(row) if cell})
    return [(number, [row[at] if at < len(row) else "" for at in columns]) for number, row in table]


def _text(cell: Any) -> str:
    """A cell as a person writes it: 120 and not 120.0, a day without midnight."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, datetime):
        return "" if cell != cell else (cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "seconds"))
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell)
    if isinstance(cell, float):
        if math.isnan(cell):
            return ""
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else format(cell, ".15g")
    return str(cell)
