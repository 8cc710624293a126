"""Chinese dates, relative to the day they are said or by the calendar.

Each rule is a phrase of everyday writing and the days it means: "下周五", "三月八号", "去年夏天", "国庆节".
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Literal

from mneme.dates import holidays, spans
from mneme.dates.chinese_words import (
    EDGE,
    NUMBER,
    edge_of_year,
    edged,
    is_counted_from_now,
    is_evaluated,
    is_told_of,
    least_and_most,
    looks_back,
    may_be_past,
    may_be_to_come,
    number,
    weekday_number,
    year_number,
)
from mneme.dates.english_calendar import ISO
from mneme.dates.spans import (
    NO_DATE,
    Days,
    DaySpan,
    Found,
    Likely,
    Rules,
    apply,
    days_of_month,
    if_certain,
    nearest,
    rule,
    years_around,
)
from mneme.patterns import COMMON

_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_JUNE, _SEPTEMBER = 6, 9
_FIRST_MONTHS, _LAST_MONTHS = 2, 10  # up to February, from October on
_SOON = timedelta(days=85)  # its like behind is nine months away: of that one says the year
_HALF_A_MONTH = timedelta(days=15)  # of a day that is further away its like behind is nearer
_NEAR_ENOUGH = timedelta(days=280)


def _nearest(match: re.Match[str], said: date, candidates: Sequence[DaySpan]) -> Days | None:
    """The nearest by the tense; without one a day that is soon, and what a bare verb tells of (一月中走), is to come."""
    back = looks_back(match)
    days = nearest(candidates, said, back)
    if back is None and isinstance(days, Likely):
        soon = days.span.first == days.span.last and days.span.first - said <= _SOON
        if days.span.first > said and (soon or may_be_to_come(match)) and not may_be_past(match):
            return days.span
    return days


def _year(match: re.Match[str], said: date) -> int:
    written = match["year"]
    return said.year + _YEARS[written] if written in _YEARS else year_number(written)


def _within_year(match: re.Match[str], said: date) -> DaySpan:
    """A year, its month, a day of that, or from that day to another."""
    year = _year(match, said)
    if match["half"]:
        first = date(year, 1 if match["half"] == "上" else 7, 1)
        return DaySpan.between(first, spans.month(first, 5).last)
    if not match["month"]:
        return edge_of_year(match["edge"], year) if match["edge"] else spans.year(year)
    first = date(year, number(match["month"]), 1)
    if not match["day"]:
        return edged(match["part"], spans.month(first))
    first = first.replace(day=number(match["day"]))
    if not match["last"]:
        return DaySpan.of_day(first)
    month = number(match["last_month"] or match["month"])
    last_year = year_number(match["last_year"]) if match["last_year"] else year + (month < first.month)
    return DaySpan.between(first, date(last_year, month, number(match["last"])))


def _season(match: re.Match[str], said: date) -> Days:
    """A season of a year. 去年冬天 is that of two years, until the summer: in January this one's or the one before it."""
    span = spans.season(_SEASONS[match["season"]], _year(match, said))
    if match["season"] != "冬" or match["year"] not in _YEARS:
        return span
    certain_from = _SEPTEMBER if _YEARS[match["year"]] == 0 else _JUNE
    return if_certain(said.month >= certain_from, span)


def _this_season(match: re.Match[str], said: date) -> Days | None:
    return _nearest(match, said, [spans.season(_SEASONS[match["season"]], year) for year in years_around(said)])


def _edge_of_year(match: re.Match[str], said: date) -> Days | None:
    return _nearest(match, said, [edge_of_year(match["edge"], year) for year in years_around(said)])


def _month_and_day(match: re.Match[str], said: date) -> Days | None:
    """A day, or from one to another, in the nearest year: it is not said."""
    first_month, first_day = number(match["month"]), number(match["day"])
    groups = match.groupdict()
    last_month = number(match["last_month"] or groups.get("last_month_") or match["month"])
    last_day = number(match["last"] or groups.get("last_") or match["day"])

    next_year = last_month < first_month
    candidates = [
        DaySpan.between(date(year, first_month, first_day), date(year + next_year, last_month, last_day))
        for year in years_around(said, (first_month, first_day), (last_month, last_day))
    ]
    return _nearest(match, said, candidates)


def _in_month(match: re.Match[str], said: date) -> Days | None:
    """三月, 三月底, 三月上旬到中旬."""
    month, edges = number(match["month"]), [match["edge"], match.groupdict().get("last_edge") or match["edge"]]
    parts = [[edged(edge, spans.month(date(year, month, 1))) for edge in edges] for year in years_around(said)]
    return _nearest(match, said, [first if first == last else DaySpan.between(first.first, last.last) for first, last in parts])


def _day(match: re.Match[str], said: date) -> Days | None:
    """15号, 十号到十五号: of the month where it lies ahead, or behind when its clause looks back.

    Of today and tomorrow one says 今天 and 明天: the number of the day alone may be of another month that was spoken of.
    """
    back = looks_back(match)
    span = days_of_month(number(match["day"]), number(match["last"] or match["day"]), said, back)
    if span is None or back:
        return span
    if span.first == span.last <= said + timedelta(days=1):
        return Likely(span)
    if back is False:
        return span
    near = span.first.month == said.month or span.first - said < _HALF_A_MONTH
    return if_certain(span.first > said and near and may_be_to_come(match) and not is_evaluated(match), span)


def _day_and_weekday(match: re.Match[str], said: date) -> Days | Literal["no date"] | None:
    """12号星期三, 三月九号（礼拜天）, 周六15号: the day that is both, to come where one behind is as well."""
    day, weekday = number(match["day"]), weekday_number(match["weekday"])
    if match["month"]:
        months = [(said.year + years) * 12 + number(match["month"]) - 1 for years in (-1, 0, 1)]
    else:
        months = [said.year * 12 + said.month - 1 + step for step in (-1, 0, 1)]
    found = []
    for month in months:
        try:
            found.append(date(month // 12, month % 12 + 1, day))
        except ValueError:  # the 31st of a shorter month
            continue
    both = [DaySpan.of_day(each) for each in found if each.weekday() == weekday and abs(each - said) <= _NEAR_ENOUGH]
    goes_on = match.string[match.end() : match.end() + 1].strip("，,。！!")  # 12号，周三再说
    if not both and not (goes_on and set("，,").intersection(match[0])):
        return NO_DATE  # one of the two is wrong
    back = looks_back(match)
    if both and both[-1].first < said and not back and not may_be_past(match):
        return Likely(both[-1])  # a month further ahead may have such a day too
    days = both[0] if len(both) == 1 else nearest(both, said, back, ahead=0.01)
    if isinstance(days, Likely) and (len(both) == 1 or not may_be_past(match)):
        return days.span
    return days


def _decade(match: re.Match[str], said: date) -> Likely:
    written = match["decade"]
    first = int(written) if written.isdigit() else number(written)
    first += 1900 if first < 100 else 0
    return Likely(DaySpan.between(date(first, 1, 1), date(first + 9, 12, 31)))


def _quarter(match: re.Match[str], said: date) -> Days | None:
    months = 3 * "一二三四".index(match["quarter"].translate(str.maketrans("1234", "一二三四")))

    def quarter(year: int) -> DaySpan:
        first = date(year, 1 + months, 1)
        return DaySpan.between(first, spans.month(first, 2).last)

    if match["year"]:
        return quarter(_year(match, said))
    return _nearest(match, said, [quarter(year) for year in years_around(said)])


def _holiday(match: re.Match[str], said: date) -> Days | None:
    day = holidays.CHINESE[match["name"]]
    if match["year"]:
        span = DaySpan.of_day(day(_year(match, said)))
        return if_certain(_YEARS.get(match["year"]) != 0 or _is_of_this_year(span, said, looks_back(match)), span)
    around = holidays.around(day, said.year)
    days = nearest(around, said, looks_back(match, of_others=True), ahead=0.01)  # to come, where nothing tells
    return Likely(days) if isinstance(days, DaySpan) and looks_back(match) is None else days


def _is_of_this_year(span: DaySpan, said: date, back: bool | None) -> bool:
    """Tell whether 今年 means the calendar's: 今年春节, said in December, may be the next, and 今年圣诞 in January the last."""
    if span.first > said:
        return back is not True
    return back is True or said.month < _LAST_MONTHS or span.first.month > _FIRST_MONTHS


def _lunar(match: re.Match[str], said: date) -> Literal["no date"]:
    """去年腊月, 闰六月十五, 农历三月: of another calendar, and 我今年初三 of a school."""
    return NO_DATE


_HOLIDAY = "|".join(sorted(holidays.CHINESE, key=len, reverse=True))
_TO = "(?:到|至|[-–—~～])"
_YEAR = rf"(?P<year>{'|'.join(_YEARS)}|(?:(?:19|20)\d\d|[一二][〇零九一二三四五六七八]{{3}})(?=年))年?"
_NUMBERED = "".join(COMMON["no_day"])
_DAY_BESIDE = rf"(?:(?P<month>{NUMBER})月份?)?(?P<day>{NUMBER})[日号]{_NUMBERED}"  # a weekday
_WEEKDAY = "(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"
_PART_OF_A_DAY = r"\s?(?:[早晚]上|[上中下]午|凌晨|到期)"
_DOING = r"\s?(?:要(?=[去回来飞走上交开还到考出])|开(?=[学始业幕庭会])|[去回前之起后交出飞])"
_RATIO = rf"(?:[1-9]/10|[1-4]/5|5/6|1/[2-8]|[23]/[34])(?!\d|{_PART_OF_A_DAY})|7/11|24/7"  # a score, a fraction or a shop
_SLASH = (  # 2/7周六, not 喝了1/2
    r"(?<![\d/.:])(?<!大约)(?<!版本)(?<![了剩占喝吃用只第近给打评到店影分])(?P<month>1[0-2]|0?[1-9])/(?P<day>[12]\d|3[01]|0?[1-9])(?![\d/%])"
)
_TO_SLASH = rf"{_TO}(?P<last_month>\d{{1,2}})/(?P<last>\d{{1,2}})(?!\d)"
_EDGE_OF_YEAR = "(?P<edge>[初中底末])(?![0-9一二三四五六七八九十学国考秋风暑毒奖])"
_LUNAR_DAY = "(?:初[一二三四五六七八九十]|(?:廿|二?十)[一二三四五六七八九]?|三十)(?![一二三四五六七八九日号多几来个名位人])"
_LUNAR = (
    rf"(?:(?:{'|'.join(_YEARS)}|(?:19|20)\d\d年)的?)?(?:[农阴旧]历(?:{NUMBER}月)?(?:{_LUNAR_DAY}|{NUMBER}[日号])?"
    rf"|闰?[一二三四五六七八九十]{{1,2}}月{_LUNAR_DAY}|[正腊冬]月(?:{_LUNAR_DAY})?|(?<!大年)(?<!正月)(?<![最起当])初[一二三四五六七八九十](?!次|步))"
)
_RULE_OF_YEAR = (
    rf"{_YEAR}(?:的?年?{_EDGE_OF_YEAR}|的?(?P<half>[上下])半年|的?(?P<month>{NUMBER})月份?(?:(?P<day>{NUMBER})[日号]"
    rf"(?:{_TO}(?:(?:(?P<last_year>(?:19|20)\d\d)年)?(?P<last_month>{NUMBER})月份?)?(?P<last>{NUMBER})[日号])?"
    rf"|(?P<part>{EDGE}))?)?"
)
_CALENDAR_RULES = (
    rule(_LUNAR, _lunar),
    rule(_RULE_OF_YEAR.replace("(?P<year>", "(?P<year>(?!\\d)", 1), _within_year),
    rule(_RULE_OF_YEAR.replace("(?P<year>", "(?P<year>(?=[\\d一二])", 1), _within_year, relative=False),
    rule(rf"{_YEAR}的?(?P<season>[春夏秋冬])(?:天|季|(?=[，。,.\s]|$))", _season),
    rule(r"(?:这个|这)(?P<season>[春夏秋冬])[天季]", _this_season),
    rule(rf"(?<![0-9〇零一二三四五六七八九十去今明前后本年大])年(?!中){_EDGE_OF_YEAR}", _edge_of_year),
    rule(rf"从?(?<!年)(?P<month>{NUMBER})月份?(?P<day>{NUMBER})(?:[日号](?:{_TO}(?:(?P<last_month>{NUMBER})月份?)?"
         rf"(?P<last>{NUMBER})[日号])?|(?<=\d)(?:{_TO}(?:(?P<last_month_>{NUMBER})月份?)?(?P<last_>\d{{1,2}})(?=[日号，。？！,?!\s]|$)[日号]?"
         r"|(?=[，。！,!\s在去到要飞返走搬]|$)))", _month_and_day, lacks_year=True),
    rule(rf"(?<![第\d.一二三四五六七八九十]){_DAY_BESIDE}"
         r"(?:[早晚]上|[上中下]午)?[，,（(、\s]{0,2}(?:也就是|[是系即])?" + f"{_WEEKDAY}[)）]?", _day_and_weekday),
    rule(rf"(?:[这本下]个?)?{_WEEKDAY}[，,（(、\s]{{0,2}}{_DAY_BESIDE}[)）]?", _day_and_weekday),
    rule(rf"{_SLASH}\s?[（(]?{_WEEKDAY}[)）]?", _day_and_weekday),
    rule(rf"{_SLASH}{_TO_SLASH}", _month_and_day, lacks_year=True),
    rule(rf"(?!{_RATIO}){_SLASH}(?P<last_month>)(?P<last>)(?={_PART_OF_A_DAY}|{_DOING})", _month_and_day, lacks_year=True),
    rule(rf"(?<!年)(?P<month>{NUMBER})\s?月份?(?P<edge>{EDGE})(?:{_TO}(?P<last_edge>{EDGE}))?", _in_month, lacks_year=True),
    rule(rf"(?<![年第\d.一二三四五六七八九十])(?P<month>{NUMBER})月(?:份|(?![初中底球饼亮光]|天(?!气)))(?!{NUMBER}[日号]|\d)(?P<edge>)",
         _in_month, lacks_year=True),
    rule(rf"从?(?<![月第\d.一二三四五六七八九十])(?P<day>{NUMBER})号(?:{_TO}(?P<last>{NUMBER})号)?(?<!几号)" + _NUMBERED, _day),
    rule(r"(?<![0-9二])(?P<decade>(?:19|20)?[0-9]0|[五六七八九]十)年代", _decade, relative=False),
    rule(rf"(?:{_YEAR}的?)?第?(?P<quarter>[一二三四1-4])季度", _quarter),
    rule(rf"(?:{_YEAR}的?)?(?<![一二三四五六七八九百千万两])(?P<name>{_HOLIDAY})(?!档|联|晚会|礼物|树|上河)", _holiday),
)  # fmt: skip


_DAY_OF_WEEK = "[一二三四五六日天]"
_WEEK_WORD = "(?:周|星期|礼拜)"
_DAYS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "昨儿": -1, "今天": 0, "今日": 0, "今早": 0,
    "今晚": 0, "今晨": 0, "今儿": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "明儿": 1, "后天": 2, "后儿": 2, "大后天": 3,
}  # fmt: skip
_NOT_BEFORE = {"后天": "(?<!以)(?!后天天)", "今天": "(?<![年月])"}  # 以后天天, 去年今天
_MONTHS = {"上上个月": -2, "上个月": -1, "上月": -1, "这个月": 0, "本月": 0, "下个月": 1, "下月": 1, "下下个月": 2}
_HABIT = re.compile("上班|上学|上课|营业|开放|开门|工作|每|一般|通常|平时|都")
_HABITUAL, _NEAR = re.compile("(?:只在|逢|平时|通常|一般|固定)$"), 4  # characters before a day
_UNITS: dict[str, Callable[[date, int], DaySpan]] = {
    "天": spans.days_from, "日": spans.days_from, "周": spans.week, "星期": spans.week, "礼拜": spans.week, "月": spans.month,
    "年": lambda said, step: spans.year(said.year + step),
}  # fmt: skip
_EXACT = {"天": 10, "日": 10, "周": 8, "星期": 8, "礼拜": 8, "月": 0, "年": 9}  # up to how many are meant as such
_WEEK_UNITS = ("周", "星期", "礼拜")
_MONTHS_AROUND, _HALF_A_YEAR = 2, 6  # months: in a year is in ten to fourteen of them
_MOST_AROUND = 3  # days before and behind: in a week is in five to nine days, in two weeks in eleven to seventeen
_WEEKS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}


def find(text: str, said: date, most: int) -> list[Found]:
    """The Chinese dates of a text that was said on a day, ``most`` by each rule; phrases may overlap."""
    return apply(_ALL.candidates(text), text, said, most)


def _named_day(match: re.Match[str], said: date) -> DaySpan:
    return spans.days_from(said, _DAYS[match[0]])


# --- weeks -----------------------------------------------------------------------------------------------------------


def _weekday(match: re.Match[str], said: date) -> Days:
    """下周五, perhaps to another day of that week: 下周一到周三. On a Sunday it is in doubt: for some a week begins with it."""
    week = spans.week(said, _WEEKS[match["which"]])
    first = week.first + timedelta(days=weekday_number(match["first"]))
    if not match["last"]:
        return if_certain(said.weekday() != 6 or match["which"] in ("这", "本"), DaySpan.of_day(first))
    last_week = spans.week(said, _WEEKS[match["last_which"]]) if match["last_which"] else week
    last = last_week.first + timedelta(days=weekday_number(match["last"]))
    return DaySpan.between(first, last if last >= first else last + timedelta(days=7))


def _bare_weekday(match: re.Match[str], said: date) -> Days | Literal["no date"]:
    """The latest such day where the sentence looks back, else the next; of today one says 今天. A habit is none (只在周日)."""
    if _HABITUAL.search(match.string, max(0, match.start() - _NEAR), match.start()):
        return NO_DATE
    back, days = looks_back(match), (weekday_number(match["day"]) - said.weekday()) % 7
    if back is None and may_be_to_come(match) and not is_told_of(match) and not _HABIT.search(match.string):
        back = False
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


def _week(match: re.Match[str], said: date) -> Days:
    """上周, or this week, of which only what is over is meant where the sentence looks back; on Monday that is in doubt."""
    week = spans.week(said, _WEEKS[match["which"]])
    if week.first <= said <= week.last and looks_back(match):
        return if_certain(said > week.first, DaySpan.between(week.first, said))
    return week


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
    if back is None and may_be_to_come(match) and not is_told_of(match) and not _HABIT.search(match.string):
        back = False
    return if_certain(back is not None and (part.first <= said if back else part.last >= said), part)


def _away(match: re.Match[str], said: date) -> Days:
    """三天后, 两周前: weeks and years to come mean the days and months around, and what is told in months is not certain.

    The week of the calendar would be wrong: said on a Sunday, its days all lie before the one that 两周后 means.
    """
    sign = -1 if match["side"].endswith("前") else 1
    least, most = least_and_most(match["count"])
    unit, certain = match["unit"].removeprefix("个"), is_counted_from_now(match)
    if unit in _WEEK_UNITS and least == most:
        day, around = said + timedelta(weeks=sign * least), timedelta(days=min(least + 1, _MOST_AROUND))
        return if_certain(certain and least <= _EXACT[unit], DaySpan.between(day - around, day + around))
    if unit == "年" and sign > 0 and least == most:
        months = min(_MONTHS_AROUND * least, _HALF_A_YEAR)
        first, last = spans.month(said, 12 * least - months), spans.month(said, 12 * least + months)
        return if_certain(certain and least <= _EXACT[unit], DaySpan.between(first.first, last.last))
    first, last = _UNITS[unit](said, sign * least), _UNITS[unit](said, sign * most)
    if first != last:
        return Likely(DaySpan.between(min(first.first, last.first), max(first.last, last.last)))
    return if_certain(certain and least <= _EXACT[unit], first)


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


_WHICH_WEEK = r"(?P<which>上上|下下|上|这|本|下)个?"
_UNIT = "(?P<unit>天|日|周|个?星期|个?礼拜|个月|年)"
_SIDE = "(?P<side>以前|之前|前|以后|之后|后)"
_RULES = (
    rule("|".join(_NOT_BEFORE.get(day, "") + day for day in sorted(_DAYS, key=len, reverse=True)), _named_day),
    rule(
        f"{_WHICH_WEEK}{_WEEK_WORD}(?P<first>{_DAY_OF_WEEK})"
        rf"(?:{_TO}(?:(?P<last_which>上上|下下|上|这|本|下)?个?{_WEEK_WORD})?(?P<last>{_DAY_OF_WEEK}))?",
        _weekday,
    ),
    rule(f"{_WHICH_WEEK}{_WEEK_WORD}(?![一二三四五六日天末])", _week),
    rule(f"(?<![每逢个])(?:{_WHICH_WEEK})?周末", _weekend),
    rule(rf"(?<![上下这本个一每逢\d]){_WEEK_WORD}(?P<day>{_DAY_OF_WEEK})", _bare_weekday),  # 2/7周六 is another day
    rule(
        f"从?(?<![上下这本个一逢]){_WEEK_WORD}(?P<first>{_DAY_OF_WEEK}){_TO}{_WEEK_WORD}?(?P<last>{_DAY_OF_WEEK})",
        _weekday_range,
    ),
    rule(
        f"(?P<which>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
        f"(?:的?(?P<day>{NUMBER})[日号](?:{_TO}(?P<last>{NUMBER})[日号])?|(?P<edge>{EDGE}))?",
        _month,
    ),
    rule(rf"(?<![0-9一二三四五六七八九十个本上下份这正腊冬])(?<!\d )月(?P<edge>{EDGE})", _part_of_this_month),
    rule(f"(?<![第十百])(?P<count>{NUMBER}){_UNIT}{_SIDE}", _away),
    rule(f"再(?:过|有)(?P<count>{NUMBER}){_UNIT}(?P<side>)", _away),
    rule(f"(?:半|(?P<count>{NUMBER})(?=年半|个半))(?:年半?|个半?月){_SIDE}", _half_away),
    rule(f"(?<![第十百])(?P<count>{NUMBER}){_UNIT}[之以]?内", _within),
)
_ALL = Rules((*_RULES, *_CALENDAR_RULES, ISO))
