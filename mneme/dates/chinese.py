"""Chinese dates. Each rule is a phrase of everyday writing and the days it means."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from mneme.dates import spans
from mneme.dates.rules import Found, Rule, apply
from mneme.dates.spans import DaySpan

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_NUMBER = r"(\d{1,4}|[一二两三四五六七八九十]{1,3}|几)"
_FEW = (2, 5)
_WEEKDAY = r"(?:周|星期|礼拜)([一二三四五六日天])"
_WEEKDAYS = "一二三四五六日"
_DAYS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0, "今早": 0, "今晚": 0,
    "今晨": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_MONTHS = {"上上个月": -2, "上个月": -1, "上月": -1, "这个月": 0, "本月": 0, "下个月": 1, "下月": 1, "下下个月": 2}
_WEEKS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_EDGES = {"初": "early", "中": "mid", "底": "late"}
_PAST = re.compile("了|过|曾|已经|刚")
_FUTURE = re.compile("要|会|将|打算|准备|计划|之前|前完成|截止|见|开始")


def find(text: str, said: date) -> list[Found]:
    """The Chinese dates of a text that was said on a day; phrases may overlap."""
    return apply(_RULES, text, said)


def _number(written: str) -> int:
    if written == "几":  # "几号" asks for a day
        raise ValueError(written)
    if written.isdigit():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS[digit]) for digit in written))
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _named_day(match: re.Match[str], said: date) -> DaySpan:
    return spans.days_from(said, _DAYS[match[0]])


def _weekday(match: re.Match[str], said: date) -> DaySpan:
    number = _WEEKDAYS.index(match[2].replace("天", "日"))
    return DaySpan.of_day(spans.week(said, _WEEKS[match[1]]).first + timedelta(days=number))


def _bare_weekday(match: re.Match[str], said: date) -> DaySpan:
    """Of this week; of the next when it has passed and the sentence looks ahead."""
    day = spans.week(said).first + timedelta(days=_WEEKDAYS.index(match[1].replace("天", "日")))
    around = match.string[max(0, match.start() - 20) : match.end() + 20]
    if day < said and (_FUTURE.search(around) or not _PAST.search(around)):
        day += timedelta(days=7)
    return DaySpan.of_day(day)


def _week(match: re.Match[str], said: date) -> DaySpan:
    return spans.week(said, _WEEKS[match[1]])


def _weekend(match: re.Match[str], said: date) -> DaySpan:
    return spans.weekend(said, _WEEKS[match[1] or "这"])


def _month(match: re.Match[str], said: date) -> DaySpan:
    whole = spans.month(said, _MONTHS[match[1]])
    if match[2]:
        return DaySpan.of_day(whole.first.replace(day=_number(match[2])))
    return spans.part(whole, _EDGES[match[3]]) if match[3] else whole


def _named_year(match: re.Match[str], said: date) -> DaySpan:
    return _within_year(said.year + _YEARS[match[1]], match)


def _numbered_year(match: re.Match[str], said: date) -> DaySpan:
    return _within_year(_number(match[1]), match)


def _within_year(year: int, match: re.Match[str]) -> DaySpan:
    if not match[2]:
        return spans.year(year)
    first = date(year, _number(match[2]), 1)
    return DaySpan.of_day(first.replace(day=_number(match[3]))) if match[3] else spans.month(first)


def _month_and_day(match: re.Match[str], said: date) -> DaySpan:
    """A day, or from one to another, in the nearest year: it is not said."""
    first_month, first_day = _number(match[1]), _number(match[2])
    last_month, last_day = _number(match[3] or match[1]), _number(match[4] or match[2])

    def within(year: int) -> DaySpan:
        first = date(year, first_month, first_day)
        return DaySpan.between(first, date(year + (last_month < first_month), last_month, last_day))

    return _nearest([within(year) for year in _years(said)], said)


def _part_of_month(match: re.Match[str], said: date) -> DaySpan:
    whole = _nearest([spans.month(date(year, _number(match[1]), 1)) for year in _years(said)], said)
    return spans.part(whole, _EDGES[match[2]])


def _nearest(candidates: Sequence[DaySpan], said: date) -> DaySpan:
    return min(candidates, key=lambda span: abs((span.first - said).days))


def _years(said: date) -> range:
    return range(max(said.year - 1, date.min.year), min(said.year + 1, date.max.year) + 1)


def _away(match: re.Match[str], said: date) -> DaySpan:
    sign = -1 if match[3].endswith("前") else 1
    least, most = _FEW if match[1] == "几" else (_number(match[1]),) * 2
    unit = match[2].removeprefix("个")
    if unit in ("天", "日"):
        ends = [spans.days_from(said, sign * least), spans.days_from(said, sign * most)]
    elif unit in ("周", "星期", "礼拜"):
        ends = [spans.week(said, sign * least), spans.week(said, sign * most)]
    elif unit == "月":
        ends = [spans.month(said, sign * least), spans.month(said, sign * most)]
    else:
        ends = [spans.year(said.year + sign * least), spans.year(said.year + sign * most)]
    if ends[0] == ends[1]:
        return ends[0]
    return DaySpan.between(min(end.first for end in ends), max(end.last for end in ends))


_IN_YEAR = rf"(?:的?{_NUMBER}月(?:份)?(?:{_NUMBER}[日号])?)?"
_WHICH_WEEK = r"(上上|下下|上|这|本|下)个?"
_RULES = (
    Rule(re.compile("|".join(sorted(_DAYS, key=len, reverse=True))), _named_day),
    Rule(re.compile(_WHICH_WEEK + _WEEKDAY), _weekday),
    Rule(re.compile(_WHICH_WEEK + r"(?:周|星期|礼拜)(?![一二三四五六日天末])"), _week),
    Rule(re.compile(r"(?:(上上|下下|上|这|本|下)个?)?周末"), _weekend),
    Rule(re.compile(r"(?<![上下这本个一每])" + _WEEKDAY), _bare_weekday),
    Rule(re.compile(rf"({'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?:{_NUMBER}[日号]|([初中底]))?"), _month),
    Rule(re.compile(rf"({'|'.join(_YEARS)}){_IN_YEAR}"), _named_year),
    Rule(re.compile(rf"((?:19|20)\d\d|[一二][〇零九一二三四五六七八]{{3}})年{_IN_YEAR}"), _numbered_year, relative=False),
    Rule(
        re.compile(rf"(?<!年){_NUMBER}月份?{_NUMBER}[日号](?:(?:到|至|[-–—~～])(?:{_NUMBER}月份?)?{_NUMBER}[日号])?"),
        _month_and_day,
        lacks_year=True,
    ),
    Rule(re.compile(rf"(?<!年){_NUMBER}月份?([初中底])(?!学)"), _part_of_month, lacks_year=True),
    Rule(re.compile(rf"(?<!第){_NUMBER}(天|日|周|个?星期|个?礼拜|个月|年)(以前|之前|前|以后|之后|后)"), _away),
)
