"""PowerPoint files: titles, texts, tables, diagrams and speaker notes, slide by slide."""

import io
from collections.abc import Iterator
from itertools import groupby
from pathlib import PurePath
from typing import Any

from connectors.documents.blocks import Block, sections_of
from connectors.documents.dates import date_of
from connectors.documents.elements import blocks_of, partition
from connectors.documents.local import Task
from connectors.documents.office import ONLY_PICTURES, Package, converted, is_old
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.text import has_cjk

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def parse_slides(content: bytes, task: Task) -> ParsedDocument:
    """A section for each slide, placed ``slide 3``; what the speaker notes is one below it.

    A file of the old format is read as LibreOffice converts it.

    Raises:
        InputError: the file is broken, or no PowerPoint file; LibreOffice is not installed, or takes too long.
    """
    if is_old(content):
        content = converted(content, "ppt", "pptx", task)
    package = Package(content)
    slides = _slides(package)
    if parts := package.as_plain("presentationml.presentation"):
        content = package.replaced(parts)
    elements = partition("pptx", file=io.BytesIO(content), include_slide_notes=False, include_page_breaks=False)
    on = {number: list(found) for number, found in groupby(elements, key=lambda element: element.metadata.page_number)}
    blocks: list[Block] = []
    unread: list[str] = []
    for number, name in enumerate(slides, start=1):
        place = f"slide {number}"
        shown = [*_of_slide(on.get(number, []), place), *(Block("text", text, place) for text in _drawn(package, name))]
        if any(package.related(name, "image")) and not any(block.text for block in shown):
            unread.append(f"{place}: {ONLY_PICTURES}")
        blocks += shown
        if notes := _notes(package, name):
            blocks.append(Block("title", "备注" if has_cjk(notes) else "Notes", place, 2))
            blocks += [Block("text", line, place) for line in notes.split("\n")]
    first = next((block.text for block in blocks if block.kind == "title" and block.text and block.level == 1), "")
    said = package.properties()
    title = said.title or first or PurePath(task.name).stem
    dated_at = said.dated_at or date_of(blocks)
    sections = sections_of(blocks, title)
    return ParsedDocument(title, sections, dated_at, said.metadata, unread=tuple(unread), pages=len(slides))


def _of_slide(elements: list[Any], place: str) -> list[Block]:
    """The blocks of a slide, its title in front, wherever it stands; one without begins with an empty title.

    Only what stands in its title is one: unstructured takes other short texts for titles, too.
    """
    titles: list[str] = []
    body: list[Block] = []
    for block in blocks_of(elements, lambda _: place):
        if block.kind != "title":
            body.append(block)
        elif block.level > 1:
            body.append(Block("text", block.text, place))
        else:
            titles.append(block.text)
    return [Block("title", " ".join(titles), place), *body]


def _slides(package: Package) -> list[str]:
    """The parts that slides are in, in the order of the presentation."""
    name = next(package.related("", "officeDocument"), "ppt/presentation.xml")
    root = package.tree(name)
    if root is None:
        raise InputError("the file is broken, or no PowerPoint file; open it in PowerPoint and save it again")
    parts = package.relationships(name)
    return [parts[slide.get(f"{_R}id")] for slide in root.iter(f"{_P}sldId") if slide.get(f"{_R}id") in parts]


def _notes(package: Package, slide: str) -> str:
    """The speaker notes of a slide, a line for each paragraph."""
    for name in package.related(slide, "notesSlide"):
        root = package.tree(name)
        for shape in root.iter(f"{_P}sp") if root is not None else ():
            holder = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
            if holder is not None and holder.get("type") == "body":
                return "\n".join(_paragraphs(shape))
    return ""


def _drawn(package: Package, slide: str) -> Iterator[str]:
    """The text of diagrams and charts, which unstructured does not read."""
    for name in (*package.related(slide, "diagramData"), *package.related(slide, "chart")):
        root = package.tree(name)
        if root is not None:
            yield from _paragraphs(root)
            words = (value.text or "" for cache in root.iter(f"{_C}strCache") for value in cache.iter(f"{_C}v"))
            if text := ", ".join(dict.fromkeys(filter(None, words))):
                yield text


def _paragraphs(root: Any) -> Iterator[str]:
    for paragraph in root.iter(f"{_A}p"):
        text = "".join(each.text or ("\n" if each.tag == f"{_A}br" else "") for each in paragraph.iter(f"{_A}t", f"{_A}br"))
        if text.strip():
            yield text.strip()
