"""English days that are told by another day: "two days before Christmas", "a week from Saturday", "the week of 6 July"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from mneme.caseless import Caseless
from mneme.dates import spans
from mneme.dates.english_words import COUNT, least_and_most
from mneme.dates.rules import Found
from mneme.dates.spans import Grain

_OFFSET = Caseless(
    rf"\b(?:the\s+(?P<next>day|week)|{COUNT}\s+(?P<unit>day|week)s?)\s+(?P<side>before|after|from|on)\s+(?:the\s+)?$",
)
_PREPOSITION = Caseless(r"(?:before|after|from|on)\s+")
_OFFSET_REACH = 40  # characters


def days_by_another(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Days that are told by another: two days before Christmas, a week from Saturday, a week on Monday."""
    for anchor in found:
        if anchor.span is None or anchor.span.grain is not Grain.DAY:
            continue
        yield from _week_of(text, anchor, anchor.span.first)
        preposition = _PREPOSITION.match(text, anchor.start)
        begins = max(0, anchor.start - _OFFSET_REACH)
        match = _OFFSET.search(text[begins : preposition.end() if preposition else anchor.start])
        if match is None:
            continue
        unit, side = (match["next"] or match["unit"]).lower(), match["side"].lower()
        if side == "on" and unit != "week":  # "two days on Monday"
            continue
        least, most = (1, 1) if match["next"] else least_and_most(match["count"], match["most"])
        if least != most:
            continue
        days = least * (7 if unit == "week" else 1) * (-1 if side == "before" else 1)
        try:
            span = spans.days_from(anchor.span.first, days)
        except OverflowError:
            continue
        yield replace(anchor, start=begins + match.start(), span=span, lacks_year=False)


_WEEK_OF = Caseless(r"\b(?:in\s+)?the\s+(?P<unit>week(?:end)?)\s+(?:of|beginning|starting)\s+(?:on\s+)?(?:the\s+)?$")
_OF_THE = Caseless(r"week(?:end)?\s+of\s+the\s+")  # how a bare day of the month may begin


def _week_of(text: str, anchor: Found, first: date) -> Iterator[Found]:
    """The week of 6 July, the weekend of the 18th."""
    begins = max(0, anchor.start - _OFFSET_REACH)
    own = _OF_THE.match(text, anchor.start)
    match = _WEEK_OF.search(text[begins : own.end() if own else anchor.start])
    if match is not None:
        try:
            span = (spans.weekend if match["unit"].lower() == "weekend" else spans.week)(first)
        except OverflowError:  # the ends of the calendar
            return
        yield replace(anchor, start=begins + match.start(), span=span, lacks_year=False)
