"""Sentences of a text in any language, by their places in it: nothing is changed, and nothing left out.

``sentencex`` knows where sentences end in each language, its abbreviations and most of its ordinals. What it cuts after an
initial, the number of a list or a German ordinal is put together again: two sentences in one are no harm, a date in two is.

``Sentence`` is one as said, which every annotation of quotes reads: whether it can be read alone, and of a passage when what it
tells happens. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

import sentencex

from mneme.dates import DateMention, DaySpan, resolve_dates
from mneme.patterns import Patterns
from mneme.records import Claim, Spoken
from mneme.text import STOP_WORDS


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message as said.

    ``index`` is that of the utterance in the cut. ``artifact`` says that it stands inside one (code, draft, list, quotation
    ...), of which nothing is claimed. ``language`` is an ISO 639-1 code, empty where it is not known. ``dates`` are the
    certain dates in it, ``claims`` those of ``mneme.relations.claims_in``. ``corrects`` is the sentence that it corrects,
    ``meant`` that sentence with the right value, of which the dates and claims are then; ``withdrawn``: another corrects it.
    ``answers`` is the question by which alone its dates or claims are understood. ``start`` is its place in its message.
    """

    text: str
    language: str
    said_at: datetime
    zone: tzinfo
    is_question: bool
    dates: tuple[DateMention, ...]
    claims: tuple[Claim, ...]
    index: int = 0
    speaker: str = ""
    listener: str = ""
    role: Literal["user", "assistant"] = "user"
    artifact: bool = False
    corrects: Spoken | None = None
    meant: str = ""
    withdrawn: bool = False
    answers: str = ""
    start: int = 0

    @property
    def told(self) -> str:
        """Its words, behind the question that they answer where they say nothing without it."""
        return f'("{self.answers}") {self.text}' if self.answers else self.text

    @property
    def end(self) -> int:
        """The place in the message where it ends."""
        return self.start + len(self.text)

    @property
    def dates_ahead(self) -> list[DateMention]:
        """The dates that begin after it was said; today and tonight, where there is none."""
        later = [date for date in self.dates if date.since > self.said_at]
        return later or [each for each in self.dates if each.since <= self.said_at < each.until and each.span.days == 1]

    @property
    def is_over(self) -> bool:
        """True if it names days, and all of them are past."""
        return bool(self.dates) and all(date.until <= self.said_at for date in self.dates)


def just_before(sentences: Sequence[Sentence], position: int) -> Sentence | None:
    """The sentence before one in its message."""
    before = sentences[position - 1] if position else None
    return before if before is not None and before.index == sentences[position].index else None


# --- where sentences end ---------------------------------------------------------------------------------------------


_LONGEST = 800  # characters; also keeps what reads a sentence from costing the square of a message
_WINDOW = 2_000  # characters that are cut at once: of many open quotation marks the time grows with the square
_ENDS = (". ", "! ", "? ", "。", "！", "？")
_MOST = 2_000  # sentences of a message; a pasted article has half as many
_WORDS = Patterns(__file__)
_WITH_ORDINALS = ("cs", "da", "de", "et", "fi", "hr", "hu", "nb", "no", "pl", "sk", "sl")  # languages that write them so
_LONGEST_NAME = 60  # characters of a dotted name that are looked at
_REACH = 8  # characters before an end that tell whether it is one
_FULL_STOPS = ("zh", "ja", "ko")  # languages whose full stops end nothing but sentences
_HALF = re.compile("[\ud800-\udfff]")  # halves of characters, which no library takes


class Span(NamedTuple):
    """``text[start:end]``, without blanks around it."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words at this place."""
        return text[self.start : self.end]


def sentence_spans(text: str, language: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of a stretch of a text, in order; a line break ends one, and lines without a letter or digit are left out.

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
    """Tell whether a sentence ends in a question mark, or has the order of words of an English question and one clause."""
    return _WORDS.question.search(sentence[-12:]) is not None or _WORDS.asks.match(sentence) is not None


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
    """The end of the last sentence of a stretch, by its mark; else of its last word, else of the stretch."""
    marks = [at + len(mark) for mark in _ENDS if (at := text.rfind(mark, start, end)) >= 0]
    blank = text.rfind(" ", start, end)
    return max(marks, default=end if blank < 0 else blank)


def _of_line(text: str, language: str, line: Span) -> Iterator[Span]:
    at = begun = line.start
    pieces = sentencex.segment(language or "en", _HALF.sub("\ufffd", line.of(text)))
    if language in _FULL_STOPS:
        pieces = [
            part for piece in pieces for part in ([piece] if _WORDS.quotes.search(piece) else _WORDS.number_behind.split(piece))
        ]
    for piece in pieces:
        at += len(piece)
        end = text[max(begun, at - _REACH) : at]
        if at < line.end and language not in _FULL_STOPS and _WORDS.goes_on.search(end):
            continue
        if at < line.end and language in _WITH_ORDINALS and _WORDS.ordinal.search(end):
            continue
        if at < line.end and language not in _FULL_STOPS and _is_within_a_name(text, begun, at):
            continue
        yield Span(begun, at)
        begun = at
    if begun < line.end:
        yield Span(begun, line.end)


def _is_within_a_name(text: str, begun: int, at: int) -> bool:
    """Tell whether a dot stands inside a name: "ASP.NET", "https://www.Example.org", but not "tea.Then"."""
    following = _WORDS.next_word.match(text, at)
    if following is None or text[at - 1] != "." or following[0].lower() in STOP_WORDS:
        return False
    name = text[max(begun, at - _LONGEST_NAME) : at - 1].split()[-1:] or [""]
    return name[0].lstrip("(\"'“«")[:1].isupper() or not {"/", "@", "."}.isdisjoint(name[0])


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


# --- whether a sentence can be read alone ----------------------------------------------------------------------------


_LEAST_WORDS = 4  # of content; a sentence with fewer says too little by itself
_LEAST_CHARACTERS = 8  # the same in Chinese and Japanese
_POINTS_BACK = _WORDS.words("points_back")
_LOOKED_AT = 6  # words at the beginning in which a word that points back has nothing before it to point to


def has_unresolved_reference(sentence: Sentence) -> bool:
    """Tell whether a sentence needs the one before it to be understood."""
    text = sentence.text
    if sentence.language in ("zh", "ja"):
        pattern = _WORDS.chinese if sentence.language == "zh" else _WORDS.japanese
        return sum(map(str.isalnum, text[: 4 * _LEAST_CHARACTERS])) < _LEAST_CHARACTERS or pattern.match(text) is not None
    if sentence.language != "en":
        return len(_WORDS.word.findall(text[:400])) < _LEAST_WORDS
    words = _WORDS.word.findall(text[:400].lower().replace("’", "'"))
    content = [word for word in words if word not in STOP_WORDS]
    return len(content) < _LEAST_WORDS - 1 or not _POINTS_BACK.isdisjoint(words[:_LOOKED_AT])


# --- when what a passage tells happens -------------------------------------------------------------------------------


_MOST_DATES = 20  # dates of one form in a sentence
_CLAUSE_REACH = 200  # characters before a date in which its clause begins


_LONGEST_JOURNEY = timedelta(days=60)


def journey_of(one: Sentence) -> DateMention | None:
    """The days from the first to the last of a journey or a stay: "We fly on the 3rd and are back on the 9th".

    The last day may lack a month: "We fly on the 1st of April, back on the 8th", "I'm there by the 17th, and stay till sunday".
    """
    text, first = one.text, one.dates[0] if one.dates else None
    if first is None:
        return None
    till = _WORDS.till.match(text, first.end_index) if first.span.days == 1 else None
    if till:
        end, last = till.end(), _next_named(first.span.last, till[1] or till[2])
    elif not _WORDS.sets_out.search(text, 0, first.end_index):
        return None
    elif len(one.dates) == 2 and _WORDS.returns.search(text, first.end_index):
        end, last = one.dates[1].end_index, one.dates[1].span.last
    elif len(one.dates) == 1 and (back := _WORDS.back_on.search(text, first.end_index)):
        end, last = back.end(), _next_named(first.span.last, back[1])
    else:
        return None
    if not timedelta(0) < last - first.span.last < _LONGEST_JOURNEY:
        return None
    span = DaySpan.between(first.span.first, last)
    return replace(first, end_index=end, text=text[first.start_index : end], until=span.bounds(one.zone)[1], span=span)


def _next_named(day: date, name: str) -> date:
    """The next day of a month with this number, or of this weekday; the same day where there is none."""
    days = (date.fromordinal(min(day.toordinal() + ahead, date.max.toordinal())) for ahead in range(1, 62))
    return next((each for each in days if name == str(each.day) or f"{each:%A}".lower().startswith(name.lower())), day)


def event_of(sentences: Sequence[Sentence]) -> DateMention | None:
    """The one date in a passage; of several the most exact, where the others contain it; none of a clause beside the main one.

    A journey is one date, and so are a day and its weekday ("18 October. Saturday.").

    Dates that are not certain count as others: of "this week the model, in the first half of next week the tests" the first is
    not the day of the whole.
    """
    statements = [one for one in sentences if not one.is_question]
    mentions = [(one, mention) for one in statements for mention in _dates_of(one)]
    if not mentions:
        return None
    sentence, best = min(mentions, key=lambda each: each[1].span.days)
    others = [mention for one in statements if not _is_weekday_of(best, one) for mention in (*_dates_of(one), *_perhaps(one))]
    around = all(other.since <= best.since and best.until <= other.until for other in others)
    return best if around and not _is_aside(sentence, best) else None


def _dates_of(one: Sentence) -> Sequence[DateMention]:
    """The certain dates of a sentence; those of a journey are one."""
    journey = journey_of(one)
    return one.dates if journey is None else (journey,)


def _is_weekday_of(day: DateMention, one: Sentence) -> bool:
    """Tell whether a sentence is nothing but the weekday of a day."""
    names = (each.span.first.weekday() for each in _perhaps(one)) if _WORDS.bare_weekday.fullmatch(one.text) else ()
    return day.span.days == 1 and day.span.first.weekday() in names


def _perhaps(one: Sentence) -> list[DateMention]:
    """The dates of a sentence that are not certain, in their likeliest reading; none of a journey, whose days are known."""
    if one.meant or journey_of(one):
        return []
    likely = resolve_dates(one.text, one.said_at, one.zone, _MOST_DATES)
    sure = [(date.start_index, date.end_index) for date in one.dates]
    return [each for each in likely if not any(each.start_index < end and start < each.end_index for start, end in sure)]


def _is_aside(one: Sentence, date: DateMention) -> bool:
    """Tell whether a date stands in a clause beside the main one, or in one of several that are parted by a semicolon."""
    if one.meant:  # the dates are of other words
        return False
    text = one.text
    if _WORDS.aside.search(text[max(0, date.start_index - _CLAUSE_REACH) : date.start_index]) or _WORDS.aside_behind.match(
        text, date.end_index
    ):
        return True
    return _WORDS.parted.search(text) is not None and not _WORDS.heads.match(text, date.end_index)
