"""Limits that are checked before a library opens a file, or while it reads one: archives, tables, pages and pixels.

The pool bounds time and memory of any file. These refuse the known kinds of bombs at once, with a reason that helps.
"""

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TypeVar, cast
from xml.parsers import expat

from connectors.documents.kinds import Kind
from mneme.errors import InputError
from mneme.settings import Documents

Item = TypeVar("Item")

_BLOCK = 65_536
_EBCDIC = "<?xm".encode("cp037")
_FOREIGN_ENCODINGS = [
    expat.errors.codes[each] for each in (expat.errors.XML_ERROR_UNKNOWN_ENCODING, expat.errors.XML_ERROR_INCORRECT_ENCODING)
]
_MOST_REPEATED = 10  # times the text of the cells of a table, by merged ones: 40 KB once became 3.2 million characters
_FREELY_REPEATED = 200_000  # characters of a document: two thousand beside a hundred rows
_WIDENING = ("gridSpan", "gridBefore", "gridAfter")  # in Word, the columns that a cell covers, or a row leaves out


class TableLimits:
    """Counts the tables of one document while they are read, so that too large a one is refused before it is in memory."""

    def __init__(self, settings: Documents) -> None:
        self._most_columns, self._most_rows, self._most_cells = settings.most_columns, settings.most_rows, settings.most_cells
        self._rows = 0
        self._cells = 0
        self._most_repeated = _FREELY_REPEATED

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

    def add_text(self, written: int, repeated: int) -> None:
        """Count the text of a row's own cells, and what merged cells repeat in it.

        Raises:
            InputError: with it merged cells repeat far more than what is written.
        """
        self._most_repeated += _MOST_REPEATED * written - repeated
        if self._most_repeated < 0:
            raise InputError("its merged cells repeat their text too often; split it")

    def check_width(self, columns: int) -> None:
        """Refuse a row that has too many columns already, before its end has come.

        Raises:
            InputError: it has.
        """
        _check(columns, self._most_columns, "columns")


def check_xml(file: IO[bytes], row: str, cell: str, limits: TableLimits) -> None:
    """Refuse XML that has a document type, as no Office file has, and count its tables, block by block.

    Args:
        file: the XML.
        row: the name of its elements for rows, without a namespace.
        cell: that of its elements for cells.
        limits: what counts the tables.

    Raises:
        InputError: it declares a document type, or is encoded as only the library that reads it knows; for its tables see
            ``TableLimits.add_row``.
    """
    parser = expat.ParserCreate()
    widths = [0]  # of the rows that are open: a cell may hold a table; the first, of cells in no row

    def refuse(*_: object) -> None:
        raise InputError("it declares XML entities, which may unfold without end; save it without them")

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

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    first = block = file.read(_BLOCK)
    try:
        while block:
            parser.Parse(block, False)
            block = file.read(_BLOCK)
    except expat.ExpatError as error:
        if error.code in _FOREIGN_ENCODINGS or b"\0\0\0" in first[:8] or first.startswith(_EBCDIC):
            raise InputError("its XML is neither UTF-8 nor UTF-16; save it again") from error
        return  # no XML, or faulty: the library that reads it says so


def _check(count: int, most: int, what: str) -> None:
    if count > most:
        raise InputError(f"its tables have more than {most:,} {what}; split it")


MOST_PIXELS = 100_000_000  # 600 dpi of an A3 page; 300 MB in memory

_MOST_UNPACKED = 20  # times the largest file that is allowed
_MOST_RATIO = 200  # of a member; XML of tables packs to a fiftieth, zeros to a thousandth
_RATIO_COUNTS_FROM = 5_000_000  # bytes unpacked; a small member is no danger whatever it packs to
_TABLES = {"docx": ("tr", "tc"), "pptx": ("tr", "tc"), "xlsx": ("row", "c")}  # what rows and cells are called in XML


def guard(kind: Kind, content: bytes, settings: Documents) -> None:
    """Refuse what is made to do harm.

    Raises:
        InputError: it is. The message does not name the file.
    """
    if kind.name in _TABLES:
        _check_archive(kind, content, settings)


def check_text(characters: int, settings: Documents) -> None:
    """Refuse more text than the settings allow.

    Raises:
        InputError: it is more.
    """
    if characters > settings.largest_text:
        raise InputError(
            f"its text has more than {settings.largest_text} characters (MNEME_DOCUMENTS__LARGEST_TEXT); split it, or raise the"
            " setting"
        )


def bounded(items: Iterable[Item], settings: Documents, text_of: Callable[[Item], str] = str) -> Iterator[Item]:
    """Lines or rows, as long as they have no more text together than the settings allow: see ``check_text``."""
    characters = 0
    for item in items:
        characters += len(text_of(item)) + 1
        check_text(characters, settings)
        yield item


def check_pages(pages: int, settings: Documents) -> None:
    """Refuse more pages, sheets or slides than the settings allow.

    Raises:
        InputError: they are more.
    """
    if pages > settings.most_pages:
        raise InputError(
            f"it has {pages} pages, and {settings.most_pages} are the most (MNEME_DOCUMENTS__MOST_PAGES); split it, or raise"
            " the setting"
        )


def check_pixels(width: int, height: int) -> None:
    """Refuse a picture that would fill the memory.

    Raises:
        InputError: it has more than ``MOST_PIXELS``.
    """
    if width * height > MOST_PIXELS:
        raise InputError(f"the picture has {width} x {height} pixels, more than {MOST_PIXELS:,}; make it smaller")


def _check_archive(kind: Kind, content: bytes, settings: Documents) -> None:
    """An Office file: what its directory declares, which no reader goes beyond; and each XML in it."""
    limits = TableLimits(settings)
    most = _MOST_UNPACKED * settings.largest_bytes
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > most:
            raise InputError(f"unpacked it has more than {most:,} bytes: it is a ZIP bomb, or too large; split it")
        for member in members:
            if member.file_size > max(_RATIO_COUNTS_FROM, _MOST_RATIO * member.compress_size):
                raise InputError(f"a member of it unpacks to more than {_MOST_RATIO} times its size: it is a ZIP bomb")
            if member.flag_bits & 1:
                raise InputError("it is encrypted; remove its password and send it again")
            with archive.open(member) as file:
                begin = cast(zipfile.ZipExtFile, file).peek(64).lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")
                if begin.startswith((b"<", _EBCDIC)):
                    check_xml(file, *_TABLES[kind.name], limits)
