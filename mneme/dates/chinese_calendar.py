"""Chinese dates by the calendar: "三月八号", "去年夏天", "九十年代", "第三季度", "国庆节", "15号"."""

import re
from collections.abc import Callable, Sequence
from datetime import date

from mneme.dates import holidays, spans
from mneme.dates.chinese_words import NUMBER, edged, looks_back, number, year_number
from mneme.dates.rules import Rule
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


def _this_season(match: re.Match[str], said: date) -> DaySpan:
    candidates = [spans.season(_SEASONS[match["season"]], year) for year in _years(said)]
    return _nearest(candidates, said, looks_back(match))


def _edge_of_year(match: re.Match[str], said: date) -> DaySpan:
    month = _EDGE_MONTHS[match["edge"]]
    return _nearest([spans.month(date(year, month, 1)) for year in _years(said)], said, looks_back(match))


def _month_and_day(match: re.Match[str], said: date) -> DaySpan:
    """A day, or from one to another, in the nearest year: it is not said."""
    first_month, first_day = number(match["month"]), number(match["day"])
    last_month, last_day = number(match["last_month"] or match["month"]), number(match["last"] or match["day"])

    def within(year: int) -> DaySpan:
        first = date(year, first_month, first_day)
        return DaySpan.between(first, date(year + (last_month < first_month), last_month, last_day))

    return _nearest(_each(within, said), said, looks_back(match))


def _month(match: re.Match[str], said: date) -> DaySpan:
    month = number(match["month"])
    whole = _nearest([spans.month(date(year, month, 1)) for year in _years(said)], said, looks_back(match))
    return edged(match["edge"], whole)


def _day(match: re.Match[str], said: date) -> DaySpan | None:
    """15号, 十号到十五号: of the month where it lies ahead, or behind when the sentence looks back."""
    first, last = number(match["day"]), number(match["last"] or match["day"])
    back = looks_back(match)
    for months in (0, -1, -2) if back else (0, 1, 2):
        whole = spans.month(said, months)
        try:
            span = DaySpan.between(whole.first.replace(day=first), whole.first.replace(day=last))
        except ValueError:  # 31 of a shorter month
            continue
        if span.first <= said if back else span.last >= said:
            return span
    return None


def _decade(match: re.Match[str], said: date) -> DaySpan:
    written = match["decade"]
    first = int(written) if written.isdigit() else number(written)
    first += 1900 if first < 100 else 0
    return DaySpan.between(date(first, 1, 1), date(first + 9, 12, 31))


def _quarter(match: re.Match[str], said: date) -> DaySpan:
    months = 3 * "一二三四".index(match["quarter"].translate(str.maketrans("1234", "一二三四")))

    def quarter(year: int) -> DaySpan:
        first = date(year, 1 + months, 1)
        return DaySpan.between(first, spans.month(first, 2).last)

    if match["year"]:
        return quarter(_year(match, said))
    return _nearest(_each(quarter, said), said, looks_back(match))


def _holiday(match: re.Match[str], said: date) -> DaySpan:
    day = holidays.CHINESE[match["name"]]
    if match["year"]:
        return DaySpan.of_day(day(_year(match, said)))
    return _nearest(holidays.around(day, said.year), said, looks_back(match), ahead=True)


def _years(said: date) -> range:
    return range(max(said.year - 1, date.min.year), min(said.year + 1, date.max.year) + 1)


def _each(within: Callable[[int], DaySpan], said: date) -> list[DaySpan]:
    """The same days in the years around; some years lack a 29 February."""
    found = []
    for year in _years(said):
        try:
            found.append(within(year))
        except ValueError:
            continue
    return found


def _nearest(candidates: Sequence[DaySpan], said: date, back: bool | None, ahead: bool = False) -> DaySpan:
    """Of the same days in several years the nearest, on the side that the tense tells; ``ahead`` where none does."""
    if back is None and ahead:
        back = False
    by_tense = [span for span in candidates if back is None or (span.first <= said if back else span.last >= said)]
    return min(by_tense or candidates, key=lambda span: abs((span.first - said).days))


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
    Rule(re.compile(_RULE_OF_YEAR.replace("(?P<year>", "(?P<year>(?!\\d)", 1)), _within_year),
    Rule(re.compile(_RULE_OF_YEAR.replace("(?P<year>", "(?P<year>(?=[\\d一二])", 1)), _within_year, relative=False),
    Rule(re.compile(rf"{_YEAR}的?(?P<season>[春夏秋冬])(?:天|季|(?=[，。,.\s]|$))"), _season),
    Rule(re.compile(r"(?:这个|这)(?P<season>[春夏秋冬])[天季]"), _this_season),
    Rule(re.compile(r"(?<![0-9〇零一二三四五六七八九十去今明前后本年])年(?P<edge>[初底末])"), _edge_of_year),
    Rule(
        re.compile(
            rf"从?(?<!年)(?P<month>{NUMBER})月份?(?P<day>{NUMBER})[日号](?:{_TO}(?:(?P<last_month>{NUMBER})月份?)?"
            rf"(?P<last>{NUMBER})[日号])?"
        ),
        _month_and_day,
        lacks_year=True,
    ),
    Rule(re.compile(rf"(?<!年)(?P<month>{NUMBER})\s?月份?(?P<edge>[初中底上下])(?:旬|(?<![上下])(?!学))"), _month,
         lacks_year=True),
    Rule(re.compile(rf"(?<![年第\d.一二三四五六七八九十])(?P<month>{NUMBER})月(?:份|(?![初中底球饼亮光]))(?!{NUMBER}[日号])(?P<edge>)"),
         _month, lacks_year=True),
    Rule(
        re.compile(
            rf"从?(?<![月第\d.一二三四五六七八九十])(?P<day>{NUMBER})号(?:{_TO}(?P<last>{NUMBER})号)?(?<!几号)" + _NUMBERED
        ),
        _day,
    ),
    Rule(re.compile(r"(?<![0-9二])(?P<decade>(?:19|20)?[0-9]0|[五六七八九]十)年代"), _decade, relative=False),
    Rule(re.compile(rf"(?:{_YEAR}的?)?第?(?P<quarter>[一二三四1-4])季度"), _quarter),
    Rule(re.compile(rf"(?:{_YEAR}的?)?(?P<name>{_HOLIDAY})(?!档|联|晚会|礼物|树)"), _holiday),
)  # fmt: skip
