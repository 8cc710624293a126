"""Pictures and drawings: their text by tesseract, and the texts that an SVG holds itself."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from PIL import Image, ImageOps

from connectors.documents.blocks import Block, sections_of
from connectors.documents.dates import date_in
from connectors.documents.formats.ocr import INSTALL_TESSERACT, Ocr
from connectors.documents.formats.paragraphs import Page, blocks_of, first_lines, largest_text
from connectors.documents.guards import MOST_PIXELS, check_pages, check_pixels
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument

_SMALLEST = 16  # pixels; what is smaller, in height or width, holds no letters
_PRINT = (100.0, 1_200.0)  # dpi that a scanner or a printer writes; below, it is a screen's default that says nothing
_LONGEST_PAGE = 16.5  # inches: A3
_EXIF, _TAKEN, _OFFSET = 0x8769, 36_867, 36_881


def parse_picture(content: bytes, task: Task) -> ParsedDocument:
    """A picture as the text on it, page by page where it has several; an animation as its first picture.

    Raises:
        InputError: it is broken, cut off or too large.
    """
    with _opened(content) as image:
        taken_at = _taken_at(image)
        pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        check_pages(pages, task.settings)
        return read_pictures(_upright(image, pages), task, pages, taken_at)


def read_pictures(
    pictures: Iterator[Image.Image], task: Task, pages: int = 1, taken_at: datetime | None = None, dpi: float | None = None
) -> ParsedDocument:
    """The text of pictures, as a document that names what was not read.

    Args:
        taken_at: the moment the pictures say they are of; None: that of a line with a date on them, if there is any.
        dpi: theirs; None: as they say, else as their sizes tell.
    """
    ocr = Ocr(task.settings.ocr_languages)
    name = PurePath(task.name).stem
    if not ocr.is_installed:
        return ParsedDocument(name, (), taken_at, unread=(INSTALL_TESSERACT,), pages=pages)
    read: list[Page] = []
    unread: list[str] = []
    for number, picture in enumerate(pictures, start=1):
        place = f"page {number}" if pages > 1 else ""
        picture_dpi = dpi or _dpi(picture)
        try:
            reading = ocr.read(picture, picture_dpi) if min(picture.size) >= _SMALLEST else None
        except InputError as error:
            unread.append(f"{place}: {error}" if place else str(error))
            continue
        if reading is None or not reading.words:
            unread.append(f"{place}: no text in the picture" if place else "no text in the picture")
        else:
            read.append(Page(place, reading.height, reading.words, reading.rules, is_scanned=True))
    title = largest_text(read) or name
    sections = sections_of(blocks_of(read), title)
    return ParsedDocument(title, sections, taken_at or date_in(first_lines(read)), unread=tuple(unread), pages=pages)


def _opened(content: bytes) -> Image.Image:
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        image = Image.open(io.BytesIO(content))
        check_pixels(*image.size)
        image.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise InputError(f"the picture has more than {MOST_PIXELS:,} pixels; make it smaller") from error
    except (OSError, SyntaxError, ValueError, EOFError, ArithmeticError) as error:
        raise InputError("the picture is broken or cut off; save it again") from error
    return image


def _upright(image: Image.Image, pages: int) -> Iterator[Image.Image]:
    """The pages of a picture, as the camera was held."""
    for page in range(pages):
        try:
            if page:
                image.seek(page)
                check_pixels(*image.size)
                image.load()
            yield ImageOps.exif_transpose(image)
        except (OSError, SyntaxError, ValueError, EOFError, ArithmeticError) as error:
            raise InputError(f"page {page + 1} of the picture is broken or cut off; save it again") from error


def _dpi(image: Image.Image) -> float:
    """The resolution that a picture states, else the usual one of its size: of a screen if small, of A3 paper if huge."""
    said: Sequence[float] = image.info.get("dpi") or (0.0,)
    if _PRINT[0] <= float(said[0]) <= _PRINT[1] and max(image.size) / float(said[0]) > 3:
        return float(said[0])
    longest = max(image.size)
    return 72.0 if longest < 1_000 else 100.0 if longest < 2_000 else max(200.0, longest / _LONGEST_PAGE)


def _taken_at(image: Image.Image) -> datetime | None:
    """The time at which a camera took it; UTC without an offset."""
    try:
        exif = image.getexif().get_ifd(_EXIF)
        day, _, time = str(exif.get(_TAKEN, "")).strip("\0 ").partition(" ")
        offset = str(exif.get(_OFFSET, "")).strip("\0 ") or "+00:00"
        return datetime.fromisoformat(f"{day.replace(':', '-')}T{time}{offset}")
    except (ValueError, KeyError, TypeError, OSError, SyntaxError):
        return None


_LITTLE = 20  # letters and digits; a drawing with fewer may have its text as shapes
_LONG_SIDE = 2_000  # pixels of the picture that is made of it
_DPI = 200.0  # as if it were printed as wide as a page
_DUBLIN_CORE = "{http://purl.org/dc/"  # of metadata
_RASTER = re.compile(r"data:image/(?:png|jpe?g|gif|webp)[;,]", re.IGNORECASE)


def parse_svg(content: bytes, task: Task) -> ParsedDocument:
    """A drawing as the texts in it; drawn, and read as a picture, where it has little text.

    Raises:
        InputError: it is no well-formed XML, or declares entities.
    """
    root = _parsed(content)
    title = next(_texts(root, "title"), "")
    texts = [*_texts(root, "desc"), *_texts(root, "text"), *_texts(root, "foreignObject")]
    own = [*([title] if title else []), *texts]
    written = sections_of((Block("text", text) for text in texts or own), title or task.name)
    if sum(character.isalnum() for text in own for character in text) >= _LITTLE:
        return ParsedDocument(title or PurePath(task.name).stem, written, date_in(own), pages=1)
    seen = read_pictures(iter([_drawn(root)]), task, dpi=_DPI)
    return replace(seen, title=title or seen.title, sections=(*written, *seen.sections), unread=() if written else seen.unread)


def _parsed(content: bytes) -> Any:
    import defusedxml.ElementTree  # here: pictures are read without it

    try:
        return defusedxml.ElementTree.fromstring(content)
    except defusedxml.DefusedXmlException as error:
        raise InputError("it declares XML entities, which may unfold without end; save it without them") from error
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise InputError("the SVG is no well-formed XML; save it again") from error


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(root: Any, name: str) -> Iterator[str]:
    """The texts of all elements of a name, without those of metadata: there a program is titled."""
    for element in root.iter():
        if (
            _name(element) == name
            and not str(element.tag).startswith(_DUBLIN_CORE)
            and (text := " ".join(" ".join(element.itertext()).split()))
        ):
            yield text


def _drawn(root: Any) -> Image.Image:
    """The drawing as a picture on white, its longer side ``_LONG_SIDE`` pixels, without pictures that lie elsewhere."""
    import resvg_py

    for element in root.iter():
        if _name(element) in ("image", "feImage"):
            for attribute in [key for key in element.attrib if key.rpartition("}")[2] == "href"]:
                if not _RASTER.match(element.get(attribute).strip()):  # on this machine perhaps
                    del element.attrib[attribute]
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
    """True if a drawing is higher than wide, as its view box or its size says."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", root.get("viewBox", ""))[-2:]]
    if len(numbers) < 2:
        sizes = [re.match(r"\s*(\d+(?:\.\d+)?)", root.get(side, "")) for side in ("width", "height")]
        numbers = [float(size[1]) for size in sizes if size]
    return len(numbers) == 2 and numbers[1] > numbers[0]
