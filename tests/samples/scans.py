"""Scans: pages as pictures at 200 dpi, with what scanners and telephones do to them."""

import io
from collections.abc import Sequence

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter

from tests.samples.pages import pdf_of
from tests.samples.papers import Paper

DPI = 200
_PILLOW = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP", "tiff": "TIFF", "bmp": "BMP", "gif": "GIF"}
PICTURES = tuple(_PILLOW)


def scanned(paper: Paper, columns: int = 1, size: float = 11, damage: str = "clean", seed: int = 1) -> list[Image.Image]:
    """The pages of a paper as grey pictures of ``DPI``.

    Args:
        paper: what stands on them.
        columns: one or two.
        size: of the text, in points.
        damage: ``clean``; ``skewed``, by 3 degrees; ``noisy``: grain, specks and the blocks of a strong JPEG; ``worn``: all
            of it, a little less.
        seed: of the noise.
    """
    document = pypdfium2.PdfDocument(pdf_of(paper, columns=columns, size=size))
    try:
        pages = [document[number].render(scale=DPI / 72).to_pil().convert("L") for number in range(len(document))]
    finally:
        document.close()
    random = np.random.default_rng(seed)
    match damage:
        case "clean":
            return pages
        case "skewed":
            return [_skewed(page, 3) for page in pages]
        case "noisy":
            return [_noisy(page, random, grain=20, specks=0.004, quality=30) for page in pages]
        case "worn":
            return [_noisy(_skewed(page, -1.5), random, grain=12, specks=0.002, quality=40) for page in pages]
        case _:
            raise ValueError(damage)


def picture_of(page: Image.Image, format: str) -> bytes:
    """One page as a file of a picture format."""
    return pictures_of([page], format)


def pictures_of(pages: Sequence[Image.Image], format: str) -> bytes:
    """Pages as one file; more than one for tiff only, in the black and white of a fax."""
    out = io.BytesIO()
    options: dict[str, object] = {"dpi": (DPI, DPI)} if format in ("png", "jpg", "tiff", "bmp") else {}
    if format == "tiff" and len(pages) > 1:
        frames = [page.point(lambda value: 255 if value > 150 else 0).convert("1") for page in pages]
        options |= {"save_all": True, "append_images": frames[1:], "compression": "group4"}
        pages = frames
    elif format == "jpg":
        options |= {"quality": 80}
    elif format == "webp":
        options |= {"quality": 80, "method": 2}
    pages[0].save(out, _PILLOW[format], **options)
    return out.getvalue()


def scanned_pdf(pages: Sequence[Image.Image]) -> bytes:
    """Pages as a PDF of pictures, as scanners write it: without a date, a title or any text."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.setDateFormatter(lambda *_: "")
    for page in pages:
        canvas.drawImage(ImageReader(io.BytesIO(picture_of(page, "jpg"))), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _skewed(page: Image.Image, degrees: float) -> Image.Image:
    return page.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)


def _noisy(page: Image.Image, random: np.random.Generator, grain: float, specks: float, quality: int) -> Image.Image:
    """Grey paper, grain, pepper and salt, a soft lens, and a strong JPEG."""
    values = np.asarray(page.filter(ImageFilter.GaussianBlur(0.6)), dtype=np.float32) * 0.85 + 25
    values += random.normal(0, grain, values.shape)
    luck = random.random(values.shape)
    values[luck < specks / 2] = 0
    values[luck > 1 - specks / 2] = 255
    out = io.BytesIO()
    Image.fromarray(np.clip(values, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=quality)
    return Image.open(io.BytesIO(out.getvalue())).convert("L")
