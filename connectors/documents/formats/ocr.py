"""Pictures of pages to words: scans are cleaned, then read by tesseract."""

import math
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytesseract
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

from connectors.documents.formats.layout import Rule, Word, weight
from mneme.errors import InputError
from mneme.text import has_cjk

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
    """A picture that is ready to be read, and the ruling lines that it had, in points. One of mere grain holds no letters."""

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
        # Light letters on nothing are on dark.
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


INSTALL_TESSERACT = "tesseract is not installed: apt-get install tesseract-ocr tesseract-ocr-chi-sim"

_WITHOUT_ALPHABET = ("chi_sim", "chi_tra", "chi_sim_vert", "chi_tra_vert", "jpn", "jpn_vert", "kor", "kor_vert")
_SURE = 80.0  # confidence, percent, of a page that is read in the right script
_LOST = 75.0  # of a page that may stand on its side or its head
_LEAST_OF_A_WORD = 25.0  # confidence of one that is kept
_LEAST_OF_A_MARK = 60.0  # of one without a letter or a digit
_LEAST_OF_A_LINE = 50.0
_LEAST_SURE = 0.2  # of the letters on a page; else they are none
_CHINESE_GAP = 0.4  # of the font size; blanks are wider
_LINE = 4  # tesseract's level of lines
_SECONDS = 60  # for one page, however often it is read; a page of small print takes five, in two scripts
_SPARSE = "--psm 11"  # every word that can be found; how they make lines is seen to by layout.py


@dataclass(frozen=True, slots=True)
class Reading:
    """The text of a picture: words, ruling lines and height in points, and the confidence in them, 0 to 100."""

    words: tuple[Word, ...]
    rules: tuple[Rule, ...] = ()
    height: float = 0.0
    confidence: float = 0.0


class Ocr:
    """Reads pictures of pages.

    Pages are read in the alphabetic languages first; one that makes little sense in them is read in the others, and the
    better of the readings counts: English is not harmed by Chinese, and Chinese needs no blanks.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        self._wanted = languages

    @property
    def is_installed(self) -> bool:
        """True if this machine can read pictures at all."""
        return shutil.which("tesseract") is not None and bool(self._installed - {"osd"})

    def read(self, image: Image.Image, dpi: float) -> Reading:
        """Read the picture of a page, whichever way it is turned.

        Args:
            dpi: pixels for an inch of the page.

        Raises:
            InputError: tesseract is not installed, or fails, or takes longer than a minute for the page.
        """
        if not self.is_installed:
            raise InputError(INSTALL_TESSERACT)
        deadline = time.monotonic() + _SECONDS
        scan = cleaned(image, dpi)
        if scan.is_grain:  # tesseract would look for letters in it until the time is up
            return Reading(())
        reading = self._in_best_script(scan, deadline)
        if reading.confidence < _LOST and (turn := self._turn(scan, deadline)):
            turned = self._in_best_script(cleaned(image.rotate(-turn, expand=True), dpi), deadline)
            reading = max(reading, turned, key=_score)
        return reading

    def _in_best_script(self, scan: Scan, deadline: float) -> Reading:
        best = Reading(())
        for languages in self._scripts:
            best = max(best, _reading(scan, languages, deadline), key=_score)
            if best.confidence >= _SURE:
                break
        return best

    def _turn(self, scan: Scan, deadline: float) -> int:
        """By how many degrees, clockwise, a page must be turned to be upright; 0 where that cannot be told."""
        if "osd" not in self._installed:
            return 0
        try:
            found = pytesseract.image_to_osd(_prepared(scan), output_type=pytesseract.Output.DICT, timeout=_left(deadline))
        except (pytesseract.TesseractError, RuntimeError):  # too few letters
            return 0
        return int(found["rotate"])

    @cached_property
    def _installed(self) -> frozenset[str]:
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # its threads cost more than they give, and readers run side by side
        try:
            return frozenset(pytesseract.get_languages())
        except (pytesseract.TesseractError, pytesseract.TesseractNotFoundError, OSError):
            return frozenset()

    @cached_property
    def _scripts(self) -> list[str]:
        """The languages to read a page in, one after the other, in the notation of tesseract: ``eng``, then ``chi_sim``.

        The second by itself: it knows Latin letters as well, and with ``eng`` beside it takes Chinese for English at times.
        """
        wanted = [language for language in self._wanted if language in self._installed]
        wanted = wanted or sorted(self._installed - {"osd"})
        alphabetic = [language for language in wanted if language not in _WITHOUT_ALPHABET]
        others = [language for language in wanted if language in _WITHOUT_ALPHABET]
        return ["+".join(alphabetic)] * bool(alphabetic) + others


def _score(reading: Reading) -> float:
    """The amount of text, weighted by confidence."""
    return reading.confidence * sum(weight(word.text) for word in reading.words)


def _left(deadline: float) -> float:
    """Seconds until then, and never none: that would be no limit to pytesseract."""
    return max(1.0, deadline - time.monotonic())


def _prepared(scan: Scan) -> Image.Image:
    image = scan.image
    image.format = "PPM"  # as pytesseract hands it over; PNG is slow to write
    image.info["dpi"] = (scan.dpi, scan.dpi)
    return image


def _reading(scan: Scan, languages: str, deadline: float) -> Reading:
    try:
        found = pytesseract.image_to_data(
            _prepared(scan),
            lang=languages,
            config=f"{_SPARSE} --dpi {round(scan.dpi)}",
            output_type=pytesseract.Output.DICT,
            timeout=_left(deadline),
        )
    except pytesseract.TesseractError as error:
        raise InputError("tesseract failed; save the picture as a clean png") from error
    except RuntimeError as error:  # as pytesseract says that the time is up
        raise InputError(f"tesseract took more than {_SECONDS} seconds: it is grain, or too detailed; crop it") from error
    points = 72.0 / scan.dpi
    lines: list[list[_Found]] = []
    for at, level in enumerate(found["level"]):
        if level == _LINE:
            lines.append([])
            size = found["height"][at] * points  # of a line: the size of its font, roughly
        text = found["text"][at].strip()
        if text and lines:
            left, top, width, height = (found[edge][at] * points for edge in ("left", "top", "width", "height"))
            lines[-1].append((Word(text, left, top, left + width, top + height, size), float(found["conf"][at])))
    words, confidence = _plausible(lines)
    return Reading(tuple(_joined(words)), scan.rules, scan.image.height * points, confidence)


_Found = tuple[Word, float]  # a word, and the confidence in it


def _plausible(lines: list[list[_Found]]) -> tuple[list[Word], float]:
    """The words that are text, and the confidence in all.

    Specks, textures and drawings are read as letters too, with little confidence.
    """
    every = [found for line in lines for found in line]
    kept = [
        (word, confidence)
        for line in lines
        if _mean(line) >= _LEAST_OF_A_LINE
        for word, confidence in line
        if confidence >= (_LEAST_OF_A_WORD if any(map(str.isalnum, word.text)) else _LEAST_OF_A_MARK)
    ]
    sure = sum(len(word.text) for word, confidence in kept if confidence >= _SURE)
    is_text = sure >= _LEAST_SURE * sum(len(word.text) for word, _ in every)
    return [word for word, _ in kept] if is_text else [], _mean(every)


def _joined(words: Iterable[Word]) -> list[Word]:
    """Words, with what tesseract cuts Chinese into put together again where there is no gap."""
    joined: list[Word] = []
    for word in words:
        last = joined[-1] if joined else None
        if last is not None and _is_cut(last, word):
            top, bottom = min(last.top, word.top), max(last.bottom, word.bottom)
            joined[-1] = replace(last, text=last.text + word.text, right=word.right, top=top, bottom=bottom)
        else:
            joined.append(word)
    return joined


def _is_cut(last: Word, word: Word) -> bool:
    is_near = -0.5 * word.size < word.left - last.right < _CHINESE_GAP * word.size and last.top < word.middle < last.bottom
    return is_near and (has_cjk(last.text[-1]) or has_cjk(word.text[0]))


def _mean(found: Sequence[_Found]) -> float:
    """The confidence in words, by letters."""
    letters = sum(len(word.text) for word, _ in found)
    return sum(confidence * len(word.text) for word, confidence in found) / letters if letters else 0.0
