"""Pictures of text, in every format; and drawings."""

import base64
import io
import struct
import zlib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from connectors.documents.formats import pictures
from connectors.documents.formats.ocr import Ocr
from connectors.documents.formats.pictures import parse_picture, parse_svg
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents
from tests.cases.groups import group_of

READS = pytest.mark.skipif(not Ocr(("eng",)).is_installed, reason="tesseract is not installed")
LINES = ("Meeting with Margaret on Thursday", "The budget is 12,400 euros")


def task(name: str, **settings: int) -> Task:
    def nested(content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        raise AssertionError("nothing lies inside")

    return Task(name, None, group_of(Documents, **settings), nested)


def drawn(*lines: str, ink: str = "black", ground: object = "white", mode: str = "RGB") -> Image.Image:
    image = Image.new(mode, (1_100, 60 + 60 * len(lines)), ground)
    font = ImageFont.load_default(36)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((30, 30 + 60 * number), line, fill=ink, font=font)
    return image


def saved(image: Image.Image, format: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def texts(document: ParsedDocument) -> str:
    return "\n".join(section.text for section in document.sections)


@READS
@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF"])
def test_pictures_of_every_format_are_read(format: str):
    document = parse_picture(saved(drawn(*LINES), format), task("note.x"))
    assert all(line in texts(document).replace("\n", " ") for line in LINES)
    assert (document.title, document.unread, document.pages) == ("note", (), 1)


@READS
@pytest.mark.parametrize(
    ("ink", "ground", "mode"), [("black", (0, 0, 0, 0), "RGBA"), ("white", (0, 0, 0, 0), "RGBA"), ("#eee", "#224", "RGB")]
)
def test_transparent_pictures_and_light_text_on_dark_are_read(ink: str, ground: object, mode: str):
    document = parse_picture(saved(drawn(*LINES, ink=ink, ground=ground, mode=mode), "PNG"), task("note.png"))
    assert LINES[0] in texts(document)


@READS
def test_pages_of_a_tiff_are_places():
    pages = [drawn(*LINES), drawn("And a second page")]
    document = parse_picture(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]), task("fax.tiff"))
    assert [section.place for section in document.sections] == ["page 1", "page 2"]
    assert "second page" in document.sections[1].text
    assert document.pages == 2


def test_a_tiff_of_too_many_pages_is_refused():
    blank = Image.new("1", (20, 20))
    content = saved(blank, "TIFF", save_all=True, append_images=[blank] * 5)
    with pytest.raises(InputError, match=r"6 pages.*MOST_PAGES"):
        parse_picture(content, task("fax.tiff", most_pages=5))


@READS
def test_a_picture_is_read_as_the_camera_was_held():
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    content = saved(drawn(*LINES).rotate(90, expand=True), "JPEG", exif=exif)
    assert LINES[0] in texts(parse_picture(content, task("note.jpg")))


@pytest.mark.parametrize(("offset", "zone"), [("", UTC), ("+08:00", timezone(timedelta(hours=8)))])
def test_a_photo_is_dated_by_the_camera(offset: str, zone: timezone):
    exif = Image.Exif()
    camera = exif.get_ifd(0x8769)
    camera[36_867] = "2024:03:01 12:30:00"
    if offset:
        camera[36_881] = offset
    document = parse_picture(saved(Image.new("RGB", (12, 12)), "JPEG", exif=exif), task("photo.jpg"))
    assert document.dated_at == datetime(2024, 3, 1, 12, 30, tzinfo=zone)


@READS
@pytest.mark.parametrize("side", [5, 60])
def test_a_picture_without_text_says_so(side: int):
    document = parse_picture(saved(Image.new("RGB", (side, side), "white"), "PNG"), task("sky.png"))
    assert (document.title, document.sections, document.unread) == ("sky", (), ("no text in the picture",))


def test_without_tesseract_a_picture_is_kept_and_says_why_it_is_not_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pictures.Ocr, "is_installed", False)
    document = parse_picture(saved(drawn(*LINES), "PNG"), task("note.png"))
    assert document.sections == ()
    assert document.unread == ("tesseract is not installed: apt-get install tesseract-ocr tesseract-ocr-chi-sim",)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP"])
def test_a_picture_that_is_cut_off_is_refused(format: str):
    content = saved(drawn(*LINES), format)
    with pytest.raises(InputError, match="broken or cut off"):
        parse_picture(content[: len(content) // 3], task("note.png"))


@pytest.mark.parametrize("width", [4_000, 30_000, 60_000])
def test_a_picture_of_too_many_pixels_is_refused_by_what_its_header_says(width: int):
    header = b"IHDR" + struct.pack(">IIBBBBB", width, 30_000, 8, 0, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header)) + bytes(4) + b"IDAT"
    with pytest.raises(InputError, match="pixels"):
        parse_picture(content, task("bomb.png"))


def svg(body: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 550 180">{body}</svg>'.encode()


def test_texts_of_a_drawing_are_taken_as_they_are():
    document = parse_svg(
        svg(
            "<title>Harbour plan</title><desc>Date: 2024-03-01</desc><text y='20'>The <tspan>lighthouse</tspan> is north</text>"
        ),
        task("plan.svg"),
    )
    assert document.title == "Harbour plan"
    assert texts(document) == "Date: 2024-03-01\n\nThe lighthouse is north"
    assert document.dated_at == datetime(2024, 3, 1, tzinfo=UTC)
    assert document.unread == ()


def embedded(image: Image.Image) -> str:
    data = base64.b64encode(saved(image, "PNG")).decode()
    return f'<image width="550" height="90" href="data:image/png;base64,{data}"/>'


def test_the_program_that_drew_a_drawing_is_not_its_title():
    creator = '<metadata><title xmlns="http://purl.org/dc/elements/1.1/">Matplotlib v3</title></metadata>'
    document = parse_svg(svg(f"{creator}<text>Passengers of the Rosvik ferry in thousands</text>"), task("ferry.svg"))
    assert document.title == "ferry"
    assert [section.title for section in document.sections] == ["ferry.svg"]


@READS
def test_a_picture_in_a_drawing_without_text_is_read():
    assert LINES[0] in texts(parse_svg(svg(embedded(drawn(*LINES))), task("p.svg")))


@READS
@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_drawing_reaches_for_no_file(tmp_path: Path, scheme: str):
    (tmp_path / "secret.png").write_bytes(saved(drawn("SECRET", "WORD"), "PNG"))
    document = parse_svg(svg(f'<image width="550" height="180" href="{scheme}{tmp_path}/secret.png"/>'), task("p.svg"))
    assert document.sections == ()


@pytest.mark.parametrize("entity", [b'a "b"', b'a SYSTEM "file:///etc/passwd"', b'% a "b"'])
def test_entities_of_a_drawing_are_refused(entity: bytes):
    with pytest.raises(InputError, match="entities"):
        parse_svg(b"<!DOCTYPE svg [<!ENTITY " + entity + b">]>" + svg("<text>plain</text>"), task("bomb.svg"))


def test_a_drawing_may_have_a_document_type():
    doctype = b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">'
    assert (
        texts(parse_svg(doctype + svg("<text>The lighthouse is north</text>"), task("plan.svg"))) == "The lighthouse is north"
    )


def test_a_drawing_that_is_no_xml_is_refused():
    with pytest.raises(InputError, match="well-formed"):
        parse_svg(svg("<text>no end"), task("p.svg"))


@READS
def test_the_letters_of_a_huge_picture_are_no_ruling_lines():
    image = Image.new("1", (9_900, 2_600), 1)
    draw = ImageDraw.Draw(image)
    for row in range(2):
        draw.text((400, 400 + 800 * row), "The supplier from Rotterdam raised prices", fill=0, font=ImageFont.load_default(250))
    assert texts(parse_picture(saved(image, "PNG"), task("poster.png"))).count("supplier from Rotterdam") == 2
