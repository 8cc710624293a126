"""The samples themselves: made the same each time, and measured right."""

from pathlib import Path

import pytest

from connectors.documents.kinds import KINDS
from connectors.documents.local import LocalParser
from mneme.ports import ParsedDocument, Section
from tests.samples import FORMATS, Sample, fonts, samples
from tests.samples.known_text import cited, recall, text_of, tokens
from tests.samples.scans import PICTURES
from tests.samples.table import OCR_BAR, TEXT_BAR, measure, row_of


@pytest.mark.parametrize("format", ["docx", "xlsx", "pptx", "jpg", "svg", "html", "txt", "csv", "vtt", "eml"])
def test_the_same_sample_is_the_same_bytes(format: str) -> None:
    again = samples.__wrapped__(format)
    assert [(each.name, each.content) for each in again] == [(each.name, each.content) for each in samples(format)]


def test_every_format_that_is_no_recording_has_samples_in_both_languages() -> None:
    assert set(FORMATS) == {kind.name for kind in KINDS.values() if kind.family != "sound"}
    for format in ("pdf", "docx", "png", "html", "eml", "csv"):
        assert {sample.language for sample in samples(format)} == {"en", "zh"}


def test_recall_counts_words_as_often_as_they_stand_and_chinese_by_characters() -> None:
    assert recall("The pump, the pump!", "the PUMP") == 0.5
    assert tokens("清风 QF500，55瓦") == ["清", "风", "qf500", "55", "瓦"]
    assert recall("清风牌", "清风") == pytest.approx(2 / 3)


def test_a_title_counts_once_however_many_sections_it_has() -> None:
    sections = (Section("Guide > Safety", "Unplug it."), Section("Guide > Faults", "Call us."))
    assert recall("Guide Guide Safety Faults", text_of(ParsedDocument("Guide", sections))) == 0.75


def test_the_place_of_a_known_line_is_compared_with_that_of_its_section() -> None:
    line = "The boiler was repaired on Thursday afternoon"
    sample = Sample("a.pdf", "pdf", b"", {"page 1": "Short", "page 2": line})
    document = ParsedDocument("a", (Section("a", f"{line}, at last.", "page 3"),))
    assert list(cited(sample, document)) == [(line, "page 2", "page 3")]


def test_a_missing_font_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fonts._FILES, "thai", ((), "fonts-thai-tlwg"))
    with pytest.raises(fonts.FontMissing, match="apt-get install fonts-thai-tlwg"):
        fonts.font_file("thai")


def test_the_page_of_formats_has_a_row_for_each_above_the_bar() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in page.splitlines() if line.count("|") == 7]
    medians = {row[0]: float(row[3]) for row in rows[2:]}
    assert {name.split(",")[0] for name in medians} == set(FORMATS)
    for name, median in medians.items():
        assert median >= (OCR_BAR if name in PICTURES or "," in name else TEXT_BAR), name


def test_a_format_is_measured_with_its_parser_and_what_that_needs() -> None:
    measured = list(measure(LocalParser(), samples("md")))
    row = row_of("md", KINDS["md"], measured)
    assert row.startswith("| md | nothing | 3 | 1 | 1 | ")
