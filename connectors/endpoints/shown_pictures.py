"""A picture in the form in which chat models take one: a png or jpeg, upright, on white, of at most 2,048 pixels a side.

What is so already is shown as it is. A photograph (jpeg, webp) becomes a jpeg, anything else a png, whose letters stay sharp.
"""

import hashlib
import threading
from io import BytesIO
from typing import TYPE_CHECKING

from connectors.documents.guards import check_pixels
from mneme.errors import InputError
from mneme.ports import Picture

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST_SIDE = 2_048  # pixels; what is larger is scaled down by the models themselves, after it was paid for
_MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}
_PHOTOGRAPHS = frozenset({"JPEG", "MPO", "WEBP"})
_PLAIN_MODES = frozenset({"1", "L", "P", "RGB"})
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")  # Pillow knows others, some of which start programs
_JPEG_QUALITY = 90
_ORIENTATION = 0x0112  # of EXIF; 1 is upright
_HALVED = frozenset({"L", "LA", "RGB", "RGBA"})  # modes whose pixels have a mean

_one_at_a_time = threading.Lock()  # this is the process of the flow, and the largest picture takes half a gigabyte


def shown_picture(content: bytes) -> Picture:
    """The picture in a file; of several in one the first.

    Raises:
        InputError: Pillow is not installed, or cannot read it, or it has more pixels than any picture needs.
    """
    try:
        from PIL import Image
    except ModuleNotFoundError as error:
        raise InputError("pictures need Pillow, which is not installed; run pip install 'mneme-river[documents]'") from error
    sha256 = hashlib.sha256(content).hexdigest()
    try:
        with _one_at_a_time, Image.open(BytesIO(content), formats=_FORMATS) as image:
            check_pixels(*image.size)
            if _is_fit(image):
                image.load()  # all of it is there
                return Picture(content, _MEDIA_TYPES[str(image.format)], sha256)
            return Picture(*_made_fit(image), sha256)
    except InputError:
        raise
    except Image.DecompressionBombError as error:
        raise InputError("the picture has more pixels than any picture needs; make it smaller") from error
    except Exception as error:  # decoders raise whatever they stumble over
        raise InputError(
            f"the picture cannot be read ({type(error).__name__}); send it as png, jpeg, webp, gif, bmp or tiff"
        ) from error


def _is_fit(image: "Image") -> bool:
    return (
        image.format in _MEDIA_TYPES
        and image.mode in _PLAIN_MODES
        and max(image.size) <= LARGEST_SIDE
        and "transparency" not in image.info
        and image.getexif().get(_ORIENTATION, 1) == 1
    )


def _made_fit(image: "Image") -> tuple[bytes, str]:
    """The bytes and the media type of the picture as it is shown."""
    from PIL import ImageOps

    is_photograph = image.format in _PHOTOGRAPHS
    image.draft("RGB", (LARGEST_SIDE, LARGEST_SIDE))  # a large jpeg is decoded small, where its format allows it
    ImageOps.exif_transpose(image, in_place=True)
    smaller = max(image.size) // (2 * LARGEST_SIDE)
    picture = _in_plain_colours(image.reduce(smaller) if smaller > 1 and image.mode in _HALVED else image)
    picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    made = BytesIO()
    if is_photograph:
        picture.save(made, "JPEG", quality=_JPEG_QUALITY)
    else:
        picture.save(made, "PNG")
    return made.getvalue(), _MEDIA_TYPES["JPEG" if is_photograph else "PNG"]


def _in_plain_colours(image: "Image") -> "Image":
    """The picture in grey or RGB, what is transparent in it white."""
    from PIL import Image

    if image.mode.startswith("I;16"):
        return image.point(lambda value: value / 256).convert("L")  # to convert alone would cut off what is bright
    if image.mode in ("1", "L") and "transparency" not in image.info:
        return image.convert("L")
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    layered = image.convert("RGBA")
    paper = Image.new("RGB", layered.size, "white")
    paper.paste(layered, mask=layered.getchannel("A"))
    return paper
