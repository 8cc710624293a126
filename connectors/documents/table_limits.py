"""The limits on tables: a table costs what its cells do, however little is written in them."""

from typing import IO
from xml.parsers import expat

from mneme.errors import InputError
from mneme.settings import Documents

_BLOCK = 65_536
_WIDENING = ("gridSpan", "gridBefore", "gridAfter")  # in Word, the columns that a cell covers, or a row leaves out


class TableLimits:
    """Counts the tables of one document while they are read, so that too large a one is refused before it is in memory."""

    def __init__(self, settings: Documents) -> None:
        self._most_columns, self._most_rows, self._most_cells = settings.most_columns, settings.most_rows, settings.most_cells
        self._rows = 0
        self._cells = 0

    def add_row(self, columns: int) -> None:
        """Count one row of so many columns.

        Raises:
            InputError: with it there are more columns, rows or cells than the settings allow.
        """
        self._rows += 1
        self._cells += columns
        self.check_width(columns)
        _check(self._rows, self._most_rows, "rows")
        _check(self._cells, self._most_cells, "cells")

    def check_width(self, columns: int) -> None:
        """Refuse a row that has too many columns already, before its end has come.

        Raises:
            InputError: it has.
        """
        _check(columns, self._most_columns, "columns")


def check_xml_tables(file: IO[bytes], row: str, cell: str, limits: TableLimits) -> None:
    """Count the tables of XML, block by block, by what its elements for rows and cells are called (without a namespace).

    Raises:
        InputError: see ``TableLimits.add_row``.
    """
    parser = expat.ParserCreate()
    widths = [0]  # of the rows that are open: a cell may hold a table; the first, of cells in no row

    def begin(name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == row:
            widths.append(0)
        elif local == cell:
            widths[-1] += 1
            limits.check_width(widths[-1])
        elif local in _WIDENING:
            said = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "val"), "")
            widths[-1] += max(0, int(said) - (local == "gridSpan")) if said.isdecimal() and len(said) < 9 else 0
            limits.check_width(widths[-1])

    def end(name: str) -> None:
        if name.rpartition(":")[2] == row and len(widths) > 1:
            limits.add_row(widths.pop())

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    try:
        while block := file.read(_BLOCK):
            parser.Parse(block, False)
    except expat.ExpatError:
        return  # no XML, or faulty: the library that reads it says so


def _check(count: int, most: int, what: str) -> None:
    if count > most:
        raise InputError(f"its tables have more than {most:,} {what}; split it")
