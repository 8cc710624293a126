"""The Chinese words that dates are made of, the tense of the sentence around a date, and grounds to doubt it.

A date may not be that of what its sentence tells: a habit, a supposition, a negation, a quotation, a change.
"""

import re
from datetime import date

from mneme.dates import spans
from mneme.dates.spans import DaySpan, Found
from mneme.languages import is_doubted
from mneme.patterns import Patterns

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_FEW = (2, 5)

_WORDS = Patterns(__file__)
NUMBER = _WORDS.fragment("number")
WEEKDAYS = "一二三四五六日"
EDGE = (
    r"(?:[上中下]旬|初(?![学中级次步夏春秋冬衷一二三四五六七八九十\d])|中(?![上下学国间心央间午文东西美英的有最每风暑毒奖])|"
    "底(?![下层部片子])|末(?![班端日尾]))"
)
_THIRDS = {"上旬": (1, 10), "中旬": (11, 20), "下旬": (21, 31)}  # days of a month
_WEEK_OF_EDGE = 7  # days: 月初 is about the first week, 月底 the last, 月中 the one around the 15th
_MID_MONTH = 12
_EDGE_MONTHS = {"初": (1, 2), "中": (6, 7), "底": (12, 12), "末": (12, 12)}

_REACH = 40  # characters
_LONGEST_CLAUSE = 80  # characters before and behind a date; without a limit an endless one costs its square


def number(written: str) -> int:
    """The number that figures or characters write.

    Raises:
        ValueError: none of them (几, which asks), or several (两三).
    """
    least, most = least_and_most(written)
    if least != most:
        raise ValueError(written)
    return least


def year_number(written: str) -> int:
    """A year, in figures or digit by digit: 二〇二三."""
    return int(written) if written.isdigit() else int("".join(str(_DIGITS[digit]) for digit in written))


def least_and_most(written: str) -> tuple[int, int]:
    """The least and the most that a number means: 两三 is two to three, 几 two to five."""
    if written == "几":
        return _FEW
    if written.isdigit():
        return int(written), int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten and len(ones) == 2:
        return _DIGITS[ones[0]], _DIGITS[ones[1]]
    if len(ones) > 1:
        raise ValueError(written)
    value = (_DIGITS[ones] if ones else 0) + ((_DIGITS[tens] if tens else 1) * 10 if ten else 0)
    return value, value


def weekday_number(written: str) -> int:
    """Monday is 0."""
    return WEEKDAYS.index(written.replace("天", "日"))


def edged(edge: str | None, month: DaySpan) -> DaySpan:
    """The part of a month that 初, 中, 底 or one of its thirds (上旬) names; the whole without one."""
    if not edge:
        return month
    if edge in _THIRDS:
        first, last = _THIRDS[edge]
    else:
        late = month.days - _WEEK_OF_EDGE + 1
        first = {"初": 1, "中": _MID_MONTH}.get(edge, late)
        last = first + _WEEK_OF_EDGE - 1
    return DaySpan.between(month.first.replace(day=first), month.first.replace(day=min(last, month.days)))


def edge_of_year(edge: str, year: int) -> DaySpan:
    """The months that people mean: 年初 the first two, 年中 June and July, 年底 December."""
    first, last = _EDGE_MONTHS[edge]
    months = spans.month(date(year, first, 1))
    return months if first == last else DaySpan.between(months.first, spans.month(date(year, last, 1)).last)


def looks_back(match: re.Match[str], of_others: bool = False) -> bool | None:
    """Return whether the clause of a date speaks of the past; whether its sentence speaks of what is to come; else None.

    A past that only another clause tells makes no date certain (进八强了，28号打半决赛): it counts where ``of_others`` says so.
    """
    text = match.string
    if _WORDS.moved_to.search(text, max(0, match.start() - 14), match.start()):
        return False
    begins, ends = clause_of(text, match.start(), match.end())
    clause = text[begins:ends]
    if _WORDS.arranged.search(text[begins : match.start()]):
        return False
    if _WORDS.booked_behind.match(text, match.end()):
        return None
    after = _WORDS.sentence_end.split(text[match.end() : match.end() + _REACH], maxsplit=1)[0]
    before = _WORDS.sentence_end.split(text[max(0, match.start() - _REACH) : match.start()])[-1]
    back = tense_of(clause)
    if back is not None or may_be_to_come(match):
        return back
    around = next((found for found in (tense_of(after), tense_of(before)) if found is not None), None)
    return around if of_others or not around else None


def may_be_to_come(match: re.Match[str]) -> bool:
    """Tell whether a day is that of a bare verb, or of an occasion: without 了 the nearest, if it is ahead (4月6号搬)."""
    text = match.string
    begins, ends = clause_of(text, match.start(), match.end())
    if booked := _WORDS.booked_behind.match(text, match.end()):
        return booked["met"] is not None  # 周五订了酒店 may have been then
    is_set = (
        _WORDS.set_on.search(text, begins, match.start()) is not None and _WORDS.closes.match(text, match.end()) is not None
    )
    told = is_set or _WORDS.to_come_behind.match(text, match.end()) or _WORDS.at_an_hour.match(text, match.end())
    return bool(told) and not _WORDS.past.search(text, begins, ends)


def is_told_of(match: re.Match[str]) -> bool:
    """Tell whether the sentence tells what came of a day, or speaks of another past day: then 周六回老家 may be past."""
    text, end = match.string, match.end()
    return bool(_WORDS.told_of_it.match(text, end) or _WORDS.past_day.search(text)) or is_evaluated(match)


def is_evaluated(match: re.Match[str]) -> bool:
    """Tell whether the sentence says how it was on a day: 18号体检，血压有点高."""
    return _WORDS.evaluated.match(match.string, match.end()) is not None


def may_be_past(match: re.Match[str]) -> bool:
    """Tell whether the clause of a date tells what has been, by 了 or 的: 6月3号办的婚礼."""
    text = match.string
    begins, ends = clause_of(text, match.start(), match.end())
    return _WORDS.past.search(text, begins, ends) is not None or _WORDS.done_behind.search(text, match.end(), ends) is not None


def tense_of(words: str) -> bool | None:
    """Tell whether words speak of the past; None where nothing tells."""
    if _WORDS.future.search(words) or _WORDS.eventually.search(words):
        return False
    if _WORDS.earlier_than_thought.search(words):
        return None
    if _WORDS.past.search(words) or _WORDS.done_as_told.match(words):
        return True
    return False if _WORDS.likely_future.search(words) else None


def is_counted_from_now(match: re.Match[str]) -> bool:
    """Tell whether 三天后 counts from the moment of saying: not 术后一周, 出院三天后, nor 三天后他走了, which a tale counts."""
    if not match["side"]:  # 再过三天
        return True
    text, start, back = match.string, match.start(), looks_back(match)
    before = _WORDS.sentence_end.split(text[max(0, start - _REACH) : start])[-1]
    if match["side"].endswith("前"):
        return _WORDS.occasion_to_come.search(before) is None if back else _WORDS.from_now.search(before) is not None
    return not back and _WORDS.after_another.search(before) is None and _WORDS.from_now.search(before) is not None


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The beginning and the end of the clause of a date."""
    begins, ends = max(0, start - _LONGEST_CLAUSE), min(len(text), end + _LONGEST_CLAUSE)
    begins = max((each.end() for each in _WORDS.clause_end.finditer(text, begins, start)), default=begins)
    ending = _WORDS.clause_end.search(text, end, ends)
    return begins, ending.start() if ending else ends


def in_doubt(sentence: str, date: Found) -> bool:
    """Return whether a date is told of nothing that happens then, or may be one of several."""
    start, end = date.start, date.end
    begins, ends = clause_of(sentence, start, end)
    if is_doubted(sentence[max(0, start - _DOUBT_REACH) : end + _DOUBT_REACH]):
        return True
    before, behind = sentence[begins:start], sentence[end:ends]
    if sentence.rfind("“", 0, start) > sentence.rfind("”", 0, start) or sentence.count('"', 0, start) % 2:
        return True
    if (
        _WORDS.before.search(before)
        or _WORDS.behind.match(behind)
        or _WORDS.no_event.search(before)
        or _WORDS.no_event.search(behind)
    ):
        return True
    if _WORDS.told.search(sentence, max(0, start - _DOUBT_REACH), start):
        return True
    named = _WORDS.occasion.search(sentence) or _WORDS.lunar.search(sentence) or _WORDS.named.search(sentence, 0, start)
    if named and _WORDS.bare_day.fullmatch(sentence[start:end]):
        return True  # of the month of the occasion, or of the lunar day beside it, which may be another
    return date.lacks_year and _WORDS.other_year.search(sentence[max(0, start - _DOUBT_REACH) : start] + behind) is not None


def is_of_another(mention: str, earlier: str, month: int) -> bool:
    """Return whether a day may be of an occasion, or of another month than that, named before: 国庆去哪？ 14号出发。

    So may be what counts from another moment: 术后静养。 一周后复查。
    """
    if _WORDS.counted.fullmatch(mention):
        return _WORDS.after_another.search(earlier[-_REACH:]) is not None
    of_it = re.sub(f"(?<![\\d一二三四五六七八九十])(?:{month}|{_in_characters(month)})月", "", earlier)
    return _WORDS.bare_day.fullmatch(mention) is not None and _WORDS.named.search(of_it) is not None


def _in_characters(month: int) -> str:
    return "十" * (month > 9) + "一二三四五六七八九"[month % 10 - 1 : month % 10]


_DOUBT_REACH = 80  # characters
