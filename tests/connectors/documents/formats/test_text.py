"""Plain text and Markdown: sections by headings, titles, dates."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.documents.formats.text import parse_markdown
from connectors.documents.local import LocalParser, Task
from mneme.settings import Documents

TASK = Task("notes.md", None, Documents(), LocalParser().parse)


def parse(text: str, name: str = "notes.md"):
    return LocalParser().parse(text.encode(), name, None)


def titles_and_texts(text: str) -> list[tuple[str, str]]:
    return [(section.title, section.text) for section in parse(text).sections]


def test_headings_begin_sections_named_by_the_path_of_headings():
    document = parse("# Guide\nHello.\n## Installing\nRun it.\n### On Linux\nUse make.\n## Using\nAsk.\n# Notes\nDone.\n")
    assert [(section.title, section.text, section.place) for section in document.sections] == [
        ("Guide", "Hello.", "line 2"),
        ("Guide > Installing", "Run it.", "line 4"),
        ("Guide > Installing > On Linux", "Use make.", "line 6"),
        ("Guide > Using", "Ask.", "line 8"),
        ("Notes", "Done.", "line 10"),
    ]
    assert document.title == "Guide"


def test_underlined_lines_are_headings():
    text = "Harvest report\n==============\nGood.\n\nWhat went\nwell\n---\nApples.\n"
    assert titles_and_texts(text) == [("Harvest report", "Good."), ("Harvest report > What went well", "Apples.")]
    assert parse(text).sections[1].place == "line 8"


@pytest.mark.parametrize(
    "text",
    [
        "Intro\n\n---\n\nMore",
        "- item\n---\nMore",
        "> quoted\n---\nMore",
        "| a | b |\n---\nMore",
        "```\ncode\n```\n---\nMore",
        "---\n---\n---",
        "a\nb\nc\nd\ne\n---\nMore",
    ],
    ids=["rule", "list", "quotation", "table", "fence", "only rules", "long paragraph"],
)
def test_a_rule_is_no_heading(text):
    assert [section.title for section in parse(text).sections] == ["notes"]


def test_lines_in_fenced_code_are_no_headings():
    text = "# Real\n```python\n# a comment\n~~~\n# another\n```\nAfter.\n~~~~\n# not\n~~~\n# not either\n~~~~\n# Second\nEnd.\n"
    assert [title for title, _ in titles_and_texts(text)] == ["Real", "Second"]


def test_an_open_fence_lasts_to_the_end():
    assert len(parse("# Real\n```\n# code\n# code\n").sections) == 1


@pytest.mark.parametrize(
    ("line", "title"),
    [("# C#", "C#"), ("## Closed ##", "Closed"), ("   ###\tTabbed", "Tabbed"), ("# a # b", "a # b")],
)
def test_the_title_of_a_heading_is_what_a_reader_sees(line, title):
    assert parse(f"{line}\ntext").title == title


@pytest.mark.parametrize("line", ["#hashtag", "####### seven", "    # code", "#", "## ##"])
def test_what_looks_like_a_heading_is_text(line):
    assert parse(f"{line}\ntext").title == "notes"


def test_text_before_the_first_heading_is_a_section_under_the_title():
    assert titles_and_texts("Before.\n\n# First\nAfter.\n") == [("First", "Before."), ("First", "After.")]


def test_without_headings_the_file_name_is_the_title():
    document = parse("Just text.\n\nTwo paragraphs.", "diary.txt")
    assert document.title == "diary"
    assert [(section.title, section.text) for section in document.sections] == [("diary", "Just text.\n\nTwo paragraphs.")]


def test_a_heading_with_nothing_below_it_is_its_own_text():
    assert titles_and_texts("# A\n## B\nText.\n## C\n") == [("A > B", "Text."), ("A > C", "C")]
    assert titles_and_texts("# Shopping\n## Bread\n## Milk\n") == [("Shopping > Bread", "Bread"), ("Shopping > Milk", "Milk")]


def test_a_blank_document_has_no_sections():
    assert parse(" \n\n").sections == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_a_text_is_read_in_whatever_encoding_it_was_saved(encoding):
    text = "# 会议纪要\n我们决定把第二季度的截止日期推迟到六月三十日。\n"
    document = LocalParser().parse(text.encode(encoding), "notes.md", None)
    assert [(section.title, section.text) for section in document.sections] == [
        ("会议纪要", "我们决定把第二季度的截止日期推迟到六月三十日。")
    ]


def test_plain_text_is_read_the_same_way():
    document = parse("Harvest report\n==============\nGood.\n", "report.txt")
    assert document.format == "txt"
    assert [(section.title, section.place) for section in document.sections] == [("Harvest report", "line 3")]


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: Plan\ndate: 2026-03-01\n---\nText",
        "# Minutes\nDate: 2026-03-01\n\nText",
        "Minutes\n\n**Date:** March 1st, 2026\nText",
        "*Dated*: 1 March 2026\nText",
        "Date: Sunday, 1 March 2026",
        "Datum: 01.03.2026\nText",
        "日期：2026年3月1日\n我们见面了。",
        "---\ncreated: 2026-03-01T01:00:00+01:00\n---\nText",
    ],
)
def test_the_date_of_a_document_is_read(text):
    assert parse(text).dated_at == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["No date", "Date: soon", "Date: 2026-13-45", "line\n" * 20 + "Date: 2026-03-01"])
def test_no_date_is_made_up(text):
    assert parse(text).dated_at is None


def test_the_first_heading_is_the_title_even_without_text_of_its_own():
    assert parse("# Guide\n## Installing\nRun it.").title == "Guide"


def test_front_matter_is_metadata_and_no_text():
    document = parse('---\ntitle: "The plan"\nauthor: Ada\ntags:\n  - a\n---\n# Heading\nText.\n')
    assert document.title == "The plan"
    assert document.metadata == {"title": "The plan", "author": "Ada", "tags": ""}
    assert [(section.text, section.place) for section in document.sections] == [("Text.", "line 8")]


def test_front_matter_that_never_ends_is_text():
    assert parse("---\ntitle: x\nmore").metadata == {}


def test_a_byte_order_mark_and_line_ends_of_windows_do_no_harm():
    document = LocalParser().parse("\ufeff# Title\r\nOne.\r\nTwo.\r\n".encode(), "w.md", "text/markdown; charset=utf-8")
    assert document.title == "Title"
    assert document.sections[0].text == "One.\nTwo."


def test_long_text_is_cut_between_paragraphs_so_that_its_place_cites_few_lines():
    paragraph = "The pump was repaired on Thursday. " * 100
    document = parse("# Log\n" + f"{paragraph}\n\n" * 5 + "# End\nDone.")
    places = [(section.title, section.place, section.text) for section in document.sections]
    assert [(title, place) for title, place, _ in places] == [
        ("Log", "line 2"),
        ("Log", "line 6"),
        ("Log", "line 10"),
        ("End", "line 13"),
    ]
    assert "".join(text for _, _, text in places).count("Thursday") == 500


def test_the_rows_of_a_table_name_their_columns_and_stay_on_their_lines():
    text = (
        "# Stock\n\n| Metal | Kilos | Grade |\n|:--|--:|---|\n| Cobalt | 11 | 3 |\n| Tin \\| alloy | 7 | |\n\nMetal | Kilos\n"
    )
    text += "------|------\nLead | 4\nAfter | it.\n\n```\na | b\n--|--\n1 | 2\n```\n"
    [section] = parse(text).sections
    lines = dict(enumerate(section.text.split("\n"), start=int(section.place.removeprefix("line "))))
    assert {number: lines[number] for number in (5, 6, 10, 11, 14, 16)} == {
        5: "Metal: Cobalt; Kilos: 11; Grade: 3",
        6: "Metal: Tin | alloy; Kilos: 7",
        10: "Metal: Lead; Kilos: 4",
        11: "Metal: After; Kilos: it.",
        14: "a | b",
        16: "1 | 2",
    }


@given(st.text(alphabet="#=-`~ \n\taé.:", max_size=200))
def test_no_text_is_lost(text):
    document = parse_markdown(text.encode(), TASK)
    sections = "".join(section.title + section.text for section in document.sections)
    kept = document.title + sections + "".join(name + value for name, value in document.metadata.items())
    assert text.count("é") <= kept.count("é")


@pytest.mark.parametrize(
    "text", ["# " + " " * 100_000 + "x", "# " + "#" * 100_000 + "x", "-x\n---\n" * 20_000, "Date:" + " " * 100_000]
)
@pytest.mark.timeout(40)  # milliseconds, or a minute where the time grows with the square
def test_strange_documents_are_read_in_linear_time(text):
    assert parse_markdown(text.encode(), TASK).sections
