import io
from datetime import UTC, datetime
from typing import Any

import pytest
from PIL import Image

from connectors.documents.local import LocalParser
from connectors.documents.office import Package
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from tests.samples.office import with_parts

docx = pytest.importorskip("docx", reason="documents are not installed")
pytest.importorskip("unstructured", reason="documents are not installed")

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def _saved(document: Any) -> bytes:
    document.core_properties.modified = datetime(2025, 3, 1)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _parsed(document: Any) -> ParsedDocument:
    return LocalParser().parse(_saved(document), "a.docx", None)


def _inserted(paragraph: Any, xml: str) -> None:
    from docx.oxml import parse_xml

    paragraph._p.append(parse_xml(f"<w:p {_W}>{xml}</w:p>")[0])


def test_headings_lie_below_the_title() -> None:
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_heading("Money", 1)
    document.add_paragraph("We have some.")
    document.add_heading("Of members", 2)
    document.add_paragraph("One", style="List Bullet")
    found = _parsed(document)
    assert found.title == "Report"
    assert found.dated_at == datetime(2025, 3, 1, tzinfo=UTC)
    assert [(section.title, section.text) for section in found.sections] == [
        ("Report > Money", "We have some."),
        ("Report > Money > Of members", "- One"),
    ]


def test_pages_are_places_and_a_sentence_over_a_page_is_whole() -> None:
    document = docx.Document()
    run = document.add_paragraph("It goes on ").add_run()
    run.add_break(docx.enum.text.WD_BREAK.PAGE)
    run.add_text("over the page. The end.")
    found = _parsed(document)
    assert [(section.place, section.text) for section in found.sections] == [
        ("page 1", "It goes on over the page."),
        ("page 2", "The end."),
    ]
    assert found.pages == 2


def test_merged_headers_of_a_table_name_each_column() -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "Region"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "2025"
    for column, words in enumerate((("", "North"), ("Plan", "1"), ("Actual", "2"))):
        for row, word in enumerate(words, start=1):
            if word:
                table.cell(row, column).text = word
    assert _parsed(document).sections[0].text == "Region: North; 2025 Plan: 1; 2025 Actual: 2"


@pytest.mark.parametrize(
    "xml",
    [
        "<w:ins w:id='1' w:author='a'><w:r><w:t>Found</w:t></w:r></w:ins>",
        "<w:sdt><w:sdtContent><w:r><w:t>Found</w:t></w:r></w:sdtContent></w:sdt>",
        "<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>Found</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>",
    ],
)
def test_text_in_insertions_controls_and_boxes_is_read(xml: str) -> None:
    document = docx.Document()
    _inserted(document.add_paragraph("Before "), xml)
    assert _parsed(document).sections[0].text.split() == ["Before", "Found"]


def test_deleted_text_is_not_read() -> None:
    document = docx.Document()
    _inserted(document.add_paragraph("Kept"), "<w:del w:id='1' w:author='a'><w:r><w:delText>gone</w:delText></w:r></w:del>")
    assert _parsed(document).sections[0].text == "Kept"


def test_headers_and_footers_are_read_once() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Letterhead"
    document.add_paragraph("Text.")
    document.add_section()
    document.sections[1].header.is_linked_to_previous = False
    document.sections[1].header.paragraphs[0].text = "Letterhead"
    assert " ".join(section.text for section in _parsed(document).sections).count("Letterhead") == 1


def test_of_a_file_with_nothing_but_a_picture_it_is_said_that_it_is_not_read() -> None:
    picture = io.BytesIO()
    Image.new("L", (20, 10)).save(picture, "PNG")
    document = docx.Document()
    document.add_picture(picture)
    (reason,) = _parsed(document).unread
    assert "save it as PDF" in reason
    document.add_paragraph("A text beside it.")
    assert _parsed(document).unread == ()


def test_a_file_with_macros_is_read_and_its_macros_are_not() -> None:
    document = docx.Document()
    document.add_paragraph("Text.")
    content, kinds = _saved(document), "[Content_Types].xml"
    plain = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    macros = (Package(content).read(kinds) or b"").replace(plain, b"application/vnd.ms-word.document.macroEnabled.main+xml")
    found = LocalParser().parse(with_parts(content, {kinds: macros, "word/vbaProject.bin": b"Sub AutoOpen()"}), "a.docm", None)
    assert [section.text for section in found.sections] == ["Text."]


@pytest.mark.parametrize("cut", [10, 5_000, -500])
def test_a_broken_file_is_refused(cut: int) -> None:
    content = _saved(docx.Document())[:cut]
    with pytest.raises(InputError, match="cut off"):
        LocalParser().parse(content, "a.docx", None)
