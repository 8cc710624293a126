from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.dates import DaySpan, resolve_dates
from mneme.dates.spans import month, year

WEDNESDAY = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)

ENGLISH = [
    ("I went yesterday", "2026-03-03", "2026-03-03"),
    ("we met last night", "2026-03-03", "2026-03-03"),
    ("the day before yesterday", "2026-03-02", "2026-03-02"),
    ("see you the day after tomorrow", "2026-03-06", "2026-03-06"),
    ("I saw her last week", "2026-02-23", "2026-03-01"),
    ("the week before last was hard", "2026-02-16", "2026-02-22"),
    ("next week", "2026-03-09", "2026-03-15"),
    ("this weekend", "2026-03-07", "2026-03-08"),
    ("two weekends ago", "2026-02-21", "2026-02-22"),
    ("last Friday", "2026-02-27", "2026-02-27"),
    ("last Wednesday", "2026-02-25", "2026-02-25"),
    ("next Friday", "2026-03-13", "2026-03-13"),
    ("this Friday", "2026-03-06", "2026-03-06"),
    ("I will come on Monday", "2026-03-09", "2026-03-09"),
    ("I came on Monday", "2026-03-02", "2026-03-02"),
    ("it is due by Friday", "2026-03-06", "2026-03-06"),
    ("She left. I'll call her on Friday", "2026-03-06", "2026-03-06"),
    ("three days ago", "2026-03-01", "2026-03-01"),
    ("a couple of weeks ago", "2026-02-16", "2026-02-22"),
    ("a few days ago", "2026-02-27", "2026-03-02"),
    ("two months ago", "2026-01-01", "2026-01-31"),
    ("five years ago", "2021-01-01", "2021-12-31"),
    ("half a year ago", "2025-09-01", "2025-09-30"),
    ("in two weeks", "2026-03-16", "2026-03-22"),
    ("in 10 days", "2026-03-14", "2026-03-14"),
    ("next month", "2026-04-01", "2026-04-30"),
    ("early next month", "2026-04-01", "2026-04-10"),
    ("last year", "2025-01-01", "2025-12-31"),
    ("last summer", "2025-06-01", "2025-08-31"),
    ("next December", "2026-12-01", "2026-12-31"),
    ("last Christmas", "2025-12-25", "2025-12-25"),
    ("the past two weeks", "2026-02-18", "2026-03-04"),
    ("on 3 June", "2026-06-03", "2026-06-03"),
    ("June 3rd, 2021", "2021-06-03", "2021-06-03"),
    ("3 March 2020", "2020-03-03", "2020-03-03"),
    ("May 3-7, 2025", "2025-05-03", "2025-05-07"),
    ("we moved in November", "2025-11-01", "2025-11-30"),
    ("we will move in November", "2026-11-01", "2026-11-30"),
    ("in August 2022", "2022-08-01", "2022-08-31"),
    ("late March 2024", "2024-03-21", "2024-03-31"),
    ("since 2019", "2019-01-01", "2019-12-31"),
    ("at 2026-02-28T10:00", "2026-02-28", "2026-02-28"),
    ("from 22 to 24 August", "2026-08-22", "2026-08-24"),
    ("Oslo, 5-12 June, it is decided", "2026-06-05", "2026-06-12"),
    ("from 31 March to 4 April", "2026-03-31", "2026-04-04"),
    ("May 3 to 7", "2026-05-03", "2026-05-07"),
    ("28 December to 3 January", "2025-12-28", "2026-01-03"),
    ("Thursday, 15 May", "2025-05-15", "2025-05-15"),
    ("first of May", "2026-05-01", "2026-05-01"),
    ("the first week of June", "2026-06-01", "2026-06-07"),
    ("the last weekend in May 2025", "2025-05-31", "2025-06-01"),
    ("the beginning of May", "2026-05-01", "2026-05-07"),
    ("early June would suit", "2026-06-01", "2026-06-10"),
    ("Friday the 13th", "2026-03-13", "2026-03-13"),
    ("I think Saturday the 18th suits", "2026-04-18", "2026-04-18"),
    ("it rained on Tuesday the 3rd", "2026-03-03", "2026-03-03"),
    ("the 14th is a Thursday", "2026-05-14", "2026-05-14"),
    ("on Friday night", "2026-03-06", "2026-03-06"),
    ("on 5/6/2023", "2023-05-06", "2023-05-06"),
    ("on 25/6/2023", "2023-06-25", "2023-06-25"),
    ("on 25.6.2023", "2023-06-25", "2023-06-25"),
    ("I met her two Saturdays ago", "2026-02-21", "2026-02-21"),
    ("it is on the 17th", "2026-03-17", "2026-03-17"),
    ("it was on the 17th", "2026-02-17", "2026-02-17"),
    ("from the 3rd to the 7th I will be away", "2026-03-03", "2026-03-07"),
    ("on the 5th of next month", "2026-04-05", "2026-04-05"),
    ("the second Saturday of May", "2026-05-09", "2026-05-09"),
    ("I'll be there Thursday through Sunday", "2026-03-05", "2026-03-08"),
    ("we were there from Friday to Sunday", "2026-02-27", "2026-03-01"),
    ("a week from Saturday", "2026-03-14", "2026-03-14"),
    ("a week on Monday", "2026-03-16", "2026-03-16"),
    ("two days before Christmas", "2026-12-23", "2026-12-23"),
    ("the day after 3 June", "2026-06-04", "2026-06-04"),
    ("the Saturday after next", "2026-03-14", "2026-03-14"),
    ("on Friday next week", "2026-03-13", "2026-03-13"),
    ("last week on Tuesday", "2026-02-24", "2026-02-24"),
    ("we painted it on the weekend", "2026-02-28", "2026-03-01"),
    ("in the 90s", "1990-01-01", "1999-12-31"),
    ("in the week of 6 July 2026", "2026-07-06", "2026-07-12"),
    ("we are going the weekend of the 7th", "2026-03-07", "2026-03-08"),
    ("I have driven since the summer", "2025-06-01", "2025-08-31"),
    ("I booked a trip for October", "2026-10-01", "2026-10-31"),
    ("I signed up for a race on 14 June", "2026-06-14", "2026-06-14"),
    ("a dry January next year", "2027-01-01", "2027-01-31"),
    ("it will be finished by early autumn", "2026-09-01", "2026-09-30"),
    ("born early 80s", "1980-01-01", "1983-05-01"),
    ("From Thursday to Saturday, three groups", "2026-03-05", "2026-03-07"),
    ("the spring of 2021", "2021-03-01", "2021-05-31"),
    ("we launch in Q3", "2026-07-01", "2026-09-30"),
    ("Q1 2027", "2027-01-01", "2027-03-31"),
    ("I proposed on New Year’s Eve", "2025-12-31", "2025-12-31"),
    ("we will meet at Easter", "2026-04-05", "2026-04-05"),
    ("Thanksgiving was loud", "2025-11-27", "2025-11-27"),
    ("by the end of the month", "2026-03-25", "2026-03-31"),
    ("late next month", "2026-04-21", "2026-04-30"),
    ("at the end of next year", "2027-12-02", "2027-12-31"),
    ("two weeks from now", "2026-03-18", "2026-03-18"),
    ("we met this week", "2026-03-02", "2026-03-04"),
    ("we will meet this week", "2026-03-04", "2026-03-08"),
    ("in 2-3 weeks", "2026-03-16", "2026-03-29"),
    ("within ten days", "2026-03-04", "2026-03-14"),
    ("between 23 February and 1 March 2026", "2026-02-23", "2026-03-01"),
    ("between the 3rd and the 7th of May", "2026-05-03", "2026-05-07"),
    ("it will be between Monday and Wednesday", "2026-03-09", "2026-03-11"),
    ("a fortnight ago", "2026-02-16", "2026-02-22"),
    ("in half a year", "2026-09-01", "2026-09-30"),
    ("two years ago today", "2024-03-04", "2024-03-04"),
]
CHINESE = [
    ("我昨天去了", "2026-03-03", "2026-03-03"),
    ("大前天", "2026-03-01", "2026-03-01"),
    ("后天见", "2026-03-06", "2026-03-06"),
    ("下周五开会", "2026-03-13", "2026-03-13"),
    ("上周五", "2026-02-27", "2026-02-27"),
    ("上周日", "2026-03-01", "2026-03-01"),
    ("下周", "2026-03-09", "2026-03-15"),
    ("上周末", "2026-02-28", "2026-03-01"),
    ("周五见", "2026-03-06", "2026-03-06"),
    ("周一要交", "2026-03-09", "2026-03-09"),
    ("周一交了", "2026-03-02", "2026-03-02"),
    ("三天后", "2026-03-07", "2026-03-07"),
    ("十二天前", "2026-02-20", "2026-02-20"),
    ("两个月前", "2026-01-01", "2026-01-31"),
    ("上个月15号", "2026-02-15", "2026-02-15"),
    ("下个月底", "2026-04-24", "2026-04-30"),
    ("去年五月", "2025-05-01", "2025-05-31"),
    ("2022年3月8日", "2022-03-08", "2022-03-08"),
    ("三月八号", "2026-03-08", "2026-03-08"),
    ("四月三号到五号", "2026-04-03", "2026-04-05"),
    ("四月底", "2026-04-24", "2026-04-30"),
    ("明年", "2027-01-01", "2027-12-31"),
    ("大前年", "2023-01-01", "2023-12-31"),
    ("月底之前交", "2026-03-25", "2026-03-31"),
    ("明年二月下旬", "2027-02-21", "2027-02-28"),
    ("下个月上旬", "2026-04-01", "2026-04-10"),
    ("去年下半年", "2025-07-01", "2025-12-31"),
    ("下周三到下周五请假", "2026-03-11", "2026-03-13"),
    ("这周五到下周一出差", "2026-03-06", "2026-03-09"),
    ("年底见", "2026-12-01", "2026-12-31"),
    ("15号交房租", "2026-03-15", "2026-03-15"),
    ("二十号回来了", "2026-02-20", "2026-02-20"),
    ("十号到十五号我在北京", "2026-03-10", "2026-03-15"),
    ("去年夏天", "2025-06-01", "2025-08-31"),
    ("2023年5月29日至6月4日", "2023-05-29", "2023-06-04"),
    ("半年前", "2025-09-01", "2025-09-30"),
    ("一年半后", "2027-09-01", "2027-09-30"),
    ("两三天前", "2026-03-01", "2026-03-02"),
    ("三天内", "2026-03-04", "2026-03-07"),
    ("周日我跑了十公里", "2026-03-01", "2026-03-01"),
    ("周末我去爬山了", "2026-02-28", "2026-03-01"),
    ("周末去爬山", "2026-03-07", "2026-03-08"),
    ("周五到周日我要去杭州", "2026-03-06", "2026-03-08"),
    ("下周一到周三", "2026-03-09", "2026-03-11"),
    ("我三月份去日本了", "2026-03-01", "2026-03-31"),
    ("十月结婚的", "2025-10-01", "2025-10-31"),
    ("九十年代", "1990-01-01", "1999-12-31"),
    ("第三季度上线", "2026-07-01", "2026-09-30"),
    ("国庆节去青海", "2026-10-01", "2026-10-01"),
    ("今年春节", "2026-02-17", "2026-02-17"),
    ("去年中秋", "2025-10-06", "2025-10-06"),
    ("除夕回家了", "2026-02-16", "2026-02-16"),
    ("7 月中旬给方案", "2026-07-11", "2026-07-20"),
    ("四月下旬", "2026-04-21", "2026-04-30"),
    ("周三到周五，三个小组", "2026-03-04", "2026-03-06"),
    ("我17号做体检", "2026-03-17", "2026-03-17"),
    ("体检改到24号了", "2026-03-24", "2026-03-24"),
    ("我订了六月去日本的旅行", "2026-06-01", "2026-06-30"),
    ("周三有例会", "2026-03-11", "2026-03-11"),
    ("我们结婚了，婚礼在情人节那天", "2026-02-14", "2026-02-14"),
    ("再过三天满三十岁", "2026-03-07", "2026-03-07"),
    ("明儿见", "2026-03-05", "2026-03-05"),
]


@pytest.mark.parametrize(("text", "first", "last"), ENGLISH + CHINESE)
def test_a_date_is_the_days_that_were_meant(text, first, last):
    [mention] = resolve_dates(text, WEDNESDAY, UTC)
    assert (mention.span.first, mention.span.last) == (date.fromisoformat(first), date.fromisoformat(last))
    assert mention.since.date() == mention.span.first
    assert mention.until.date() == mention.span.last + timedelta(days=1)


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "the other day",
        "soon",
        "a good day",
        "31 June",
        "they march on",
        "in 3 of 10",
        "on a Wednesday",
        "every Friday",
        "that Tuesday",
        "on Monday mornings",
        "your last week",
        "the last week of school",
        "it wasn't built in a day",
        "on the 17th floor",
        "in room 2019",
        "1950 of 2000 tickets",
        "I work Monday to Friday",
        "we always eat carp on Christmas Eve",
        "in my 30s",
        "a 90s kid",
        "we usually go in the summer",
        "eighties music",
        "in the 1900s",
        "version 2.10.3",
        "我们的天",
        "一天一次",
        "几月几号",
        "我住12号楼",
        "坐10号线",
        "周一到周五上班",
        "每逢周三",
        "十几天前",
        "三个月大",
        "腊月初八",
        "正月初三",
        "三月初八",
        "闰六月初五",
        "冬月初一",
        "去年腊月二十八",
        "2024年三月初八",
        "农历三月",
        "八月十五赏月",
        "大年初三",
        "年初五",
        "初三",
        "我妹今年初三",
    ],
)
def test_what_is_no_date_is_left_out(text):
    assert resolve_dates(text, WEDNESDAY, UTC) == []


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("We went camping in August.", "2025-08"),
        ("In August, we went camping.", "2025-08"),
        ("We moved to Oslo in August.", "2025-08"),
        ("It rained, but in August we go.", "2026-08"),
        ("We postponed the rest, the pilot is still in August.", "2026-08"),
        ("She printed a case and wants to show it in August.", "2026-08"),
        ("Launch in August, noted.", "2026-08"),
        ("August 2026: it is decided. We launch in August.", "2026-08"),
        ("There is something nobody noticed: Bo turns 40 in August.", "2026-08"),
        ("The fair in August still works.", "2026-08"),
        ("I need the costs of February by service, compared with the plan.", "2026-02"),
    ],
)
def test_a_month_without_a_year_is_the_nearest_on_the_side_of_its_own_clause(text, month):
    assert resolve_dates(text, WEDNESDAY, UTC)[-1].since.strftime("%Y-%m") == month


@pytest.mark.parametrize(
    ("text", "lacks_year"),
    [
        ("14 May", True),
        ("the 14th of May", True),
        ("May 14", True),
        ("May 14th", True),
        ("in April", True),
        ("22 to 24 August", True),
        ("28 December to 3 January", True),
        ("14 May 2024", False),
        ("yesterday", False),
        ("Friday the 13th", False),
        ("三月八号", True),
    ],
)
def test_a_date_says_that_only_its_year_is_missing(text, lacks_year):
    assert resolve_dates(text, WEDNESDAY, UTC)[0].lacks_year is lacks_year


def test_yesterday_is_the_speakers_yesterday():
    late = datetime(2026, 3, 4, 23, 0, tzinfo=UTC)
    [mention] = resolve_dates("yesterday", late, ZoneInfo("Asia/Shanghai"))
    assert mention.span.first == date(2026, 3, 4)
    assert mention.since == datetime(2026, 3, 3, 16, 0, tzinfo=UTC)


def test_a_day_is_as_long_as_the_clocks_say():
    [mention] = resolve_dates("last Sunday", datetime(2026, 3, 31, 12, tzinfo=UTC), ZoneInfo("Europe/Paris"))
    assert mention.until - mention.since == timedelta(hours=23)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("yesterday", "3 March 2026"),
        ("last week", "23 February to 1 March 2026"),
        ("next month", "April 2026"),
        ("last year", "2025"),
        ("昨天", "2026年3月3日"),
        ("上周", "2026年2月23日至3月1日"),
    ],
)
def test_a_date_is_written_in_its_language(text, written):
    assert resolve_dates(text, WEDNESDAY, UTC)[0].written == written


def test_only_what_depends_on_the_day_is_relative():
    relative = [mention.relative for mention in resolve_dates("yesterday, on 3 June, on 3 June 2020", WEDNESDAY, UTC)]
    assert relative == [True, True, False]


@given(st.dates(date(1950, 1, 1), date(2080, 1, 1)), st.integers(0, 500))
def test_what_is_written_in_full_is_read_back(first, length):
    spans = [DaySpan.between(first, first + timedelta(days=length)), month(first), year(first.year)]
    for span in spans:
        for written in (span.in_english(), span.in_chinese()):
            mentions = resolve_dates(f"in {written}", WEDNESDAY, UTC)
            assert [(mention.span.first, mention.span.last) for mention in mentions] == [(span.first, span.last)]


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_no_text_and_no_time_makes_it_fail(text, said_at):
    resolve_dates(text, said_at, UTC)


_WORDS = st.sampled_from(
    "last next this Friday week 3 99 999 days years ago in May 31 June 2023 yesterday 上周 五 三 天 后 年 月 日".split()
)


@given(st.lists(_WORDS, max_size=12).map(" ".join), st.datetimes(timezones=st.just(UTC)))
def test_mentions_are_in_order_apart_and_from_the_text(text, said_at):
    mentions = resolve_dates(text, said_at, UTC)
    at = 0
    for mention in mentions:
        assert at <= mention.start_index < mention.end_index
        assert text[mention.start_index : mention.end_index] == mention.text
        assert mention.since < mention.until
        at = mention.end_index


def test_the_day_until_which_something_can_be_done_lies_ahead_whatever_was_done_before() -> None:
    said_at = datetime(2025, 4, 18, 18, 36, tzinfo=UTC)
    [mention] = resolve_dates("订好了，两间房，可以免费取消到四月二十八号。", said_at, ZoneInfo("Asia/Shanghai"))
    assert mention.since.astimezone(ZoneInfo("Asia/Shanghai")).date() == date(2025, 4, 28)
