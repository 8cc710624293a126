"""English dates by the calendar: "3 June", "22 to 24 August", "in March", "Saturday the 17th", "2025-06-27"."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from mneme.dates import spans
from mneme.dates.english_words import (
    ALONE,
    BETWEEN,
    EDGE,
    MONTH,
    SHORT_WEEKDAY,
    TO_LAST,
    WEEKDAY,
    edged,
    month_number,
    weekday_number,
)
from mneme.dates.rules import Rule
from mneme.dates.spans import DaySpan
from mneme.dates.tense import arranges, looks_back

_AHEAD = 0.6  # what lies ahead counts as nearer: of the past one speaks in the past tense, which tells
_NEXT = 183  # days within which "Saturday the 17th" is to be found
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}


def _nearest(candidates: Sequence[DaySpan], said: date, back: bool | None) -> DaySpan:
    """Of the same days in several years the nearest, on the side that the tense tells."""

    def distance(span: DaySpan) -> float:
        return max(_AHEAD * (span.first - said).days, (said - span.last).days, 0)

    by_tense = [span for span in candidates if back is None or (span.first <= said if back else span.last >= said)]
    return min(by_tense or candidates, key=distance)


def _side(match: re.Match[str]) -> bool | None:
    """Whether a date lies behind; of what was arranged the nearest is meant ("I signed up for a race on 14 June")."""
    back = looks_back(match)
    if not back or not arranges(match):
        return back
    return False if match[0].lower().startswith("for ") else None


def _years(said: date) -> list[int]:
    return [year for year in (said.year - 1, said.year, said.year + 1) if date.min.year <= year <= date.max.year]


def _days(match: re.Match[str], said: date) -> DaySpan:
    """A day of a month, or from one to another; a weekday beside it helps to find the year."""
    groups = match.groupdict()
    last_month, last_day = month_number(groups["month"]), int(groups.get("last") or groups["day"])
    first_month, first_day = month_number(groups.get("first_month") or groups["month"]), int(groups["day"])

    def within(year: int) -> DaySpan:
        last = date(year, last_month, last_day)
        first_year = int(groups.get("first_year") or year - (first_month > last_month))
        return DaySpan.between(date(first_year, first_month, first_day), last)

    if groups.get("year"):
        return within(int(groups["year"]))
    candidates = []
    for year in _years(said):
        try:
            candidates.append(within(year))
        except ValueError:  # 29 February
            continue
    if not candidates:
        raise ValueError(match[0])
    weekday = weekday_number((groups.get("weekday") or "").rstrip("."))
    agreeing = [span for span in candidates if weekday in (None, span.first.weekday())]
    return _nearest(agreeing or candidates, said, _side(match))


def _ordinal_day(match: re.Match[str], said: date) -> DaySpan | None:
    day = date(said.year, month_number(match["month"]), _ORDINALS[match["ordinal"].lower()])
    candidates = [DaySpan.of_day(day.replace(year=year)) for year in _years(said)]
    return _nearest(candidates, said, looks_back(match))


def _weekday_and_day(match: re.Match[str], said: date) -> DaySpan | None:
    """The next day of that number that is such a weekday, or the latest; None where there is none near."""
    weekday, number = weekday_number(match["weekday"]), int(match["day"])
    past = (match.groupdict().get("was") or "").lower() in ("was", "fell on")
    step = -1 if past or looks_back(match) else 1
    for days in range(_NEXT):
        day = said + timedelta(days=step * days)
        if day.day == number and day.weekday() == weekday:
            return DaySpan.of_day(day)
    return None


def _part_of_month(match: re.Match[str], said: date) -> DaySpan:
    """The first week of June: its first seven days; the last weekend: its last Saturday and Sunday; the second Friday."""
    ordinal, month = _ORDINALS[match["ordinal"].lower()], month_number(match["month"])
    years = [int(match["year"])] if match["year"] else _years(said)
    candidates = []
    for year in years:
        whole = spans.month(date(year, month, 1))
        if match["unit"].lower() == "week":
            first = whole.last - timedelta(days=6) if ordinal < 0 else whole.first + timedelta(days=7 * (ordinal - 1))
            candidates.append(DaySpan.between(first, min(first + timedelta(days=6), whole.last)))
        else:
            weekday = weekday_number(match["unit"])
            wanted = 5 if weekday is None else weekday
            days = [day for day in (whole.first + timedelta(days=at) for at in range(whole.days)) if day.weekday() == wanted]
            day = days[ordinal - (ordinal > 0)]
            candidates.append(spans.weekend(day) if weekday is None else DaySpan.of_day(day))
    return _nearest(candidates, said, looks_back(match))


def _month_year(match: re.Match[str], said: date) -> DaySpan | None:
    return edged(match["edge"], spans.month(date(int(match["year"]), month_number(match["month"]), 1)))


def _month_only(match: re.Match[str], said: date) -> DaySpan | None:
    candidates = [spans.month(date(year, month_number(match["month"]), 1)) for year in _years(said)]
    belongs = (match.groupdict().get("own") or "").lower() == "of"  # "the costs of March" has no tense
    return edged(match["edge"], _nearest(candidates, said, None if belongs else _side(match)))


def _month_of_step(match: re.Match[str], said: date) -> DaySpan | None:
    """January next year."""
    year = said.year + {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    return edged(match["edge"], spans.month(date(year, month_number(match["month"]), 1)))


def _iso(match: re.Match[str], said: date) -> DaySpan:
    return DaySpan.of_day(date(int(match[1]), int(match[2]), int(match[3])))


def _day_of_month(match: re.Match[str], said: date) -> DaySpan | None:
    """On the 19th, from the 3rd to the 7th: of the month where it lies ahead, or behind when the sentence looks back."""
    first, last = int(match["day"]), int(match["last"] or match["day"])
    back = looks_back(match)
    for months in (0, -1, -2) if back else (0, 1, 2):
        whole = spans.month(said, months)
        try:
            span = DaySpan.between(whole.first.replace(day=first), whole.first.replace(day=last))
        except ValueError:  # the 31st of a shorter month
            continue
        if span.first <= said if back else span.last >= said:
            return span
    return None


def _day_of_step(match: re.Match[str], said: date) -> DaySpan:
    """The 5th of next month."""
    months = {"last": -1, "this": 0, "the": 0, "next": 1}[match["which"].lower()]
    return DaySpan.of_day(spans.month(said, months).first.replace(day=int(match["day"])))


def _dots(match: re.Match[str], said: date) -> DaySpan:
    return DaySpan.of_day(date(int(match[3]), int(match[2]), int(match[1])))


def _slashes(match: re.Match[str], said: date) -> DaySpan:
    first, second, number = int(match[1]), int(match[2]), int(match[3])
    number += 2000 if number < 100 else 0
    return DaySpan.of_day(date(number, second, first) if first > 12 else date(number, first, second))


def _year_only(match: re.Match[str], said: date) -> DaySpan:
    return spans.year(int(match[1]))


def _both(pattern: str) -> tuple[Rule, Rule]:
    """The rules of days with their year and without it."""
    return (
        Rule(re.compile(pattern + r"\.?,?\s+(?P<year>\d{4})\b"), _days, relative=False),
        Rule(re.compile(pattern + r"\b(?!\.?,?\s+\d{4}\b)"), _days, lacks_year=True),
    )


_ON_A = rf"\b(?:(?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})\b\.?,?\s+)?(?:the\s+)?"
_TH = r"(?:st|nd|rd|th)?"
_FIRST, _LAST = rf"(?P<day>\d{{1,2}}){_TH}", rf"(?P<last>\d{{1,2}}){_TH}"
_OF = r"(?:\s+of)?\s+"
_MONTH_NAME, _FIRST_MONTH = rf"(?P<month>{MONTH})", rf"(?P<first_month>{MONTH})"
_EDGE = rf"(?P<edge>(?i:{EDGE}))"
_PART_OF_MONTH = (
    rf"\b(?:[Tt]he\s+)?(?P<ordinal>(?i:{'|'.join(_ORDINALS)}))\s+(?P<unit>weekend|week|{WEEKDAY})\s+(?:of|in)\s+{_MONTH_NAME}"
)

RULES = (
    *_both(rf"{_ON_A}{_FIRST}{_OF}{_MONTH_NAME}"),
    *_both(rf"{_ON_A}{_MONTH_NAME}\b\.?\s+(?:the\s+)?{_FIRST}"),
    *_both(rf"{BETWEEN}\b{_FIRST}{TO_LAST}(?:the\s+)?{_LAST}{_OF}{_MONTH_NAME}"),
    *_both(rf"{BETWEEN}\b{_MONTH_NAME}\b\.?\s+{_FIRST}{TO_LAST}(?:the\s+)?{_LAST}"),
    *_both(rf"{BETWEEN}\b{_FIRST}{_OF}{_FIRST_MONTH}{TO_LAST}(?:the\s+)?{_LAST}{_OF}{_MONTH_NAME}"),
    *_both(rf"{BETWEEN}\b{_FIRST_MONTH}\b\.?\s+{_FIRST}{TO_LAST}{_MONTH_NAME}\b\.?\s+{_LAST}"),
    Rule(
        re.compile(
            rf"{BETWEEN}\b{_FIRST}\s+{_FIRST_MONTH}\s+(?P<first_year>\d{{4}}){TO_LAST}{_LAST}\s+{_MONTH_NAME}\s+(?P<year>\d{{4}})\b"
        ),
        _days,
        relative=False,
    ),
    Rule(re.compile(rf"\b(?P<ordinal>(?i:first|second|third))\s+of\s+{_MONTH_NAME}\b(?!\s+\d)"), _ordinal_day, lacks_year=True),
    Rule(re.compile(rf"\b(?P<weekday>{WEEKDAY})\b,?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b"), _weekday_and_day),
    Rule(
        re.compile(
            r"\b[Tt]he\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\s+(?P<was>is|was|will\s+be|falls\s+on|fell\s+on)\s+"
            rf"(?:an?\s+)?(?P<weekday>{WEEKDAY})\b"
        ),
        _weekday_and_day,
    ),
    Rule(re.compile(_PART_OF_MONTH + r"\s+(?P<year>\d{4})\b"), _part_of_month, relative=False),
    Rule(re.compile(_PART_OF_MONTH + r"\b(?P<year>)(?!\s+\d)"), _part_of_month, lacks_year=True),
    Rule(
        re.compile(rf"\b{_EDGE}?{_MONTH_NAME}\b\.?,?\s+(?:of\s+)?(?P<year>\d{{4}})\b"), _month_year, relative=False
    ),
    Rule(re.compile(rf"\b{_EDGE}{_MONTH_NAME}\b(?!\s+\d)"), _month_only, lacks_year=True),
    Rule(re.compile(rf"\b{_EDGE}?{_MONTH_NAME}\s+(?:of\s+)?(?P<which>last|this|next)\s+year\b"), _month_of_step),
    Rule(
        re.compile(
            r"\b(?P<own>(?i:in|since|until|till|by|during|around|from|of|for|before|after|through))\s+"
            rf"{_EDGE}?{_MONTH_NAME}\b(?!\s+\d)"
        ),
        _month_only,
        lacks_year=True,
    ),
    Rule(re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)(?=\b|T)"), _iso, relative=False),
    Rule(re.compile(r"\b((?:19|20)\d\d)/(\d\d?)/(\d\d?)\b"), _iso, relative=False),
    Rule(re.compile(r"\b(\d\d?)/(\d\d?)/((?:20)?\d\d)\b"), _slashes, relative=False),
    Rule(re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.((?:19|20)\d\d)\b"), _dots, relative=False),
    Rule(
        re.compile(
            rf"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ss]ince|[Bb]efore|[Aa]fter|[Ff]rom|(?P<between>[Bb]etween)|"
            rf"weekend\s+of|week\s+of)\s+the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)\b"
            rf"(?:{TO_LAST}(?:the\s+)?(?P<last>\d{{1,2}})(?:st|nd|rd|th)\b)?(?!\s+of\b){ALONE}"
        ),
        _day_of_month,
    ),
    Rule(
        re.compile(
            r"\b(?:(?i:on)\s+)?(?i:the)\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\s+(?:of\s+)?(?P<which>last|this|the|next)\s+month\b"
        ),
        _day_of_step,
    ),
    Rule(
        re.compile(
            r"(?i:\b(?:in|since|from|until|during|by|of|year|early|late|around)\s+)((?:19|20)\d\d)\b(?![-/.,]\d)" + ALONE
        ),
        _year_only,
        relative=False,
    ),
)  # fmt: skip
