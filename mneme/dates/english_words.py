"""The English words that dates are made of: months, weekdays, and the early, middle and late part of a stretch."""

from mneme.dates import spans
from mneme.dates.spans import MONTHS, WEEKDAYS, DaySpan

_MONTH_NUMBER = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}

MONTH = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "May") + "|Sept|May)"
WEEKDAY = "(?:" + "|".join(name.capitalize() for name in WEEKDAYS) + ")"
SHORT_WEEKDAY = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
EDGE = r"(?:(?:early|mid|late)[\s-]+(?:in\s+)?|(?:the\s+)?(?:beginning|start|middle|end)\s+of\s+)"
PART_OF_DAY = r"(?:\s+(?:morning|afternoon|evening|night)\b)?"


def month_number(name: str) -> int:
    """January is 1; from a name or its short form."""
    return _MONTH_NUMBER[name[:3].lower()]


def weekday_number(name: str) -> int | None:
    """Monday is 0; from a name or its short form; None for another word."""
    name = name.lower()
    return next((at for at, weekday in enumerate(WEEKDAYS) if len(name) >= 3 and weekday.startswith(name)), None)


def edged(edge: str | None, whole: DaySpan | None) -> DaySpan | None:
    """The part of a stretch that an ``EDGE`` before it names; the whole without one."""
    if whole is None or not edge:
        return whole
    word = edge.lower().removeprefix("the").lstrip()
    return spans.part(whole, "late" if word.startswith(("late", "end")) else "mid" if word.startswith("mid") else "early")
