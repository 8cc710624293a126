"""Dates in what people write: "yesterday", "next Friday", "May 2023", "上周五", resolved against when it was said.

``certain_dates`` writes a date down: only one that has a single reading. ``resolve_dates`` takes the likeliest reading, as
one has to of a question. Rules of our own because of tense ("on Friday" after "we met" or before "let's meet"), of stretches
("last week" is seven days), and of Chinese.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from mneme.chinese_script import parted, simplified
from mneme.dates import chinese, chinese_words, english, english_doubts, neighbours
from mneme.dates.english_words import ALONE, PART_OF_DAY
from mneme.dates.spans import DaySpan, Found, Grain
from mneme.patterns import COMMON
from mneme.text import has_cjk

__all__ = ["DateMention", "DaySpan", "Grain", "certain_dates", "resolve_dates"]


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date in a text.

    ``text[start_index:end_index]`` is the mention; ``since`` (inclusive) and ``until`` (exclusive) are aware UTC moments
    at local midnights; ``relative`` says that the mention means something else when said on another day, ``lacks_year``
    that only its year does, ``in_chinese`` that it is written so: ``3/7`` of a Chinese sentence.
    """

    start_index: int
    end_index: int
    text: str
    since: datetime
    until: datetime
    span: DaySpan
    relative: bool
    lacks_year: bool = False
    in_chinese: bool = False

    @property
    def written(self) -> str:
        """The date in full, in the language of the mention: ``7 May 2023``, ``2023年5月7日``."""
        return self.span.in_chinese() if self.in_chinese or has_cjk(self.text) else self.span.in_english()


def certain_dates(
    sentence: str, said_at: datetime, zone: tzinfo, language: str, earlier: str = "", asked: str = ""
) -> tuple[DateMention, ...]:
    """The dates of a sentence that can mean nothing else, in order; none where the words do not say enough.

    Left out are those of which another reading is within reason ("next Friday" on a Thursday, "in May" without a tense), what
    is no event (a habit, a birthday, "since March", "before March") and what did not or may not happen (negated, supposed,
    reported, quoted, or moved to another date).

    >>> from datetime import UTC
    >>> said_at = datetime(2026, 2, 8, 13, 56, tzinfo=UTC)
    >>> [mention] = certain_dates("We are getting married on 10 October!", said_at, UTC, "en")
    >>> mention.text, mention.written
    ('10 October', '10 October 2026')
    >>> certain_dates("We wanted to go next summer, or on 10 October.", said_at, UTC, "en")
    ()

    Args:
        sentence: one sentence of a message.
        said_at: when it was said, aware.
        zone: the zone of who said it.
        language: its code, "en" or "zh"; of another only days like 2026-03-04 are read.
        earlier: what was said shortly before: an occasion or a month in it may be that of a day without one.
        asked: read it only as the answer to this question: after "When do you fly?" a bare "The 14th" is ahead.
    """
    local = said_at.astimezone(zone)
    rules, doubts = _LANGUAGES.get(language, (english.find_iso, english_doubts))
    read = _read_chinese if language == "zh" else str
    lead = english.answer_lead(asked, sentence) if language == "en" and asked else ""
    if asked and not lead:
        return ()
    words = lead + read(sentence)
    found = rules(words, local.date(), _MOST)
    if not found:
        return ()
    read_together = neighbours.confirmed(words, neighbours.joined(words, list(_apart(found))), local.date())
    chosen = [each for each in read_together if each.certain and not doubts.in_doubt(words, each)]
    chosen = list(neighbours.without_vaguer(words, chosen))
    if before := read(earlier):
        chosen = [
            each
            for each in chosen
            if not each.span or not doubts.is_of_another(words[each.start : each.end], before, each.span.first.month)
        ]
    bare = [each for each in chosen if _BARE_WEEKDAY.fullmatch(words, each.start, each.end)]
    if bare:
        beside = read(earlier).rpartition("\n")[2]
        in_a_week = local.date() + timedelta(days=7)
        later = [each.start for each in found if each.span and each.span.first > in_a_week]
        if any(_BARE_WEEKDAY.match(words, start) for start in later):  # "thursday was dear, so we come Friday 25th"
            later.append(-1)
        if any(each.span and each.span.first > in_a_week for each in rules(beside, local.date(), _MOST)):
            later.append(-1)
        chosen = [each for each in chosen if each not in bare or not any(place < each.start for place in later)]
        planned = _planned_weekdays(before, [each.span for each in rules(before, local.date(), _MOST) if each.span], in_a_week)
        ahead = [each for each in bare if each.span and each.span.first >= local.date()]
        chosen = [each for each in chosen if each not in ahead or not each.span or each.span.first.weekday() not in planned]
    chosen = [each for each in chosen if not _is_of_the_next_month(words, each)]
    chosen = [each for each in chosen if not _is_of_another_country(words[each.start : each.end], zone)]
    if local.hour < _MORNING:  # before one has slept, today is yesterday
        chosen = [
            each for each in chosen if not each.relative or each.span is None or abs((each.span.first - local.date()).days) > 2
        ]
    if lead:
        chosen = [replace(each, start=max(0, each.start - len(lead)), end=each.end - len(lead)) for each in chosen]
    return tuple(_mentions(sentence, chosen, zone, in_chinese=language == "zh"))


def resolve_dates(text: str, said_at: datetime, zone: tzinfo, most: int = 1_000) -> list[DateMention]:
    """The dates that a text mentions, in order, without overlaps; vague ones ("the other day", "soon") are left out.

    Conventions: a week is Monday to Sunday; "next Friday" and 下周五 are of next week, "last Friday" is the latest before
    the day, 上周五 is of last week; a bare weekday or month looks back or ahead by the tense of its sentence, and where
    several readings remain it is the likeliest.

    >>> from datetime import UTC
    >>> [mention] = resolve_dates("I went there yesterday.", datetime(2023, 5, 8, 13, 56, tzinfo=UTC), UTC)
    >>> mention.text, mention.written, mention.since.isoformat()
    ('yesterday', '7 May 2023', '2023-05-07T00:00:00+00:00')

    Args:
        text: any text, English or Chinese.
        said_at: when it was said, aware.
        zone: the zone of who said it.
        most: how many dates of one form are read; each takes up to 100 us.
    """
    said = said_at.astimezone(zone).date()
    found = english.find(text, said, most)
    if has_cjk(text):
        found += chinese.find(_read_chinese(text), said, most)
    return list(_mentions(text, _apart(found), zone))


def _read_chinese(text: str) -> str:
    return parted(simplified(text))


_LANGUAGES = {"en": (english.find, english_doubts), "zh": (chinese.find, chinese_words)}
_MOST = 20  # dates of one form in a sentence
_MORNING = 4  # o'clock
# After "we come on the 25th of May", the Tuesday on which they go back is hardly the next.
_BARE_WEEKDAY = re.compile(rf"(?:on |by )?{COMMON['weekday_begins']}[a-z]*|(?:周|星期|礼拜)[一二三四五六日天]", re.I)
_THREE_WEEKS = 22  # days, behind a week: within them a number is of one day
_AMERICAN = ("thanksgiving", "independence day")  # other countries keep them on other days
_AMERICAN_ZONES = frozenset(
    [f"America/{city}" for city in (
        "New_York Detroit Chicago Menominee Denver Boise Phoenix Los_Angeles Anchorage Juneau Indiana/Indianapolis "
        "Kentucky/Louisville"
    ).split()] + ["Pacific/Honolulu"]
)  # fmt: skip


_NUMBERED = re.compile(r"(?:(?:on|by|from|until|till) )?(?:the )?(\d{1,2})(?:st|nd|rd|th)", re.I)  # a day without a month
_ANY_NUMBERED = re.compile(  # no floor and no century
    rf"\b(?:the|on|by|from|is|until|till) ([12]?\d|3[01])(?:st|nd|rd|th)\b(?:\s+of\b|{PART_OF_DAY}{ALONE})", re.I
)
_NEAR = 7  # days


def _is_of_the_next_month(words: str, one: Found) -> bool:
    """Tell whether a day is long before one told first: of "off on the 23rd, back on the 4th" the last is a month on."""
    day = _NUMBERED.fullmatch(words, one.start, one.end)
    return day is not None and any(int(first[1]) - int(day[1]) > _NEAR for first in _ANY_NUMBERED.finditer(words, 0, one.start))


def _is_of_another_country(mention: str, zone: tzinfo) -> bool:
    """Tell whether a holiday of the United States is named in the zone of another country."""
    key = getattr(zone, "key", "")
    elsewhere = "/" in key and not key.startswith(("Etc/", "US/")) and key not in _AMERICAN_ZONES
    return elsewhere and any(name in mention.casefold() for name in _AMERICAN)


def _planned_weekdays(earlier: str, spans: Iterable[DaySpan], first: date) -> set[int]:
    """The weekdays of the later days that were named before: after "the Friday one, the 24th", "Friday" may be that one."""
    numbers = {int(number) for number in _ANY_NUMBERED.findall(earlier)}
    days = (first + timedelta(days=ahead) for ahead in range(1, _THREE_WEEKS))
    told = {day.weekday() for day in days if day.day in numbers}
    return told | {span.first.weekday() for span in spans if span.days == 1 and span.first > first}


def _apart(found: Sequence[Found]) -> Iterator[Found]:
    """The first and longest of phrases that overlap."""
    taken = 0
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if each.start >= taken:
            taken = each.end
            yield each


def _mentions(text: str, found: Iterable[Found], zone: tzinfo, in_chinese: bool = False) -> Iterator[DateMention]:
    for each in found:
        if each.span is None:
            continue
        try:
            since, until = each.span.bounds(zone)
        except (OverflowError, ValueError):  # the first or last days of the calendar
            continue
        words = text[each.start : each.end]
        yield DateMention(each.start, each.end, words, since, until, each.span, each.relative, each.lacks_year, in_chinese)
