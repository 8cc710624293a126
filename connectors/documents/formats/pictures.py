"""Pictures: what is written on them, by tesseract."""

import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePath

from PIL import Image, ImageOps

from connectors.documents.blocks import sections_of
from connectors.documents.dates import FIRST_LINES, date_in
from connectors.documents.formats.ocr import INSTALL_TESSERACT, Ocr
from connectors.documents.formats.paragraphs import Page, blocks_of, first_lines, largest_text
from connectors.documents.guards import MOST_PIXELS, check_pages, check_pixels
from connectors.documents.parsing import Task
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
    """What is written on pictures, as a document; what is not read says so.

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
    return ParsedDocument(
        title, sections, taken_at or date_in(first_lines(read)[:FIRST_LINES]), unread=tuple(unread), pages=pages
    )


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
    """What a picture says, else what one of its size usually has: a small one that of a screen, a huge one that of A3."""
    said: Sequence[float] = image.info.get("dpi") or (0.0,)
    if _PRINT[0] <= float(said[0]) <= _PRINT[1] and max(image.size) / float(said[0]) > 3:
        return float(said[0])
    longest = max(image.size)
    return 72.0 if longest < 1_000 else 100.0 if longest < 2_000 else max(200.0, longest / _LONGEST_PAGE)


def _taken_at(image: Image.Image) -> datetime | None:
    """When a camera took it; without an offset it is UTC."""
    try:
        exif = image.getexif().get_ifd(_EXIF)
        day, _, time = str(exif.get(_TAKEN, "")).strip("\0 ").partition(" ")
        offset = str(exif.get(_OFFSET, "")).strip("\0 ") or "+00:00"
        return datetime.fromisoformat(f"{day.replace(':', '-')}T{time}{offset}")
    except (ValueError, KeyError, TypeError, OSError, SyntaxError):
        return None
