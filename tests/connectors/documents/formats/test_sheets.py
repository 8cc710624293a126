import io
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.documents.local import LocalParser
from mneme.errors import InputError
from mneme.ports import ParsedDocument

openpyxl = pytest.importorskip("openpyxl", reason="documents are not installed")


def _parsed(workbook: Any) -> ParsedDocument:
    file = io.BytesIO()
    workbook.save(file)
    return LocalParser().parse(file.getvalue(), "prices.xlsx", None)


def _rows(*rows: Any) -> str:
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    return _parsed(workbook).sections[0].text.removeprefix("Sheet\n\n")


def test_sheets_are_places_and_rows_name_their_columns() -> None:
    workbook = openpyxl.Workbook()
    workbook.active.title = "Budget"
    for row in (["Item", "Price"], ["Desk", 120], ["Lamp", 8.5]):
        workbook.active.append(row)
    second = workbook.create_sheet("项目")
    second.append(["名称", "价格"])
    second.append(["书桌", 120])
    found = _parsed(workbook)
    assert [(section.title, section.place, section.text) for section in found.sections] == [
        ("Budget", "sheet Budget, rows 2-3", "Item: Desk; Price: 120\nItem: Lamp; Price: 8.5"),
        ("项目", "sheet 项目, row 2", "名称：书桌；价格：120"),
    ]
    assert (found.title, found.pages) == ("prices", 2)


def test_days_are_iso_and_numbers_are_as_written() -> None:
    row = ["Desk", datetime(2025, 1, 2), datetime(2025, 1, 2, 14, 30), 0.1 + 0.2, 1234567.891, True]
    found = _rows(["Item", "Day", "Moment", "Share", "Sum", "Paid"], row)
    assert found == "Item: Desk; Day: 2025-01-02; Moment: 2025-01-02 14:30:00; Share: 0.3; Sum: 1234567.891; Paid: TRUE"


@pytest.mark.parametrize("word", ["N/A", "None", "null", "nan", "NA", "007"])
def test_words_that_mean_nothing_elsewhere_are_kept(word: str) -> None:
    assert _rows(["Item", "Price"], [word, 1]) == f"Item: {word}; Price: 1"


def test_an_empty_row_divides_tables() -> None:
    found = _rows(["Item", "Price"], ["Desk", 1], [], ["Name", "Age"], ["Bob", 40])
    assert found == "Item: Desk; Price: 1\n\n\nName: Bob; Age: 40"


def test_merged_cells_are_repeated() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet["B2"] = "Plan of the year"
    sheet.merge_cells("B2:D2")
    for cell, value in {
        "B4": "Region",
        "C4": 2025,
        "C5": "Plan",
        "D5": "Actual",
        "B6": "North",
        "C6": 1,
        "D6": 2,
        "C7": 3,
        "D7": 4,
    }.items():
        sheet[cell] = value
    for area in ("B4:B5", "C4:D4", "B6:B7"):
        sheet.merge_cells(area)
    assert _parsed(workbook).sections[0].text == (
        "Plan of the year\n\n\n\nRegion: North; 2025 Plan: 1; 2025 Actual: 2\nRegion: North; 2025 Plan: 3; 2025 Actual: 4"
    )


def test_a_row_is_cited_however_far_down_it_is() -> None:
    workbook = openpyxl.Workbook()
    workbook.active.title = "Stock"
    for row in (["Item", "Price"], *([f"Desk number {number}", number] for number in range(2, 200))):
        workbook.active.append(row)
    workbook.active["A1000"], workbook.active["B1000"] = "Kitchen", "12 m2"
    *sections, last = _parsed(workbook).sections
    assert (last.place, last.text) == ("sheet Stock, row 1000", "Kitchen: 12 m2")
    for section in sections:
        begin, _, end = section.place.removeprefix("sheet Stock, rows ").partition("-")
        assert section.text.startswith(f"Item: Desk number {begin}; Price: {begin}\n")
        assert section.text.endswith(f"Item: Desk number {end}; Price: {end}")


def test_cells_far_apart_are_read_and_cite_their_rows() -> None:
    workbook = openpyxl.Workbook()
    workbook.active["A1"], workbook.active["XFD1048576"] = "First", "Last"
    assert [(section.place, section.text) for section in _parsed(workbook).sections] == [
        ("sheet Sheet, row 1", "First"),
        ("sheet Sheet, row 1048576", "Last"),
    ]


def test_a_formula_is_its_value_as_last_computed_and_nothing_where_it_failed() -> None:
    assert _rows(["Item", "Price", "Share"], ["Desk", 120, "#DIV/0!"]) == "Item: Desk; Price: 120"


def test_what_is_no_workbook_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<nothing/>")
    with pytest.raises(InputError, match="it cannot be read as xlsx"):
        LocalParser().parse(file.getvalue(), "prices.xlsx", None)


def test_the_date_is_that_of_the_properties() -> None:
    workbook = openpyxl.Workbook()
    workbook.active.append(["a"])
    workbook.properties.title, workbook.properties.creator = "Price list", "Alice"
    workbook.properties.created = datetime(2025, 3, 1)
    found = _parsed(workbook)
    assert (found.title, found.metadata["author"]) == ("Price list", "Alice")
    assert found.dated_at is not None
    assert found.dated_at.tzinfo is UTC
