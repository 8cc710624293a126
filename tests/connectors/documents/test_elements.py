import socket

import pytest

from connectors.documents.elements import html_rows, partition

unstructured = pytest.importorskip("unstructured", reason="documents are not installed")


def test_unstructured_is_the_version_whose_private_loader_is_replaced() -> None:
    partition("html", text="<p>Words.</p>")
    from unstructured.__version__ import __version__
    from unstructured.nlp import tokenize

    assert __version__.startswith("0.27."), "see connectors/documents/elements.py, then raise this version"
    assert tokenize.sent_tokenize("Two sentences. Are here?") == ["Two sentences.", "Are here?"]
    assert tokenize.pos_tag("One, two") == [("One", ""), (",", ""), ("two", "")]
    assert tokenize._get_nlp().__class__.__module__ == "connectors.documents.elements"


def test_nothing_is_asked_of_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **_: asked.append(arguments))
    elements = partition("html", text="<h1>Title</h1><p>One sentence that says something. And one more.</p>")
    assert [element.text for element in elements] == ["Title", "One sentence that says something. And one more."]
    assert not asked


def test_merged_cells_of_a_table_are_repeated() -> None:
    table = """<table><caption>Prices</caption><tr><th rowspan=2>Item</th><th colspan=2>2025</th></tr>
        <tr><th>Plan</th><th>Actual</th></tr><tr><td>Desk</td><td>1<br>net</td><td>2</td></tr></table>"""
    assert list(html_rows(table)) == ["Prices", "Item: Desk; 2025 Plan: 1 net; 2025 Actual: 2"]


@pytest.mark.parametrize("span", ["999999999", "-1", "x", "²"])
def test_no_span_is_believed_blindly(span: str) -> None:
    lines = list(html_rows(f"<table><tr><td colspan='{span}'>a</td><td>b</td></tr></table>"))
    assert len(lines) == 1
    assert len(lines[0]) < 10_000
