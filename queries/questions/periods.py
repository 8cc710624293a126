"""The time that a question speaks of, and how well a memory fits it: "last Tuesday", "since March", 去年夏天.

Dates are read as in what people say (mneme/dates), from when the question is asked; only that a question about the past
means the May or the Friday behind it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from mneme.dates import DateMention, resolve_dates
from mneme.dates.english_words import ALONE, MONTH
from mneme.rows import Row
from mneme.text import has_cjk
from queries.questions.tense import asks_about_past

_DAY = timedelta(days=1)
_OPEN = timedelta(days=30)  # what counts as the length of a period without an end


@dataclass(frozen=True, slots=True)
class Period:
    """From ``since`` (inclusive) to ``before`` (exclusive), aware UTC moments; None where it is open at that side."""

    since: datetime | None
    before: datetime | None

    @property
    def length(self) -> timedelta:
        """Its length, a day at least; a month where it is open."""
        if self.since is None or self.before is None:
            return _OPEN
        return max(self.before - self.since, _DAY)


def period_of(text: str, asked_at: datetime) -> Period | None:
    """The time that a question speaks of; of several dates all from the first to the last. None without any.

    A date from which or to which a duration is asked for is none: "how long is it since May?".

    >>> period_of("What did Ann do in May?", datetime(2024, 3, 8, tzinfo=UTC)).since.isoformat()
    '2023-05-01T00:00:00+00:00'

    Args:
        text: the question, English or Chinese.
        asked_at: when it is asked, aware, in the zone of who asks.
    """
    if _DURATION.search(text):
        return None
    text = _END_OF_RANGE.sub(r"\1 in \2", text)
    periods = list(_periods(text, asked_at))
    if not periods:
        return None
    starts, ends = [each.since for each in periods], [each.before for each in periods]
    since = None if None in starts else min(start for start in starts if start)
    before = None if None in ends else max(end for end in ends if end)
    return Period(since, before)


def period_fit(period: Period, row: Row) -> float:
    """The fit of a memory to the time that a question names.

    1 where what the row tells happens in that time, or where it was said then: of LoCoMo's questions with a date, the answer
    happens in its time in 75 %, and happens or was said then in 88 %. Outside a half, and half of that with each length of the
    period that the row is further away.
    """
    if row.event_at is None:
        return _fit(period, row.at, row.until or row.at)
    return max(_fit(period, row.at, row.at), _fit(period, row.event_at, row.until or row.event_at + _DAY))


def _fit(period: Period, begins: datetime, ends: datetime) -> float:
    if period.since and begins < period.since and ends <= period.since:
        gap = period.since - ends
    elif period.before and begins >= period.before:
        gap = begins - period.before
    else:
        return 1.0
    return float(0.5 ** (1 + gap / period.length))


class _Side(StrEnum):
    """The side of a date that is meant."""

    SINCE = "since"
    AFTER = "after"
    BEFORE = "before"
    UNTIL = "until"


def _periods(text: str, asked_at: datetime) -> Iterator[Period]:
    zone = asked_at.tzinfo or UTC
    past = (asks_about_past(text) or bool(_PAST.search(text))) and not _AHEAD.search(text)
    mentions = [each for each in resolve_dates(text, asked_at, zone) if not _is_attribute(text, each)]
    while mentions:
        mention = mentions.pop(0)
        if mentions and _TO.fullmatch(text, mention.end_index, mentions[0].start_index):
            last = _behind(mentions.pop(0), asked_at) if past else mentions.pop(0)
            first = _behind(mention, last.since) if mention.relative else mention  # "November to February 2023"
            yield Period(min(first.since, last.since), max(first.until, last.until))
        elif week := _WEEK.match(mention.text):
            since = mention.since - (timedelta(days=6) if week[1].lower() == "after" else timedelta())
            yield Period(since, since + timedelta(days=7))
        else:
            yield _beside(_side(text, mention), _behind(mention, asked_at) if past else mention, asked_at.astimezone(UTC))


def _behind(mention: DateMention, moment: datetime) -> DateMention:
    """The same words where they speak of the past, if that lies before a moment: the latest May, the latest Friday."""
    if mention.since <= moment:
        return mention
    bare = _ANY_PREPOSITION.sub("", mention.text, count=1)
    sentence = f"那是{bare}的" if has_cjk(bare) else f"since {bare}"
    read = resolve_dates(sentence, moment, moment.tzinfo or UTC)
    return read[0] if len(read) == 1 and read[0].since <= moment else mention


def _beside(side: _Side | None, date: DateMention, asked_at: datetime) -> Period:
    """The period on a side of a date; from today on where the date is to come."""
    match side:
        case _Side.SINCE:
            return Period(date.since, max(asked_at, date.until))
        case _Side.AFTER:
            return Period(date.until, None)
        case _Side.BEFORE:
            return Period(asked_at if date.since > asked_at else None, date.since)
        case _Side.UNTIL:
            return Period(asked_at if date.since > asked_at else None, date.until)
        case None:
            return Period(date.since, date.until)


def _side(text: str, date: DateMention) -> _Side | None:
    own = _PREPOSITION.match(date.text) or _PREPOSITION_BEFORE.search(text, max(0, date.start_index - _REACH), date.start_index)
    behind = _BEHIND.match(text, date.end_index)
    word = " ".join((own[1] if own else "").lower().split())
    if behind and behind.lastgroup and (behind.lastgroup != _Side.SINCE or word in ("", "since", "from", "自", "自从")):
        return _Side(behind.lastgroup)
    return _SIDES.get(word)


def _is_attribute(text: str, date: DateMention) -> bool:
    """True if a date only tells which of some things is meant: "the Q2 deadline", "my Friday class"."""
    if not date.relative or not date.text[0].isupper() or _ALONE.match(text, date.end_index):
        return False
    return not _ITS_OWN.search(text, max(0, date.start_index - _REACH), date.start_index)


_REACH = 24  # characters before a date
_WEEK = re.compile(r"the\s+week\s+(before|after)\b", re.IGNORECASE)  # all of its days, of which dates tell one
_ALONE = re.compile(ALONE + r"|['’]s\b")
_ITS_OWN = re.compile(r"\b(?:on|in|at|during|over|since|from|until|till|by|before|after|last|this|next)\s+$", re.IGNORECASE)
_SIDES = {
    "since": _Side.SINCE,
    "after": _Side.AFTER,
    "following": _Side.AFTER,
    "before": _Side.BEFORE,
    "prior to": _Side.BEFORE,
    "until": _Side.UNTIL,
    "till": _Side.UNTIL,
    "by": _Side.UNTIL,
    "up to": _Side.UNTIL,
    "自": _Side.SINCE,
    "自从": _Side.SINCE,
    "截至": _Side.UNTIL,
    "截止": _Side.UNTIL,
}
_WORDS = r"(since|from|after|following|before|prior\s+to|until|till|by|up\s+to|自从?|截[至止])"
_PREPOSITION = re.compile(rf"{_WORDS}\s+", re.IGNORECASE)
_ANY_PREPOSITION = re.compile(rf"(?:{_WORDS}|in|on|at|during|over|for|around)\s+", re.IGNORECASE)
_PREPOSITION_BEFORE = re.compile(rf"(?<![a-z]){_WORDS}\s*(?:the\s+|到)?$", re.IGNORECASE)
_BEHIND = re.compile(
    r"(?P<since>\s+on(?:wards?)?\b(?!\s+(?:the|a|my)\b)|以来|至今|到现在|到今天|起|开始)|(?P<until>为止)"
    r"|(?P<after>之后|以后|后(?![天来面]))|(?P<before>之前|以前|前(?![天面年]))"
)
_TO = re.compile(r"\s*(?:to|and|or|until|till|through|[-–—~～]|到|至|和)\s*(?:in\s+)?", re.IGNORECASE)
# In "between March and May" and "from 2019 to 2021" the second has no preposition, and would be no date by itself.
_END_OF_RANGE = re.compile(rf"\b((?i:between|from|and|to|until|till|through))\s+({MONTH}|(?:19|20)\d\d)\b(?!\s+\d{{1,2}}\b)")
_LENGTH = "(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|time)"
_DURATION = re.compile(
    rf"\bhow\s+(?:long|(?:many|much)\s+(?:more\s+)?{_LENGTH})"
    r"(?:\s+(?:has|have|had|it|is|was|will|did|be|been|passed|elapsed|are|were|there|left|remained|gone|by|do|does|i|we|take|took))*"
    r"\s+(?:since|until|till|to|between|before|after|from)\b"
    r"|(?:距离?|离)[^，。？]{0,40}(?:多久|几|多少)|(?:过去|过)了?(?:多久|几|多少)"
    r"|从[^，。？]{0,40}[到至][^，。？]{0,40}(?:多久|多长时间|(?:几|多少)个?[天周月年])",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:did|was|were|had|been|happened|has|have)\b|了|过(?![年节生])|曾|已经|刚", re.IGNORECASE)
_AHEAD = re.compile(
    r"\b(?:will|going to|plan\w*|schedul\w*|book(?:ed|ing)|got|due|upcoming|next|tomorrow|must|should|"
    r"(?:have|has|need|needs|want|wants) (?:\w+ )?to)\b"
    r"|要|会(?!议)|将|打算|准备|计划|[明后下]",
    re.IGNORECASE,
)
