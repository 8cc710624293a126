"""Holidays that people name instead of a date, and the day each falls on in a year."""

from collections.abc import Callable
from datetime import date, timedelta

from mneme.dates.spans import DaySpan


def easter(year: int) -> date:
    """Easter Sunday, by the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, 1991)."""
    century, in_century = divmod(year, 100)
    golden = year % 19
    leap_centuries, rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - correction + 15) % 30
    leaps, since_leap = divmod(in_century, 4)
    weekday = (32 + 2 * rest + 2 * leaps - epact - since_leap) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def _thanksgiving(year: int) -> date:
    """The fourth Thursday of November (United States)."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


# Days of the Chinese calendar, by year (Hong Kong Observatory): (month, day).
_SPRING_FESTIVAL = {
    2015: (2, 19), 2016: (2, 8), 2017: (1, 28), 2018: (2, 16), 2019: (2, 5), 2020: (1, 25), 2021: (2, 12), 2022: (2, 1),
    2023: (1, 22), 2024: (2, 10), 2025: (1, 29), 2026: (2, 17), 2027: (2, 6), 2028: (1, 26), 2029: (2, 13), 2030: (2, 3),
    2031: (1, 23), 2032: (2, 11), 2033: (1, 31), 2034: (2, 19), 2035: (2, 8),
}  # fmt: skip
_DRAGON_BOAT = {
    2019: (6, 7), 2020: (6, 25), 2021: (6, 14), 2022: (6, 3), 2023: (6, 22), 2024: (6, 10), 2025: (5, 31), 2026: (6, 19),
    2027: (6, 9), 2028: (5, 28), 2029: (6, 16), 2030: (6, 5),
}  # fmt: skip
_TOMB_SWEEPING = {
    2019: (4, 5), 2020: (4, 4), 2021: (4, 4), 2022: (4, 5), 2023: (4, 5), 2024: (4, 4), 2025: (4, 4), 2026: (4, 5),
    2027: (4, 5), 2028: (4, 4), 2029: (4, 4), 2030: (4, 5),
}  # fmt: skip
_MID_AUTUMN = {
    2019: (9, 13), 2020: (10, 1), 2021: (9, 21), 2022: (9, 10), 2023: (9, 29), 2024: (9, 17), 2025: (10, 6), 2026: (9, 25),
    2027: (9, 15), 2028: (10, 3), 2029: (9, 22), 2030: (9, 12),
}  # fmt: skip


def _on(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _after_easter(days: int) -> Callable[[int], date]:
    return lambda year: easter(year) + timedelta(days=days)


def _by_table(days: dict[int, tuple[int, int]], later: int = 0) -> Callable[[int], date]:
    def day(year: int) -> date:
        if year not in days:
            raise ValueError(f"the Chinese calendar of {year} is not in the table")
        return date(year, *days[year]) + timedelta(days=later)

    return day


ENGLISH: dict[str, Callable[[int], date]] = {
    "christmas eve": _on(12, 24), "christmas day": _on(12, 25), "christmas": _on(12, 25), "boxing day": _on(12, 26),
    "xmas eve": _on(12, 24), "xmas day": _on(12, 25), "xmas": _on(12, 25),
    "new year's eve": _on(12, 31), "new year's day": _on(1, 1), "new year's": _on(1, 1), "halloween": _on(10, 31),
    "valentine's day": _on(2, 14), "valentine's": _on(2, 14), "independence day": _on(7, 4), "st patrick's day": _on(3, 17),
    "thanksgiving": _thanksgiving, "black friday": lambda year: _thanksgiving(year) + timedelta(days=1),
    "good friday": _after_easter(-2), "easter sunday": easter, "easter monday": _after_easter(1), "easter": easter,
}  # fmt: skip
CHINESE: dict[str, Callable[[int], date]] = {
    "元旦": _on(1, 1), "情人节": _on(2, 14), "妇女节": _on(3, 8), "劳动节": _on(5, 1), "五一": _on(5, 1), "六一": _on(6, 1),
    "儿童节": _on(6, 1), "教师节": _on(9, 10), "国庆节": _on(10, 1), "国庆": _on(10, 1), "十一假期": _on(10, 1),
    "双十一": _on(11, 11), "平安夜": _on(12, 24), "圣诞节": _on(12, 25), "圣诞": _on(12, 25), "跨年夜": _on(12, 31),
    "除夕": _by_table(_SPRING_FESTIVAL, -1), "大年三十": _by_table(_SPRING_FESTIVAL, -1),
    "大年初一": _by_table(_SPRING_FESTIVAL), "春节": _by_table(_SPRING_FESTIVAL), "元宵节": _by_table(_SPRING_FESTIVAL, 14),
    "端午节": _by_table(_DRAGON_BOAT), "端午": _by_table(_DRAGON_BOAT), "中秋节": _by_table(_MID_AUTUMN),
    "中秋": _by_table(_MID_AUTUMN), "清明节": _by_table(_TOMB_SWEEPING), "清明": _by_table(_TOMB_SWEEPING),
}  # fmt: skip


def around(day: Callable[[int], date], year: int) -> list[DaySpan]:
    """The holiday in a year, in the one before and the one after, as far as it is known."""
    days = []
    for each in (year - 1, year, year + 1):
        try:
            days.append(DaySpan.of_day(day(each)))
        except ValueError:  # beyond a table or the calendar
            continue
    return days
