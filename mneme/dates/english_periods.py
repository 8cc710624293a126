"""English names for stretches of years, and holidays: "in the spring of 2021", "the late 90s", "Q3", "on New Year's Eve"."""

import re
from datetime import date

from mneme.dates import holidays, spans
from mneme.dates.english_words import ALONE, edged, looks_back
from mneme.dates.spans import Days, DaySpan, Likely, nearest, rule, years_around

HOLIDAY = "|".join(
    re.escape(name).replace("'", "['’]").replace(r"\ ", r"\s+") for name in sorted(holidays.ENGLISH, key=len, reverse=True)
)
# What is nothing but a day, whatever stands before it.
_HOLIDAY_DAY = r"easter\s+(?:sunday|monday)|good\s+friday|boxing\s+day|(?:christmas|xmas|new\s+year['’]s)\s+(?:eve|day)"
_DECADES = {"fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}
_HABIT = re.compile(r"\b(?:always|usually|every|each|never|often|traditionally)\b", re.I)
_CLAUSE_REACH = 60  # characters around a holiday that tell a habit
_IS = re.compile(r"\b(?:is|are)\s+$", re.I)  # of every year
_REACH = 10  # characters
_SOON = 0.01  # of a holiday to come one speaks in any tense
_IS_A_DAY = re.compile(r"\b(?:day|eve|halloween|thanksgiving|valentine['’]s|friday|sunday|monday)$", re.I)
SEASONS = ("spring", "summer", "autumn", "fall", "winter")


def holiday_around(name: str, said: date) -> list[DaySpan] | None:
    """A holiday in the year it is said in, the one before and the one after; None for another word."""
    day = holidays.ENGLISH.get(" ".join(name.lower().replace("’", "'").split()))
    return holidays.around(day, said.year) if day else None


def quarter(said: date, step: int) -> DaySpan:
    """Three months, ``step`` quarters after the one of a day."""
    first = spans.month(said, -((said.month - 1) % 3) + 3 * step).first
    return DaySpan.between(first, spans.month(first, 2).last)


def _holiday(match: re.Match[str], said: date) -> Days | None:
    """A holiday by its name alone; not where a habit is told ("we always eat carp on Christmas Eve")."""
    around = match.string[max(0, match.start() - _CLAUSE_REACH) : match.end() + _CLAUSE_REACH]
    candidates = holiday_around(match["name"], said)
    if not candidates or _HABIT.search(around):
        return None
    days = nearest(candidates, said, looks_back(match), _SOON)
    return days if match.groupdict().get("on", "on").lower() == "on" else if_a_day(match["name"], days)


def if_a_day(name: str, days: Days | None) -> Days | None:
    """The days of a holiday; likely ones of what some use for the days around it as well ("for Christmas")."""
    return Likely(days) if isinstance(days, DaySpan) and not _IS_A_DAY.search(name) else days


def _holiday_of_year(match: re.Match[str], said: date) -> DaySpan:
    day = holidays.ENGLISH[" ".join(match["name"].lower().replace("’", "'").split())]
    return DaySpan.of_day(day(int(match["year"])))


def _seasons(name: str, said: date) -> list[DaySpan]:
    return [spans.season(name.lower(), year) for year in years_around(said)]


def _season(match: re.Match[str], said: date) -> DaySpan:
    return spans.season(match["season"].lower(), int(match["year"]))


def _bare_season(match: re.Match[str], said: date) -> Days | None:
    """Over the summer, in the spring: by tense; without one it is any year's, as is "it is in" and "it was cold in"."""
    own, text, start = match["own"].lower(), match.string, match.start()
    back = True if own == "since" else looks_back(match)
    if back is None or _HABIT.search(text, max(0, start - _CLAUSE_REACH), match.end() + _CLAUSE_REACH):
        return None
    days = nearest(_seasons(match["season"], said), said, back)
    any_year = own in ("in", "during") and (back or _IS.search(text, max(0, start - _REACH), start))
    return Likely(days) if any_year and isinstance(days, DaySpan) else days


def _part_of_season(match: re.Match[str], said: date) -> Days | None:
    """Early autumn: of the one that the tense tells."""
    candidates = [edged(match["edge"], season) for season in _seasons(match["season"], said)]
    return nearest(candidates, said, looks_back(match), _SOON)


def _decade(match: re.Match[str], said: date) -> Likely | None:
    """The 90s, the early 2000s: ten years, or a third of them, of which one or another may be meant."""
    written = match["decade"].lower().rstrip("s")
    first = _DECADES.get(match["decade"].lower()) or int(written if len(written) == 4 else f"19{written}")
    if first > said.year or (first % 100 == 0 and first < 2000):  # the 1900s are a century
        return None
    return Likely(edged(match["edge"] or match["bare"], DaySpan.between(date(first, 1, 1), date(first + 9, 12, 31))))


def _numbered_quarter(match: re.Match[str], said: date) -> Likely | None:
    """The third quarter, of the calendar; that of a company may be another."""
    number = int(match["quarter"]) if match["quarter"].isdigit() else _QUARTERS.index(match["quarter"].lower()) + 1
    if match["year"]:
        return Likely(quarter(date(int(match["year"]), 3 * number, 1), 0))
    quarters = [quarter(date(year, 3 * number, 1), 0) for year in years_around(said)]
    days = nearest(quarters, said, looks_back(match), _SOON)
    return Likely(days) if isinstance(days, DaySpan) else days


_QUARTERS = ("first", "second", "third", "fourth")
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
RULES = (
    rule(rf"\b(?P<on>on|at|over|for|by|until|till|before|after|around|during|since|from)\s+(?P<name>{HOLIDAY})\b"
                      rf"(?!\s+(?:of\s+|in\s+)?\d{{4}}\b){ALONE}", _holiday, anycase=True),
    rule(rf"(?:^|(?<=[.!?,;]\s))(?P<name>{HOLIDAY})\s+(?=(?:is|was|will|went|falls|fell)\b)", _holiday, anycase=True),
    rule(rf"\b(?P<name>{_HOLIDAY_DAY})\b(?!\s+(?:of\s+|in\s+)?\d{{4}}\b){ALONE}", _holiday, anycase=True),
    rule(rf"\b(?:since\s+|until\s+|on\s+|at\s+)?(?P<name>{HOLIDAY})\s+(?:of\s+|in\s+)?{_YEAR}",
         _holiday_of_year, relative=False, anycase=True),
    rule(rf"\b(?:the\s+)?(?P<season>spring|summer|autumn|fall|winter)\s+(?:of\s+|in\s+)?{_YEAR}",
         _season, relative=False, anycase=True),
    rule(rf"\b(?P<own>since|in|during|over|by|until|till|before|after)\s+the\s+"
                      rf"(?P<season>spring|summer|autumn|fall|winter)\b(?!\s+(?:of\s+|in\s+)?\d{{4}}\b){ALONE}",
         _bare_season, anycase=True),
    rule(r"\b(?:(?:by|in|since|until|till|from)\s+)?(?P<edge>early|mid|late)[\s-]+"
                      rf"(?P<season>spring|summer|autumn|fall|winter)\b(?!\s+(?:of\s+|in\s+)?\d{{4}}\b){ALONE}",
         _part_of_season, anycase=True),
    rule(r"\b(?:the\s+(?:(?P<edge>early|mid|late)[\s-]+)?|(?P<bare>early|mid|late)[\s-]+)"
                      rf"(?P<decade>(?:(?:19|20)\d|[5-9])0s|{'|'.join(_DECADES)})\b{ALONE}",
         _decade, relative=False, anycase=True),
    rule(rf"\bQ(?P<quarter>[1-4])\b(?:\s+(?:of\s+)?{_YEAR})?", _numbered_quarter, anycase=True),
    rule(rf"\b(?:the\s+)?(?P<quarter>{'|'.join(_QUARTERS)})\s+quarter\s+of\s+{_YEAR}",
         _numbered_quarter, relative=False, anycase=True),
)  # fmt: skip
