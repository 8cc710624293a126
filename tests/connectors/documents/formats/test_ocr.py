"""Scans to words: turned, noisy, shaded, ruled, without any; test_formats.py reads skewed and Chinese ones, and columns."""

import io
from unittest.mock import Mock

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

from connectors.documents.formats import ocr, scans
from connectors.documents.formats.layout import grids_of, lines_of
from connectors.documents.formats.ocr import Ocr
from connectors.documents.formats.scans import cleaned, skew
from mneme.errors import InputError
from tests.samples.known_text import recall

pytestmark = pytest.mark.slow

OCR = Ocr(("eng",))
READS = pytest.mark.skipif(not OCR.is_installed, reason="tesseract is not installed")
ENGLISH = (
    "The committee met in the old harbour office to review the budget for the new library, and decided that the wooden roof"
    " must be repaired before winter. Margaret reported that the supplier from Rotterdam raised prices by twelve percent, while"
    " the municipal grant remains unchanged. Several volunteers offered to paint the reading room."
)
TABLE = [["Item", "Supplier", "Price"], ["Oak desk", "Rotterdam", "120.50"], ["Roof tiles", "Hamburg", "84.20"]]


def scan(table: bool = False, dpi: int = 200) -> Image.Image:
    """A page with the text twice over, as a picture."""
    style = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=15, spaceAfter=8)
    flow = [Paragraph(ENGLISH, style) for _ in range(2)]
    if table:
        flow[1:1] = [Table(TABLE, colWidths=110, style=[("GRID", (0, 0), (-1, -1), 0.8, colors.black)]), Spacer(1, 12)]
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=(595, 360), leftMargin=60, rightMargin=60, topMargin=20, bottomMargin=20).build(flow)
    with pypdfium2.PdfDocument(out.getvalue()) as made:
        return made[0].render(scale=dpi / 72).to_pil().convert("L")


def skewed(image: Image.Image, degrees: float = 3.0) -> Image.Image:
    return image.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)


def noisy(image: Image.Image) -> Image.Image:
    """With salt, pepper and grain."""
    random = np.random.default_rng(1)
    pixels = np.asarray(image) + random.normal(0, 25, (image.height, image.width))
    specks = random.random(pixels.shape)
    pixels[specks < 0.005], pixels[specks > 0.995] = 0, 255
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def shaded(image: Image.Image) -> Image.Image:
    """Pale, and darker to one side."""
    return Image.fromarray(((90 + np.asarray(image) * 0.5) * np.linspace(0.6, 1, image.width)).astype(np.uint8))


def inverted(image: Image.Image) -> Image.Image:
    return Image.fromarray(255 - np.asarray(image))


def text_on(image: Image.Image, dpi: float = 200) -> str:
    return "\n".join(line.text for line in lines_of(OCR.read(image, dpi).words))


@READS
@pytest.mark.parametrize("damage", [noisy, shaded, inverted])
def test_damaged_print_is_read(damage):
    assert recall(ENGLISH * 2, text_on(damage(scan()))) >= 0.95


@READS
@pytest.mark.parametrize("turn", [90, 180])
def test_a_page_on_its_side_or_its_head_is_read(turn: int):
    assert recall(ENGLISH * 2, text_on(scan().rotate(turn, expand=True))) >= 0.95


@READS
def test_a_ruled_table_is_read_in_cells_though_the_page_is_skewed():
    reading = OCR.read(skewed(scan(table=True)), 200)
    (grid,) = grids_of(reading.rules)
    assert grid.cells(word for word in reading.words if grid.holds(word)) == TABLE


@READS
def test_a_picture_without_text_has_no_words():
    shades = np.linspace(0, 255, 600)[None, :] * np.linspace(0.3, 1, 400)[:, None]
    for image in (Image.new("L", (600, 400), 255), Image.fromarray(shades.astype(np.uint8))):
        assert OCR.read(image, 100).words == ()


@READS
def test_grain_is_known_for_what_it_is_and_not_read(monkeypatch: pytest.MonkeyPatch):
    grain = Image.fromarray(np.random.default_rng(1).integers(0, 256, (300, 300), dtype=np.uint8))
    monkeypatch.setattr(ocr, "_reading", lambda *_: pytest.fail("tesseract was asked"))
    assert OCR.read(grain, 200).words == ()


def test_the_densest_print_is_no_grain():
    image = Image.new("L", (600, 400), 255)
    ImageDraw.Draw(image).multiline_text((0, 0), "\n".join(["MMWHNmwil" * 12] * 60), font=ImageFont.load_default(10), spacing=0)
    assert not cleaned(image, 72).is_grain


@READS
def test_a_page_has_one_time_for_all_its_readings(monkeypatch: pytest.MonkeyPatch):
    moments = iter([0.0, 10.0, 40.0])
    given = []
    monkeypatch.setattr(ocr, "time", Mock(monotonic=lambda: next(moments)))

    def read(*_: object, timeout: float, **__: object) -> dict[str, list[str]]:
        given.append(timeout)
        return {"level": []}

    monkeypatch.setattr(ocr.pytesseract, "image_to_data", read)
    reader = Ocr(("eng", "chi_sim"))
    monkeypatch.setattr(reader, "_installed", frozenset({"eng", "chi_sim"}), raising=False)
    reader.read(Image.new("L", (300, 300), 255), 200)
    assert given == [50.0, 20.0]


@READS
def test_small_print_of_a_screen_is_read():
    image = Image.new("RGB", (320, 60), "#222")
    font = ImageFont.load_default(13)
    ImageDraw.Draw(image).text((8, 8), "Meeting with Margaret on Thursday", fill="#ddd", font=font)
    assert recall("Meeting with Margaret on Thursday", text_on(image, 72)) == 1


def test_languages_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch):
    reader = Ocr(("deu", "eng", "chi_sim", "jpn"))
    monkeypatch.setattr(reader, "_installed", frozenset({"eng", "chi_sim", "osd"}), raising=False)
    assert reader._scripts == ["eng", "chi_sim"]


def test_where_none_that_is_wanted_is_installed_those_that_are_do(monkeypatch: pytest.MonkeyPatch):
    reader = Ocr(("deu",))
    monkeypatch.setattr(reader, "_installed", frozenset({"fra", "osd"}), raising=False)
    assert reader._scripts == ["fra"]


def test_without_tesseract_the_package_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match="apt-get install tesseract-ocr"):
        Ocr(("eng",)).read(Image.new("L", (100, 100)), 200)


@pytest.mark.parametrize("degrees", [-9.5, -3, -0.4, 0, 0.7, 5])
def test_the_skew_of_a_page_is_found_to_a_tenth_of_a_degree(degrees: float):
    assert skew(np.asarray(skewed(scan(dpi=120), degrees))) == pytest.approx(degrees, abs=0.11)


def test_ruling_lines_are_found_and_wiped():
    image = scan(table=True)
    clean = cleaned(image, 200)
    assert len([rule for rule in clean.rules if rule.is_level]) == 4
    assert len([rule for rule in clean.rules if not rule.is_level]) == 4
    assert not cleaned(clean.image, 200).rules


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "I;16"])
def test_a_huge_picture_is_made_smaller(mode: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scans, "_MOST_PIXELS", 250_000)
    clean = cleaned(Image.new(mode, (800, 800), 1), 600)
    assert clean.image.size == (400, 400)
    assert clean.dpi == pytest.approx(300)
