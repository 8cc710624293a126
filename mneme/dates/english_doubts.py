"""Grounds to doubt an English date: it may not be that of what its sentence tells.

A habit, a supposition, a negation, a quotation, a name, a title, a change, another occasion.
"""

from mneme.dates.english_words import clause_of, is_left
from mneme.dates.spans import MONTHS, Found
from mneme.languages import is_doubted
from mneme.patterns import Patterns

_NEAR = 30  # characters
_REACH = 200  # characters around a date that can tell


def in_doubt(sentence: str, date: Found) -> bool:
    """Return whether a date is told of nothing that happens then, or may be one of several."""
    start, end, near, far = date.start, date.end, max(0, date.start - _NEAR), max(0, date.start - _REACH)
    begins, ends = clause_of(sentence, start, end)
    return bool(
        sentence[max(0, start - 1) : start] in _CODE
        or _WORDS.beside.search(sentence, near, start)
        or _WORDS.behind.match(sentence, end)
        or _WORDS.since.match(sentence, start)
        or _WORDS.nowadays.search(sentence, near, end + _NEAR)
        or (_WORDS.weekday.match(sentence, start, end) and _is_no_day_alone(sentence, start, end, near))
        or (sentence[start : start + 1].isupper() and _WORDS.name.search(sentence[near:start]))
        or _is_quoted(sentence, start, end, far)
        or is_left(sentence, start)
        or _WORDS.no_event.search(sentence, begins, ends)
        or _WORDS.again.search(sentence, begins, ends)
        or (_WORDS.this_year.match(sentence, start, end) and _WORDS.school.search(sentence, begins, ends))
        or _WORDS.told.search(sentence, far, start)
        or is_doubted(sentence[far : end + _REACH])
        or _WORDS.title.match(sentence, start)
        or (_WORDS.bare_day.match(sentence, start, end) and _is_of_an_occasion(sentence[far : end + _REACH], date))
        or (_WORDS.weekday.fullmatch(sentence, start, end) and _WORDS.today_is.search(sentence, near, start))
        or (date.lacks_year and _WORDS.about.search(sentence, near, start))
        or (date.lacks_year and _WORDS.other_year.search(sentence, far, end + _REACH))
    )


def is_of_another(mention: str, earlier: str, month: int) -> bool:
    """Return whether a day without a month may be of an occasion, or another month, named before: Easter? We leave the 4th."""
    return _WORDS.bare_day.match(mention) is not None and not {MONTHS[month - 1]}.issuperset(
        _WORDS.named_before.findall(earlier)
    )


def _is_no_day_alone(sentence: str, start: int, end: int, near: int) -> bool:
    """Return whether a weekday is one that words beside it tell."""
    told = (cue.search(sentence, near, start) for cue in (_WORDS.the, _WORDS.named_weekday))
    return not _WORDS.alone.match(sentence, end) or any(told)


def _is_of_an_occasion(text: str, date: Found) -> bool:
    """Return whether an occasion is named that is perhaps in another month than a bare day: Easter, and the 4th."""
    months = {int((named.lastgroup or "m0")[1:]) for named in _WORDS.occasion.finditer(text)}
    return date.span is not None and not months <= {date.span.first.month}


def _is_quoted(sentence: str, start: int, end: int, far: int) -> bool:
    if sentence.count('"', far, start) % 2 or sentence.rfind("“", far, start) > sentence.rfind("”", far, start):
        return True
    return start > 0 and sentence[start - 1] in _QUOTES and sentence[end : end + 1] in _QUOTES


_CODE = (".", "_", "/", "\\", "@", "#", "=", "-", "$")
_QUOTES = ("'", "‘", "’", "`", "*", "_")
_WORDS = Patterns(__file__)
