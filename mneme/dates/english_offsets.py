"""English days that are told by another day: "two days before Christmas", "a week from Saturday", "the week of 6 July"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from mneme.dates import spans
from mneme.dates.english_words import COUNT, least_and_most
from mneme.dates.rules import Found
from mneme.dates.spans import Grain

_OFFSET = re.compile(
    rf"\b(?:the\s+(?P<next>day|week)|{COUNT}\s+(?P<unit>day|week)s?)\s+(?P<side>before|after|from|on)\s+(?:the\s+)?$",
    re.I,
)
_WEEK_OF = re.compile(r"\b(?:in\s+)?the\s+(?P<unit>week(?:end)?)\s+(?:of|beginning|starting)\s+(?:on\s+)?(?:the\s+)?$", re.I)
_OWN = re.compile(r"(?:(?:before|after|from|on)|week(?:end)?\s+of\s+the)\s+", re.I)  # how a day may begin
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.I)
_REACH = 40  # characters


def days_by_another(text: str, found: Sequence[Found], said: date) -> Iterator[Found]:
    """Days that are told by another: two days before Christmas, a week from Saturday, the weekend of the 18th."""
    for anchor in found:
        if anchor.span is None or anchor.span.grain is not Grain.DAY:
            continue
        own, begins, first = _OWN.match(text, anchor.start), max(0, anchor.start - _REACH), anchor.span.first
        before = text[begins : own.end() if own else anchor.start]
        try:
            if match := _WEEK_OF.search(before):
                span = (spans.weekend if match["unit"].lower() == "weekend" else spans.week)(first)
                yield replace(anchor, start=begins + match.start(), span=span, lacks_year=False)
            match = _OFFSET.search(before)
            if match is None:
                continue
            unit, side = (match["next"] or match["unit"]).lower(), match["side"].lower()
            least, most = (1, 1) if match["next"] else least_and_most(match["count"], match["most"])
            if least == most and (side != "on" or unit == "week"):  # no "two days on Monday"
                away = least * timedelta(days=7 if unit == "week" else 1)
                span = spans.DaySpan.of_day(first - away if side == "before" else first + away)
                # "A week from Saturday" is ahead in any tense.
                ahead = side in ("from", "on") and unit == "week" and _WEEKDAY.match(text, own.end() if own else anchor.start)
                certain = anchor.certain or (bool(ahead) and timedelta(0) < first - said < timedelta(days=7))
                yield replace(anchor, start=begins + match.start(), span=span, lacks_year=False, certain=certain)
        except OverflowError:  # the ends of the calendar
            continue
