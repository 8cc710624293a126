"""English dates by the calendar, and by the days of the week.

"3 June", "22 to 24 August", "in March", "Saturday the 17th", "2025-06-27"; "on Friday", "Thursday to Sunday",
"two Saturdays ago", "Monday of next week".
"""

import re
from datetime import date, timedelta
from typing import Literal

from mneme.dates import spans
from mneme.dates.english_words import (
    ALONE,
    BETWEEN,
    COUNT,
    EDGE,
    EVENT,
    MONTH,
    PART_OF_DAY,
    SHORT_WEEKDAY,
    STEPS,
    TO,
    TO_LAST,
    WEEKDAY,
    arranges,
    clause_of,
    edged,
    is_still_ahead,
    least_and_most,
    looks_back,
    month_number,
    tells_no_past,
    weekday_number,
)
from mneme.dates.spans import NO_DATE, Days, DaySpan, Likely, Rule, days_of_month, if_certain, nearest, rule, years_around

_AHEAD = 0.6  # of their distance: future dates count as nearer, for the past has a tense of its own
_SOON = timedelta(days=120)  # of a day that is so near, and by no word past, the next is meant
_NEAR = timedelta(days=45)  # the same of "Saturday the 17th", of which there may be two in a quarter
_STANDS_ALONE = re.compile(ALONE)
_REACH = 24  # characters before a date
_VERB_OF_A_DAY = re.compile(
    r"\b(?:start(?:s|ed|ing)?|began|begins|beginning|finish(?:ed|es|ing)?|ends|leav(?:es|ing)|left|"
    r"arriv(?:es|ed|ing)|land(?:s|ed)|back|home|due|open(?:s|ed)|clos(?:es|ed)|"
    r"(?:com(?:es|ing)|came|goes)(?: (?:off|out|back|home|up|down|over))?|"
    r"mov(?:ed|ing) (?:in|out)|"
    rf"{EVENT}(?:['’]s| is| was))\s+$",
    re.I,
)
_HALF_A_YEAR_DAYS = 183  # within them "Saturday the 17th" is to be found
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}


def _days(match: re.Match[str], said: date) -> Days | None:
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
    candidates = [within(year) for year in years_around(said, (first_month, first_day), (last_month, last_day))]
    weekday = weekday_number((groups.get("behind") or groups.get("weekday") or "").rstrip("."))
    return _of_nearest_year(candidates, said, match) if weekday is None else _of_weekday(weekday, candidates, said, match)


def _of_nearest_year(candidates: list[DaySpan], said: date, match: re.Match[str]) -> Days | None:
    days = nearest(candidates, said, looks_back(match), _AHEAD)
    if isinstance(days, Likely) and timedelta(0) <= days.span.first - said <= _SOON:
        alone = _STANDS_ALONE.match(match.string, match.end())
        return if_certain(alone is not None and tells_no_past(match), days.span)
    return days


def _of_weekday(weekday: int, candidates: list[DaySpan], said: date, match: re.Match[str]) -> Days | None:
    agreeing = [span for span in candidates if span.first.weekday() == weekday]
    back = looks_back(match)
    days = nearest(agreeing, said, back, _AHEAD) or nearest(candidates, said, back, _AHEAD)
    # The weekday tells the year of two neighbours; which does not suit the tense is a mistake.
    span = days.span if isinstance(days, Likely) else days
    near = span and abs((span.first - said).days) < _HALF_A_YEAR_DAYS
    return span and if_certain(span in agreeing and (near or isinstance(days, DaySpan)), span)


def _ordinal_day(match: re.Match[str], said: date) -> Days | None:
    month, number = month_number(match["month"]), _ORDINALS[match["ordinal"].lower()]
    candidates = [DaySpan.of_day(date(year, month, number)) for year in years_around(said, (month, number))]
    return nearest(candidates, said, looks_back(match), _AHEAD)


def _weekday_and_day(match: re.Match[str], said: date) -> Days | None:
    """The next day of that number that is such a weekday, or the latest; None where there is none near."""
    weekday, number = weekday_number(match["weekday"]), int(match["day"])
    back = True if (match.groupdict().get("was") or "").lower() in ("was", "fell on") else looks_back(match)
    for days in range(_HALF_A_YEAR_DAYS):
        day = said + timedelta(days=-days if back else days)
        if day.day == number and day.weekday() == weekday:
            idiom = (weekday, number) == (4, 13)  # unlucky, or a film
            near = day - said < _NEAR and said - _same_before(day) > _NEAR and tells_no_past(match)
            return if_certain((back is not None or near) and not idiom, DaySpan.of_day(day))
    return None


def _same_before(day: date) -> date:
    """The last day before it with its number and its weekday."""
    weeks = (day - timedelta(weeks=week) for week in range(4, 60))
    return next((each for each in weeks if each.day == day.day), day - timedelta(weeks=60))


def _part_of_month(match: re.Match[str], said: date) -> Days | None:
    """The first week of June: its first seven days; the last weekend: its last Saturday and Sunday; the second Friday."""
    ordinal, month, weekday = _ORDINALS[match["ordinal"].lower()], month_number(match["month"]), weekday_number(match["unit"])

    def within(year: int) -> DaySpan:
        whole = spans.month(date(year, month, 1))
        if match["unit"].lower() == "week":
            first = whole.last - timedelta(days=6) if ordinal < 0 else whole.first + timedelta(days=7 * (ordinal - 1))
            return DaySpan.between(first, min(first + timedelta(days=6), whole.last))
        first = whole.first + timedelta(days=((5 if weekday is None else weekday) - whole.first.weekday()) % 7)
        day = first + timedelta(days=7 * ((whole.last - first).days // 7 if ordinal < 0 else ordinal - 1))
        return spans.weekend(day) if weekday is None else DaySpan.of_day(day)

    if match["year"]:
        return within(int(match["year"]))
    return nearest([within(year) for year in years_around(said)], said, looks_back(match), _AHEAD)


def _month_year(match: re.Match[str], said: date) -> DaySpan:
    return edged(match["edge"], spans.month(date(int(match["year"]), month_number(match["month"]), 1)))


def _month_only(match: re.Match[str], said: date) -> Days | None:
    number, own = month_number(match["month"]), (match.groupdict().get("own") or "in").lower()
    candidates = [edged(match["edge"], spans.month(date(year, number, 1))) for year in years_around(said)]
    days = nearest(candidates, said, None if own == "of" else looks_back(match), _AHEAD)  # "the costs of March" has no tense
    if isinstance(days, DaySpan) and own not in _WITHIN and match["month"] in _PERSONS and not arranges(match):
        return Likely(days)
    return days


def _month_of_step(match: re.Match[str], said: date) -> DaySpan:
    """January next year."""
    year = said.year + STEPS[match["which"].lower()]
    return edged(match["edge"], spans.month(date(year, month_number(match["month"]), 1)))


def _numbers(match: re.Match[str], said: date) -> DaySpan:
    return DaySpan.of_day(date(int(match["year"]), int(match["month"]), int(match["day"])))


def _day_of_month(match: re.Match[str], said: date) -> Days | None:
    """On the 19th, from the 3rd to the 7th: of the month where it lies ahead, or behind when the sentence looks back."""
    back = looks_back(match)
    span = days_of_month(int(match["day"]), int(match["last"] or match["day"]), said, back)
    return span and if_certain(back is not None, span)


def _day_of_verb(match: re.Match[str], said: date) -> Days | None:
    """Starting the 11th, his op's the 29th; not "it's the 30th", which may be today or a jubilee."""
    before = max(0, match.start() - _REACH)
    return _day_of_month(match, said) if _VERB_OF_A_DAY.search(match.string, before, match.start()) else None


def _day_of_step(match: re.Match[str], said: date) -> DaySpan:
    """The 5th of next month."""
    months = {"last": -1, "this": 0, "the": 0, "next": 1}[match["which"].lower()]
    return DaySpan.of_day(spans.month(said, months).first.replace(day=int(match["day"])))


def _slashes(match: re.Match[str], said: date) -> Days:
    """25/6/2023; of 5/6/2023 the American reading is likely."""
    first, second, number = int(match[1]), int(match[2]), int(match[3]) % 2000 + 2000
    day = date(number, second, first) if first > 12 else date(number, first, second)
    return if_certain(max(first, second) > 12 or first == second, DaySpan.of_day(day))


def _year_only(match: re.Match[str], said: date) -> Days:
    """In 2019; "of 2019" and "from 2019" may belong to another date or be a number."""
    return if_certain(match["own"].lower() in _WITHIN, spans.year(int(match["year"])))


def _both(pattern: str) -> tuple[Rule, Rule]:
    """The rules of days with their year and without it."""
    return (
        rule(pattern + r"\.?,?\s+(?P<year>\d{4})\b", _days, relative=False),
        rule(pattern + rf"\b(?!\.?,?\s+\d{{4}}\b){_ITS_WEEKDAY}?", _days, lacks_year=True),
    )


_WITHIN = ("in", "during", "by", "year")
_PERSONS = ("April", "May", "June", "August", "Jan")  # "I bought it for June"
_ON_A = rf"\b(?:(?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})\b\.?,?\s+)?(?:the\s+)?"
_TH = "(?:st|nd|rd|th)"
_NTH, _LAST_NTH = rf"(?P<day>\d{{1,2}}){_TH}", rf"(?P<last>\d{{1,2}}){_TH}"
_FIRST, _LAST = f"{_NTH}?", f"{_LAST_NTH}?"
_OF = r"(?:\s+of)?\s+"
_MONTH_NAME, _FIRST_MONTH = rf"(?P<month>{MONTH})", rf"(?P<first_month>{MONTH})"
# Beside a day even a short form in small letters is a month ("8th feb"); "the 5 may come" is none.
_IN_SMALL_LETTERS = "jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec"
_BESIDE_A_DAY = rf"(?:{MONTH}|{_IN_SMALL_LETTERS}|mar(?:ch)?)"
_ITS_MONTH, _ITS_FIRST_MONTH = rf"(?P<month>{_BESIDE_A_DAY})", rf"(?P<first_month>{_BESIDE_A_DAY})"
# "31 January, Saturday", "1st of march, its a saturday": the day of the week tells the year.
_ITS_WEEKDAY = (
    r"(?:(?:[.,]?\s+|,?\s*\(|,\s*)(?:(?:it['’]?s|it is|that['’]?s|which is)\s+(?:an?\s+|the\s+)?)?"
    rf"(?P<behind>(?i:{WEEKDAY}))\b\)?)"
)
_EDGE = rf"(?P<edge>(?i:{EDGE}))"
_PART_OF_MONTH = (
    rf"\b(?:[Tt]he\s+)?(?P<ordinal>(?i:{'|'.join(_ORDINALS)}))\s+(?P<unit>weekend|week|{WEEKDAY})\s+(?:of|in)\s+{_MONTH_NAME}"
)

ISO = rule(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d?)-(?P<day>\d\d?)(?!\d)", _numbers, relative=False)
RULES = (
    *_both(rf"{_ON_A}{_FIRST}{_OF}{_ITS_MONTH}"),
    *_both(rf"{_ON_A}{_ITS_MONTH}\b\.?\s+(?:the\s+)?{_FIRST}"),
    *_both(rf"\b[Ii]n\s+{_ITS_MONTH},\s+(?:on\s+)?the\s+{_FIRST}(?<=[a-z]){ALONE}"),
    *_both(rf"{BETWEEN}\b{_FIRST}{TO_LAST}(?:the\s+)?{_LAST}{_OF}{_ITS_MONTH}"),
    *_both(rf"{BETWEEN}\b{_ITS_MONTH}\b\.?\s+{_FIRST}{TO_LAST}(?:the\s+)?{_LAST}"),
    *_both(rf"{BETWEEN}\b{_FIRST}{_OF}{_ITS_MONTH}{TO_LAST}(?:the\s+)?{_LAST_NTH}(?!{_OF}{_BESIDE_A_DAY})"),
    *_both(rf"{BETWEEN}\b{_FIRST}{_OF}{_ITS_FIRST_MONTH}{TO_LAST}(?:the\s+)?{_LAST}{_OF}{_ITS_MONTH}"),
    *_both(rf"{BETWEEN}\b{_ITS_FIRST_MONTH}\b\.?\s+{_FIRST}{TO_LAST}{_ITS_MONTH}\b\.?\s+{_LAST}"),
    rule(rf"{BETWEEN}\b{_FIRST}\s+{_FIRST_MONTH}\s+(?P<first_year>\d{{4}}){TO_LAST}{_LAST}\s+{_MONTH_NAME}\s+(?P<year>\d{{4}})\b",
         _days, relative=False),
    rule(rf"\b(?P<ordinal>(?i:first|second|third))\s+of\s+{_MONTH_NAME}\b(?!\s+\d)", _ordinal_day, lacks_year=True),
    rule(rf"\b(?P<weekday>{WEEKDAY}|(?<![Ii] )(?<![Hh]e )(?<![Ww]e )(?<!ey )(?i:{SHORT_WEEKDAY}))\b,?"
         rf"\s+(?:the\s+)?{_NTH}\b", _weekday_and_day),
    rule(rf"\b(?P<weekday>{WEEKDAY}),?\s+(?P<day>\d{{1,2}})(?=[.!]?$|[,;] |\. )", _weekday_and_day),
    rule(rf"\b[Tt]he\s+{_NTH}\s+(?P<was>is|was|will\s+be|falls\s+on|fell\s+on)\s+"
         rf"(?:an?\s+)?(?P<weekday>{WEEKDAY})\b", _weekday_and_day),
    rule(_PART_OF_MONTH + r"\s+(?P<year>\d{4})\b", _part_of_month, relative=False),
    rule(_PART_OF_MONTH + r"\b(?P<year>)(?!\s+\d)", _part_of_month, lacks_year=True),
    rule(rf"\b{_EDGE}?{_MONTH_NAME}\b\.?,?\s+(?:of\s+)?(?P<year>\d{{4}})\b", _month_year, relative=False),
    rule(rf"\b{_EDGE}{_MONTH_NAME}\b(?!\s+\d)", _month_only, lacks_year=True),
    rule(rf"\b(?:[Ii]n\s+)?{_EDGE}?{_ITS_MONTH}\s+(?:of\s+)?(?P<which>last|this|next)\s+year\b", _month_of_step),
    rule(r"\b(?P<own>(?i:in|since|until|till|by|during|around|from|of|for|before|after|through))\s+"
         rf"{_EDGE}?{_MONTH_NAME}\b(?!\s+\d)", _month_only, lacks_year=True),
    rule(rf"\b(?P<own>[Ii]n)\s+{_EDGE}?(?P<month>{_IN_SMALL_LETTERS}|march|may)\b(?!\s+\d){ALONE}",
         _month_only, lacks_year=True),
    ISO,
    rule(r"\b(?P<year>(?:19|20)\d\d)/(?P<month>\d\d?)/(?P<day>\d\d?)\b", _numbers, relative=False),
    rule(r"\b(\d\d?)/(\d\d?)/((?:20)?\d\d)\b", _slashes, relative=False),
    rule(r"(?<![\d.])(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.(?P<year>(?:19|20)\d\d)\b", _numbers, relative=False),
    rule(rf"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ss]ince|[Bb]efore|[Aa]fter|[Ff]rom|[Tt]o|(?P<between>[Bb]etween)|"
         rf"weekend\s+of|week\s+of)\s+the\s+{_NTH}\b"
         rf"(?!{TO}(?:the\s+)?\d{{1,2}}{_TH}\s+(?:of\s+)?{_BESIDE_A_DAY}\b)"
         rf"(?:{TO_LAST}(?:the\s+)?{_LAST_NTH}\b)?(?!\s+of\b|\s+in\s+\d{{4}}){ALONE}", _day_of_month),
    rule(rf"\b(?:[Ff]rom|(?P<between>[Bb]etween))\s+{_NTH}{TO_LAST}(?:the\s+)?"
         rf"{_LAST_NTH}\b(?!\s+(?:of\b|{_BESIDE_A_DAY}\b)){ALONE}", _day_of_month),
    rule(rf"\b[Tt]he\s+{_NTH}\b(?P<last>)(?!\s+(?:of\b|time\b)|\s+in\s+\d{{4}}){ALONE}",
         _day_of_verb),
    rule(rf"\b[Oo]n\s+{_NTH}\b(?P<last>)(?!\s+(?:of\b|[A-Z]|{_BESIDE_A_DAY}\b)){ALONE}",
         _day_of_month),
    rule(rf"\b(?:(?i:on)\s+)?(?:(?i:the)\s+)?{_NTH}\s+(?:of\s+)?(?P<which>last|this|the|next)\s+month\b",
         _day_of_step),
    rule(rf"\b(?P<which>last|this|next)\s+month,?\s+(?:on\s+)?(?:the\s+)?{_NTH}\b", _day_of_step),
    rule(r"\b(?i:(?P<own>in|since|from|until|during|by|of|year|early|late|around))\s+(?P<year>(?:19|20)\d\d)\b(?![-/.,]\d)"
         + ALONE, _year_only, relative=False),
)  # fmt: skip


# --- weekdays and weekends --------------------------------------------------------------------------------------------

_NO_CERTAIN_DAY = re.compile(r"\b(?:an?|any|each|every|some|most|other|another|one|per|that|those|which)\s+$", re.I)
_EXPLAINS = re.compile(r"\b(?:that(?:['’]?s| is| will be)|which is)\s+(?:the\s+)?$", re.I)  # a day that is told before
_HABIT = re.compile(
    r"\b(?:works?|working|opens?|close[sd]?|hours|every|always|usually|shifts?|school|class(?:es)?|commutes?|available|runs?|"
    r"mon(?:day)?\s*(?:-|–|to|through)\s*fri(?:day)?)\b",
    re.I,
)
_AT_AN_HOUR = re.compile(
    r",?\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d|\s*[ap]\.?m\b|\s*ish\b)|,?\s+at\s+(?:noon|midday|"
    r"(?:half\s+|quarter\s+(?:past|to)\s+)?\d{1,2}(?![\w%£$€]|[.,-]\d|\s(?!and|but|for|if|in|so|then|to|with)\w))\b",
    re.I,
)
_RETURNED = re.compile(r"\b(?:asleep|awake|back|bed|home|stuck|thanks|up)\b", re.I)


def weekday(number: int, which: str, said: date, match: re.Match[str]) -> Days:
    """Last, this, next or a bare Friday (``which`` is empty): last is the latest before, bare goes by tense.

    Without a tense, "dentist thursday 8am" is an appointment.

    "Last Friday" is likely only where the latest is yesterday or of this week: some mean that of the week before. "Next
    Friday", that of next week, is likely only while another comes before it.
    """
    latest, soonest = _latest(number, said), _soonest(number, said)
    if which in ("", "this"):
        back = looks_back(match)
        if back is None and _is_appointed_at_an_hour(match):
            back = False
        this_week = DaySpan.of_day(spans.week(said).first + timedelta(days=number))
        if which == "this" and back is None and this_week.first > said:
            return this_week
        if which == "this" and not back and this_week.first == said:
            return Likely(this_week)
        return if_certain(back is not None and this_week.first != said, latest if back else soonest)
    if STEPS[which] < 0:
        of_last_week = latest.first < min(said - timedelta(days=1), spans.week(said).first)
        return if_certain(which != "last" or of_last_week, latest)
    if which != "next":
        return soonest
    return if_certain(soonest.first > spans.week(said).last, DaySpan.of_day(spans.week(said, 1).first + timedelta(days=number)))


def _is_appointed_at_an_hour(match: re.Match[str]) -> bool:
    """Tell whether an hour behind a weekday is of something to come: not "Home Friday at 9", "Quiz Monday at 7, came last"."""
    text, start, end = match.string, match.start(), match.end()
    at = _AT_AN_HOUR.match(text, end)
    if not at or _HABIT.search(text) or _RETURNED.search(text, clause_of(text, start, end)[0], start):
        return False
    return is_still_ahead(text, end) or is_still_ahead(text, at.end())


def weekend(which: str, said: date, match: re.Match[str]) -> Days:
    """Last, this or next weekend; "next" is likely only while one comes before it, and "this" of a past one early in a week."""
    step, this = STEPS[which], spans.weekend(said)
    begun = this.first <= said
    if step == 0 and not begun:
        back = looks_back(match)
        if back:
            return spans.weekend(said, -1) if said.weekday() == 0 else Likely(spans.weekend(said, -1))
        return if_certain(back is False or said.weekday() > 1, this)
    if step > 0 and which != "next":
        return if_certain(not begun, spans.weekend(said, begun))
    return if_certain(step <= 0 or begun, spans.weekend(said, step))


def _latest(number: int, said: date) -> DaySpan:
    return spans.days_from(said, -((said.weekday() - number - 1) % 7 + 1))


def _soonest(number: int, said: date) -> DaySpan:
    return spans.days_from(said, (number - said.weekday() - 1) % 7 + 1)


def _number(name: str) -> int:
    number = weekday_number(name)
    if number is None:
        raise ValueError(name)
    return number


def _bare(match: re.Match[str], said: date) -> Days | None:
    """The last or the next of its kind; None for any of them ("on a Wednesday", "every Friday", "that Tuesday")."""
    if _NO_CERTAIN_DAY.search(match.string, max(0, match.start() - _REACH), match.start()):
        return None
    days = weekday(_number(match[1]), "", said, match)
    explains = _EXPLAINS.search(match.string, max(0, match.start() - _REACH), match.start())
    return Likely(days) if explains and isinstance(days, DaySpan) else days


def _range(match: re.Match[str], said: date) -> Days | Literal["no date"]:
    """From one weekday to the next such; a habit is none ("I work Monday to Friday")."""
    back = looks_back(match)
    if back is None and not match["which"] and _HABIT.search(match.string):
        return NO_DATE
    first, last = _number(match["first"]), _number(match["last"])
    length = timedelta(days=(last - first) % 7)
    if match["which"]:
        start = spans.week(said, STEPS[match["which"].lower()]).first + timedelta(days=first)
    elif back:
        start = _latest(last, said).first - length
    else:
        start = _soonest(first, said).first
    return if_certain(back is not None, DaySpan.between(start, start + length))


def _counted(match: re.Match[str], said: date) -> DaySpan | None:
    """Two Saturdays ago: the latest but one."""
    least, most = least_and_most(match["count"], match["most"])
    if least != most:
        return None
    return spans.days_from(_latest(_number(match["weekday"]), said).first, -7 * (least - 1))


def _after_next(match: re.Match[str], said: date) -> Days:
    """The Saturday after next, the Friday before last: the second from the day; "next" may mean two."""
    number = _number(match["weekday"])
    if match["side"].lower().startswith("after"):
        return Likely(spans.days_from(_soonest(number, said).first, 7))
    return spans.days_from(_latest(number, said).first, -7)


def _in_a_week(match: re.Match[str], said: date) -> DaySpan:
    """Saturday week: the one after the next."""
    return spans.days_from(_soonest(_number(match["weekday"]), said).first, 7)


def _of_week(match: re.Match[str], said: date) -> Days:
    """Friday next week, Monday of last week, next week on Tuesday; on a Sunday, or of one, weeks may begin with it."""
    number, week = _number(match["weekday"]), spans.week(said, STEPS[match["which"].lower()])
    return if_certain(6 not in (number, said.weekday()), DaySpan.of_day(week.first + timedelta(days=number)))


def _the_weekend(match: re.Match[str], said: date) -> Days | None:
    """The weekend: the latest that has begun when the sentence looks back, the one to come when it looks ahead."""
    back = looks_back(match)
    if back is None:
        return None
    this = spans.weekend(said)
    if this.first <= said or match["own"].lower() == "all":
        return Likely(this)
    return spans.weekend(said, -1) if back else this


_DAY = rf"(?:{WEEKDAY}|(?-i:{SHORT_WEEKDAY})\b\.?)"
_WHICH_WEEK = r"(?P<which>last|this|next)\s+week"
WEEKDAY_RULES = (
    rule(rf"\b({WEEKDAY})\b(?!,?\s+(?:the\s+)?\d{{1,2}}{_TH}\b|\s+(?:morning|afternoon|evening|night)s)"
                      rf"{PART_OF_DAY}", _bare, anycase=True),
    rule(rf"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill?|[Ss]ince)\s+({SHORT_WEEKDAY})\b", _bare),
    rule(r"\b(mon|tues?|wed|thu(?:rs?)?|fri)(?=,?\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d|\s*[ap]m\b)|\s+at\s+\d)", _bare),
    rule(r"\b(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?=\s+(?:morning|afternoon|arvo|evening|night)\b)" + PART_OF_DAY, _bare),
    rule(rf"{BETWEEN}\b(?:from\s+)?(?:(?P<which>last|this|next)\s+)?(?P<first>{_DAY}){TO_LAST}"
                      rf"(?P<last>{_DAY})(?!\w)", _range, anycase=True),
    rule(rf"\b{COUNT}\s+(?P<weekday>{WEEKDAY})s\s+(?:ago|back)\b", _counted, anycase=True),
    rule(rf"\b(?:the\s+)?(?P<weekday>{WEEKDAY})\s+(?P<side>after\s+next|before\s+last)\b", _after_next, anycase=True),
    rule(rf"\b(?P<weekday>{WEEKDAY})\s+week\b(?!\s*\d)", _in_a_week, anycase=True),
    rule(rf"\b(?P<weekday>{WEEKDAY}){PART_OF_DAY},?\s+(?:of\s+|in\s+)?{_WHICH_WEEK}\b", _of_week, anycase=True),
    rule(rf"\b{_WHICH_WEEK},?\s+(?:on\s+)?(?P<weekday>{WEEKDAY})\b{PART_OF_DAY}", _of_week, anycase=True),
    rule(r"\b(?P<own>on|at|over|during|all|for)\s+(?:the\s+)?weekend\b", _the_weekend, anycase=True),
)  # fmt: skip
