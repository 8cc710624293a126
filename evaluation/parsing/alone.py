"""The libraries alone: each format read by what reads it best in a few lines, without limits, sections or places.

Recordings have none, and are not here. ``unstructured`` is kept off the network as in connectors/documents/elements.py, and is
not asked to guess a language, as there.
"""

import io
import time
from collections.abc import Sequence
from email import message_from_bytes
from email.policy import default as default_policy
from functools import cache
from importlib import import_module
from typing import Any

from connectors.documents.elements import partition
from connectors.documents.kinds import kind_of

_ENOUGH = 5  # letters; a page with fewer is looked at
_UNSTRUCTURED = ("docx", "doc", "xlsx", "xls", "pptx", "ppt", "eml", "html", "txt", "md", "csv", "tsv")
_PICTURES = ("png", "jpg", "webp", "tiff", "bmp", "gif")
_MODULES = {"txt": "text", "md": "text", "xls": "xlsx"}  # of unstructured; its own for Markdown needs one package more
_WITHOUT_LANGUAGES = ("csv", "tsv")  # of which unstructured guesses no language in any case
LIBRARIES = {
    **dict.fromkeys(_UNSTRUCTURED, "unstructured"),
    **dict.fromkeys(_PICTURES, "pytesseract"),
    "pdf": "pypdfium2, pytesseract",
    "svg": "resvg, pytesseract",
    "vtt": "webvtt-py",
    "srt": "webvtt-py",
}


def read_alone(content: bytes, format: str, languages: Sequence[str], dpi: int) -> str:
    """The text of a document, by the library alone.

    Args:
        content: the document.
        format: one of ``LIBRARIES``.
        languages: of tesseract.
        dpi: of a page without text, as a picture.
    """
    language = "+".join(languages)
    match format:
        case "pdf":
            return "\n".join(_pdf(content, language, dpi))
        case "svg":
            return _svg(content, language)
        case "vtt" | "srt":
            return _captions(content, format)
        case "eml":
            return _mail(content, languages, dpi)
        case _ if format in _PICTURES:
            return "\n".join(_pictures(content, language))
        case _:
            return _partitioned(content, format)


def time_alone(content: bytes, format: str, languages: Sequence[str], dpi: int) -> float:
    """The seconds that ``read_alone`` takes."""
    began = time.perf_counter()
    read_alone(content, format, languages, dpi)
    return time.perf_counter() - began


@cache
def warm_up() -> None:
    """Load unstructured, and keep it off the network; once for a process."""
    partition("html", text="<p>A sentence.</p>")


def _partitioned(content: bytes, format: str) -> str:
    warm_up()
    name = _MODULES.get(format, format)
    read: Any = getattr(import_module(f"unstructured.partition.{name}"), f"partition_{name}")
    options = {} if format in _WITHOUT_LANGUAGES else {"languages": [""]}
    return "\n".join(element.text for element in read(file=io.BytesIO(content), **options))


def _mail(content: bytes, languages: Sequence[str], dpi: int) -> str:
    """The body by unstructured, and each attachment by what reads its format: unstructured alone would leave some out."""
    warm_up()
    read: Any = import_module("unstructured.partition.email").partition_email
    texts = [element.text for element in read(file=io.BytesIO(content), process_attachments=False, languages=[""])]
    for part in message_from_bytes(content, policy=default_policy).iter_attachments():
        if part.get_content_type() == "message/rfc822":
            texts.append(_mail(part.get_content().as_bytes(), languages, dpi))
            continue
        inside: bytes = part.get_payload(decode=True)  # type: ignore[assignment]
        format = kind_of(inside, part.get_filename() or "", part.get_content_type()).name
        texts.append(read_alone(inside, format, languages, dpi))
    return "\n".join(texts)


def _pdf(content: bytes, language: str, dpi: int) -> list[str]:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        texts = []
        for page in document:
            text = page.get_textpage().get_text_bounded()
            if len(text.strip()) < _ENOUGH:
                text = _ocr(page.render(scale=dpi / 72, grayscale=True).to_pil(), language)
            texts.append(text)
        return texts
    finally:
        document.close()


def _pictures(content: bytes, language: str) -> list[str]:
    from PIL import Image, ImageSequence

    with Image.open(io.BytesIO(content)) as picture:
        return [_ocr(frame.convert("L"), language) for frame in ImageSequence.Iterator(picture)]


def _svg(content: bytes, language: str) -> str:
    import resvg_py
    from lxml import etree
    from PIL import Image

    nodes = etree.fromstring(content, etree.XMLParser(resolve_entities=False))
    text = "".join(nodes.itertext()).strip()
    if len(text) >= _ENOUGH:
        return text
    drawn = bytes(resvg_py.svg_to_bytes(svg_string=content.decode()))
    return _ocr(Image.open(io.BytesIO(drawn)).convert("L"), language)


def _captions(content: bytes, format: str) -> str:
    import webvtt

    captions = webvtt.from_buffer(io.StringIO(content.decode("utf-8-sig")), format=format).captions
    return "\n".join(caption.text for caption in captions)


def _ocr(image: Any, language: str) -> str:
    import pytesseract

    text: str = pytesseract.image_to_string(image, lang=language)
    return text
