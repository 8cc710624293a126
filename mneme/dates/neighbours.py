"""Dates of one sentence that belong together: the two ends of a stretch, and a written day beside a vaguer word."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from mneme.dates.spans import DaySpan, Found, clause_around
from mneme.patterns import Patterns

_WORDS = Patterns(__file__)
_LONGEST_STRETCH = 31  # days to an end that is in doubt by itself
_MOVED_WITHIN = 60  # characters before a date


def joined(text: str, found: Iterable[Found]) -> list[Found]:
    """Dates in order, two with nothing but "to" between them as one: "tomorrow to Sunday", 明天到周五.

    Half a stretch is no certain date: 明天到 and what is not read.
    """
    dates: list[Found] = []
    for each in found:
        before = dates[-1] if dates else None
        if before is not None and _is_joined(text, before, each):
            dates[-1] = _from_to(before, each)
        else:
            dates.append(each)
    return [replace(each, certain=False) if _WORDS.goes_on.match(text, each.end) else each for each in dates]


def _is_joined(text: str, first: Found, last: Found) -> bool:
    joint = _WORDS.joint.match(text, first.end)
    if joint is None or not last.start <= joint.end() < last.end or _WORDS.no_end.match(text, last.end):
        return False
    if joint["spaced"] and not _WORDS.sentence_end.match(text, last.end):
        return False
    return not _is_moved(text, first)


def _is_moved(text: str, one: Found) -> bool:
    return _WORDS.moves.search(text, max(0, one.start - _MOVED_WITHIN), one.start) is not None


def _from_to(first: Found, last: Found) -> Found:
    if first.span is None or last.span is None:
        return replace(first, end=last.end, span=None)
    days = (last.span.last - first.span.first).days
    certain = first.certain and (last.certain or days <= _LONGEST_STRETCH) and last.span.first > first.span.last
    span = DaySpan.between(first.span.first, last.span.last)
    return Found(first.start, last.end, span, first.relative or last.relative, first.lacks_year, certain)


def confirmed(text: str, found: Sequence[Found], said: date) -> list[Found]:
    """Dates of which a written day is certain within the week or month beside it, and in doubt where it lies outside.

    "Next week, from 31 March to 4 April"; "next month, on the 12th" is not of this one.
    """
    dates = []
    for each in found:
        vague = [one for one in found if one.certain and _is_vague(one) and _goes_with(text, each, one)]
        outside = any(one.span and one.span.first > said and one.start < each.start for one in vague)
        if each.span is None or not vague:
            dates.append(each)
        elif any(_is_within(each, one) for one in vague):
            dates.append(replace(each, certain=True) if each.lacks_year else each)
        elif outside and _WORDS.bare.fullmatch(text, each.start, each.end):
            dates.append(replace(each, certain=False))
        else:
            dates.append(each)
    return dates


def without_vaguer(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Dates without a week, month or year within which a written day says when: "next week, from 31 March to 4 April"."""
    for each in found:
        if not (_is_vague(each) and any(_tells(text, one, each, found) for one in found)):
            yield each


def _tells(text: str, exact: Found, vague: Found, found: Collection[Found]) -> bool:
    if exact is vague or not _is_within(exact, vague):
        return False
    if exact.lacks_year or not exact.relative:
        alone = _clause(text, exact.start, exact.end) == _clause(text, vague.start, vague.end)
    else:
        alone = False
    return alone or any(_says_no_more(text, one) for one in (exact, vague))


def _is_vague(one: Found) -> bool:
    return one.relative and not one.lacks_year and one.span is not None and one.span.days > 1


def _is_within(exact: Found, vague: Found) -> bool:
    if exact.span is None or vague.span is None or exact.span.days >= vague.span.days:
        return False
    return vague.span.first <= exact.span.first and exact.span.last <= vague.span.last


def _goes_with(text: str, one: Found, other: Found) -> bool:
    if one is other:
        return False
    same = _clause(text, one.start, one.end) == _clause(text, other.start, other.end)
    return same or _says_no_more(text, one) or _says_no_more(text, other)


def _says_no_more(text: str, one: Found) -> bool:
    """Tell whether the clause of a date holds nothing else."""
    begins, ends = _clause(text, one.start, one.end)
    beside = f"{text[begins : one.start]} {text[one.end : ends]}"
    return not any(map(str.isalpha, _WORDS.says_nothing.sub("", beside)))


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    return clause_around(_marks(text), start, end, len(text))


@lru_cache(maxsize=16)  # each two dates of a sentence ask for them
def _marks(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(mark.span() for mark in _WORDS.mark.finditer(text))
