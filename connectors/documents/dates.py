"""Dates as people write them at the top of a document."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

_DATE_LINE = re.compile(r"[*_]{0,2}(?:date|dated|datum|fecha|日期|时间)[*_ ]{0,3}[:：][*_ ]{0,4}(.+)", re.IGNORECASE)
_FORMATS = ("%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y年%m月%d日")

FIRST_LINES = 12  # a letterhead or a title with its byline; further down a date belongs to the text


def date_in(lines: Iterable[str]) -> datetime | None:
    """The moment of the first line like ``Date: 2026-03-01`` that holds one. Give it the first ``FIRST_LINES`` lines.

    >>> date_in(["Minutes", "**Date:** March 1st, 2026"])
    datetime.datetime(2026, 3, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    written = (match[1] for line in lines if (match := _DATE_LINE.match(line.strip())))
    return next((moment for text in written if (moment := moment_of(text))), None)


def moment_of(text: str) -> datetime | None:
    """A date or a moment as people write it at the top of a document, in UTC; without an offset it is UTC."""
    text = re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", text.strip("*_ ").replace(",", " "))
    text = re.sub(r"\s*([年月日])\s*", r"\1", text)  # OCR writes 2026 年 3 月 18 日
    text = re.sub(r"\s+", " ", re.sub(r"^(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.? ", "", text, flags=re.IGNORECASE)).strip()
    for form in (None, *_FORMATS):
        try:
            moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            continue
    return None
