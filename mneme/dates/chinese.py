"""Chinese dates that are relative to the day they are said. Each rule is a phrase of everyday writing and the days it means."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

from mneme.dates import chinese_calendar, spans
from mneme.dates.chinese_words import NUMBER, edged, least_and_most, looks_back, number, weekday_number
from mneme.dates.english_calendar import ISO
from mneme.dates.rules import NO_DATE, Days, Found, Likely, Rules, apply, if_certain, rule
from mneme.dates.spans import DaySpan

_DAY_OF_WEEK = "[一二三四五六日天]"
_WEEK_WORD = "(?:周|星期|礼拜)"
_DAYS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "昨儿": -1, "今天": 0, "今日": 0, "今早": 0,
    "今晚": 0, "今晨": 0, "今儿": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "明儿": 1, "后天": 2, "后儿": 2, "大后天": 3,
}  # fmt: skip
_MONTHS = {"上上个月": -2, "上个月": -1, "上月": -1, "这个月": 0, "本月": 0, "下个月": 1, "下月": 1, "下下个月": 2}
_HABIT = re.compile("上班|上学|上课|营业|开放|开门|工作|每|一般|通常|平时|都")
_UNITS: dict[str, Callable[[date, int], DaySpan]] = {
    "天": spans.days_from, "日": spans.days_from, "周": spans.week, "星期": spans.week, "礼拜": spans.week, "月": spans.month,
    "年": lambda said, step: spans.year(said.year + step),
}  # fmt: skip
_EXACT = {"天": 10, "日": 10, "周": 8, "星期": 8, "礼拜": 8, "月": 11, "年": 9}  # up to how many are meant as such
_WEEKS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}


def find(text: str, said: date, most: int) -> list[Found]:
    """The Chinese dates of a text that was said on a day, ``most`` by each rule; phrases may overlap."""
    return apply(_ALL.candidates(text), text, said, most)


def _named_day(match: re.Match[str], said: date) -> DaySpan:
    return spans.days_from(said, _DAYS[match[0]])


# --- weeks -----------------------------------------------------------------------------------------------------------


def _weekday(match: re.Match[str], said: date) -> DaySpan:
    """下周五, perhaps to another day of that week: 下周一到周三."""
    week = spans.week(said, _WEEKS[match["which"]])
    first = week.first + timedelta(days=weekday_number(match["first"]))
    last = week.first + timedelta(days=weekday_number(match["last"])) if match["last"] else first
    return DaySpan.between(first, last if last >= first else last + timedelta(days=7))


def _bare_weekday(match: re.Match[str], said: date) -> Days:
    """The latest such day where the sentence looks back, else the next; of today one says 今天."""
    back, days = looks_back(match), (weekday_number(match["day"]) - said.weekday()) % 7
    return if_certain(back is not None and days > 0, spans.days_from(said, days - 7 if back else days or 7))


def _weekday_range(match: re.Match[str], said: date) -> Days | Literal["no date"]:
    """From one weekday to another; a habit is none (周一到周五上班)."""
    back = looks_back(match)
    if back is None and _HABIT.search(match.string):
        return NO_DATE
    first, last = weekday_number(match["first"]), weekday_number(match["last"])
    start = spans.week(said).first + timedelta(days=first)
    end = start + timedelta(days=(last - first) % 7)
    shift = timedelta(days=-7 if back and start > said else 7 if not back and end < said else 0)
    return if_certain(back is not None, DaySpan.between(start + shift, end + shift))


def _week(match: re.Match[str], said: date) -> DaySpan:
    return spans.week(said, _WEEKS[match["which"]])


def _weekend(match: re.Match[str], said: date) -> Days:
    if match["which"]:
        return spans.weekend(said, _WEEKS[match["which"]])
    this, back = spans.weekend(said), looks_back(match)
    return if_certain(back is not None and this.first > said, spans.weekend(said, -1) if this.first > said and back else this)


# --- months, and so far away -----------------------------------------------------------------------------------------


def _month(match: re.Match[str], said: date) -> DaySpan:
    whole = spans.month(said, _MONTHS[match["which"]])
    if match["day"]:
        first = whole.first.replace(day=number(match["day"]))
        return DaySpan.between(first, first.replace(day=number(match["last"])) if match["last"] else first)
    return edged(match["edge"], whole)


def _part_of_this_month(match: re.Match[str], said: date) -> Days:
    part, back = edged(match["edge"], spans.month(said)), looks_back(match)
    return if_certain(back is not None and (part.first <= said if back else part.last >= said), part)


def _away(match: re.Match[str], said: date) -> Days:
    sign = -1 if match["side"].endswith("前") else 1
    least, most = least_and_most(match["count"])
    unit = match["unit"].removeprefix("个")
    first, last = _UNITS[unit](said, sign * least), _UNITS[unit](said, sign * most)
    if first != last:
        return Likely(DaySpan.between(min(first.first, last.first), max(first.last, last.last)))
    return if_certain(least <= _EXACT[unit], first)


def _half_away(match: re.Match[str], said: date) -> Likely:
    """半年前, 一年半后, 半个月前."""
    sign = -1 if match["side"].endswith("前") else 1
    whole = least_and_most(match["count"])[0] if match["count"] else 0
    if "年" in match[0]:
        return Likely(spans.month(said, sign * (12 * whole + 6)))
    return Likely(spans.week(said + timedelta(days=sign * (30 * whole + 15))))


def _within(match: re.Match[str], said: date) -> Likely:
    """三天内: from the day on."""
    days = {"天": 1, "日": 1, "周": 7, "月": 30, "年": 365}.get(match["unit"].removeprefix("个"), 7)
    return Likely(DaySpan.between(said, said + timedelta(days=least_and_most(match["count"])[1] * days)))


_TO = "(?:到|至|[-–—~～])"
_WHICH_WEEK = r"(?P<which>上上|下下|上|这|本|下)个?"
_UNIT = "(?P<unit>天|日|周|个?星期|个?礼拜|个月|年)"
_SIDE = "(?P<side>以前|之前|前|以后|之后|后)"
_RULES = (
    rule("|".join(sorted(_DAYS, key=len, reverse=True)), _named_day),
    rule(f"{_WHICH_WEEK}{_WEEK_WORD}(?P<first>{_DAY_OF_WEEK})(?:{_TO}{_WEEK_WORD}?(?P<last>{_DAY_OF_WEEK}))?", _weekday),
    rule(f"{_WHICH_WEEK}{_WEEK_WORD}(?![一二三四五六日天末])", _week),
    rule(f"(?<![每逢个])(?:{_WHICH_WEEK})?周末", _weekend),
    rule(f"(?<![上下这本个一每逢]){_WEEK_WORD}(?P<day>{_DAY_OF_WEEK})", _bare_weekday),
    rule(
        f"从?(?<![上下这本个一逢]){_WEEK_WORD}(?P<first>{_DAY_OF_WEEK}){_TO}{_WEEK_WORD}?(?P<last>{_DAY_OF_WEEK})",
        _weekday_range,
    ),
    rule(
        f"(?P<which>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
        f"(?:的?(?P<day>{NUMBER})[日号](?:{_TO}(?P<last>{NUMBER})[日号])?|(?P<edge>[初中底]))?",
        _month,
    ),
    rule("(?<![0-9一二三四五六七八九十个本上下份这])(?<!\\d )月(?P<edge>[初中底])(?!学)旬?", _part_of_this_month),
    rule(f"(?<![第十百])(?P<count>{NUMBER}){_UNIT}{_SIDE}", _away),
    rule(f"再(?:过|有)(?P<count>{NUMBER}){_UNIT}(?P<side>)", _away),
    rule(f"(?:半|(?P<count>{NUMBER})(?=年半|个半))(?:年半?|个半?月){_SIDE}", _half_away),
    rule(f"(?<![第十百])(?P<count>{NUMBER}){_UNIT}[之以]?内", _within),
)
_ALL = Rules((*_RULES, *chinese_calendar.RULES, ISO))
