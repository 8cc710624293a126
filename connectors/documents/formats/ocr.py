"""Pictures of pages to words: scans are cleaned (scans.py), then read by tesseract."""

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pytesseract
from PIL import Image

from connectors.documents.formats.layout import Rule, Word, weight
from connectors.documents.formats.scans import Scan, cleaned
from mneme.errors import InputError
from mneme.text import has_cjk

INSTALL_TESSERACT = "tesseract is not installed: apt-get install tesseract-ocr tesseract-ocr-chi-sim"

_WITHOUT_ALPHABET = ("chi_sim", "chi_tra", "chi_sim_vert", "chi_tra_vert", "jpn", "jpn_vert", "kor", "kor_vert")
_SURE = 80.0  # confidence, percent, of a page that is read in the right script
_LOST = 75.0  # of a page that may stand on its side or its head
_LEAST_OF_A_WORD = 25.0  # confidence of one that is kept
_LEAST_OF_A_MARK = 60.0  # of one without a letter or a digit
_LEAST_OF_A_LINE = 50.0
_LEAST_SURE = 0.2  # of the letters on a page; with fewer they are specks
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
            orientation = pytesseract.image_to_osd(
                _prepared(scan), output_type=pytesseract.Output.DICT, timeout=_left(deadline)
            )
        except (pytesseract.TesseractError, RuntimeError):  # too few letters
            return 0
        return int(orientation["rotate"])

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
        return ["+".join(alphabetic), *others] if alphabetic else others


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
        data = pytesseract.image_to_data(
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
    for at, level in enumerate(data["level"]):
        if level == _LINE:
            lines.append([])
            size = data["height"][at] * points  # of a line: the size of its font, roughly
        text = data["text"][at].strip()
        if text and lines:
            left, top, width, height = (data[edge][at] * points for edge in ("left", "top", "width", "height"))
            lines[-1].append((Word(text, left, top, left + width, top + height, size), float(data["conf"][at])))
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
