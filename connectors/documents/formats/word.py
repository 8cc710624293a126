"""Word files: headings, paragraphs, lists, tables and pictures, by page where the file has page breaks."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from connectors.documents.blocks import Block, sections_of
from connectors.documents.elements import blocks_of, partition, refusing
from connectors.documents.formats.html import date_of
from connectors.documents.office import converted
from connectors.documents.packages import Package
from connectors.documents.parsing import Task
from connectors.documents.pictures_inside import PicturesInside
from connectors.documents.word_text import WordText
from mneme.ports import ParsedDocument


def parse_docx(content: bytes, task: Task) -> ParsedDocument:
    """Sections by headings, placed ``page 3`` where the file says where its pages end. Notes come last.

    Raises:
        InputError: the file is broken, or no Word file.
    """
    package = Package(content)
    text = WordText(package)
    pictures = PicturesInside(package, task)
    with refusing("Word"):
        elements = partition("docx", file=text.file(content))
    pages = max((element.metadata.page_number or 0 for element in elements), default=0)
    blocks = list(_levelled(_placed(elements, pictures), text.title))
    blocks += [Block("text", note, blocks[-1].place if blocks else "") for note in text.notes()]
    first = next((block.text for block in blocks if block.kind == "title"), "")
    title = text.title or package.title() or first or PurePath(task.name).stem
    dated_at = package.dated_at() or date_of(blocks)
    unread = tuple(pictures.unread)
    return ParsedDocument(title, sections_of(blocks, title), dated_at, package.metadata(), unread=unread, pages=pages or None)


def parse_doc(content: bytes, task: Task) -> ParsedDocument:
    """As ``parse_docx``, of what LibreOffice makes of the file.

    Raises:
        InputError: the file is broken, LibreOffice is not installed, or takes too long.
    """
    return parse_docx(converted(content, "doc", "docx", task), task)


def _placed(elements: list[Any], pictures: PicturesInside) -> Iterator[Block]:
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
    return blocks_of(once, place_of, pictures.blocks)


def _levelled(blocks: Iterator[Block], title: str) -> Iterator[Block]:
    """Blocks with the headings below the document's title, where it has one: unstructured puts both on the first level."""
    for block in blocks:
        if block.kind == "title" and title and block.text != title:
            block = Block("title", block.text, block.place, block.level + 1)
        yield block
