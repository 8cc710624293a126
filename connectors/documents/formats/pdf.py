"""PDF: its text where it has any, and what tesseract reads on pages that are pictures and in large pictures on others."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from connectors.documents.blocks import sections_of
from connectors.documents.dates import FIRST_LINES, date_in
from connectors.documents.formats.ocr import INSTALL_TESSERACT, Ocr
from connectors.documents.formats.paragraphs import Page, blocks_of, first_lines, largest_text
from connectors.documents.formats.pdf_pages import PageText, Picture, cut_out, page_picture, page_text
from connectors.documents.guards import check_pages
from connectors.documents.parsing import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument

_MOST_INSETS = 20  # large pictures of one document beside text; a photograph without a word takes seconds too
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
        title = _said(document, "Title")
        if not title or _NAME_OF_A_FILE.fullmatch(title):
            title = largest_text(pages) or PurePath(task.name).stem
        sections = sections_of(blocks_of(pages), title)
        return ParsedDocument(
            title,
            sections,
            _dated_at(pages, _created(_said(document, "CreationDate"))),
            {name: value for key, name in _METADATA.items() if (value := _said(document, key))},
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
    """Pages as they are read, each with the large pictures on it behind it; what cannot be read is added to ``unread``."""
    ocr = Ocr(task.settings.ocr_languages)
    seen: set[Picture] = set()
    for at in range(len(document)):
        place = f"page {at + 1}"
        try:
            page = document[at]
        except pypdfium2.PdfiumError:
            unread.append(f"{place}: it is broken; save or print the document anew")
            continue
        try:
            text = page_text(page)
            if text.is_hopeless:
                yield _scanned(page, place, ocr, task.settings.ocr_dpi)
            else:
                yield Page(place, text.height, text.words, text.rules)
                yield from _insets(page, text, place, ocr, task.settings.ocr_dpi, seen)
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


def _insets(page: Any, text: PageText, place: str, ocr: Ocr, dpi: int, seen: set[Picture]) -> Iterator[Page]:
    """What is written in the large pictures of a page that has text beside them; a ground that pages share is read once."""
    for picture in text.unwritten:
        if picture in seen:
            continue
        if not ocr.is_installed:
            raise InputError(f"a large picture, and {INSTALL_TESSERACT}")
        if len(seen) == _MOST_INSETS:
            raise InputError(f"a large picture; only the first {_MOST_INSETS} that pages have beside their text are read")
        seen.add(picture)
        reading = ocr.read(*cut_out(page, text, picture, dpi))
        if reading.words:
            yield Page(place, reading.height, reading.words, reading.rules, is_scanned=True, is_inset=True)


def _said(document: Any, name: str) -> str:
    """What is said of a document, unless it is what programs write where nothing is said, or no text at all."""
    try:
        text = " ".join(document.get_metadata_value(name).replace("\0", "").split())
    except UnicodeDecodeError:
        return ""
    return "" if _NO_VALUE.fullmatch(text) or not any(character.isalnum() for character in text) else text


def _dated_at(pages: list[Page], created: datetime | None) -> datetime | None:
    """When the file was made, else what its first lines say; of a scan first what they say: it was scanned later."""
    written = date_in(first_lines(pages)[:FIRST_LINES])
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
