"""The elements of ``unstructured`` as blocks. The one place that imports that library, and it keeps it off the network."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

from lxml import etree

from connectors.documents.blocks import Block, rows_of
from connectors.documents.guards import TableLimits

_CELL_FRAME = 8  # characters that a cell costs beside its text: the name of its column
_WIDEST_SPAN = 1_000  # columns or rows that one cell may claim; a page that claims millions is hostile


def partition(kind: Literal["html", "docx", "pptx"], **arguments: Any) -> list[Any]:
    """The elements that unstructured finds, without a guess at the language: nothing here uses it."""
    _prepare()
    module = import_module(f"unstructured.partition.{kind}")
    elements: list[Any] = getattr(module, f"partition_{kind}")(**arguments, languages=[""])
    return elements


@cache
def _prepare() -> None:
    """Make unstructured work offline. Once for a process.

    1. No telemetry and no notice: it asks for these variables.
    2. It would download a spaCy model to tell narrative from other text. No block depends on that: words and sentence ends at
       punctuation serve, give the same on every machine, and need no spaCy.
    """
    for variable in ("DO_NOT_TRACK", "SCARF_NO_ANALYTICS", "HF_HUB_OFFLINE"):
        os.environ[variable] = "true"
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    with _without_spacy():
        from unstructured.nlp import tokenize

    def pipeline() -> Any:
        return _Pipeline()

    tokenize._load_spacy_model = pipeline  # private: tests/connectors/documents/test_elements.py holds it to the version


@contextmanager
def _without_spacy() -> Iterator[None]:
    """unstructured imports spaCy as it starts; an empty module serves where nobody else has imported it."""
    if "spacy" in sys.modules:
        yield
        return
    sys.modules["spacy"] = ModuleType("spacy")
    try:
        yield
    finally:
        del sys.modules["spacy"]


class _Pipeline:
    """Words and sentences of a text, called as unstructured calls a model of spaCy."""

    max_length = 1_000_000

    def __call__(self, text: str) -> "_Words":
        return _Words(text)


@dataclass(frozen=True, slots=True)
class _Span:
    """A word or a sentence; no word has a part of speech."""

    text: str
    tag_: str = ""


class _Words(list[_Span]):
    """The words of a text, and its sentences."""

    def __init__(self, text: str) -> None:
        super().__init__(_Span(each) for each in re.findall(r"\w+|[^\w\s]", text))
        self.sents = [_Span(each) for each in re.split(r"(?<=[.!?。！？])\s+", text) if each.strip()]


def blocks_of(elements: Iterable[Any], place_of: Callable[[Any], str]) -> Iterator[Block]:
    """Elements of a document, in order, as blocks; ``place_of`` cites the place of an element."""
    for element in elements:
        place = place_of(element)
        match element.category:
            case "PageBreak":
                continue
            case "Title":
                yield Block("title", element.text, place, (element.metadata.category_depth or 0) + 1)
            case "ListItem":
                yield Block("item", element.text, place)
            case "Table":
                rows = html_rows(element.metadata.text_as_html) if element.metadata.text_as_html else [element.text]
                yield from (Block("row", row, place) for row in rows)
            case _:
                yield Block("text", element.text, place)


def html_rows(table: str) -> Iterator[str]:
    """The rows of an HTML table as lines that name their columns (see ``rows_of``), its caption first.

    Nothing is counted: the tables of Office files are in ``guards.py``, those of pages in ``formats/html.py``.
    """
    root = etree.fromstring(table.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    for caption in root.iter("caption"):
        yield " ".join("".join(caption.itertext()).split())
    for line_break in root.iter("br"):
        line_break.tail = f" {line_break.tail or ''}"
    rows = list(root.iter("tr"))
    headers = 0
    while headers < len(rows) and len(rows[headers]) and all(cell.tag == "th" for cell in rows[headers]):
        headers += 1
    cells = [["".join(cell.itertext()) for cell in row] for row in unmerged(rows)]
    yield from rows_of(cells, headers if 0 < headers < len(rows) else None)


def unmerged(rows: Iterable[Any], limits: TableLimits | None = None) -> Iterator[list[Any]]:
    """The cells of the rows of an HTML table, each merged one at every position that it covers.

    Args:
        rows: ``tr`` elements.
        limits: what counts the rows; None: they are counted already.

    Raises:
        InputError: there are more than ``limits`` allow.
    """
    below: dict[int, tuple[int, Any, int]] = {}  # columns to the cell that covers them, in how many rows more, and its size
    for row in rows:
        cells: list[Any] = []
        written = repeated = 0
        own = iter([cell for cell in row if cell.tag in ("td", "th")])
        while True:
            if len(cells) in below:
                down, cell, size = below.pop(len(cells))
                across = 1
                repeated += size
            elif (cell := next(own, None)) is not None:
                down, across = _span(cell, "rowspan"), _span(cell, "colspan")
                size = len("".join(cell.itertext())) + _CELL_FRAME
                written += size
                repeated += (across - 1) * size
            else:
                break
            for _ in range(across):
                if down > 1:
                    below[len(cells)] = (down - 1, cell, size)
                cells.append(cell)
            if limits is not None:
                limits.check_width(len(cells))
        if limits is not None:
            limits.add_row(len(cells))
            limits.add_text(written, repeated)
        yield cells


def _span(cell: Any, name: str) -> int:
    value = cell.get(name, "1").strip()
    return max(1, min(int(value), _WIDEST_SPAN)) if value.isdecimal() and len(value) < 9 else 1
