"""Values that one corrects in a sentence: days, times of day, numbers, names, sides; and how one replaces another."""

import re
from datetime import datetime, tzinfo
from typing import Literal, NamedTuple

from mneme.dates import resolve_dates
from mneme.patterns import Patterns
from mneme.text import STOP_WORDS, has_cjk
from mneme.word_lists import GIVEN

Sort = Literal["day", "time", "ordinal", "number", "side", "name"]


class Value(NamedTuple):
    """A value at ``start`` to ``end`` of a sentence; it replaces only another of its sort."""

    sort: Sort
    start: int
    end: int
    text: str


_WORDS = Patterns(__file__)
_PATTERNS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    ("time", _WORDS.time),
    ("ordinal", _WORDS.ordinal),
    ("number", _WORDS.number),
)


def values_in(sentence: str, said_at: datetime, zone: tzinfo) -> list[Value]:
    """The values of a sentence, in order, without overlaps; days first, then times, numbers and names."""
    values: list[Value] = []

    def add(value: Value) -> None:
        if all(value.end <= other.start or other.end <= value.start for other in values):
            values.append(value)

    for mention in resolve_dates(sentence, said_at, zone):
        if not _WORDS.bare_day.fullmatch(mention.text):  # "the 12th" replaces the day of a date
            add(Value("day", mention.start_index, mention.end_index, mention.text))
    for sort, pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            if not _WORDS.no_number.match(sentence, match.start()):
                add(Value(sort, *match.span(), match[0]))
    for match in _WORDS.side.finditer(sentence):
        group = "value" if match["value"] else "place"
        add(Value("side", *match.span(group), match[group]))
    for name in _WORDS.capitals.finditer(sentence):
        if name[0].lower() not in STOP_WORDS and (name.start() or name[0].lower() in GIVEN):
            add(Value("name", *name.span(), name[0]))
    return sorted(values, key=lambda value: value.start)


def replaced(sentence: str, new: Value, context: str, said_at: datetime, zone: tzinfo) -> str | None:
    """The sentence with the value that a new one corrects; None where there is none of its sort.

    Of several the one with the same word before or after it as the new one, else the last.

    Args:
        sentence: what is corrected.
        new: a value of ``context``.
        context: the sentence that corrects.
        said_at: when the corrected sentence was said.
        zone: where.
    """
    candidates = [value for value in values_in(sentence, said_at, zone) if _replaces(new, value, sentence)]
    candidates = [value for value in candidates if value.text.lower() != new.text.lower()]
    if not candidates:
        return _day_of_a_month(sentence, new, said_at, zone)
    around = _around(context, new)
    best = max(candidates, key=lambda value: (len(around & _around(sentence, value)), value.start))
    return sentence[: best.start] + _cased(new.text, best) + sentence[best.end :]


def _replaces(new: Value, old: Value, sentence: str) -> bool:
    at_3_is_a_time = {new.sort, old.sort} == {"time", "number"} and (
        _WORDS.at.search(sentence[: old.start]) or has_cjk(sentence)
    )
    return new.sort == old.sort or bool(at_3_is_a_time)


def _day_of_a_month(sentence: str, new: Value, said_at: datetime, zone: tzinfo) -> str | None:
    """12 May with "the 13th" is 13 May; 五月十二号 with 十三号 is 五月十三号."""
    if new.sort != "ordinal" or not (new.text[0].isdigit() or has_cjk(new.text)):
        return None
    for mention in reversed(resolve_dates(sentence, said_at, zone)):
        day = _WORDS.number_of_day.search(mention.text)
        if day is not None:
            start, end = mention.start_index + day.start(), mention.start_index + day.end()
            text = new.text if not day[0].isdigit() else re.sub(r"\D", "", new.text)
            return sentence[:start] + text + sentence[end:]
    return None


def _around(sentence: str, value: Value) -> set[str]:
    """The words directly before and after a value."""
    before = re.findall(r"[A-Za-z'’]+|[\u4e00-\u9fff]", sentence[: value.start].lower())[-1:]
    after = re.findall(r"[A-Za-z'’]+|[\u4e00-\u9fff]", sentence[value.end :].lower())[:1]
    return {f"<{word}" for word in before} | {f">{word}" for word in after}


def _cased(text: str, old: Value) -> str:
    if old.start == 0:
        return text[:1].upper() + text[1:]
    return text if old.sort in ("day", "name") else text[:1].lower() + text[1:]
