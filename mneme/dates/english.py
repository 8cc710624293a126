"""English dates that are relative to the day they are said. Each rule is a phrase of everyday writing and the days it means."""

import re
from datetime import date, timedelta
from functools import lru_cache

from mneme.caseless import Caseless
from mneme.dates import english_calendar, english_offsets, english_periods, english_weeks, spans
from mneme.dates.english_words import (
    COUNT,
    EDGE,
    MONTH,
    PART_OF_DAY,
    SHORT_WEEKDAY,
    UNIT,
    WEEKDAY,
    edged,
    least_and_most,
    month_number,
    weekday_number,
)
from mneme.dates.rules import Found, Rule, Rules, apply
from mneme.dates.spans import MONTHS, DaySpan
from mneme.dates.tense import looks_back
from mneme.guarded import words_of

_CUES = (
    """day night week month year morning afternoon evening morrow decade season summer winter spring autumn fall quarter
    christmas halloween easter thanksgiving valentine nineties eighties seventies sixties mon tue wed thu fri sat sun""".split()
    + [name[:3].lower() for name in MONTHS]
)


def find(text: str, said: date, most: int) -> list[Found]:
    """The English dates of a text that was said on a day, ``most`` by each rule; phrases may overlap."""
    rules = _ALL.worth_trying(text)
    if not rules or not any(map(_is_cue, words_of(text))):
        return []
    found = apply(rules, text, said, most)
    return found + list(english_offsets.days_by_another(text, found))


@lru_cache(maxsize=8_192)
def _is_cue(word: str) -> bool:
    """Whether a word has something of a day or a time, or a number, without which nothing is a date."""
    return word.isdecimal() or any(cue in word for cue in _CUES)


# --- so far away -----------------------------------------------------------------------------------------------------


def _shifted(said: date, least: int, most: int, unit: str) -> DaySpan:
    """The stretch that lies ``least`` to ``most`` units away: the day itself for days, else the week, month or year."""
    if unit == "fortnight":
        unit, least, most = "week", 2 * least, 2 * most
    if unit in ("day", "night"):
        ends = [spans.days_from(said, least), spans.days_from(said, most)]
    elif unit == "week":
        ends = [spans.week(said, least), spans.week(said, most)]
    elif unit == "weekend":
        ends = [spans.weekend(said, least), spans.weekend(said, most)]
    elif unit == "month":
        ends = [spans.month(said, least), spans.month(said, most)]
    elif unit == "year":
        ends = [spans.year(said.year + least), spans.year(said.year + most)]
    else:
        ends = [spans.year(said.year + 10 * least), spans.year(said.year + 10 * most)]
    if ends[0] == ends[1]:
        return ends[0]
    return DaySpan.between(min(end.first for end in ends), max(end.last for end in ends))


def _ago(match: re.Match[str], said: date) -> DaySpan:
    least, most = least_and_most(match["count"], match["most"])
    return _shifted(said, -least, -most, match["unit"].lower())


def _years_ago_today(match: re.Match[str], said: date) -> DaySpan:
    least, _ = least_and_most(match["count"])
    return DaySpan.of_day(said.replace(year=said.year - least))


def _seasons_ago(match: re.Match[str], said: date) -> DaySpan | None:
    """Two winters ago: the latest but one that is over."""
    least, _ = least_and_most(match["count"])
    name = match["season"].lower()
    over = [span for years in range(-least - 2, 1) if (span := spans.season(name, said.year + years)).last < said]
    return over[-least]


def _hours_away(match: re.Match[str], said: date) -> DaySpan:
    """48 hours from now: whole days only."""
    days = int(match["hours"] or match["later"]) // 24
    return spans.days_from(said, -days if match[0].lower().endswith("ago") else days)


def _half_away(match: re.Match[str], said: date) -> DaySpan:
    """Half a year ago, in a year and a half."""
    sign = 1 if match["ahead"] else -1
    unit = match["unit"].lower()
    if unit == "year":
        return spans.month(said, sign * (18 if match["one"] else 6))
    return spans.week(said + timedelta(days=sign * (45 if match["one"] else 15)))


def _ahead(match: re.Match[str], said: date) -> DaySpan | None:
    if match[0].lower().startswith("in ") and looks_back(match):  # "read it in two days"
        return None
    least, most = least_and_most(match["count"], match["most"])
    return _shifted(said, least, most, match["unit"].lower())


_DAYS_OF = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14, "month": 30, "year": 365, "decade": 3652}


def _stretch(match: re.Match[str], said: date) -> DaySpan:
    """The past three weeks, the next few days, within ten days."""
    _, most = least_and_most(match["count"], match["most"])
    days = most * _DAYS_OF[match["unit"].lower()]
    back = (match["which"] or "").lower() in ("last", "past")
    return DaySpan.between(said, said + timedelta(days=-days if back else days))


_SIMPLE_DAYS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1, "last night": -1,
    "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2, "the day after tomorrow": 2,
    "day after tomorrow": 2,
}  # fmt: skip


def _simple(match: re.Match[str], said: date) -> DaySpan:
    return spans.days_from(said, _SIMPLE_DAYS[" ".join(match[1].lower().split())])


def _before_last(match: re.Match[str], said: date) -> DaySpan:
    return _shifted(said, *((-2, -2) if match[2].lower() == "before last" else (2, 2)), unit=match[1].lower())


# --- the last, this or next of its kind ------------------------------------------------------------------------------

_STEP = {
    "last": -1,
    "past": -1,
    "this past": -1,
    "previous": -1,
    "this": 0,
    "next": 1,
    "coming": 1,
    "this coming": 1,
    "upcoming": 1,
}


def _step(match: re.Match[str], said: date) -> DaySpan | None:
    """Last, this or next week, month, summer, Friday, May, Christmas; perhaps early, mid or late in it."""
    which, what = " ".join(match["which"].lower().split()), " ".join(match["what"].lower().split())
    if _STEP[which] < 0 and _OWNED.search(match.string, max(0, match.start() - _REACH), match.start()):  # "your last week"
        return None
    return edged(match["edge"], _step_to(which, what, said, match))


def _step_to(which: str, what: str, said: date, match: re.Match[str]) -> DaySpan | None:
    step = _STEP[which]
    if what == "week":
        return spans.week(said, step)
    if what == "weekend":
        if step == 0 and said.weekday() == 0 and looks_back(match):
            step = -1  # "this weekend was great", on a Monday
        return spans.weekend(said, step)
    if what == "month":
        return spans.month(said, step)
    if what == "year":
        return spans.year(said.year + step)
    if what == "quarter":
        return english_periods.quarter(said, step)
    weekday = weekday_number(what)
    if weekday is not None:
        return english_weeks.weekday(weekday, which, step, said, match)
    if what in ("spring", "summer", "autumn", "fall", "winter"):
        return _recurring([spans.season(what, said.year + years) for years in (-2, -1, 0, 1, 2)], step, said)
    if (holiday := english_periods.holiday_around(what, said)) is not None:
        return _recurring(holiday, step, said)
    number = month_number(what)
    return _recurring([spans.month(date(said.year + years, number, 1)) for years in (-1, 0, 1)], step, said)


def _recurring(candidates: list[DaySpan], step: int, said: date) -> DaySpan | None:
    """Of the same days in several years: the latest that is over, the first that is to come, or the nearest."""
    if step < 0:
        return next((span for span in reversed(candidates) if span.last < said), None)
    if step > 0:
        return next((span for span in candidates if span.first > said), None)
    return min(candidates, key=lambda span: abs((span.first - said).days + span.days // 2))


def _edge_of_this(match: re.Match[str], said: date) -> DaySpan | None:
    """The end of the month, the beginning of the week: of the one it is said in."""
    which = {"week": spans.week, "month": spans.month}.get(match["what"].lower())
    return edged(match["edge"], which(said) if which else spans.year(said.year))


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_REACH = 24  # characters before a date
_OWNED = Caseless(r"\b(?:my|your|his|our|their|its)\s+$")
_WHAT = (
    rf"week(?:end)?|month|year|quarter|spring|summer|autumn|fall|winter|{WEEKDAY}|(?-i:{SHORT_WEEKDAY})|(?-i:{MONTH})|"
    + english_periods.HOLIDAY
)
_WHICH = r"this\s+past|this\s+coming|last|past|previous|this|next|coming|upcoming"
_RULES = (
    Rule(_insensitive(rf"\b{COUNT}\s+{UNIT}\s+(?:ago|back)\b(?!\s+(?:to|in|at|from|home)\b)"), _ago),
    Rule(_insensitive(rf"\b{COUNT}\s+years?\s+ago\s+(?:to the day|today)\b"), _years_ago_today),
    Rule(_insensitive(rf"\b{COUNT}\s+(?P<season>spring|summer|autumn|fall|winter)s\s+ago\b"), _seasons_ago),
    Rule(_insensitive(r"\b(?:in\s+(?P<hours>24|48|72|96)\s+hours\b|(?P<later>24|48|72|96)\s+hours\s+(?:ago|from\s+now)\b)"),
         _hours_away),
    Rule(_insensitive(r"\b(?:half\s+an?\s+|(?P<one>an?\s+|one\s+))(?P<unit>month|year)(?(one)\s+and\s+a\s+half)\s+ago\b(?P<ahead>)?"),
         _half_away),
    Rule(_insensitive(r"\b(?P<ahead>in)\s+(?:half\s+an?\s+|(?P<one>an?\s+|one\s+))(?P<unit>month|year)(?(one)\s+and\s+a\s+half)\b"),
         _half_away),
    Rule(_insensitive(rf"\bin\s+(?:about\s+|just\s+|around\s+)?{COUNT}\s+{UNIT}(?:['’]s?\s+time)?\b(?!['’])"), _ahead),
    Rule(_insensitive(rf"\b{COUNT}\s+{UNIT}\s+from\s+(?:now|today)\b"), _ahead),
    Rule(_insensitive(rf"\b(?:the\s+|these\s+)?(?P<which>last|past|next|coming)\s+{COUNT}\s+{UNIT}\b"), _stretch),
    Rule(_insensitive(rf"\bwithin\s+(?:the\s+next\s+)?(?P<which>)?{COUNT}\s+{UNIT}\b(?!\s+of\b)"), _stretch),
    Rule(_insensitive(r"\b((?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|today|tonight|yesterday|tomorrow|"
                      r"last\s+night|this\s+(?:morning|afternoon|evening))\b" + PART_OF_DAY), _simple),
    Rule(_insensitive(r"\bthe\s+(week|weekend|month|year)\s+(before\s+last|after\s+next)\b"), _before_last),
    Rule(_insensitive(rf"\b(?P<edge>{EDGE})?(?:the\s+)?(?P<which>{_WHICH})\s+(?P<what>{_WHAT})\b(?!\s+of\b)"
                      rf"{PART_OF_DAY}"), _step),
    Rule(_insensitive(rf"\b(?P<edge>{EDGE})the\s+(?P<what>week|month|year)\b"), _edge_of_this),
)  # fmt: skip
_ALL = Rules((*_RULES, *english_weeks.RULES, *english_periods.RULES, *english_calendar.RULES))
