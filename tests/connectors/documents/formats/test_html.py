from datetime import UTC, datetime

import pytest

from connectors.documents.local import LocalParser
from mneme.errors import InputError
from mneme.ports import ParsedDocument

pytest.importorskip("unstructured", reason="documents are not installed")


def _parsed(body: str, head: str = "", encoding: str = "utf-8", media_type: str | None = "text/html") -> ParsedDocument:
    page = f"<!DOCTYPE html><html lang='en'><head>{head}</head><body>{body}</body></html>"
    return LocalParser().parse(page.encode(encoding), "page.html", media_type)


def _text(body: str, head: str = "", encoding: str = "utf-8") -> str:
    return "\n".join(section.text for section in _parsed(body, head, encoding).sections)


def test_headings_make_sections_and_lists_and_tables_are_lines() -> None:
    body = "<h1>Guide</h1><p>Hello.</p><h2>Steps</h2><ul><li>one</li><li>two</li></ul>"
    body += "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Desk</td><td>120</td></tr></table>"
    found = _parsed(body, "<title>The guide</title>")
    assert found.title == "The guide"
    assert [(section.title, section.text) for section in found.sections] == [
        ("Guide", "Hello."),
        ("Guide > Steps", "- one\n- two\n\nItem: Desk; Price: 120"),
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>secret()</script>",
        "<style>.secret {}</style>",
        "<nav>secret</nav>",
        "<p hidden>secret</p>",
        "<div style='display: none'>secret</div>",
        "<template>secret</template>",
        "<noscript>secret</noscript>",
        "<!-- secret -->",
    ],
)
def test_what_no_reader_sees_is_no_text(hidden: str) -> None:
    assert _text(f"<p>Seen.</p>{hidden} Seen, too.") == "Seen.\n\nSeen, too."


@pytest.mark.parametrize(
    "seen",
    [
        "<figure><img src='a.png'><figcaption>Words</figcaption></figure>",
        "<details><summary>Words</summary></details>",
        "<form><p>Words</p></form>",
        "<table><tr><td><h2>Words</h2></td></tr></table>",
        "<table role='presentation'><tr><td>Words</td></tr></table>",
        "<img src='a.png' alt='Words'>",
        "<font>" * 300 + "<p>Words</p>",
    ],
)
def test_what_a_reader_sees_is_text(seen: str) -> None:
    assert "Words" in _text(seen)


def test_a_heading_above_the_main_part_is_read() -> None:
    assert [section.title for section in _parsed("<header><h1>Top</h1></header><main><p>Text.</p></main>").sections] == ["Top"]


def test_merged_cells_are_repeated_in_each_row() -> None:
    body = "<table><tr><th>Region</th><th>Price</th></tr><tr><td rowspan=2>North</td><td>1</td></tr><tr><td>2</td></tr></table>"
    assert _text(body) == "Region: North; Price: 1\nRegion: North; Price: 2"


def test_a_table_in_a_table_keeps_its_own_headings() -> None:
    prices = "<table><tr><th>Room</th><th>Price</th></tr><tr><td>Single</td><td>90</td></tr></table>"
    rates = f"<table><tr><th>Season</th><th>Rates</th></tr><tr><td>Summer</td><td>{prices}</td></tr></table>"
    assert _text(rates).split("\n")[-1] == "Room: Single; Price: 90"
    assert "Summer" in _text(rates)


@pytest.mark.parametrize(
    ("encoding", "head"),
    [("utf-8", ""), ("gb18030", "<meta charset=gb2312>"), ("big5", "<meta charset='big5'>"), ("utf-16", "")],
)
def test_a_page_is_read_in_its_own_encoding(encoding: str, head: str) -> None:
    assert _text("<p>花園委員會開會。</p>", head, encoding) == "花園委員會開會。"


def test_utf_8_is_read_whatever_the_page_says() -> None:
    assert _text("<p>花园开会。</p>", "<meta charset=gb2312>") == "花园开会。"


@pytest.mark.parametrize(
    "head",
    [
        "<meta property='article:published_time' content='2025-03-01T10:00:00+02:00'>",
        "<meta name='date' content='2025-03-01T08:00:00Z'>",
        '<script type="application/ld+json">{"datePublished": "2025-03-01T08:00:00Z"}</script>',
        "<meta http-equiv='last-modified' content='Sat, 01 Mar 2025 08:00:00 GMT'>",
    ],
)
def test_the_date_is_that_of_the_page(head: str) -> None:
    assert _parsed("<p>Text.</p>", head).dated_at == datetime(2025, 3, 1, 8, tzinfo=UTC)


def test_a_date_line_serves_where_the_page_says_none() -> None:
    assert _parsed("<h1>Minutes</h1><p>Date: 2025-03-01</p>").dated_at == datetime(2025, 3, 1, tzinfo=UTC)


def test_elements_in_thousands_of_others_are_refused() -> None:
    with pytest.raises(InputError, match="lie in thousands of others"):
        _parsed("<div>" * 5_000 + "bottom")
