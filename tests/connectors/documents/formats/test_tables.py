"""Tables of separated values: rows that name their columns, cited by their numbers."""

from itertools import pairwise

import pytest

from connectors.documents.formats.text import delimiter_of
from connectors.documents.local import LocalParser
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents


def parse(text: str, name: str = "prices.csv", **settings: int) -> ParsedDocument:
    return LocalParser(Documents.model_validate(settings)).parse(text.encode(), name, None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_name_their_columns_whatever_separates_them(delimiter: str):
    text = "\n".join(delimiter.join(row) for row in (("Item", "Price", "Room"), ("Desk", "120", "B1"), ("Lamp", "35", "B2")))
    document = parse(text)
    assert [(section.text, section.place) for section in document.sections] == [
        ("Item: Desk; Price: 120; Room: B1\nItem: Lamp; Price: 35; Room: B2", "rows 2-3")
    ]
    assert document.format == ("tsv" if delimiter == "\t" else "csv")
    assert document.title == "prices"


def test_quoted_cells_hold_separators_and_line_ends():
    document = parse('Name,Remark\n"Grant, Amelia","leads\nAurora"\nBo,none\n')
    assert document.sections[0].text == "Name: Grant, Amelia; Remark: leads Aurora\nName: Bo; Remark: none"


def test_long_tables_are_cut_into_sections_that_cite_their_rows():
    text = "Item,Price\n" + "".join(f"Desk number {number},{number}\n" for number in range(2, 402))
    sections = parse(text).sections
    assert len(sections) > 5
    assert sections[0].place.startswith("rows 2-")
    numbers = [tuple(map(int, section.place.removeprefix("rows ").split("-"))) for section in sections]
    assert all(later[0] == earlier[1] + 1 for earlier, later in pairwise(numbers))
    assert numbers[-1][1] == 401
    for (begin, _), section in zip(numbers, sections, strict=True):
        assert section.text.startswith(f"Item: Desk number {begin}; Price: {begin}\n")


def test_a_title_above_the_header_is_a_line_of_its_own_and_empty_rows_count():
    document = parse("Prices of March,,\n\nItem,Price,Room\nDesk,120,B1\nLamp,35,B2\n")
    assert document.sections[0].text.split("\n") == [
        "Prices of March",
        "",
        "",
        "Item: Desk; Price: 120; Room: B1",
        "Item: Lamp; Price: 35; Room: B2",
    ]
    assert document.sections[0].place == "rows 1-5"


def test_many_empty_rows_divide_sections():
    document = parse("Item,Price,Room\nDesk,120,B1\n" + ",,\n" * 9 + "Lamp,35,B2\nRug,7,B3\n")
    assert [section.place for section in document.sections] == ["row 2", "rows 12-13"]


def test_a_table_without_a_header_keeps_its_cells():
    assert parse("1,2,3\n4,5,6\n7,8,9\n").sections[0].text == "1 | 2 | 3\n4 | 5 | 6\n7 | 8 | 9"


def test_a_table_of_one_column_is_text():
    document = parse("apples\npears\n")
    assert document.format == "txt"
    assert "pears" in document.sections[0].text


def test_more_text_than_allowed_is_refused():
    with pytest.raises(
        InputError, match=r"prices\.csv: its text has more than 1000 characters \(MNEME_DOCUMENTS__LARGEST_TEXT\)"
    ):
        parse("Item,Price\n" + "Desk,1\n" * 500, largest_text=1000)


def test_a_quotation_without_an_end_is_refused():
    with pytest.raises(InputError, match="a quotation may lack its end"):
        parse("Item,Price\nDesk,1\nLamp,2\n" * 100 + '"' + "x,y\n" * 400_000)


@pytest.mark.parametrize(
    "prose",
    [
        "We met on Monday, talked, and left.\nAnn came, Bob came, and Cy too.\nIt was late, cold, and dark.\n",
        "Dear Ann,\nthank you,\nBob\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        "",
        "\n\n",
    ],
)
def test_prose_is_no_table(prose: str):
    assert delimiter_of(prose, strict=True) is None
