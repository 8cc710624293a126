"""English dates that are relative to the day they are said, or to another day.

Each rule is a phrase of everyday writing and the days it means: "next Friday", "two days before Christmas".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from mneme.dates import english_calendar, english_periods, holidays, spans
from mneme.dates.english_words import (
    COUNT,
    EDGE,
    MONTH,
    PART_OF_DAY,
    SHORT_WEEKDAY,
    STEPS,
    UNIT,
    WEEKDAY,
    edged,
    is_left,
    least_and_most,
    looks_back,
    month_number,
    weekday_number,
)
from mneme.dates.spans import (
    MONTHS,
    WEEKDAYS,
    Days,
    DaySpan,
    Found,
    Grain,
    Likely,
    Rules,
    apply,
    if_certain,
    rule,
    years_around,
)
from mneme.patterns import words_of

_OFFSET = re.compile(
    rf"\b(?:the\s+(?P<next>day|week)|{COUNT}\s+(?P<unit>day|week)s?)\s+(?P<side>before|after|from|on)\s+(?:the\s+)?$",
    re.I,
)
_WEEK_OF = re.compile(r"\b(?:in\s+)?the\s+(?P<unit>week(?:end)?)\s+(?:of|beginning|starting)\s+(?:on\s+)?(?:the\s+)?$", re.I)
_OWN = re.compile(r"(?:(?:before|after|from|on)|week(?:end)?\s+of\s+the)\s+", re.I)  # how a day may begin
_WEEKDAY = re.compile(rf"{WEEKDAY}\b", re.I)
_OFFSET_REACH = 40  # characters


def days_by_another(text: str, found: Sequence[Found], said: date) -> Iterator[Found]:
    """Days that are told by another: two days before Christmas, a week from Saturday, the weekend of the 18th."""
    for anchor in found:
        if anchor.span is None or anchor.span.grain is not Grain.DAY:
            continue
        own, begins, first = _OWN.match(text, anchor.start), max(0, anchor.start - _OFFSET_REACH), anchor.span.first
        before = text[begins : own.end() if own else anchor.start]
        try:
            if match := _WEEK_OF.search(before):
                span = (spans.weekend if match["unit"].lower() == "weekend" else spans.week)(first)
                yield replace(anchor, start=begins + match.start(), span=span, lacks_year=False)
            match = _OFFSET.search(before)
            if match is None:
                continue
            unit, side = (match["next"] or match["unit"]).lower(), match["side"].lower()
            least, most = (1, 1) if match["next"] else least_and_most(match["count"], match["most"])
            if least == most and (side != "on" or unit == "week"):  # no "two days on Monday"
                away = least * timedelta(days=7 if unit == "week" else 1)
                span = spans.DaySpan.of_day(first - away if side == "before" else first + away)
                # "A week from Saturday" is ahead in any tense.
                ahead = side in ("from", "on") and unit == "week" and _WEEKDAY.match(text, own.end() if own else anchor.start)
                certain = anchor.certain or (bool(ahead) and timedelta(0) < first - said < timedelta(days=7))
                yield replace(anchor, start=begins + match.start(), span=span, lacks_year=False, certain=certain)
        except OverflowError:  # the ends of the calendar
            continue


_CUES = frozenset(
    """day days night nights week weeks weekend weekends fortnight fortnights month months year years decade decades quarter
    today tonight yesterday tomorrow morning afternoon evening spring springs summer summers autumn fall winter winters
    fifties sixties seventies eighties nineties mon tue tues wed thu thur thurs fri sat sun sept""".split()
    + [form for name in MONTHS for form in (name.lower(), name[:3].lower())]
    + [form for name in WEEKDAYS for form in (name, f"{name}s")]
    + [re.split(r"\W", name)[0] for name in holidays.ENGLISH]
)
_NUMERIC = re.compile(r"\d(?:\d{3}|[./-]\d|(?:st|nd|rd|th)\b|0s\b)|\b[Qq][1-4]\b", re.ASCII)


def find(text: str, said: date, most: int) -> list[Found]:
    """The English dates of a text that was said on a day, ``most`` by each rule; phrases may overlap."""
    if _CUES.isdisjoint(words_of(text)) and not _NUMERIC.search(text):  # without one of these nothing is a date
        return []
    rules = _ALL.candidates(text)
    found = [each for each in apply(rules, text, said, most) if not _is_moved(text, each)]
    return found + list(days_by_another(text, found, said))


def _is_moved(text: str, found: Found) -> bool:
    """Return whether what looks like a stretch is a change: "moved from Thursday to Friday"."""
    own = _FROM.match(text, found.start)
    return _TO.search(text, found.start, found.end) is not None and is_left(text, own.end() if own else found.start)


_ASKS_WHEN = re.compile(
    r"(?:^(?:\W*\w+,?){0,2}?\W*|(?=[^?]*\?\W*$)[^?]*\b)(?:when|(?:what|which) (?:day|date))(?:['’]?s)?\b", re.I
)
_NO_ONE_DAY = re.compile(  # asked of what comes again, or of what may be
    r"\b(?:birthdays?|bday|born|anniversary|pay ?day|paid|usually|normally|always|every|often|bins?|opens?|close[sd]?|"
    r"class(?:es)?|lessons?|work|shifts?|off|can|could|would|should|shall|since|until|till|if)\b",
    re.I,
)
_ASKS_BACK = re.compile(r"\b(?:did|was|were|had|got|left|came|went|moved|started)\b", re.I)
_BARE_ORDINAL = re.compile(rf"\d{{1,2}}(?:st|nd|rd|th)\b(?!\s+(?:of\s+)?{MONTH})", re.I)
_BARE_DAY = re.compile(rf"(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)\b|{WEEKDAY}\b|\d{{1,2}}\s+{MONTH}\b|{MONTH}\s+\d", re.I)
_BARE_MONTH = re.compile(rf"{MONTH}\b", re.I)


def answer_lead(question: str, answer: str) -> str:
    """The words that make a sentence of a bare date by the question before it; empty where it asks for no one day.

    >>> answer_lead("When do you fly?", "14th"), answer_lead("When did you move?", "Friday"), answer_lead("Who?", "Friday")
    ('It is on the ', 'It was on ', '')
    """
    if not _ASKS_WHEN.match(question) or _NO_ONE_DAY.search(question):
        return ""
    day, month = _BARE_DAY.match(answer), _BARE_MONTH.match(answer)
    if day is None and month is None:
        return ""
    tense = "It was" if _ASKS_BACK.search(question) else "It is"
    return f"{tense} {'on' if day else 'in'} {'the ' if _BARE_ORDINAL.match(answer) else ''}"


def find_iso(text: str, said: date, most: int) -> list[Found]:
    """Days like 2026-03-04, of a text in any language."""
    return apply([english_calendar.ISO], text, said, most)


# --- so far away -----------------------------------------------------------------------------------------------------


_UNITS: dict[str, Callable[[date, int], DaySpan]] = {
    "day": spans.days_from, "night": spans.days_from, "week": spans.week, "weekend": spans.weekend, "month": spans.month,
    "year": lambda said, step: spans.year(said.year + step), "decade": lambda said, step: spans.year(said.year + 10 * step),
}  # fmt: skip


def _shifted(said: date, least: int, most: int, unit: str) -> DaySpan:
    """The stretch that lies ``least`` to ``most`` units away: the day itself for days, else the week, month or year."""
    if unit == "fortnight":
        unit, least, most = "week", 2 * least, 2 * most
    first, last = _UNITS[unit](said, least), _UNITS[unit](said, most)
    return first if first == last else DaySpan.between(min(first.first, last.first), max(first.last, last.last))


def _ago(match: re.Match[str], said: date) -> Days:
    least, most = least_and_most(match["count"], match["most"])
    return if_certain(_is_exact(match, least, most), _shifted(said, -least, -most, match["unit"].lower()))


def _is_exact(match: re.Match[str], least: int, most: int) -> bool:
    """Return whether a number is meant as such: not "a couple" or "about ten", nor rounded as in "30 days ago"."""
    about = _ABOUT.search(match.string, max(0, match.start() - _REACH), match.start()) or _VAGUE.search(match[0])
    within = match[0].lower() in _WITHIN_A_DAY
    return least == most <= _EXACT.get(match["unit"].lower(), 0) and about is None and not within


def _years_ago_today(match: re.Match[str], said: date) -> DaySpan:
    least, _ = least_and_most(match["count"])
    return DaySpan.of_day(said.replace(year=said.year - least))


def _month_years_ago(match: re.Match[str], said: date) -> Days:
    """A year ago March: of a month that is still to come this year it may be the March before."""
    least, most = least_and_most(match["count"], match["most"])
    month = date(said.year - most, month_number(match["month"]), 1)
    return if_certain(least == most and month.month <= said.month, spans.month(month))


def _half_away(match: re.Match[str], said: date) -> Likely:
    """Half a year ago, in a year and a half."""
    sign = 1 if match["ahead"] else -1
    if match["unit"].lower() == "year":
        return Likely(spans.month(said, sign * (18 if match["one"] else 6)))
    return Likely(spans.week(said + timedelta(days=sign * (45 if match["one"] else 15))))


def _ahead(match: re.Match[str], said: date) -> Days | None:
    back = looks_back(match) if match[0].lower().startswith("in ") else False
    if back:  # "read it in two days"
        return None
    least, most = least_and_most(match["count"], match["most"])
    takes = _TAKES.search(match.string, max(0, match.start() - _LONGEST), match.start())  # how long, rather than when
    exact = back is False and takes is None and _is_exact(match, least, most)
    return if_certain(exact, _shifted(said, least, most, match["unit"].lower()))


_DAYS_OF = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14, "month": 30, "year": 365, "decade": 3652}


def _from_now(match: re.Match[str], said: date) -> Days:
    """Two weeks from now: counted in days, unlike "in two weeks"."""
    unit = match["unit"].lower()
    least, most = least_and_most(match["count"], match["most"])
    counted = unit in ("day", "week", "fortnight") and least == most
    if not counted and match["now"].lower() == "today":  # "a month from today" is one day
        return Likely(_shifted(said, least, most, unit))
    span = spans.days_from(said, least * _DAYS_OF[unit]) if counted else _shifted(said, least, most, unit)
    return if_certain(_is_exact(match, least, most), span)


def _stretch(match: re.Match[str], said: date) -> Likely:
    """The past three weeks, the next few days, within ten days: how long, and on which of these days is not said."""
    _, most = least_and_most(match["count"], match["most"])
    days = most * _DAYS_OF[match["unit"].lower()]
    back = (match["which"] or "").lower() in ("last", "past")
    return Likely(DaySpan.between(said, said + timedelta(days=-days if back else days)))


_SIMPLE_DAYS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1, "last night": -1,
    "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2, "the day after tomorrow": 2,
    "day after tomorrow": 2,
}  # fmt: skip


def _simple(match: re.Match[str], said: date) -> DaySpan:
    return spans.days_from(said, _SIMPLE_DAYS[" ".join(match[1].lower().split())])


def _before_last(match: re.Match[str], said: date) -> DaySpan:
    step = -2 if match[2].lower() == "before last" else 2
    return _shifted(said, step, step, match[1].lower())


# --- the last, this or next of its kind ------------------------------------------------------------------------------


def _step(match: re.Match[str], said: date) -> Days | None:
    """Last, this or next week, month, summer, Friday, May, Christmas; perhaps early, mid or late in it."""
    which, what = " ".join(match["which"].lower().split()), " ".join(match["what"].lower().split())
    if STEPS[which] < 0 and _OWNED.search(match.string, max(0, match.start() - _REACH), match.start()):  # "your last week"
        return None
    days = _step_to(which, what, said, match)
    if not (match["edge"] or match["the"]) or days is None:
        return days
    span = edged(match["edge"], days if isinstance(days, DaySpan) else days.span)
    # "The last Friday" is one of a month or a story; "the last month" is thirty days as often as one of the calendar.
    return if_certain(isinstance(days, DaySpan) and what == "month" and not match["the"], span)


def _step_to(which: str, what: str, said: date, match: re.Match[str]) -> Days | None:
    step, weekday = STEPS[which], weekday_number(what)
    if weekday is not None:
        if _NUMBERED.match(match.string, match.end()) and _IS_COMING.search(match.string, 0, match.end("which")):
            return None  # "we're coming Friday 25th"
        return english_calendar.weekday(weekday, which, said, match)
    # "This last month" and "the coming year" may be those of the calendar or not.
    this = _THIS.search(match.string, max(0, match.start() - _REACH), match.start())
    plain = which in ("last", "this", "next") and this is None
    if what == "week":  # on a Sunday it may have begun or not
        return if_certain(plain and said.weekday() != 6, _of_tense(spans.week(said, step), said, match))
    if what == "weekend":
        return english_calendar.weekend(which, said, match)
    if what == "month":
        return if_certain(plain, _of_tense(spans.month(said, step), said, match))
    if what == "year":
        return if_certain(plain, _of_tense(spans.year(said.year + step), said, match))
    if what == "quarter":  # of whose year?
        return Likely(english_periods.quarter(said, step))
    if what in english_periods.SEASONS:
        return _recurring([spans.season(what, year) for year in years_around(said)], step, said, match)
    if holiday := english_periods.holiday_around(what, said):
        return english_periods.if_a_day(what, _recurring(holiday, step, said, match))
    number = month_number(what)
    return _recurring([spans.month(date(year, number, 1)) for year in years_around(said)], step, said, match)


def _of_tense(span: DaySpan, said: date, match: re.Match[str]) -> DaySpan:
    """The part of a stretch that is over where it looks back, and that is to come where it looks ahead: "it was this week"."""
    back = looks_back(match) if span.first <= said <= span.last else None
    if back is None:
        return span
    return DaySpan.between(span.first, said) if back else DaySpan.between(said, span.last)


def _recurring(candidates: list[DaySpan], step: int, said: date, match: re.Match[str]) -> Days | None:
    """Choose among the same days of several years: the latest that is over, the first to come, or for "this" one by tense.

    "Last summer" is certain in spring, and in October may be this year's, as may "this spring".
    """
    over = next((span for span in reversed(candidates) if span.last < said), None)
    coming = next((span for span in candidates if span.first > said), None)
    now = next((span for span in candidates if span.first <= said <= span.last), None)
    if step:
        found = over if step < 0 else coming
        return found and if_certain(found.first.year != said.year, found)
    back = looks_back(match)
    if now or not back:
        found = now or coming
        return found and if_certain(back is False or found.first.year == said.year, found)
    return over and if_certain((said - over.last).days < _NOT_LONG, over)


def _edge_of_this(match: re.Match[str], said: date) -> Days:
    """The end of the month, the beginning of the week: of the one it is said in."""
    what = match["what"].lower()
    whole = {"week": spans.week(said), "month": spans.month(said), "year": spans.year(said.year)}[what]
    return if_certain(what == "month" and looks_back(match) is False, edged(match["edge"], whole))


_REACH = 24  # characters before a date
_FROM, _TO = re.compile(r"from\s+", re.I), re.compile(r"\sto\s", re.I)
_EXACT = {"day": 10, "night": 10, "week": 8, "fortnight": 1, "weekend": 3, "month": 11, "year": 9}  # up to how many
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|almost|nearly|over|than|least|most|some|maybe|perhaps|like|close to|up to|"
    r"every|for|and)|~)\s*$",
    re.I,
)
_ALSO_A_NAME = "(?:Apr(?:il)?|Aug(?:ust)?|Jan|June?|May)"  # a bare month that may be somebody: "a year ago May moved"
_NOT_LONG = 150  # days since "this summer"
_LONGEST = 80  # characters of a clause
_TAKES = re.compile(
    r"\b(?:achiev\w+|build\w*|can|complet\w+|cover\w*|done|earn\w*|finish\w*|gain\w*|learn\w*|los(?:e|ing)|master\w*|"
    r"pay\w*|reach\w*|read\w*|sav(?:e|ing)|times|walk\w*|writ\w+|you (?:need|must|should|have))\b",
    re.I,
)
_WITHIN_A_DAY = ("in one day", "in 1 day")  # how long, rather than when: who means the next day says "tomorrow"
_VAGUE = re.compile(r"\b(?:about|around|couple)\b", re.I)
_NUMBERED = re.compile(r",?\s+(?:the\s+)?\d{1,2}(?:st|nd|rd|th)\b")
_IS_COMING = re.compile(r"(?:['’](?:m|re|s)|\b(?:am|are|is))\s+coming$", re.I)
_THIS = re.compile(r"\bthis\s+$", re.I)
_OWNED = re.compile(r"\b(?:my|your|his|our|their|its)\s+$", re.I)
_WHAT = (
    rf"week(?:end)?|month|year|quarter|spring|summer|autumn|fall|winter|{WEEKDAY}|(?-i:{SHORT_WEEKDAY})|(?-i:{MONTH})|"
    + english_periods.HOLIDAY
)
_WHICH = r"this\s+past|this\s+coming|last|past|previous|this|next|coming|upcoming"
_RULES = (
    rule(rf"\b{COUNT}\s+{UNIT}\s+(?:ago|back)\b(?!\s+(?:to|in|at|from|home)\b)", _ago, anycase=True),
    rule(rf"\b{COUNT}\s+years?\s+ago\s+(?:to the day|today)\b", _years_ago_today, anycase=True),
    rule(rf"\b{COUNT}\s+years?\s+ago\s+(?:(?:in|this|last|come)\s+|(?!{_ALSO_A_NAME}\b))(?P<month>(?-i:{MONTH}))\b(?!\s+\d)",
         _month_years_ago, anycase=True),
    rule(r"\b(?:half\s+an?\s+|(?P<one>an?\s+|one\s+))(?P<unit>month|year)(?(one)\s+and\s+a\s+half)\s+ago\b(?P<ahead>)?",
         _half_away, anycase=True),
    rule(r"\b(?P<ahead>in)\s+(?:half\s+an?\s+|(?P<one>an?\s+|one\s+))(?P<unit>month|year)(?(one)\s+and\s+a\s+half)\b",
         _half_away, anycase=True),
    rule(rf"\bin\s+(?:about\s+|just\s+|around\s+)?{COUNT}\s+{UNIT}(?:['’]s?\s+time)?\b(?!['’]|\s+(?:from|after|before|of)\b)",
         _ahead, anycase=True),
    rule(rf"\b{COUNT}\s+{UNIT}\s+from\s+(?P<now>now|today)\b", _from_now, anycase=True),
    rule(rf"\b(?:the\s+|these\s+)?(?P<which>last|past|next|coming)\s+{COUNT}\s+{UNIT}\b", _stretch, anycase=True),
    rule(rf"\bwithin\s+(?:the\s+next\s+)?(?P<which>)?{COUNT}\s+{UNIT}\b(?!\s+of\b)", _stretch, anycase=True),
    rule(r"\b((?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|today|tonight|yesterday|tomorrow|"
                      r"last\s+night|this\s+(?:morning|afternoon|evening))\b" + PART_OF_DAY, _simple, anycase=True),
    rule(r"\bthe\s+(week|weekend|month|year)\s+(before\s+last|after\s+next)\b", _before_last, anycase=True),
    rule(rf"\b(?P<edge>{EDGE})?(?P<the>the\s+)?(?P<which>{_WHICH})\s+(?P<what>{_WHAT})\b(?!\s+of\b)"
                      rf"{PART_OF_DAY}", _step, anycase=True),
    rule(rf"\b(?P<edge>{EDGE})the\s+(?P<what>week|month|year)\b", _edge_of_this, anycase=True),
)  # fmt: skip
_ALL = Rules((*_RULES, *english_calendar.WEEKDAY_RULES, *english_periods.RULES, *english_calendar.RULES))
