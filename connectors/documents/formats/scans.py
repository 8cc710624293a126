"""Scans of pages, cleaned so that they can be read: dark on light, upright, without specks and ruling lines."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

from connectors.documents.formats.layout import Rule

_MOST_SKEW = 10.0  # degrees
_SKEW_PIXELS = 60_000  # dark ones, enough to tell a skew
_DARK = 128
_LEAST_DPI = 150.0  # at which small print can be read; what has less is enlarged
_LEAST_SCAN = 90.0  # dpi; below it is a screen's picture, whose strokes are as thin as specks
_MOST_PIXELS = 25_000_000  # that are read
_WITH_MEANS = {"1": "L", "P": "RGBA", "PA": "RGBA", "I": "I"}  # what modes become whose neighbours have no mean
_SHORTEST_RULE = 0.45  # inches; the strokes of large letters are shorter
_THICKEST_RULE = 0.06  # inches
_GRAIN = 5.0  # by how much neighbours on the ground of a clean scan differ, of 255
_CALM = 0.1  # of the rows
_MOST_EDGES = 0.25  # of neighbours on calm rows, dark beside light; in print there are next to none
_FEW_SPECKS = 0.0005  # of all pixels


@dataclass(frozen=True, slots=True)
class Scan:
    """A picture that is ready to be read, and the ruling lines that it had, in points. One that ``is_grain`` has no letters."""

    image: Image.Image
    dpi: float
    rules: tuple[Rule, ...]
    is_grain: bool = False


def cleaned(image: Image.Image, dpi: float) -> Scan:
    """A picture of a page, ready to be read: enlarged where its print is small, made smaller where it is huge."""
    if image.width * image.height > _MOST_PIXELS:
        reduction = math.ceil(math.sqrt(image.width * image.height / _MOST_PIXELS))
        image = image.convert(_WITH_MEANS.get(image.mode.partition(";")[0], image.mode)).reduce(reduction)
        dpi /= reduction
    grey = _dark_on_light(_grey(image))
    if _edges(np.asarray(grey)) > _MOST_EDGES:
        return Scan(grey, dpi, (), is_grain=True)
    if dpi >= _LEAST_SCAN:
        grey = _without_specks(grey)
    if (larger := math.ceil(_LEAST_DPI / dpi)) > 1 and grey.width * grey.height * larger**2 <= _MOST_PIXELS:
        grey = grey.resize((grey.width * larger, grey.height * larger), Image.Resampling.LANCZOS)
        dpi *= larger
    angle = skew(np.asarray(grey))
    if abs(angle) >= 0.1:
        grey = grey.rotate(-angle, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    pixels = np.array(grey)
    rules = _take_rules(pixels, dpi)
    return Scan(Image.fromarray(pixels), dpi, rules)


def skew(pixels: NDArray[np.uint8]) -> float:
    """By how many degrees lines of text rise to the right, between -10 and 10, from how sharply rows and gaps differ.

    Args:
        pixels: (height, width), dark on light.
    """
    rows, columns = np.nonzero(pixels < _DARK)
    if len(rows) < 200:
        return 0.0
    if len(rows) > _SKEW_PIXELS:
        chosen = np.random.default_rng(0).choice(len(rows), _SKEW_PIXELS, replace=False)
        rows, columns = rows[chosen], columns[chosen]
    step = max(1, round(pixels.shape[0] / 1_200))  # whole rows, or those of some angles would count double

    def sharpness(angle: float) -> float:
        turn = np.radians(angle)
        heights = (rows * np.cos(turn) + columns * np.sin(turn)) / step
        profile = np.bincount((heights - heights.min()).astype(np.int64))
        return float(np.square(np.diff(profile.astype(np.float64))).sum())

    best = 0.0
    for reach, width in ((_MOST_SKEW, 0.5), (0.5, 0.1), (0.1, 0.05)):
        angles = best + np.arange(-reach, reach + width / 2, width)
        best = float(max(angles, key=sharpness))
    return best if sharpness(best) > 1.05 * sharpness(0.0) else 0.0


def _grey(image: Image.Image) -> Image.Image:
    """In shades of grey, 8 bits, on white where it is transparent."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        clear = image.convert("RGBA")
        # Put light letters on a dark ground.
        opaque = np.asarray(clear)
        seen = opaque[..., 3] > 0
        is_light = bool(seen.any()) and float(opaque[..., :3][seen].mean()) > 160
        ground = Image.new("RGBA", image.size, (0, 0, 0, 255) if is_light and not seen.all() else (255, 255, 255, 255))
        image = Image.alpha_composite(ground, clear)
    if image.mode.startswith(("I", "F")):
        values = np.asarray(image, dtype=np.float64)
        spread = float(values.max() - values.min()) or 1.0
        return Image.fromarray(((values - values.min()) * (255.0 / spread)).astype(np.uint8))
    return image.convert("L")


def _dark_on_light(grey: Image.Image) -> Image.Image:
    """With the contrast of print, its ground white though it may be shaded, and never light letters on dark."""
    if float(np.median(np.asarray(grey.resize((200, 200))))) < 110:
        grey = ImageOps.invert(grey)
    # What is light in each neighbourhood is its ground: found on a small copy, where letters are gone.
    small = grey.resize((max(1, grey.width // 8), max(1, grey.height // 8)), Image.Resampling.BOX)
    ground = small.filter(ImageFilter.MaxFilter(9)).filter(ImageFilter.GaussianBlur(6)).resize(grey.size)
    shade = np.maximum(np.asarray(ground, dtype=np.float32), 60.0)
    return Image.fromarray(np.clip(np.asarray(grey, dtype=np.float32) * (250.0 / shade), 0, 255).astype(np.uint8))


def _without_specks(grey: Image.Image) -> Image.Image:
    pixels = np.asarray(grey)
    smooth = grey.filter(ImageFilter.MedianFilter(3))
    apart = np.abs(pixels.astype(np.int16) - np.asarray(smooth))
    if _specks(pixels) > _FEW_SPECKS:
        # Only what differs is replaced: the edges of letters stay sharp.
        grey = Image.fromarray(np.where(apart > 90, np.asarray(smooth), pixels))
        pixels = np.asarray(grey)
    some = pixels[::3].astype(np.int16)
    ground = (some[:, 1:] > 160) & (some[:, :-1] > 160)
    if ground.any() and float(np.abs(np.diff(some, axis=1))[ground].mean()) > _GRAIN:
        grey = grey.filter(ImageFilter.GaussianBlur(1.0))
    return grey


def _edges(pixels: NDArray[np.uint8]) -> float:
    """The share of neighbours, dark beside light, on the calmest rows: those between lines, where there are lines."""
    dark = pixels < _DARK
    return float(np.quantile((dark[:, 1:] != dark[:, :-1]).mean(axis=1), _CALM)) if pixels.shape[1] > 1 else 0.0


def _specks(pixels: NDArray[np.uint8]) -> float:
    """The share of dark pixels that have no dark neighbour."""
    dark = np.pad(pixels < _DARK, 1)
    around = np.zeros(pixels.shape, dtype=np.uint8)
    for down in (0, 1, 2):
        for right in (0, 1, 2):
            if (down, right) != (1, 1):
                around += dark[down : down + pixels.shape[0], right : right + pixels.shape[1]]
    return float(((around == 0) & dark[1:-1, 1:-1]).mean())


def _take_rules(pixels: NDArray[np.uint8], dpi: float) -> tuple[Rule, ...]:
    """The ruling lines of a scan; they are wiped from it."""
    dark = pixels < 160
    level = _long_strokes(dark, dpi)
    upright = _long_strokes(dark.T, dpi)
    rules = [Rule(left, top, right, bottom) for left, top, right, bottom in level]
    rules += [Rule(top, left, bottom, right) for left, top, right, bottom in upright]
    for rule in rules:
        left, top, right, bottom = (int(edge) for edge in (rule.left, rule.top, rule.right, rule.bottom))
        pixels[max(0, top - 2) : bottom + 3, max(0, left - 2) : right + 3] = 255
    points = 72.0 / dpi
    return tuple(Rule(r.left * points, r.top * points, r.right * points, r.bottom * points) for r in rules)


def _long_strokes(dark: NDArray[Any], dpi: float) -> list[tuple[int, int, int, int]]:
    """Long dark strokes from left to right, as boxes in pixels; what is thick is a picture."""
    length = int(_SHORTEST_RULE * dpi)
    if dark.shape[1] <= length:
        return []
    sums = np.cumsum(dark, axis=1, dtype=np.int32)
    full = sums[:, length:] - sums[:, :-length] >= 0.95 * length  # a window of so many pixels is dark
    rows = np.flatnonzero(full.any(axis=1))
    strokes: list[tuple[int, int, int, int]] = []
    for band in np.split(rows, np.flatnonzero(np.diff(rows) > 2) + 1) if len(rows) else []:
        top, bottom = int(band[0]), int(band[-1])
        begins = np.flatnonzero(full[top : bottom + 1].any(axis=0))
        for part in np.split(begins, np.flatnonzero(np.diff(begins) > length) + 1):
            inside = full[top : bottom + 1, part[0] : part[-1] + 1].any(axis=1)
            high, low = top + int(np.flatnonzero(inside)[0]), top + int(np.flatnonzero(inside)[-1])
            if low - high <= _THICKEST_RULE * dpi:
                strokes.append((int(part[0]), high, int(part[-1]) + length, low))
    return strokes
