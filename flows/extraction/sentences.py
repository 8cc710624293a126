"""Sentences of a text in any language, by their places in it: nothing is changed, and nothing left out.

``sentencex`` knows where sentences end in each language, its abbreviations and most of its ordinals. What it cuts after an
initial, the number of a list or a German ordinal is put together again: two sentences in one are no harm, a date in two is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import sentencex

_LONGEST = 800  # characters; also keeps what reads a sentence from costing the square of a message
_WINDOW = 2_000  # characters that are cut at once: of many open quotation marks the time grows with the square
_ENDS = (". ", "! ", "? ", "。", "！", "？")
_MOST = 2_000  # sentences of a message; a pasted article has half as many
_GOES_ON = re.compile(r"(?:^|[\s(\"'“«])[^\W\d_]\.\s*$|^\s*\d{1,3}[.)]\s*$")  # "J."; "1)" that begins a line
_ORDINAL = re.compile(r"\b\d{1,2}\.\s*$")  # "am 4. Juli"
_WITH_ORDINALS = ("cs", "da", "de", "et", "fi", "hr", "hu", "nb", "no", "pl", "sk", "sl")  # languages that write them so
_REACH = 8  # characters before an end that tell whether it is one
_FULL_STOPS = ("zh", "ja", "ko")  # languages whose full stops end nothing but sentences
_HALF = re.compile("[\ud800-\udfff]")  # halves of characters, which no library takes
_QUESTION = re.compile(r"[?？][\s\"'”’」』）)*_~!！?？\U0001f300-\U0001faff]*$")


class Span(NamedTuple):
    """``text[start:end]``, without blanks around it."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words at this place."""
        return text[self.start : self.end]


def sentence_spans(text: str, language: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of a stretch of a text, in order; a line break ends one, and lines without a letter or digit are none.

    A sentence of more than 800 characters is cut, and what follows the first 2,000 sentences comes in pieces of as many.

    >>> [span.of("Am 4. Juli. Ja! 3.5 km") for span in sentence_spans("Am 4. Juli. Ja! 3.5 km", "de")]
    ['Am 4. Juli.', 'Ja!', '3.5 km']
    """
    spans: list[Span] = []
    for line in _lines(text, start, len(text) if end is None else end):
        if len(spans) >= _MOST:
            last = len(text) if end is None else end
            return [*spans, *_bounded(text, Span(line.start, last))]
        spans += [piece for span in _of_line(text, language, line) for piece in _bounded(text, span)]
    return spans


def is_question(sentence: str) -> bool:
    """Whether a sentence ends in a question mark: no particle and no order of words makes one for certain."""
    return _QUESTION.search(sentence[-12:]) is not None


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        at = text.find("\n", start, end)
        stop = end if at < 0 else at
        while stop - start > _WINDOW:
            cut = _last_end(text, start + _WINDOW // 2, start + _WINDOW)
            yield Span(start, cut)
            start = cut
        if stop > start:
            yield Span(start, stop)
        start = stop + 1


def _last_end(text: str, start: int, end: int) -> int:
    """Where the last sentence of a stretch ends, by its mark; else its last word, else the stretch."""
    marks = [at + len(mark) for mark in _ENDS if (at := text.rfind(mark, start, end)) >= 0]
    blank = text.rfind(" ", start, end)
    return max(marks, default=end if blank < 0 else blank)


def _of_line(text: str, language: str, line: Span) -> Iterator[Span]:
    at = begun = line.start
    for piece in sentencex.segment(language or "en", _HALF.sub("\ufffd", line.of(text))):
        at += len(piece)
        end = text[max(begun, at - _REACH) : at]
        if at < line.end and language not in _FULL_STOPS and _GOES_ON.search(end):
            continue
        if at < line.end and language in _WITH_ORDINALS and _ORDINAL.search(end):
            continue
        yield Span(begun, at)
        begun = at
    if begun < line.end:
        yield Span(begun, line.end)


def _bounded(text: str, span: Span) -> Iterator[Span]:
    """A sentence without blanks around it, in pieces that are not too long; nothing where it says nothing."""
    start, end = span
    while end - start > _LONGEST:
        blank = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        cut = start + _LONGEST if blank < 0 else blank
        yield from _stripped(text, start, cut)
        start = cut
    yield from _stripped(text, start, end)


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    words = text[start:end]
    if any(map(str.isalnum, words)):
        yield Span(start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip()))
