"""Dates in what people write: "yesterday", "next Friday", "May 2023", "上周五", resolved against when it was said.

Rules of our own because of tense ("on Friday" after "we met" or before "let's meet"), of stretches ("last week" is seven
days), and of Chinese.
"""

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from mneme.dates import chinese, english
from mneme.dates.spans import DaySpan, Grain
from mneme.text import has_cjk

__all__ = ["DateMention", "DaySpan", "Grain", "resolve_dates"]


_ENDS_IN_A_DAY = re.compile(r"\d(?:st|nd|rd|th)$")


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date in a text.

    ``text[start_index:end_index]`` is the mention; ``since`` (inclusive) and ``until`` (exclusive) are aware UTC moments
    at local midnights; ``relative`` says that the mention means something else when said on another day, ``lacks_year``
    that only its year does.
    """

    start_index: int
    end_index: int
    text: str
    since: datetime
    until: datetime
    span: DaySpan
    relative: bool
    lacks_year: bool = False

    @property
    def written(self) -> str:
        """The date in full, in the language of the mention: ``7 May 2023``, ``2023年5月7日``."""
        return self.span.in_chinese() if has_cjk(self.text) else self.span.in_english()

    @property
    def completed(self) -> str | None:
        """The mention with the year that it leaves out: ``14 May 2025``, ``May 14, 2025``; None when it leaves out more."""
        first, last = self.span.first.year, self.span.last.year
        if not self.lacks_year or first != last:
            return None
        if has_cjk(self.text):
            return f"{first}年{self.text}"
        month_first = self.text[-1].isdigit() or _ENDS_IN_A_DAY.search(self.text)
        return f"{self.text}, {first}" if month_first else f"{self.text} {first}"


def resolve_dates(text: str, said_at: datetime, zone: tzinfo, most: int = 1_000) -> list[DateMention]:
    """The dates that a text mentions, in order, without overlaps; vague ones ("the other day", "soon") are left out.

    Conventions: a week is Monday to Sunday; "next Friday" and 下周五 are of next week, "last Friday" is the latest before
    the day, 上周五 is of last week; a bare weekday or month looks back or ahead by the tense of its sentence.

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
        found += chinese.find(text, said, most)
    mentions: list[DateMention] = []
    taken = 0
    for candidate in sorted(found, key=lambda one: (one.start, -one.end)):
        if candidate.start < taken:
            continue
        if candidate.span is None:
            taken = candidate.end
            continue
        try:
            since, until = candidate.span.bounds(zone)
        except (OverflowError, ValueError):  # the first or last days of the calendar
            continue
        taken = candidate.end
        mention = text[candidate.start : candidate.end]
        mentions.append(
            DateMention(
                candidate.start,
                candidate.end,
                mention,
                since,
                until,
                candidate.span,
                candidate.relative,
                candidate.lacks_year,
            )
        )
    return mentions


def certain_dates(sentence, said_at, zone, language):  # stub until dates are merged
    return tuple(resolve_dates(sentence, said_at, zone, 16)) if language in ("en", "zh") else ()
