"""SVG: its title, its description and its texts; and what tesseract reads on it, where letters are drawn or are in pictures."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import defusedxml.ElementTree
import resvg_py
from PIL import Image

from connectors.documents.blocks import Block, sections_of
from connectors.documents.dates import FIRST_LINES, date_in
from connectors.documents.formats.pictures import read_pictures
from connectors.documents.parsing import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section

_LITTLE = 20  # letters and digits; a drawing with fewer may have its text as shapes
_LONG_SIDE = 2_000  # pixels of the picture that is made of it
_DPI = 200.0  # as if it were printed as wide as a page
_RASTER = re.compile(r"data:image/(?:png|jpe?g|gif|webp)[;,]", re.IGNORECASE)


def parse_svg(content: bytes, task: Task) -> ParsedDocument:
    """A drawing as the texts in it; drawn, and read as a picture, where it has little text or holds pictures.

    Raises:
        InputError: it is no well-formed XML, or declares entities.
    """
    root = _parsed(content)
    title = next(_texts(root, "title"), "")
    texts = [*_texts(root, "desc"), *_texts(root, "text"), *_texts(root, "foreignObject")]
    own = [*([title] if title else []), *texts]
    has_pictures = _without_foreign_pictures(root)
    seen: ParsedDocument | None = None
    if has_pictures or sum(character.isalnum() for text in own for character in text) < _LITTLE:
        seen = read_pictures(iter([_drawn(root)]), task, dpi=_DPI)
    written = sections_of((Block("text", text) for text in texts or own), title or (seen.title if seen else task.name))
    drawn = _unwritten(seen.sections, own) if seen else []
    sections = tuple(replace(section, position=position) for position, section in enumerate([*written, *drawn]))
    title = title or (seen.title if seen is not None else task.name.rpartition(".")[0])
    unread = seen.unread if seen and (has_pictures or not sections) else ()
    return ParsedDocument(title, sections, date_in(own[:FIRST_LINES]), unread=unread, pages=1)


def _parsed(content: bytes) -> Any:
    try:
        return defusedxml.ElementTree.fromstring(content)
    except defusedxml.DefusedXmlException as error:
        raise InputError("it declares XML entities, which may unfold without end; save it without them") from error
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise InputError("the SVG is no well-formed XML; save it again") from error


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(root: Any, name: str) -> Iterator[str]:
    """The texts of all elements of a name."""
    for element in root.iter():
        if _name(element) == name and (text := " ".join(" ".join(element.itertext()).split())):
            yield text


def _without_foreign_pictures(root: Any) -> bool:
    """Take out pictures that lie elsewhere, on this machine perhaps; whether there are any that the drawing itself holds."""
    has_pictures = False
    for element in root.iter():
        if _name(element) not in ("image", "feImage"):
            continue
        for attribute in [key for key in element.attrib if key.rpartition("}")[2] == "href"]:
            if _RASTER.match(element.get(attribute).strip()):
                has_pictures = True
            else:
                del element.attrib[attribute]
    return has_pictures


def _drawn(root: Any) -> Image.Image:
    """The drawing as a picture on white, its longer side ``_LONG_SIDE`` pixels."""
    try:
        text = ElementTree.tostring(root, encoding="unicode")
        width, height = (None, _LONG_SIDE) if _is_tall(root) else (_LONG_SIDE, None)
        drawn = bytes(resvg_py.svg_to_bytes(svg_string=text, background="white", width=width, height=height))
        image = Image.open(io.BytesIO(drawn))
        image.load()
    except (ValueError, OSError, RecursionError, RuntimeError) as error:
        raise InputError("the SVG cannot be drawn; save it again, or as png") from error
    return image


def _is_tall(root: Any) -> bool:
    """Whether a drawing is higher than wide, as its view box or its size says."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", root.get("viewBox", ""))[-2:]]
    if len(numbers) < 2:
        sizes = [re.match(r"\s*(\d+(?:\.\d+)?)", root.get(side, "")) for side in ("width", "height")]
        numbers = [float(size[1]) for size in sizes if size]
    return len(numbers) == 2 and numbers[1] > numbers[0]


def _unwritten(sections: tuple[Section, ...], own: list[str]) -> list[Section]:
    """What was read on the drawing and is not in its texts already."""
    known = set(re.findall(r"\w+", " ".join(own).lower()))
    kept = []
    for section in sections:
        lines = []
        for line in section.text.splitlines():
            words = re.findall(r"\w+", line.lower())
            if sum(word in known for word in words) < 0.7 * max(1, len(words)):
                lines.append(line)
        if lines:
            kept.append(replace(section, text="\n".join(lines)))
    return kept
