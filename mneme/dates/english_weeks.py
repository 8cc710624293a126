"""English weekdays and weekends: "on Friday", "Thursday to Sunday", "two Saturdays ago", "Monday of next week"."""

import re
from datetime import date, timedelta
from typing import Literal

from mneme.dates import spans
from mneme.dates.english_words import (
    BETWEEN,
    COUNT,
    PART_OF_DAY,
    SHORT_WEEKDAY,
    TO_LAST,
    WEEKDAY,
    least_and_most,
    looks_back,
    weekday_number,
)
from mneme.dates.rules import NO_DATE, Days, Likely, if_certain, rule
from mneme.dates.spans import DaySpan

_REACH = 24  # characters before a date
_NO_CERTAIN_DAY = re.compile(r"\b(?:an?|any|each|every|some|most|other|another|one|per|that|those|which)\s+$", re.I)
_HABIT = re.compile(
    r"\b(?:works?|working|opens?|closed|hours|every|always|usually|shifts?|school|class(?:es)?|commutes?|available|runs?|"
    r"mon(?:day)?\s*(?:-|–|to|through)\s*fri(?:day)?)\b",
    re.I,
)
_AT_AN_HOUR = re.compile(
    r",?\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d|\s*[ap]\.?m\b|\s*ish\b)|,?\s+at\s+(?:noon|midday|"
    r"(?:half\s+|quarter\s+(?:past|to)\s+)?\d{1,2}(?![\w%£$€]|[.,-]\d|\s(?!and|but|for|if|in|so|then|to|with)\w))\b",
    re.I,
)
_WEEKS = {"last": -1, "this": 0, "next": 1}


def weekday(number: int, which: str, step: int | None, said: date, match: re.Match[str]) -> Days:
    """Last, this, next or a bare Friday (``step`` None): last is the latest before, bare goes by tense.

    Without a tense, "dentist thursday 8am" is an appointment.

    "Last Friday" is likely only where the latest is yesterday or of this week: some mean that of the week before. "Next
    Friday", that of next week, is likely only while another comes before it.
    """
    latest, soonest = _latest(number, said), _soonest(number, said)
    if step is None or which == "this":
        back = looks_back(match)
        if back is None and _AT_AN_HOUR.match(match.string, match.end()) and not _HABIT.search(match.string):
            back = False
        this_week = DaySpan.of_day(spans.week(said).first + timedelta(days=number))
        if which == "this" and back is None and this_week.first > said:
            return this_week
        if which == "this" and not back and this_week.first == said:
            return Likely(this_week)
        return if_certain(back is not None and this_week.first != said, latest if back else soonest)
    if step < 0:
        of_last_week = latest.first < min(said - timedelta(days=1), spans.week(said).first)
        return if_certain(which != "last" or of_last_week, latest)
    if which != "next":
        return soonest
    return if_certain(soonest.first > spans.week(said).last, DaySpan.of_day(spans.week(said, 1).first + timedelta(days=number)))


def weekend(which: str, step: int, said: date, match: re.Match[str]) -> Days:
    """Last, this or next weekend; "next" is likely only while one comes before it, and "this" of a past one early in a week."""
    this = spans.weekend(said)
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
    return weekday(_number(match[1]), "", None, said, match)


def _range(match: re.Match[str], said: date) -> Days | Literal["no date"]:
    """From one weekday to the next such; a habit is none ("I work Monday to Friday")."""
    back = looks_back(match)
    if back is None and not match["which"] and _HABIT.search(match.string):
        return NO_DATE
    first, last = _number(match["first"]), _number(match["last"])
    length = timedelta(days=(last - first) % 7)
    if match["which"]:
        start = spans.week(said, _WEEKS[match["which"].lower()]).first + timedelta(days=first)
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
    number, week = _number(match["weekday"]), spans.week(said, _WEEKS[match["which"].lower()])
    return if_certain(6 not in (number, said.weekday()), DaySpan.of_day(week.first + timedelta(days=number)))


def _weekend(match: re.Match[str], said: date) -> Days | None:
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
RULES = (
    rule(rf"\b({WEEKDAY})\b(?!,?\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)\b|\s+(?:morning|afternoon|evening|night)s)"
                      rf"{PART_OF_DAY}", _bare, anycase=True),
    rule(rf"\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ss]ince)\s+({SHORT_WEEKDAY})\b", _bare),
    rule(r"\b(mon|tues?|wed|thu(?:rs?)?|fri)(?=,?\s+(?:at\s+)?\d{1,2}(?:[:.]\d\d|\s*[ap]m\b)|\s+at\s+\d)", _bare),
    rule(r"\b(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?=\s+(?:morning|afternoon|arvo|evening|night)\b)" + PART_OF_DAY, _bare),
    rule(rf"{BETWEEN}\b(?:from\s+)?(?:(?P<which>last|this|next)\s+)?(?P<first>{_DAY}){TO_LAST}"
                      rf"(?P<last>{_DAY})(?!\w)", _range, anycase=True),
    rule(rf"\b{COUNT}\s+(?P<weekday>{WEEKDAY})s\s+(?:ago|back)\b", _counted, anycase=True),
    rule(rf"\b(?:the\s+)?(?P<weekday>{WEEKDAY})\s+(?P<side>after\s+next|before\s+last)\b", _after_next, anycase=True),
    rule(rf"\b(?P<weekday>{WEEKDAY})\s+week\b(?!\s*\d)", _in_a_week, anycase=True),
    rule(rf"\b(?P<weekday>{WEEKDAY}){PART_OF_DAY},?\s+(?:of\s+|in\s+)?{_WHICH_WEEK}\b", _of_week, anycase=True),
    rule(rf"\b{_WHICH_WEEK},?\s+(?:on\s+)?(?P<weekday>{WEEKDAY})\b{PART_OF_DAY}", _of_week, anycase=True),
    rule(r"\b(?P<own>on|at|over|during|all|for)\s+(?:the\s+)?weekend\b", _weekend, anycase=True),
)  # fmt: skip
