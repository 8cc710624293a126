"""Word files: headings, paragraphs, lists and tables, by page where the file has page breaks."""

import io
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from lxml import etree

from connectors.documents.blocks import Block, sections_of
from connectors.documents.dates import date_of
from connectors.documents.elements import blocks_of, partition
from connectors.documents.local import Task
from connectors.documents.office import ONLY_PICTURES, Package, converted, is_old
from mneme.errors import InputError
from mneme.ports import ParsedDocument


def parse_word(content: bytes, task: Task) -> ParsedDocument:
    """Sections by headings, placed ``page 3`` where the file says where its pages end. Notes come last.

    A file of the old format is read as LibreOffice converts it.

    Raises:
        InputError: the file is broken, or no Word file; LibreOffice is not installed, or takes too long.
    """
    if is_old(content):
        content = converted(content, "doc", "docx", task)
    package = Package(content)
    text = WordText(package)
    elements = partition("docx", file=text.file())
    pages = max((element.metadata.page_number or 0 for element in elements), default=0)
    blocks = list(_levelled(_placed(elements), text.title))
    blocks += [Block("text", note, blocks[-1].place if blocks else "") for note in text.notes()]
    first = next((block.text for block in blocks if block.kind == "title"), "")
    said = package.properties()
    title = text.title or said.title or first or PurePath(task.name).stem
    dated_at = said.dated_at or date_of(blocks)
    unread = (ONLY_PICTURES,) if text.has_pictures and not blocks else ()
    return ParsedDocument(title, sections_of(blocks, title), dated_at, said.metadata, unread=unread, pages=pages or None)


def _placed(elements: list[Any]) -> Iterator[Block]:
    """Elements as blocks with the pages they are on; each header and footer once."""
    page = "page 1" if any(element.metadata.page_number for element in elements) else ""

    def place_of(element: Any) -> str:
        nonlocal page
        if element.metadata.page_number is not None:
            page = f"page {element.metadata.page_number}"
        return page

    said: set[str] = set()
    once = []
    for element in elements:
        if element.category in ("Header", "Footer"):
            if element.text in said:
                continue
            said.add(element.text)
        once.append(element)
    return blocks_of(once, place_of)


def _levelled(blocks: Iterator[Block], title: str) -> Iterator[Block]:
    """Blocks with the headings below the document's title, where it has one: unstructured puts both on the first level."""
    for block in blocks:
        if block.kind == "title" and title and block.text != title:
            block = Block("title", block.text, block.place, block.level + 1)
        yield block


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_AROUND_TEXT = tuple(f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "smartTag", "customXml"))
_NO_TEXT = frozenset(f"{_W}{name}" for name in ("del", "moveFrom", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr"))
_MARKS = frozenset(f"{_W}{name}" for name in ("rPr", "trPr", "numPr"))  # in these, ``ins`` says that a mark was inserted


class WordText:
    """The main part of a Word file.

    Args:
        package: the file.

    Attributes:
        title: the text of the first paragraph in the style of titles; empty without.
        has_pictures: whether there is any picture in it.

    Raises:
        InputError: the file has no text of Word.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._name = next(package.related("", "officeDocument"), "word/document.xml")
        self._root: Any = package.tree(self._name)
        if self._root is None:
            raise InputError("the file is broken, or no Word file; open it in Word and save it again")
        self.title = self._title()
        self.has_pictures = any(package.related(self._name, "image"))

    def file(self) -> io.BytesIO:
        """The file to give to unstructured, with its text where unstructured finds all of it."""
        for step in (_unwrap, _free_boxes, _break_pages):
            step(self._root)
        parts = self._package.as_plain("wordprocessingml.document")
        parts[self._name] = etree.tostring(self._root, xml_declaration=True, encoding="UTF-8", standalone=True)
        return io.BytesIO(self._package.replaced(parts))

    def notes(self) -> Iterator[str]:
        """Footnotes, endnotes and comments."""
        for kind in ("footnotes", "endnotes", "comments"):
            for name in self._package.related(self._name, kind):
                root = self._package.tree(name)
                for note in root if root is not None else ():
                    if text := _plain(note):
                        yield text

    def _title(self) -> str:
        roots = (self._package.tree(name) for name in self._package.related(self._name, "styles"))
        styles = [style for root in roots if root is not None for style in root.iter(f"{_W}style")]
        titles = {style.get(f"{_W}styleId") for style in styles if _value(style.find(f"{_W}name")).lower() == "title"}
        for style in self._root.iter(f"{_W}pStyle"):
            if style.get(f"{_W}val") in titles and (text := _plain(style.getparent().getparent())):
                return text
        return ""


def _unwrap(root: Any) -> None:
    """Put what is in content controls, tracked insertions and the like where it is seen."""
    for wrapper in list(root.iter(*_AROUND_TEXT)):
        parent = wrapper.getparent()
        if parent is None or parent.tag in _MARKS:
            continue
        at = parent.index(wrapper)
        parent[at : at + 1] = [child for child in wrapper if child.tag not in _NO_TEXT]


def _free_boxes(root: Any) -> None:
    """Put the paragraphs of text boxes after the paragraph that holds the box."""
    if next(root.iter(f"{_W}txbxContent"), None) is None:
        return
    for again in list(root.iter(_FALLBACK)):  # the same box for older programs
        again.getparent().remove(again)
    for box in root.iter(f"{_W}txbxContent"):
        holders = list(box.iterancestors(f"{_W}p"))
        for paragraph in reversed(list(box)) if holders else ():
            holders[-1].addnext(paragraph)


def _break_pages(root: Any) -> None:
    """Mark the page breaks that the author made as a program does that divides a file into pages; unless one has."""
    if next(root.iter(f"{_W}lastRenderedPageBreak"), None) is not None:
        return
    for each in [each for each in root.iter(f"{_W}br") if each.get(f"{_W}type") == "page"]:
        each.addnext(etree.Element(f"{_W}lastRenderedPageBreak"))
    for mark in list(root.iter(f"{_W}pageBreakBefore")):
        paragraph = mark.getparent().getparent()
        run = paragraph.find(f"{_W}r") if paragraph.tag == f"{_W}p" else None
        if run is not None and _value(mark) not in ("0", "false"):
            first = run.find(f"{_W}rPr")
            run.insert(0 if first is None else 1, etree.Element(f"{_W}lastRenderedPageBreak"))


def _plain(element: Any) -> str:
    return " ".join("".join(each.text or "" for each in element.iter(f"{_W}t")).split())


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(f"{_W}val", ""))
