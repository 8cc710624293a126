import io
from datetime import UTC, datetime
from typing import Any

import pytest
from PIL import Image

from connectors.documents.formats.slides import parse_slides
from connectors.documents.local import LocalParser, Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents

pptx = pytest.importorskip("pptx", reason="documents are not installed")
pytest.importorskip("unstructured", reason="documents are not installed")

_TITLE_AND_TEXT, _TITLE_ONLY, _BLANK = 1, 5, 6  # layouts of the default template


def _slide(presentation: Any, layout: int, title: str = "") -> Any:
    slide = presentation.slides.add_slide(presentation.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def _saved(presentation: Any) -> bytes:
    presentation.core_properties.title = ""
    presentation.core_properties.modified = datetime(2025, 3, 1)
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()


def _parsed(presentation: Any) -> ParsedDocument:
    return LocalParser().parse(_saved(presentation), "a.pptx", None)


def test_slides_are_places_with_their_notes_below_them() -> None:
    presentation = pptx.Presentation()
    _slide(presentation, _TITLE_AND_TEXT, "Plan").placeholders[1].text_frame.text = "We plant trees."
    second = _slide(presentation, _TITLE_ONLY, "Money")
    second.notes_slide.notes_text_frame.text = "Say that it is enough.\nSmile."
    found = _parsed(presentation)
    assert [(section.title, section.place, section.text) for section in found.sections] == [
        ("Plan", "slide 1", "We plant trees."),
        ("Money > Notes", "slide 2", "Say that it is enough.\n\nSmile."),
    ]
    assert (found.title, found.pages, found.dated_at) == ("Plan", 2, datetime(2025, 3, 1, tzinfo=UTC))


def test_a_slide_without_a_title_is_not_under_the_one_before() -> None:
    presentation = pptx.Presentation()
    _slide(presentation, _TITLE_AND_TEXT, "Plan").placeholders[1].text_frame.text = "We plant trees."
    _slide(presentation, _BLANK).shapes.add_textbox(0, 0, 100, 100).text_frame.text = "Nothing else."
    presentation_title = _parsed(presentation).sections[1].title
    assert presentation_title == _parsed(presentation).title


def test_a_title_below_the_text_still_is_the_title() -> None:
    presentation = pptx.Presentation()
    slide = _slide(presentation, _TITLE_ONLY, "Plan")
    slide.shapes.title.top = 5_000_000
    slide.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "We plant trees."
    assert [(section.title, section.text) for section in _parsed(presentation).sections] == [("Plan", "We plant trees.")]


def test_tables_groups_and_charts_are_read() -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    presentation = pptx.Presentation()
    slide = _slide(presentation, _TITLE_ONLY, "Sales")
    table = slide.shapes.add_table(2, 2, 0, 2_000_000, 100, 100).table
    for at, word in enumerate(("Item", "Price", "Desk", "120")):
        table.cell(at // 2, at % 2).text = word
    slide.shapes.add_group_shape().shapes.add_textbox(0, 3_000_000, 100, 100).text_frame.text = "In a group."
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Trees", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 4_000_000, 1000, 1000, data)
    text = _parsed(presentation).sections[0].text
    assert "Item: Desk; Price: 120" in text
    assert "In a group." in text
    assert "Trees, East, West" in text


def test_a_slide_of_nothing_but_a_picture_is_said_not_to_be_read() -> None:
    picture = io.BytesIO()
    Image.new("L", (20, 10)).save(picture, "PNG")
    presentation = pptx.Presentation()
    for layout, title in ((_TITLE_ONLY, "One"), (_BLANK, "")):
        _slide(presentation, layout, title).shapes.add_picture(picture, 0, 2_000_000)
    (reason,) = _parsed(presentation).unread
    assert reason.startswith("slide 2: a picture")


def test_a_file_of_another_program_is_refused() -> None:
    with pytest.raises(InputError, match="no PowerPoint file"):
        parse_slides(
            _saved(pptx.Presentation()).replace(b"ppt/", b"xxx/"),
            Task("a", None, Documents(), lambda *_: ParsedDocument("", ())),
        )
