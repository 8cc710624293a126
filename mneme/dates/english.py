"""English dates. Each rule is a phrase of everyday writing and the days it means."""

import re
from datetime import date, timedelta

from mneme.dates import english_calendar, spans
from mneme.dates.english_words import EDGE, MONTH, PART_OF_DAY, SHORT_WEEKDAY, WEEKDAY, edged, month_number, weekday_number
from mneme.dates.rules import Found, Rule, apply
from mneme.dates.spans import MONTHS, DaySpan
from mneme.dates.tense import looks_back

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "couple": 2,
}  # fmt: skip
_VAGUE = {"few": (2, 5), "several": (3, 7)}  # the least and the most that is meant

_COUNT = rf"(?:a\s+)?(\d{{1,3}}|{'|'.join(sorted((*_NUMBERS, *_VAGUE), key=len, reverse=True))})(?:\s+of)?"
_UNIT = r"(day|night|week|weekend|month|year|decade)s?"
_HOLIDAYS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "new year's eve": (12, 31), "new year's day": (1, 1),
    "new year's": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14), "independence day": (7, 4),
}  # fmt: skip

_CUE = re.compile(
    r"\d|day|night|week|month|year|morning|afternoon|evening|morrow|decade|season|summer|winter|spring|autumn|fall|"
    r"christmas|halloween|" + "|".join(name[:3].lower() for name in MONTHS) + r"|mon|tue|wed|thu|fri|sat|sun",
    re.IGNORECASE,
)


def find(text: str, said: date) -> list[Found]:
    """The English dates of a text that was said on a day; phrases may overlap."""
    return apply((*_RULES, *english_calendar.RULES), text, said) if _CUE.search(text) else []


# --- numbers ---------------------------------------------------------------------------------------------------------


def _least_and_most(count: str) -> tuple[int, int]:
    count = count.lower()
    if count in _VAGUE:
        return _VAGUE[count]
    number = int(count) if count.isdigit() else _NUMBERS[count]
    return number, number


# --- relative --------------------------------------------------------------------------------------------------------


def _shifted(said: date, least: int, most: int, unit: str) -> DaySpan:
    """The stretch that lies ``least`` to ``most`` units away: the day itself for days, else the week, month or year."""
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
    least, most = _least_and_most(match[1])
    return _shifted(said, -least, -most, match[2].lower())


def _half_ago(match: re.Match[str], said: date) -> DaySpan:
    return spans.month(said, -18 if match[0].lower().startswith(("a year", "one year")) else -6)


def _ahead(match: re.Match[str], said: date) -> DaySpan | None:
    if match[0].lower().startswith("in ") and looks_back(match):  # "read it in two days"
        return None
    least, most = _least_and_most(match[1])
    return _shifted(said, least, most, match[2].lower())


def _stretch(match: re.Match[str], said: date) -> DaySpan:
    """The past three weeks, the next few days."""
    _, most = _least_and_most(match[2])
    days = most * {"day": 1, "night": 1, "week": 7, "weekend": 7, "month": 30, "year": 365, "decade": 3652}[match[3].lower()]
    back = match[1].lower() in ("last", "past")
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
    which, what = " ".join(match["which"].lower().split()), match["what"].lower()
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
        first = spans.month(said, -((said.month - 1) % 3) + 3 * step).first
        return DaySpan.between(first, spans.month(first, 2).last)
    weekday = weekday_number(what)
    if weekday is not None:
        return _weekday(weekday, which, said, match)
    if what in ("spring", "summer", "autumn", "fall", "winter"):
        return _recurring([spans.season(what, said.year + years) for years in (-2, -1, 0, 1, 2)], step, said)
    if what in _HOLIDAYS:
        return _recurring([DaySpan.of_day(date(said.year + years, *_HOLIDAYS[what])) for years in (-1, 0, 1)], step, said)
    number = month_number(what)
    return _recurring([spans.month(date(said.year + years, number, 1)) for years in (-1, 0, 1)], step, said)


def _recurring(candidates: list[DaySpan], step: int, said: date) -> DaySpan | None:
    """Of the same days in several years: the latest that is over, the first that is to come, or the nearest."""
    if step < 0:
        return next((span for span in reversed(candidates) if span.last < said), None)
    if step > 0:
        return next((span for span in candidates if span.first > said), None)
    return min(candidates, key=lambda span: abs((span.first - said).days + span.days // 2))


def _weekday(number: int, which: str, said: date, match: re.Match[str]) -> DaySpan:
    step = _STEP.get(which)
    if step is None or (step == 0 and which == "this"):
        back = looks_back(match)
        this_week = spans.week(said).first + timedelta(days=number)
        if which == "this" and (not back or this_week < said):
            return DaySpan.of_day(this_week if this_week >= said or back else this_week + timedelta(days=7))
        step = -1 if back else 1
        which = "last" if back else "coming"
    if step < 0:
        return spans.days_from(said, -((said.weekday() - number - 1) % 7 + 1))
    if which in ("coming", "this coming", "upcoming"):
        return spans.days_from(said, (number - said.weekday() - 1) % 7 + 1)
    return DaySpan.of_day(spans.week(said, 1).first + timedelta(days=number))


def _bare_weekday(match: re.Match[str], said: date) -> DaySpan | None:
    """The last or the next of its kind; None for any of them ("on a Wednesday", "every Friday", "that Tuesday")."""
    if _NO_CERTAIN_DAY.search(match.string, max(0, match.start() - _REACH), match.start()):
        return None
    return _weekday(weekday_number(match[1]) or 0, "", said, match)


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_REACH = 24  # characters before a date
_OWNED = re.compile(r"\b(?:my|your|his|our|their|its)\s+$", re.IGNORECASE)
_NO_CERTAIN_DAY = re.compile(r"\b(?:an?|any|each|every|some|most|other|another|one|per|that|those|which)\s+$", re.IGNORECASE)
_WHAT = (
    rf"week(?:end)?|month|year|quarter|spring|summer|autumn|fall|winter|{WEEKDAY}|(?-i:{SHORT_WEEKDAY})|(?-i:{MONTH})|"
    + "|".join(_HOLIDAYS)
)
_WHICH = r"this\s+past|this\s+coming|last|past|previous|this|next|coming|upcoming"
_RULES = (
    Rule(_insensitive(rf"\b{_COUNT}\s+{_UNIT}\s+(?:ago|back)\b(?!\s+(?:to|in|at|from|home)\b)"), _ago),
    Rule(_insensitive(r"\b(?:half\s+a\s+year|(?:a|one)\s+year\s+and\s+a\s+half)\s+ago\b"), _half_ago),
    Rule(_insensitive(rf"\bin\s+(?:about\s+|just\s+|around\s+)?{_COUNT}\s+{_UNIT}(?:['’]s?\s+time)?\b(?!['’])"), _ahead),
    Rule(_insensitive(rf"\b{_COUNT}\s+{_UNIT}\s+from\s+(?:now|today)\b"), _ahead),
    Rule(_insensitive(rf"\b(?:the\s+|these\s+)?(last|past|next|coming)\s+{_COUNT}\s+{_UNIT}\b"), _stretch),
    Rule(_insensitive(r"\b((?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|today|tonight|yesterday|tomorrow|"
                      r"last\s+night|this\s+(?:morning|afternoon|evening))\b" + PART_OF_DAY), _simple),
    Rule(_insensitive(r"\bthe\s+(week|weekend|month|year)\s+(before\s+last|after\s+next)\b"), _before_last),
    Rule(_insensitive(rf"\b(?P<edge>{EDGE})?(?:the\s+)?(?P<which>{_WHICH})\s+(?P<what>{_WHAT})\b(?!\s+of\b)"
                      rf"{PART_OF_DAY}"), _step),
    Rule(_insensitive(rf"\b({WEEKDAY})\b(?!,?\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)\b|\s+(?:morning|afternoon|evening|night)s)"
                      rf"{PART_OF_DAY}"), _bare_weekday),
    Rule(re.compile(rf"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ss]ince)\s+({SHORT_WEEKDAY})\b"), _bare_weekday),
)  # fmt: skip
