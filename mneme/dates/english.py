"""English dates. Each rule is a phrase of everyday writing and the days it means."""

import re
from datetime import date, timedelta

from mneme.dates import spans
from mneme.dates.rules import Found, Rule, apply
from mneme.dates.spans import MONTHS, WEEKDAYS, DaySpan
from mneme.dates.tense import looks_back

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "couple": 2,
}  # fmt: skip
_VAGUE = {"few": (2, 5), "several": (3, 7)}  # the least and the most that is meant

_MONTH_NUMBER = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "May") + "|Sept|May)"
_WEEKDAY = "(?:" + "|".join(WEEKDAYS) + ")"
_SHORT_DAY = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
_COUNT = rf"(?:a\s+)?(\d{{1,3}}|{'|'.join(sorted((*_NUMBERS, *_VAGUE), key=len, reverse=True))})(?:\s+of)?"
_UNIT = r"(day|night|week|weekend|month|year|decade)s?"
_DAY_NUMBER = r"(\d{1,2})(?:st|nd|rd|th)?"
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
    return apply(_RULES, text, said) if _CUE.search(text) else []


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
    whole = _step_to(which, what, said, match)
    edge = (match["edge"] or "").lower()
    if whole is None or not edge:
        return whole
    return spans.part(whole, "early" if edge.startswith(("ear", "beg", "sta")) else "mid" if edge.startswith("mid") else "late")


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
    weekday = _weekday_number(what)
    if weekday is not None:
        return _weekday(weekday, which, said, match)
    if what in ("spring", "summer", "autumn", "fall", "winter"):
        return _recurring([spans.season(what, said.year + years) for years in (-2, -1, 0, 1, 2)], step, said)
    if what in _HOLIDAYS:
        return _recurring([DaySpan.of_day(date(said.year + years, *_HOLIDAYS[what])) for years in (-1, 0, 1)], step, said)
    number = _MONTH_NUMBER[what[:3]]
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


def _bare_weekday(match: re.Match[str], said: date) -> DaySpan:
    number = _weekday_number(match[1].lower())
    return _weekday(number or 0, "", said, match)


def _weekday_number(name: str) -> int | None:
    """Monday is 0; from a name in lower case, or its short form."""
    return next((at for at, weekday in enumerate(WEEKDAYS) if len(name) >= 3 and weekday.startswith(name)), None)


# --- absolute --------------------------------------------------------------------------------------------------------


def _nearest_year(month: int, number: int, said: date, back: bool | None) -> date:
    candidates = [date(said.year + years, month, number) for years in (-1, 0, 1)]
    if back is True:
        return max(day for day in candidates if day <= said)
    if back is False:
        return min(day for day in candidates if day >= said)
    return min(candidates, key=lambda day: abs((day - said).days))


def _year_of(text: str | None) -> int | None:
    return int(text) if text else None


def _on(month: str, number: int, year: int | None, said: date, match: re.Match[str]) -> date:
    which = _MONTH_NUMBER[month[:3].lower()]
    return date(year, which, number) if year else _nearest_year(which, number, said, looks_back(match))


def _day_month(match: re.Match[str], said: date) -> DaySpan:
    return DaySpan.of_day(_on(match[2], int(match[1]), _year_of(match[3] or None), said, match))


def _month_day(match: re.Match[str], said: date) -> DaySpan:
    first = _on(match[1], int(match[2]), _year_of(match[4]), said, match)
    return DaySpan.between(first, first.replace(day=int(match[3]))) if match[3] else DaySpan.of_day(first)


def _month_year(match: re.Match[str], said: date) -> DaySpan:
    return _edged(match[1], spans.month(date(int(match[3]), _MONTH_NUMBER[match[2][:3].lower()], 1)))


def _month_only(match: re.Match[str], said: date) -> DaySpan:
    number = _MONTH_NUMBER[match[2][:3].lower()]
    back = looks_back(match)
    first = _nearest_year(number, 1, said, None if (number == said.month and back is False) else back)
    return _edged(match[1], spans.month(first))


def _edged(edge: str | None, whole: DaySpan) -> DaySpan:
    if not edge:
        return whole
    edge = edge.lower()
    return spans.part(whole, "early" if edge.startswith(("ear", "beg", "sta")) else "mid" if edge.startswith("mid") else "late")


def _iso(match: re.Match[str], said: date) -> DaySpan:
    return DaySpan.of_day(date(int(match[1]), int(match[2]), int(match[3])))


def _slashes(match: re.Match[str], said: date) -> DaySpan:
    first, second, number = int(match[1]), int(match[2]), int(match[3])
    number += 2000 if number < 100 else 0
    return DaySpan.of_day(date(number, second, first) if first > 12 else date(number, first, second))


def _year_only(match: re.Match[str], said: date) -> DaySpan:
    return spans.year(int(match[1]))


def _insensitive(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_EDGE = r"((?:early|mid|late)[\s-]+(?:in\s+)?|(?:the\s+)?(?:beginning|start|middle|end)\s+of\s+)"
_WHAT = (
    rf"week(?:end)?|month|year|quarter|spring|summer|autumn|fall|winter|{_WEEKDAY}|(?-i:{_SHORT_DAY})|(?-i:{_MONTH})|"
    + "|".join(_HOLIDAYS)
)
_WHICH = r"this\s+past|this\s+coming|last|past|previous|this|next|coming|upcoming"
_YEAR = r",?\s+(\d{4})\b"
_NO_YEAR = r"()\b(?!,?\s+\d{4}\b)"
_MONTH_AND_DAY = rf"\b({_MONTH})\b\.?\s+(?:the\s+)?{_DAY_NUMBER}\b(?:\s*[-–]\s*{_DAY_NUMBER}\b)?"
_DAY_AND_MONTH = rf"\b{_DAY_NUMBER}(?:\s+of)?\s+({_MONTH})\b\.?"
_RULES = (
    Rule(_insensitive(rf"\b{_COUNT}\s+{_UNIT}\s+(?:ago|back)\b(?!\s+(?:to|in|at|from|home)\b)"), _ago),
    Rule(_insensitive(r"\b(?:half\s+a\s+year|(?:a|one)\s+year\s+and\s+a\s+half)\s+ago\b"), _half_ago),
    Rule(_insensitive(rf"\bin\s+(?:about\s+|just\s+|around\s+)?{_COUNT}\s+{_UNIT}(?:['’]s?\s+time)?\b(?!['’])"), _ahead),
    Rule(_insensitive(rf"\b{_COUNT}\s+{_UNIT}\s+from\s+(?:now|today)\b"), _ahead),
    Rule(_insensitive(rf"\b(?:the\s+|these\s+)?(last|past|next|coming)\s+{_COUNT}\s+{_UNIT}\b"), _stretch),
    Rule(_insensitive(r"\b((?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|today|tonight|yesterday|tomorrow|"
                      r"last\s+night|this\s+(?:morning|afternoon|evening))\b"), _simple),
    Rule(_insensitive(r"\bthe\s+(week|weekend|month|year)\s+(before\s+last|after\s+next)\b"), _before_last),
    Rule(_insensitive(rf"\b(?P<edge>{_EDGE})?(?:the\s+)?(?P<which>{_WHICH})\s+(?P<what>{_WHAT})\b"), _step),
    Rule(_insensitive(rf"\b({_WEEKDAY})\b(?!s)"), _bare_weekday),
    Rule(re.compile(rf"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ss]ince)\s+({_SHORT_DAY})\b"), _bare_weekday),
    Rule(re.compile(_DAY_AND_MONTH + _YEAR), _day_month, relative=False),
    Rule(re.compile(_DAY_AND_MONTH + _NO_YEAR), _day_month),
    Rule(re.compile(_MONTH_AND_DAY + _YEAR), _month_day, relative=False),
    Rule(re.compile(_MONTH_AND_DAY + _NO_YEAR), _month_day),
    Rule(re.compile(rf"\b{_EDGE}?({_MONTH})\b\.?,?\s+(?:of\s+)?(\d{{4}})\b"), _month_year, relative=False),
    Rule(_insensitive(rf"\b(?:in|since|until|till|by|during|around|from|of)\s+{_EDGE}?(?-i:({_MONTH}))\b(?!\s+\d)"),
         _month_only),
    Rule(re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)(?=\b|T)"), _iso, relative=False),
    Rule(re.compile(r"\b((?:19|20)\d\d)/(\d\d?)/(\d\d?)\b"), _iso, relative=False),
    Rule(re.compile(r"\b(\d\d?)/(\d\d?)/((?:20)?\d\d)\b"), _slashes, relative=False),
    Rule(_insensitive(r"\b(?:in|since|from|until|during|by|of|year|early|late|around)\s+((?:19|20)\d\d)\b(?![-/.,]\d)"),
         _year_only, relative=False),
)  # fmt: skip
