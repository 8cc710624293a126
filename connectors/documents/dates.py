"""Dates as people write them at the top of a document."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice

from connectors.documents.blocks import Block

_DATE_LINE = re.compile(r"[*_]{0,2}(?:date|dated|datum|fecha|日期|时间)[*_ ]{0,3}[:：][*_ ]{0,4}(.+)", re.IGNORECASE)
_FORMATS = ("%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y年%m月%d日")

_NUMBERED = re.compile(r"[\d\s.]*")  # a number of something, not a date: 20260301
_BESIDE = re.compile(r"[^\W\d_][^\d,，:：]{0,40}[,，]\s*(.+)")  # "Lyon, 1 March 2026", "Discharge letter, 1 March 2026"
_IN_NAME = re.compile(
    r"(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])"
    r"(?:(?:[-_T ]| at )([01]\d|2[0-3])[-_.:h]?([0-5]\d)(?:[-_.:m]?([0-5]\d))?)?(?!\d)"
)

_FIRST_LINES = 12


def date_in(lines: Iterable[str]) -> datetime | None:
    """The moment of the first line like ``Date: 2026-03-01``, else of the first that is a date, or ends in one after a comma.

    Only the first 12 lines count: a letterhead or a title with its byline. Further down a date belongs to the text.

    >>> date_in(["Minutes", "**Date:** March 1st, 2026"])
    datetime.datetime(2026, 3, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    given = [line.strip() for line in islice(lines, _FIRST_LINES)]
    labelled = (match[1] for line in given if (match := _DATE_LINE.match(line)))
    alone = (line for line in given if not _NUMBERED.fullmatch(line))
    beside = (match[1] for line in given if (match := _BESIDE.fullmatch(line)) and not _NUMBERED.fullmatch(match[1]))
    return next((moment for text in (*labelled, *alone, *beside) if (moment := moment_of(text))), None)


def date_of(blocks: Iterable[Block]) -> datetime | None:
    """The date in the first lines of a document that does not state its date elsewhere."""
    return date_in(line for block in blocks for line in block.text.splitlines())


def date_in_name(name: str) -> datetime | None:
    """The date in a file's name, and its time if any, in UTC: ``standup-2026-03-01.wav``, ``IMG_20260301_090000.jpg``."""
    date = _IN_NAME.search(name)
    if date is None:
        return None
    year, _, month, day, hour, minute, second = date.groups()
    try:
        return datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC)
    except ValueError:  # 31 February
        return None


def moment_of(text: str) -> datetime | None:
    """A date or a moment as people write it at the top of a document, in UTC; without an offset it is UTC."""
    text = " ".join(text.strip("*_ ").replace(",", " ").split())  # first of all: what follows takes long over long gaps
    text = re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", text)
    text = re.sub(r" ?([年月日]) ?", r"\1", text)  # OCR writes 2026 年 3 月 18 日
    text = re.sub(r"^(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.? ", "", text, flags=re.IGNORECASE).strip()
    for form in (None, *_FORMATS):
        try:
            moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            continue
    return None


def moment_in_header(text: str) -> datetime | None:
    """A moment as mails and web servers write it in their headers, in UTC: ``Sat, 01 Mar 2025 10:00:00 +0800``."""
    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
