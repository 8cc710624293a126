"""Pictures as chat models take them: png or jpeg, upright, on white, not too large."""

from hashlib import sha256
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from connectors.endpoints.pictures import LARGEST_SIDE, picture_for_models
from mneme.errors import InputError
from mneme.ports import Picture


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    made = BytesIO()
    image.save(made, form, **options)
    return made.getvalue()


def opened(picture: Picture) -> Image.Image:
    image = Image.open(BytesIO(picture.content))
    assert image.format == {"image/png": "PNG", "image/jpeg": "JPEG"}[picture.media_type]
    image.load()
    return image


def halves(mode: str = "RGB", size: tuple[int, int] = (64, 32)) -> Image.Image:
    """A picture that is black on the left and white on the right."""
    image = Image.new("L", size, 255)
    image.paste(0, (0, 0, size[0] // 2, size[1]))
    return image.convert(mode)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_what_fits_is_shown_as_it_is(form: str, mode: str) -> None:
    content = saved(halves(mode), form)
    picture = picture_for_models(content)
    assert picture == Picture(content, f"image/{form.lower()}", sha256(content).hexdigest())
    assert str(content[:20]) not in repr(picture)


@pytest.mark.parametrize(
    ("form", "media_type"),
    [("WEBP", "image/jpeg"), ("BMP", "image/png"), ("TIFF", "image/png"), ("GIF", "image/png")],
)
def test_other_formats_become_png_or_jpeg(form: str, media_type: str) -> None:
    content = saved(halves(), form)
    picture = picture_for_models(content)
    assert (picture.media_type, picture.sha256) == (media_type, sha256(content).hexdigest())
    image = opened(picture).convert("L")
    assert image.size == (64, 32)
    assert [image.getpixel((x, 16)) for x in (8, 56)] == pytest.approx([0, 255], abs=8)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF"])
@pytest.mark.parametrize(("size", "scaled"), [((2200, 1100), (2048, 1024)), ((512, 8192), (128, 2048))])
def test_what_is_too_large_is_scaled_down(form: str, size: tuple[int, int], scaled: tuple[int, int]) -> None:
    image = opened(picture_for_models(saved(halves(size=size), form)))
    assert image.size == scaled
    assert max(scaled) == LARGEST_SIDE


def test_a_picture_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the right side is up
    image = opened(picture_for_models(saved(halves(), "JPEG", exif=exif))).convert("L")
    assert image.size == (32, 64)
    assert [image.getpixel((16, y)) for y in (8, 56)] == pytest.approx([0, 255], abs=8)
    assert image.getexif().get(0x0112, 1) == 1


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_what_is_transparent_becomes_white(mode: str, form: str) -> None:
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, 10, 40))
    shown = opened(picture_for_models(saved(image.convert(mode), form))).convert("L")
    assert [shown.getpixel((x, 20)) for x in (4, 30)] == pytest.approx([0, 255], abs=8)


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "RGB"])
def test_scans_of_every_kind_keep_what_is_on_them(mode: str) -> None:
    image = opened(picture_for_models(saved(halves(mode), "TIFF"))).convert("L")
    assert [image.getpixel((x, 16)) for x in (8, 56)] == pytest.approx([0, 255], abs=8)


def test_sixteen_bits_are_not_cut_off() -> None:
    grey = Image.fromarray(np.full((20, 20), 0x8000, np.uint16))
    assert opened(picture_for_models(saved(grey, "TIFF"))).getextrema() == (128, 128)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no picture",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        saved(halves(), "PNG")[:60],
        saved(halves(), "JPEG")[:-200],
        saved(halves(), "TIFF")[:100],
        saved(halves(), "WEBP")[:40],
    ],
    ids=["empty", "text", "svg", "png", "jpeg", "tiff", "webp"],
)
def test_what_cannot_be_read_is_refused_with_what_can_be(content: bytes) -> None:
    with pytest.raises(InputError, match="send it as png, jpeg, webp"):
        picture_for_models(content)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("side", [12_000, 15_000])
def test_a_picture_that_would_fill_the_memory_is_refused(side: int) -> None:
    content = saved(Image.new("1", (side, side)), "PNG")
    assert len(content) < 100_000
    with pytest.raises(InputError, match=r"pixels.*make it smaller"):
        picture_for_models(content)
