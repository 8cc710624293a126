"""SVG drawings: with text as text, as outlines of letters, and as a picture inside."""

import base64
from collections.abc import Sequence
from html import escape

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTCollection, TTFont
from PIL import Image

from tests.samples.fonts import font_file
from tests.samples.scans import picture_of

_WIDTH, _LINE, _SIZE = 900, 44, 28  # of a drawing and its text, in its units


def svg_of(lines: Sequence[str], title: str, description: str = "") -> bytes:
    """A drawing with a box around each line, which is text; its last word is a ``tspan``."""
    drawn = []
    for number, line in enumerate(lines):
        first, _, last = line.rpartition(" ")
        drawn.append(
            f'<rect x="20" y="{_top(number) - 32}" width="{_WIDTH - 40}" height="40" fill="#eef" stroke="black"/>'
            f'<text x="30" y="{_top(number)}" font-family="DejaVu Sans" font-size="{_SIZE}">{escape(first)} '
            f'<tspan font-weight="bold">{escape(last)}</tspan></text>'
        )
    about = f"<title>{escape(title)}</title>" + (f"<desc>{escape(description)}</desc>" if description else "")
    return _drawing(about + "".join(drawn), len(lines))


def outlined_svg_of(lines: Sequence[str], font: str = "sans") -> bytes:
    """A drawing of the same lines whose letters are outlines: nothing in it is text."""
    file = font_file(font)
    letters = TTCollection(file).fonts[0] if file.suffix == ".ttc" else TTFont(file)
    shapes, names, widths = letters.getGlyphSet(), letters.getBestCmap(), letters["hmtx"].metrics
    scale = _SIZE / letters["head"].unitsPerEm
    drawn = []
    for number, line in enumerate(lines):
        x = 30 / scale
        for letter in line:
            name = names[ord(letter)]
            pen = SVGPathPen(shapes, ntos=lambda value: f"{value:.0f}")
            shapes[name].draw(pen)
            place = f"translate({x * scale:.2f} {_top(number)}) scale({scale:.5f} {-scale:.5f})"
            drawn.append(f'<path transform="{place}" d="{pen.getCommands()}"/>')
            x += widths[name][0]
    return _drawing("".join(drawn), len(lines))


def framed_svg_of(picture: Image.Image) -> bytes:
    """A drawing that is only a frame around a picture."""
    data = base64.b64encode(picture_of(picture, "png")).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{picture.width}" '
        f'height="{picture.height}"><image width="{picture.width}" height="{picture.height}" '
        f'xlink:href="data:image/png;base64,{data}"/></svg>'
    ).encode()


def _top(number: int) -> int:
    return 60 + number * (_LINE + 12)


def _drawing(body: str, lines: int) -> bytes:
    size = f'width="{_WIDTH}" height="{_top(lines)}" viewBox="0 0 {_WIDTH} {_top(lines)}"'
    white = f'<rect width="{_WIDTH}" height="{_top(lines)}" fill="white"/>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" {size}>{white}{body}</svg>\n'.encode()
    )
