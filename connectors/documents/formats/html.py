"""HTML: headings, paragraphs, lists and tables; scripts, styles, menus and what is hidden are no text."""

import codecs
import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime
from pathlib import PurePath
from typing import Any

from lxml import etree
from lxml.html import HTMLParser

from connectors.documents.blocks import Block, sections_of
from connectors.documents.dates import date_of, moment_in_header, moment_of
from connectors.documents.elements import blocks_of, partition, unmerged
from connectors.documents.encodings import text_of
from connectors.documents.guards import TableLimits
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "us-ascii": "cp1252",
}  # as browsers do
_READ_AS = {  # what unstructured would leave out though a reader sees it, as something that it reads
    "figure": "div",
    "figcaption": "p",
    "details": "div",
    "summary": "p",
    "form": "div",
    "fieldset": "div",
    "legend": "p",
    "label": "span",
    "dialog": "div",
}
_BLOCKS = ("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "hr")  # in a cell, the table is for the layout
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DEEPEST = 200  # elements in elements; the parser of unstructured stops at 256, and old mails never close a font
_DATES = (  # names of meta elements, the best first
    "article:published_time",
    "og:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.date",
    "dcterms.issued",
    "dcterms.created",
    "publishdate",
    "pubdate",
    "article:modified_time",
    "last-modified",
)
_LINKED_DATA_DATE = re.compile(r'"datePublished"\s*:\s*"([^"]{4,40})"')
_METADATA = {"author": "author", "article:author": "author", "description": "description", "keywords": "keywords"}


def parse_html(content: bytes, task: Task) -> ParsedDocument:
    """Sections by headings, without places: a page has no pages.

    The date is that of ``article:published_time`` and its like, of ``datePublished``, else of a line in the beginning.

    Raises:
        InputError: its elements lie in thousands of others, or its tables are larger than the settings allow.
    """
    root = _root(_decoded(content, task.media_type))
    if root is None:
        return ParsedDocument(PurePath(task.name).stem, ())
    fields = _fields(root)
    dated_at = _date(root, fields)
    title = " ".join("".join(root.xpath("string(//head/title)")).split()) or fields.get("og:title", "")
    blocks = list(_blocks(root, TableLimits(task.settings)))
    title = title or next((block.text for block in blocks if block.kind == "title"), "") or PurePath(task.name).stem
    metadata = {ours: fields[theirs] for theirs, ours in _METADATA.items() if fields.get(theirs)}
    if language := root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang"):
        metadata["language"] = language
    return ParsedDocument(title, sections_of(blocks, title), dated_at or date_of(blocks), metadata)


def html_blocks(text: str, limits: TableLimits) -> Iterator[Block]:
    """The blocks of HTML, as of the body of a mail.

    Raises:
        InputError: its elements lie in thousands of others, or its tables are larger than the limits allow.
    """
    root = _root(text)
    if root is not None:
        yield from _blocks(root, limits)


def _decoded(content: bytes, media_type: str | None) -> str:
    """The text of a page: what is UTF-8 is, whatever it says of itself; else what it says, else what is detected."""
    said = re.search(r"charset=[\"']?([\w.:-]+)", media_type or "", re.IGNORECASE)
    name = said[1] if said else ""
    if not name and (found := _CHARSET.search(content[:4096])):
        name = found[1].decode("ascii", "replace")
    return decoded(content, name)


def decoded(content: bytes, charset: str) -> str:
    """Bytes as text by the charset that somebody says they are in, where that may be; ``charset`` may be empty.

    Raises:
        InputError: it is no text.
    """
    name = _WIDER.get(charset.lower(), charset.lower())
    stateful = name.startswith(("iso-2022", "hz", "utf-7"))  # such bytes are UTF-8 as well, and mean something else
    marked = content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if name and not marked and (stateful or not _is_utf8(content)):
        try:
            return content.decode(name)
        except (LookupError, UnicodeError):
            pass
    return text_of(content)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _root(text: str) -> Any | None:
    text = text.replace("\0", "")
    if not text.strip():
        return None
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if any("depth" in entry.message for entry in parser.error_log):
        raise InputError("its elements lie in thousands of others, which no page needs; save it as text")
    return root


def _blocks(root: Any, limits: TableLimits) -> Iterator[Block]:
    _mend(root, limits)
    text = etree.tostring(root, encoding="unicode", method="html")
    yield from blocks_of(partition("html", text=text), lambda _: "")


def _mend(root: Any, limits: TableLimits) -> None:
    """Change a page so that unstructured reads what a reader sees: all of that, and nothing more."""
    etree.strip_elements(root, "script", "style", "noscript", "template", "nav", with_tail=False)
    for element in root.xpath("//*[@hidden or contains(@style, 'none') or contains(@style, 'hidden')]"):
        hidden = element.get("hidden") is not None or _HIDDEN.search(element.get("style", ""))
        if hidden and element.tag not in ("html", "body") and element.getparent() is not None:
            element.drop_tree()
    for element in root.xpath("/*" * _DEEPEST):
        text = "\n".join(element.itertext())
        for child in list(element):
            element.remove(child)
        element.text = text
    for element in root.iter(*_READ_AS):
        element.tag = _READ_AS[element.tag]
    mains = list(root.iter("main"))
    if mains:  # unstructured goes to the first and reads nothing else, the heading of the page above it neither
        for main in mains[1:]:
            main.tag = "div"
        if len(mains) > 1 or (not mains[0].xpath(".//h1") and root.xpath("//h1")):
            mains[0].tag = "div"
    for table in list(root.iter("table")):
        if _is_layout(table):
            for element in [
                each for each in table.iter("thead", "tbody", "tfoot", "tr", "td", "th") if _table_of(each) is table
            ]:
                element.tag = "div"
            table.tag = "div"
        elif table.xpath(".//*[@colspan or @rowspan]"):
            _unmerge(table, limits)
        else:
            for row in table.iter("tr"):
                limits.add_row(len(row))


def _is_layout(table: Any) -> bool:
    """True if a table only arranges a page: cells with blocks in them, or one cell in each row."""
    if table.get("role") in ("presentation", "none") or table.find(".//table") is not None:
        return True
    if any(table.find(f".//{name}") is not None for name in _BLOCKS):
        return True
    return all(len(row) <= 1 for row in table.iter("tr"))


def _table_of(element: Any) -> Any:
    return next((above for above in element.iterancestors("table")), None)


def _unmerge(table: Any, limits: TableLimits) -> None:
    rows = list(table.iter("tr"))
    for row, cells in zip(rows, list(unmerged(rows, limits)), strict=True):
        copies = [deepcopy(cell) for cell in cells]
        for cell in list(row):
            row.remove(cell)
        for cell in copies:
            cell.attrib.pop("colspan", None)
            cell.attrib.pop("rowspan", None)
            row.append(cell)


def _fields(root: Any) -> dict[str, str]:
    fields: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv")
        if name and meta.get("content"):
            fields.setdefault(name.strip().lower(), " ".join(meta.get("content").split()))
    return fields


def _date(root: Any, fields: dict[str, str]) -> datetime | None:
    candidates = [fields[name] for name in _DATES if name in fields]
    for script in root.xpath("//script[@type='application/ld+json']"):
        candidates += _LINKED_DATA_DATE.findall(script.text or "")
    candidates += root.xpath("//time[@pubdate or @itemprop='datePublished']/@datetime")
    return next((moment for text in candidates if (moment := moment_of(text) or moment_in_header(text))), None)
