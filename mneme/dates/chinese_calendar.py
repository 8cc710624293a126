"""Chinese dates by the calendar: "三月八号", "去年夏天", "九十年代", "第三季度", "国庆节", "15号"."""

import re
from datetime import date

from mneme.dates import holidays, spans
from mneme.dates.chinese_words import NUMBER, edged, looks_back, number, year_number
from mneme.dates.rules import Days, Likely, days_of_month, if_certain, in_years, nearest, rule
from mneme.dates.spans import DaySpan

_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_EDGE_MONTHS = {"初": 1, "中": 6, "底": 12, "末": 12}


def _year(match: re.Match[str], said: date) -> int:
    written = match["year"]
    return said.year + _YEARS[written] if written in _YEARS else year_number(written)


def _within_year(match: re.Match[str], said: date) -> DaySpan:
    """A year, its month, a day of that, or from that day to another."""
    year = _year(match, said)
    if not match["month"]:
        return spans.month(date(year, _EDGE_MONTHS[match["edge"]], 1)) if match["edge"] else spans.year(year)
    first = date(year, number(match["month"]), 1)
    if not match["day"]:
        return edged(match["part"], spans.month(first))
    first = first.replace(day=number(match["day"]))
    if not match["last"]:
        return DaySpan.of_day(first)
    month = number(match["last_month"] or match["month"])
    last_year = year_number(match["last_year"]) if match["last_year"] else year + (month < first.month)
    return DaySpan.between(first, date(last_year, month, number(match["last"])))


def _season(match: re.Match[str], said: date) -> DaySpan:
    return spans.season(_SEASONS[match["season"]], _year(match, said))


def _this_season(match: re.Match[str], said: date) -> Days | None:
    return nearest(in_years(lambda year: spans.season(_SEASONS[match["season"]], year), said), said, looks_back(match))


def _edge_of_year(match: re.Match[str], said: date) -> Days | None:
    month = _EDGE_MONTHS[match["edge"]]
    return nearest(in_years(lambda year: spans.month(date(year, month, 1)), said), said, looks_back(match))


def _month_and_day(match: re.Match[str], said: date) -> Days | None:
    """A day, or from one to another, in the nearest year: it is not said."""
    first_month, first_day = number(match["month"]), number(match["day"])
    last_month, last_day = number(match["last_month"] or match["month"]), number(match["last"] or match["day"])

    def within(year: int) -> DaySpan:
        first = date(year, first_month, first_day)
        return DaySpan.between(first, date(year + (last_month < first_month), last_month, last_day))

    return nearest(in_years(within, said), said, looks_back(match))


def _month(match: re.Match[str], said: date) -> Days | None:
    month = number(match["month"])
    candidates = in_years(lambda year: edged(match["edge"], spans.month(date(year, month, 1))), said)
    return nearest(candidates, said, looks_back(match))


def _day(match: re.Match[str], said: date) -> Days | None:
    """15号, 十号到十五号: of the month where it lies ahead, or behind when the sentence looks back."""
    back = looks_back(match)
    span = days_of_month(number(match["day"]), number(match["last"] or match["day"]), said, back)
    return span and if_certain(back is not None, span)


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
    return nearest(in_years(quarter, said), said, looks_back(match))


def _holiday(match: re.Match[str], said: date) -> Days | None:
    day = holidays.CHINESE[match["name"]]
    if match["year"]:
        return DaySpan.of_day(day(_year(match, said)))
    return nearest(holidays.around(day, said.year), said, looks_back(match), ahead=0.01)  # to come, where nothing tells


_HOLIDAY = "|".join(sorted(holidays.CHINESE, key=len, reverse=True))
_TO = "(?:到|至|[-–—~～])"
_YEAR = rf"(?P<year>{'|'.join(_YEARS)}|(?:(?:19|20)\d\d|[一二][〇零九一二三四五六七八]{{3}})(?=年))年?"
_NUMBERED = (  # what 号 numbers, when it is no day
    "(?!楼|线|门|房|院|桌|店|车|文件|球|位|机|选手|库|公路|站|床|厅|口|码|馆|教室|仓|字|电池|汽油|柴油|铁|航|座|股|种|令|井|桥|宿舍|栋|"
    "单元|信|公馆|地块|病|柜|窗|台|人|员|牌|舱|艇|舰|卫星|街|路|胡同|弄|染色体)"
)
_RULE_OF_YEAR = (
    rf"{_YEAR}(?:的?年?(?P<edge>[初中底末])(?![0-9一二三四五六七八九十学])|的?(?P<month>{NUMBER})月份?(?:(?P<day>{NUMBER})[日号]"
    rf"(?:{_TO}(?:(?:(?P<last_year>(?:19|20)\d\d)年)?(?P<last_month>{NUMBER})月份?)?(?P<last>{NUMBER})[日号])?"
    r"|(?P<part>[初中底])(?!学))?)?"
)
RULES = (
    rule(_RULE_OF_YEAR.replace("(?P<year>", "(?P<year>(?!\\d)", 1), _within_year),
    rule(_RULE_OF_YEAR.replace("(?P<year>", "(?P<year>(?=[\\d一二])", 1), _within_year, relative=False),
    rule(rf"{_YEAR}的?(?P<season>[春夏秋冬])(?:天|季|(?=[，。,.\s]|$))", _season),
    rule(r"(?:这个|这)(?P<season>[春夏秋冬])[天季]", _this_season),
    rule(r"(?<![0-9〇零一二三四五六七八九十去今明前后本年])年(?P<edge>[初底末])", _edge_of_year),
    rule(rf"从?(?<!年)(?P<month>{NUMBER})月份?(?P<day>{NUMBER})[日号](?:{_TO}(?:(?P<last_month>{NUMBER})月份?)?"
            rf"(?P<last>{NUMBER})[日号])?", _month_and_day, lacks_year=True),
    rule(rf"(?<!年)(?P<month>{NUMBER})\s?月份?(?P<edge>[初中底上下])(?:旬|(?<![上下])(?!学))", _month, lacks_year=True),
    rule(rf"(?<![年第\d.一二三四五六七八九十])(?P<month>{NUMBER})月(?:份|(?![初中底球饼亮光]))(?!{NUMBER}[日号])(?P<edge>)",
         _month, lacks_year=True),
    rule(rf"从?(?<![月第\d.一二三四五六七八九十])(?P<day>{NUMBER})号(?:{_TO}(?P<last>{NUMBER})号)?(?<!几号)" + _NUMBERED, _day),
    rule(r"(?<![0-9二])(?P<decade>(?:19|20)?[0-9]0|[五六七八九]十)年代", _decade, relative=False),
    rule(rf"(?:{_YEAR}的?)?第?(?P<quarter>[一二三四1-4])季度", _quarter),
    rule(rf"(?:{_YEAR}的?)?(?P<name>{_HOLIDAY})(?!档|联|晚会|礼物|树)", _holiday),
)  # fmt: skip
