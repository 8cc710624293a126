"""Tables that cost by their cells and not by their text: each format refuses them, and says which limit and which setting.

Seen at a8ebb89: a CSV of 200,000 columns and 4,500 short rows took 9 minutes and 1.1 GB.
"""

import io
import random
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

import pytest
from pptx import Presentation

from connectors.documents.formats import sheets
from connectors.documents.local import LocalParser
from mneme.errors import InputError
from mneme.settings import Documents
from tests.samples import samples
from tests.samples.office import OfficeMissing, docx_of, with_parts, xlsx_of
from tests.samples.short import NOTICE

Tried = Callable[[Sequence[object]], Sequence[object]]

SMALL = Documents().model_copy(update={"most_columns": 30, "most_rows": 40, "most_cells": 600})
FITS, WIDE, TALL, LARGE = (30, 20), (31, 2), (2, 41), (25, 25)  # columns and rows
LIMITS = {WIDE: "30 columns", TALL: "40 rows", LARGE: "600 cells"}


def rows_of(columns: int, rows: int) -> list[list[str]]:
    return [[f"{'' if row else 'name '}{row}x{column}" for column in range(columns)] for row in range(rows)]


def csv(columns: int, rows: int, separator: str = ",") -> bytes:
    return "\n".join(separator.join(row) for row in rows_of(columns, rows)).encode()


def html(columns: int, rows: int) -> bytes:
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows_of(columns, rows))
    return f"<html><body><p>Prices</p><table>{lines}</table></body></html>".encode()


def merged(columns: int, rows: int) -> bytes:
    """The same by two cells, each of which claims half of it."""
    half = columns // 2
    cells = f"<td colspan={half} rowspan={rows}>a</td><td colspan={columns - half} rowspan={rows}>b</td>"
    return f"<html><body><table><tr>{cells}</tr>{'<tr></tr>' * (rows - 1)}</table></body></html>".encode()


def mail(columns: int, rows: int) -> bytes:
    head = b"From: a@example.org\nTo: b@example.org\nSubject: Prices\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
    return head + html(columns, rows)


def xlsx(columns: int, rows: int) -> bytes:
    return xlsx_of({"Prices": rows_of(columns, rows)}, "Prices", "Ann", datetime(2026, 1, 1, tzinfo=UTC))


def docx(columns: int, rows: int) -> bytes:
    lines = "".join("<w:tr>" + "<w:tc><w:p/></w:tc>" * columns + "</w:tr>" for _ in range(rows))
    return with_body(f"<w:tbl>{lines}</w:tbl>")


def spanned(columns: int, rows: int) -> bytes:
    """Word's table of one cell a row, which claims all columns."""
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{columns}"/></w:tcPr><w:p/></w:tc>'
    return with_body(f"<w:tbl>{f'<w:tr>{cell}</w:tr>' * rows}</w:tbl>")


def utf16(columns: int, rows: int) -> bytes:
    return with_body(f"<w:tbl>{('<w:tr>' + '<w:tc><w:p/></w:tc>' * columns + '</w:tr>') * rows}</w:tbl>", "utf-16")


def foreign(encoding: str) -> bytes:
    name = "cp037" if encoding == "cp037" else encoding.upper()
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    text = f'<?xml version="1.0" encoding="{name}"?><w:document {space}><w:body><w:p/></w:body></w:document>'
    return with_parts(docx_of(NOTICE), {"word/document.xml": text.encode(encoding)})


def pptx(columns: int, rows: int) -> bytes:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    slide.shapes.add_table(rows, columns, 0, 0, 9_000_000, 5_000_000)
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def with_body(body: str, encoding: str = "utf-8") -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    text = f"<w:document {space}><w:body>{body}</w:body></w:document>"
    return with_parts(docx_of(NOTICE), {"word/document.xml": text.encode(encoding)})


MAKERS: dict[str, Callable[[int, int], bytes]] = {
    "table.csv": csv,
    "table.tsv": lambda columns, rows: csv(columns, rows, "\t"),
    "table.html": html,
    "merged.html": merged,
    "table.eml": mail,
    "table.xlsx": xlsx,
    "table.docx": docx,
    "spanned.docx": spanned,
    "utf16.docx": utf16,
    "table.pptx": pptx,
}


def refusal(content: bytes, name: str, settings: Documents = SMALL) -> str:
    with pytest.raises(InputError) as refused:
        LocalParser(settings).parse(content, name, None)
    return str(refused.value)


@pytest.mark.parametrize("name", MAKERS)
def test_a_table_over_a_limit_is_refused_by_the_name_of_the_limit(name: str, tried: Tried) -> None:
    for size, limit in tried(list(LIMITS.items())):  # type: ignore[misc]
        assert refusal(MAKERS[name](*size), name).endswith(f"its tables have more than {limit}; split it")


@pytest.mark.parametrize("name", MAKERS)
def test_a_table_of_all_that_is_allowed_is_read(name: str) -> None:
    assert LocalParser(SMALL).parse(MAKERS[name](*FITS), name, None).unread == ()


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be", "cp037"])
def test_office_xml_that_cannot_be_counted_is_refused(encoding: str) -> None:
    """UTF-32 hid tables and entities from the guard, and the library that reads the file knows it."""
    assert refusal(foreign(encoding), "foreign.docx").endswith("its XML is neither UTF-8 nor UTF-16; save it again")


def test_an_old_excel_file_is_counted_too() -> None:
    try:
        sample = samples("xls")[0]
    except OfficeMissing as error:
        pytest.skip(str(error))
    for name in ("columns", "rows", "cells"):
        assert f"more than 1 {name}; split it" in refusal(
            sample.content, sample.name, Documents().model_copy(update={f"most_{name}": 1})
        )


def test_tables_of_one_document_are_counted_together() -> None:
    assert "more than 39 rows" in refusal(
        html(*FITS).replace(b"</table>", b"</table>" + html(*FITS)),
        "two.html",
        Documents().model_copy(update={"most_rows": 39}),
    )
    book = {f"Sheet {number}": rows_of(*FITS) for number in range(3)}
    content = xlsx_of(book, "Prices", "Ann", datetime(2026, 1, 1, tzinfo=UTC))
    assert "more than 1,799 cells" in refusal(content, "three.xlsx", Documents().model_copy(update={"most_cells": 1_799}))
    assert LocalParser(Documents().model_copy(update={"most_cells": 1_800})).parse(content, "three.xlsx", None).pages == 3


# --- the attack, at the limits that are shipped ------------------------------------------------------------------------


def packed(begin: str, piece: str, count: int, end: str) -> bytes:
    """A sheet of a piece over and over, with something before it that does not pack: it must not look like a bomb."""
    noise = random.Random(20).randbytes(count * len(piece) // 200).hex()
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = f"<worksheet {space}><!--{noise}--><sheetData>{begin}{piece * count}{end}</sheetData></worksheet>"
    return with_parts(xlsx(2, 2), {"xl/worksheets/sheet1.xml": sheet.encode()})


def attacks(factor: int) -> Iterable[tuple[str, bytes, str]]:
    header = ",".join(f"c{number}" for number in range(20_000 * factor)).encode()
    yield "wide.csv", header + b"\n" + b"1,2\n" * 450 * factor, "COLUMNS"
    yield "commas.csv", b"," * 500_000 * factor, "COLUMNS"
    yield "long.csv", b"a,b\n" + b"1,2\n" * 20_000 * max(10, factor), "ROWS"
    yield "empty.csv", b",".join([b"name"] * 1_000) + (b"\n" + b"," * 999) * 1_000, "CELLS"
    yield "row.xlsx", packed("<row>", "<c/>", 300_000 * factor, "</row>"), "COLUMNS"
    yield "rows.xlsx", packed("", "<row/>", 300_000 * factor, ""), "ROWS"
    yield "cells.xlsx", packed("", f"<row>{'<c/>' * 1_000}</row>", 1_001 * factor, ""), "CELLS"
    yield "span.docx", spanned(99_999_999, 1), "COLUMNS"
    yield "span.html", b"<table>" + b"<tr><td colspan=1000 rowspan=1000>a<td>b" * 200 * factor, "COLUMNS"


def test_tables_of_an_attack_are_refused_before_they_are_in_memory(
    tried: Tried, is_long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: object) -> None:
        raise AssertionError("a library opened the file before it was counted")

    monkeypatch.setattr(sheets, "_sheets", opened)
    for name, content, setting in tried(list(attacks(10 if is_long else 1))):  # type: ignore[misc]
        assert f" {setting.lower()}; split it" in refusal(content, name, Documents())


def hanging(cells: int) -> bytes:
    """A row of cells, each of which covers as many rows below it."""
    return b"<table><tr>" + b"<td rowspan=60000>a" * cells + b"<tr><td>x" * cells + b"</table>"


def test_merged_cells_do_not_repeat_their_text_without_end() -> None:
    """Seen at 511b1f8d: 38 KB became 3.2 million characters."""
    assert "its merged cells repeat their text too often" in refusal(hanging(900), "hanging.html", Documents())
    long = f"<table><tr><td rowspan=1000>{'a' * 100_000}<td>b{'<tr><td>c' * 999}</table>".encode()
    assert "its merged cells repeat their text too often" in refusal(long, "long.html", Documents())
    note = "a note beside its rows " * 80
    page = f"<table><tr><td rowspan=100>{note}<td>1{''.join(f'<tr><td>{row}' for row in range(2, 101))}</table>"
    assert LocalParser().parse(page.encode(), "page.html", None).sections


def test_merged_cells_that_cover_each_other_are_left_after_a_million() -> None:
    merged_cells = b'<mergeCell ref="A1:A5000"/>' * 50_000
    assert len(sheets._merged(b"<mergeCells>%b</mergeCells>" % merged_cells)) == 1_000_000 // 5_000


def test_a_short_row_below_a_wide_header_costs_what_it_holds() -> None:
    def seconds(columns: int) -> float:
        content = ",".join(f"c{number}" for number in range(columns)).encode() + b"\n" + b"1,2\n" * 10_000
        begun = time.process_time()
        LocalParser(Documents()).parse(content, "wide.csv", None)
        return time.process_time() - begun

    ratio = min(seconds(1_000) / seconds(10) for _ in range(5))
    assert ratio < 3  # the names of all columns were put together for each row
