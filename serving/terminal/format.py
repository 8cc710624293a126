"""Dates, counts and citations as a terminal shows them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mneme.times import utc_now, zone

if TYPE_CHECKING:
    from mneme.records import Citation, Episode
    from queries.browsing.responses import InspectedEpisode


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: ``1 message``, ``2 messages``; ``plural`` where an s is not enough."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def spoken(episode: "Episode | InspectedEpisode") -> tuple[datetime, datetime]:
    """Start and end of an episode, by the speakers' clock."""
    local = zone(episode.timezone)
    return episode.started_at.astimezone(local), episode.ended_at.astimezone(local)


def cited(citation: "Citation | None") -> str:
    """Citation of a document: ``offer.pdf · page 2``; empty for what stands in none."""
    return joined(citation.name, citation.place) if citation is not None else ""


def joined(*words: str) -> str:
    """Those that say something, side by side."""
    return " · ".join(word for word in words if word)


def shortened(text: str, longest: int = 100) -> str:
    """A text of at most so many characters, or its beginning with three dots."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def last_line(reason: str) -> str:
    """The last line of a reason: of a traceback, what it ends with."""
    return reason.rstrip().rsplit("\n", 1)[-1]


def day(moment: datetime) -> str:
    """The date."""
    return f"{moment:%Y-%m-%d}"


def expected(start: datetime, end: datetime | None, written: Callable[[datetime], str] = day, month_form: str = "%Y-%m") -> str:
    """The days of something expected, as precisely as was said: a day, a month, a year, or the first to the last of several.

    A day is ``written`` as the caller writes days, and so is a month.

    Whole days begin at the speaker's midnight, which may be a day earlier in UTC; 13 hours later it is the same day
    in both, from Honolulu to Auckland.
    """
    if end is None or end - start < timedelta(hours=23):
        return written(start)
    first, behind = start + timedelta(hours=13), end + timedelta(hours=13)
    ends = first, behind - timedelta(days=1)
    if first.day == behind.day == 1:
        form = "%Y" if first.month == behind.month == 1 else month_form
        return " to ".join(dict.fromkeys(each.strftime(form) for each in ends))
    return " to ".join(dict.fromkeys(map(written, ends)))


def whole_day(moment: datetime, written: Callable[[datetime], str] = day) -> str:
    """The date of a moment without an end: a full hour late in the day is taken for the midnight of a speaker further east."""
    is_midnight = moment.hour >= 10 and (moment.minute, moment.second, moment.microsecond) == (0, 0, 0)
    return written(moment + timedelta(hours=13) if is_midnight else moment)


def until(moment: datetime, written: Callable[[datetime], str] = day) -> str:
    """Words for something that holds until a moment.

    A statement ends when another is said, which is no midnight; the end of a relationship may be a ``whole_day``.
    """
    return f"{'no longer so since' if moment <= utc_now() else 'so until'} {written(moment)}"


def span(start: datetime, end: datetime) -> str:
    """From when to when, as short as it can be told, in the zone the times are in."""
    if start == end:
        return day(start)
    if start.date() == end.date():
        return f"{start:%Y-%m-%d %H:%M}–{end:%H:%M}"
    return f"{start:%Y-%m-%d}–{end:%m-%d}"
