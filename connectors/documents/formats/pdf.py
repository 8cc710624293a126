"""PDF: text by pdfium, and by tesseract for pages that are pictures."""

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise
from pathlib import PurePath
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from connectors.documents.blocks import sections_of
from connectors.documents.dates import date_in
from connectors.documents.formats.layout import Rule, Word
from connectors.documents.formats.ocr import INSTALL_TESSERACT, Ocr
from connectors.documents.formats.paragraphs import Page, blocks_of, first_lines, largest_text
from connectors.documents.guards import check_pages
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument

_MOST_PIXELS = 25_000_000  # of a picture of a page: an A3 page at 300 dpi has 17 million
_MOST_OBJECTS = 20_000  # of a page that are looked at for ruling lines; a map has more
_THIN = 3.0  # points; a rectangle that is thinner is a line
_SAMPLED = 100  # characters that tell how a page is turned
_HYPHENS = "\x02\ufffe"  # what pdfium makes of a hyphen that breaks a word, with no blank behind it
_WORD = re.compile(rf"[^\s\0-\x20{_HYPHENS}]+[{_HYPHENS}]?|[{_HYPHENS}]")
_FIGURE = re.compile(r"[-+−\d]")  # of a power, which must not become one with its base: 2 48, and not 248
_LETTERS = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"} | dict.fromkeys(_HYPHENS, "-")
)
_BOLD_NAMES = (b"bold", b"black", b"heavy", b"demi")
_BOLD_WEIGHT = 600


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's words, ruling lines and height in points, and how much of it its largest picture covers (0 to 1).

    It is turned so that most of its text is upright, as a table that lies on its side must be.
    """

    words: tuple[Word, ...]
    rules: tuple[Rule, ...]
    height: float
    pictured: float
    is_blank: bool

    @property
    def needs_ocr(self) -> bool:
        """True if the page must be looked at to be read: there is no text behind what it shows, or none that means anything."""
        letters = "".join(word.text for word in self.words)
        strange = sum(character == "\ufffd" or "\ue000" <= character <= "\uf8ff" or character < " " for character in letters)
        strange += 6 * letters.count("(cid:")
        if len(letters) - strange < 0.8 * len(letters):
            return True
        return not self.is_blank and (len(letters) < 5 or (self.pictured > 0.5 and len(letters) < 200))


def page_text(page: Any) -> PageText:
    """Read the words and rules of a ``pypdfium2.PdfPage``."""
    textpage = page.get_textpage()
    try:
        frame = _Frame(page, _turn(textpage, page.get_rotation()))
        rules, pictured, is_blank = _drawn(page, frame)
        return PageText(tuple(_words(textpage, frame)), tuple(rules), frame.height, pictured, is_blank)
    finally:
        textpage.close()


def page_picture(page: Any, dpi: int) -> tuple[Image.Image, float]:
    """A page as a picture, and its dpi: ``dpi``, or what a page of its size can have."""
    width, height = page.get_size()
    scale = dpi / 72.0
    if width * height * scale * scale > _MOST_PIXELS:
        scale = (_MOST_PIXELS / (width * height)) ** 0.5
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        return bitmap.to_pil().copy(), scale * 72.0
    finally:
        bitmap.close()


class _Frame:
    """From a page's own coordinates, which rise from any corner, to points from the upper left corner of the page, turned."""

    def __init__(self, page: Any, turn: int) -> None:
        self._left, bottom, right, self._top = page.get_cropbox(fallback_ok=True)
        self._width, self._height = right - self._left, self._top - bottom
        self.turn = turn
        self.is_turned = turn in (90, 270)
        self.height = self._width if self.is_turned else self._height
        self.area = max(1.0, self._width * self._height)

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """Left, top, right and bottom on the turned page."""
        west, north, east, south = left - self._left, self._top - top, right - self._left, self._top - bottom
        match self.turn:
            case 90:
                return self._height - south, west, self._height - north, east
            case 180:
                return self._width - east, self._height - south, self._width - west, self._height - north
            case 270:
                return north, self._width - east, south, self._width - west
            case _:
                return west, north, east, south


def _turn(textpage: Any, fallback: int) -> int:
    """The degrees, clockwise, by which a page must be turned for most of its text to be upright."""
    count = textpage.count_chars()
    turns = Counter[int]()
    for at in range(0, count, count // _SAMPLED + 1):
        angle = pdfium.FPDFText_GetCharAngle(textpage, at)
        if angle >= 0 and pdfium.FPDFText_GetUnicode(textpage, at) > ord(" "):
            turns[round(-angle / (math.pi / 2)) % 4 * 90] += 1
    return turns.most_common(1)[0][0] if turns else fallback


def _words(textpage: Any, frame: _Frame) -> Iterator[Word]:
    """The words of a page. pdfium says where one ends: it puts a blank there where the file has none.

    The characters of a ligature share one glyph, and so one box: their distance would say nothing.
    """
    handle = textpage.raw
    codes = (pdfium.FPDFText_GetUnicode(handle, at) for at in range(textpage.count_chars()))
    text = "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)
    for found in _WORD.finditer(text):
        figures = (each.start() for each in _FIGURE.finditer(text, found.start() + 1, found.end()))
        starts = [found.start(), *(at for at in figures if not frame.is_turned and _is_raised(textpage, at, frame))]
        for first, end in pairwise([*starts, found.end()]):
            (left, top, right, bottom), (_, end_top, end_right, end_bottom) = (
                _box(textpage, at, frame) for at in (first, end - 1)
            )
            size = pdfium.FPDFText_GetFontSize(handle, first) if frame.is_turned else bottom - top
            edges = (left, min(top, end_top), max(right, end_right), max(bottom, end_bottom))
            yield Word(_as_written(text[first:end]), *edges, round(size, 1), _is_bold(textpage, first))


def _is_raised(textpage: Any, at: int, frame: _Frame) -> bool:
    """True if a character stands beside the one before it, and higher or lower: a power, or the number of a note."""
    before, (left, _, _, bottom) = _box(textpage, at - 1, frame), _box(textpage, at, frame)
    size = before[3] - before[1]
    return left > before[2] - 0.3 * size and abs(bottom - before[3]) > 0.2 * size


def _box(textpage: Any, at: int, frame: _Frame) -> tuple[float, float, float, float]:
    """The box of a character: the tight one, where the loose one is empty (a turned one) or NaN (a broken font)."""
    left, bottom, right, top = textpage.get_charbox(at, loose=True)
    if frame.is_turned or not top - bottom >= 0.5:
        left, bottom, right, top = textpage.get_charbox(at)
    return frame.box(left, bottom, right, top)


def _as_written(text: str) -> str:
    """Without soft hyphens and ligatures, and with characters beyond the basic plane made of their halves."""
    text = text.translate(_LETTERS).replace("\u00ad", "-" if text.endswith("\u00ad") else "")
    if any("\ud800" <= character <= "\udfff" for character in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _is_bold(textpage: Any, at: int) -> bool:
    if pdfium.FPDFText_GetFontWeight(textpage, at) >= _BOLD_WEIGHT:
        return True
    name = ctypes.create_string_buffer(64)
    pdfium.FPDFText_GetFontInfo(textpage, at, name, 64, None)
    return any(mark in name.value.lower() for mark in _BOLD_NAMES)


def _drawn(page: Any, frame: _Frame) -> tuple[list[Rule], float, bool]:
    """The ruling lines of a page, the share of it that its largest picture covers, and whether nothing is on it."""
    rules: list[Rule] = []
    pictured = 0.0
    things = list(islice(page.get_objects(max_depth=1), _MOST_OBJECTS))
    for thing in things:
        if thing.type == pdfium.FPDF_PAGEOBJ_PATH:
            rules += _rules_of_path(thing, frame)
        elif thing.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = thing.get_bounds()
            pictured = max(pictured, (right - left) * (top - bottom) / frame.area)
    return rules, pictured, not things


def _rules_of_path(path: Any, frame: _Frame) -> list[Rule]:
    """The level and upright strokes of a path, and the edges of its boxes; a box that is only filled is ground, not a rule."""
    count = pdfium.FPDFPath_CountSegments(path)
    if count > 1_000:  # a drawing
        return []
    fill, is_stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, is_stroked)
    rules: list[Rule] = []
    for points in _shapes(path, count):
        if not is_stroked.value and points:
            left, right = min(x for x, _ in points), max(x for x, _ in points)
            bottom, top = min(y for _, y in points), max(y for _, y in points)
            if min(right - left, top - bottom) > _THIN:
                continue
            points = [(left, bottom), (right, top)]
        for (x0, y0), (x1, y1) in pairwise(points):
            box = Rule(*frame.box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
            width, height = box.right - box.left, box.bottom - box.top
            if min(width, height) <= _THIN < max(width, height):
                rules.append(box)
    return rules


def _shapes(path: Any, count: int) -> Iterator[list[tuple[float, float]]]:
    """The corners of the shapes that a path draws, in order; of one with a curve only what comes behind that."""
    matrix = path.get_matrix()
    x, y = ctypes.c_float(), ctypes.c_float()
    shape: list[tuple[float, float]] = []
    for at in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            shape = []
            continue
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            yield shape
            shape = []
        shape.append(matrix.on_point(x.value, y.value))
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield [*shape, shape[0]]
            shape = []
    yield shape


_METADATA = {"Author": "author", "Subject": "subject", "Keywords": "keywords"}
_NO_VALUE = re.compile(
    r"\(?(?:untitled|anonymous|unspecified|unknown|none|ohne titel|无标题)\)?(?: document)?\s*\d*", re.IGNORECASE
)
_NAME_OF_A_FILE = re.compile(
    r"microsoft (?:word|powerpoint|excel) - .*"
    r"|.*\.(?:docx?|pptx?|xlsx?|odt|rtf|tex|dvi|indd|qxd|pdf|ps|eps|html?|tiff?|jpe?g|png)",
    re.IGNORECASE,
)
_CREATED = re.compile(r"D:(\d{4})(\d{2})(\d{2})(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-]\d{2})'?(\d{2})?)?")


def parse_pdf(content: bytes, task: Task) -> ParsedDocument:
    """A PDF as sections, page by page.

    Raises:
        InputError: it is broken, cut off or encrypted, has too many pages, or no page of it could be read.
    """
    document = _opened(content)
    try:
        check_pages(len(document), task.settings)
        unread: list[str] = []
        pages = list(_pages(document, task, unread))
        if unread and not any(page.words for page in pages):
            raise InputError(f"none of its pages could be read: {unread[0].partition(': ')[2]}")
        title = _information(document, "Title")
        if not title or _NAME_OF_A_FILE.fullmatch(title):
            title = largest_text(pages) or PurePath(task.name).stem
        sections = sections_of(blocks_of(pages), title)
        return ParsedDocument(
            title,
            sections,
            _dated_at(pages, _created(_information(document, "CreationDate"))),
            {name: value for key, name in _METADATA.items() if (value := _information(document, key))},
            "pdf",
            unread=tuple(unread),
            pages=len(document),
        )
    finally:
        document.close()


def _opened(content: bytes) -> Any:
    # pdfium mends what is cut off as well as it can; half a document taken for a whole one would never be missed.
    end = content.rfind(b"startxref")
    if end < 0 or end < content.rfind(b"endobj"):
        raise InputError("the PDF is cut off: its end is missing; send the whole file")
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise InputError("the PDF is encrypted; send it without a password") from error
        raise InputError("the PDF is broken and cannot be opened; save or print it anew") from error
    if not len(document):
        document.close()
        raise InputError("the PDF has no pages; save or print it anew")
    return document


def _pages(document: Any, task: Task, unread: list[str]) -> Iterator[Page]:
    """Pages as they are read; what cannot be read is added to ``unread``."""
    ocr = Ocr(task.settings.ocr_languages)
    for at in range(len(document)):
        place = f"page {at + 1}"
        try:
            page = document[at]
        except pypdfium2.PdfiumError:
            unread.append(f"{place}: it is broken; save or print the document anew")
            continue
        try:
            text = page_text(page)
            if text.needs_ocr:
                yield _scanned(page, place, ocr, task.settings.ocr_dpi)
            else:
                yield Page(place, text.height, text.words, text.rules)
        except InputError as error:
            unread.append(f"{place}: {error}")
        except pypdfium2.PdfiumError:
            unread.append(f"{place}: it is broken; save or print the document anew")
        finally:
            page.close()


def _scanned(page: Any, place: str, ocr: Ocr, dpi: int) -> Page:
    if not ocr.is_installed:
        raise InputError(f"no text, and {INSTALL_TESSERACT}")
    reading = ocr.read(*page_picture(page, dpi))
    return Page(place, reading.height, reading.words, reading.rules, is_scanned=True)


def _information(document: Any, name: str) -> str:
    """A field of the document information; empty for the default of a program, or for no text at all."""
    try:
        text = " ".join(document.get_metadata_value(name).replace("\0", "").split())
    except UnicodeDecodeError:
        return ""
    return "" if _NO_VALUE.fullmatch(text) or not any(character.isalnum() for character in text) else text


def _dated_at(pages: list[Page], created: datetime | None) -> datetime | None:
    """The creation date of the file, else the date in its first lines; for a scan the other way round: it was scanned later."""
    written = date_in(first_lines(pages))
    return written or created if pages and pages[0].is_scanned else created or written


def _created(text: str) -> datetime | None:
    """The moment in ``D:20240301120000+01'00'``; without an offset it is UTC."""
    found = _CREATED.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, _, hours, minutes = found.groups()
    offset = f"{hours}:{minutes or '00'}" if hours else "+00:00"
    try:
        return datetime.fromisoformat(f"{year}-{month}-{day}T{hour or '00'}:{minute or '00'}:{second or '00'}{offset}")
    except ValueError:
        return None
