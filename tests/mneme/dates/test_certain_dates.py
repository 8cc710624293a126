"""A date is written down only where the words can mean no other; in doubt none is."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.dates import DateMention, certain_dates

WEDNESDAY = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
NOVEMBER = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


def written(mentions: tuple[DateMention, ...]) -> str:
    return " ".join(
        f"{each.span.first}" if each.span.days == 1 else f"{each.span.first}..{each.span.last}" for each in mentions
    )


def on(day: int) -> datetime:
    """A day of the week of 4 March 2026: 0 is Monday."""
    return WEDNESDAY + timedelta(days=day - 2)


AHEAD_OR_BEHIND = [
    ("We are getting married on 10 October!", "2026-10-10"),
    ("We got married on 10 October.", "2025-10-10"),
    ("Our wedding is on 10 October.", "2026-10-10"),
    ("In May we flew to Rome.", "2025-05-01..2025-05-31"),
    ("We're flying to Rome in May.", "2026-05-01..2026-05-31"),
    ("I'll see you on Monday.", "2026-03-09"),
    ("omg we went to the beach on saturday and it was soooo cold", "2026-02-28"),
    ("gonna see her on saturday", "2026-03-07"),
    ("Sunday morning I slept in.", "2026-03-01"),
    ("The exam is on Monday.", "2026-03-09"),
    ("The exam was on Monday.", "2026-03-02"),
    ("My flight leaves on 12 April at 7.", "2026-04-12"),
    ("The film comes out in September.", "2026-09-01..2026-09-30"),
    ("The paper is due on March 20.", "2026-03-20"),
    ("By 2030 I want to own a house.", "2030-01-01..2030-12-31"),
    ("Bob retired in early June.", "2025-06-01..2025-06-10"),
    ("sprained my wrist in october", "2025-10-01..2025-10-31"),
    ("In mid-February it snowed.", "2026-02-10..2026-02-18"),
    ("I moved out of Carla's place on the 1st of February.", "2026-02-01"),
    ("I went vegan on the 2nd.", "2026-03-02"),
    ("We got engaged on Christmas Eve.", "2025-12-24"),
    ("We got engaged on xmas eve.", "2025-12-24"),
    ("Over the summer I moved to Kiel.", "2025-06-01..2025-08-31"),
    ("Mum's visiting from Friday to Sunday.", "2026-03-06..2026-03-08"),
    ("Will you be in Rome in May?", "2026-05-01..2026-05-31"),
    ("May is coming on Friday.", "2026-03-06"),
    ("On Friday Will came home.", "2026-02-27"),
    ("I moved to Turku in May last year.", "2025-05-01..2025-05-31"),
    ("I'm still recovering from the surgery on Monday.", ""),
    ("The outage on 2 March lasted 40 minutes.", "2026-03-02"),
    ("June and I are flying to Oslo on 3 June.", "2026-06-03"),
    ("We're coming on the 20th of March, that's Friday, for a week.", "2026-03-20"),
    ("The party's on, that's Friday.", ""),
    ("We're coming Friday 20th.", "2026-03-20"),
    ("We're coming Friday.", "2026-03-06"),
    ("I'm at court this coming Friday.", "2026-03-06"),
    ("We fly out on the 20th of March and come home on Tuesday.", "2026-03-20"),
    ("We fly out on the 6th of March and come home on Tuesday.", "2026-03-06 2026-03-10"),
    ("He will sack you in one day.", ""),
    ("He will be here in two days.", "2026-03-06"),
    ("I got it on hold til Friday.", ""),
    ("He'll be nine next month, 19th.", "2026-04-19"),
    ("They leave next month.", "2026-04-01..2026-04-30"),
    ("It's due a month from today.", ""),
    ("It's due a week from today.", "2026-03-11"),
]


ITS_WEEKDAY_OR_HOUR_TELLS = [
    ("14 March, Saturday. I do 34.", "2026-03-14"),
    ("14th of march, its a saturday", "2026-03-14"),
    ("exam is 8th apr", "2026-04-08"),
    ("she's turning 90 on oct 11, we're doing it at home", "2026-10-11"),
    ("So she starts on Tuesday, 10", "2026-03-10"),
    ("They start on 9th", "2026-03-09"),
    ("We met on 5th Avenue.", ""),
    ("The tasting is on Saturday week.", "2026-03-14"),
    ("dentist friday 8am", "2026-03-06"),
    ("physio on friday at 9.15", "2026-03-06"),
    ("I was there friday 8am", "2026-02-27"),
    ("I work friday 8am to noon", ""),
    ("the other 5 may come", ""),
    ("I come back to Nagpur on Tuesday night", "2026-03-10"),
    ("See you on Monday.", "2026-03-09"),
    ("Lovely to see you on Monday.", ""),
    ("interview on Friday at 2", "2026-03-06"),
    ("I play golf on Friday at 7 Oak Lane", ""),
    ("dentist on the 14th at half 3", "2026-03-14"),
    ("A hearing in Leeds on the 12th", "2026-03-12"),
    ("The surgery on Monday was short.", "2026-03-02"),
    ("Great interview on Monday!", ""),
    ("the sofa comes friday", "2026-03-06"),
    ("My hours change and the course starts Monday.", "2026-03-09"),
    ("ill ring the vet monday morning", "2026-03-09"),
    ("she's ill friday", ""),
    ("We can drive over on the 21st.", "2026-03-21"),
    ("I was at the pool Friday arvo.", "2026-02-27"),
    ("I'll pop in on Friday after work.", "2026-03-06"),
    ("I'll pop in on the Friday after the exam.", ""),
    ("It arrives 8:15 on the 25th.", "2026-03-25"),
    ("Friday I'm at court all day", "2026-03-06"),
    ("physio fri 3pm", "2026-03-06"),
    ("we were out sat night", "2026-02-28"),
    ("he sat at 10", ""),
    ("flight's at 6.40 on Saturday", "2026-03-07"),
    ("he comes Thursday between 8 and 12", "2026-03-05"),
    ("You should call the line on TTY :800-829 monday through friday", ""),
    ("It is open from Monday through Friday, 8 a.m. to 8 p.m.", ""),
]
THE_VERB_BEFORE_IT_TELLS = [
    ("Started the 2nd, still lost.", "2026-03-02"),
    ("finished the 28th", "2026-02-28"),
    ("jury duty starting the 11th", "2026-03-11"),
    ("her cast comes off the 9th", "2026-03-09"),
    ("his op's the 29th", "2026-03-29"),
    ("It's the 29th.", ""),
    ("We left the 3rd floor.", ""),
    ("He came out the 2nd time.", ""),
    ("leaving march 28 from Oslo", "2026-03-28"),
]


@pytest.mark.parametrize(("sentence", "dates"), AHEAD_OR_BEHIND + ITS_WEEKDAY_OR_HOUR_TELLS + THE_VERB_BEFORE_IT_TELLS)
def test_the_tense_of_its_clause_tells_which_year_or_week_a_date_is_of(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


@pytest.mark.parametrize(
    "sentence",
    [
        "10 October would suit us.",
        "See chapter March 3.",
        "Rome in May is lovely.",
        "I go to Rome in May.",
        "I had planned to travel in May.",
        "Ann planned to move in September.",
        "The baby was due on 9 September.",
        "I was able to get you a table for three on Sunday at ten.",
        "I wanted a train on Friday.",
        "We booked a cottage in August.",
        "A meeting on Monday the 1st has been scheduled with the sales team.",
        "The report from Friday was late.",
        "The store opened on 2 May.",  # ten months ago, and in two: one would say which
    ],
)
def test_without_a_tense_or_with_two_a_date_stays_as_said(sentence: str) -> None:
    assert certain_dates(sentence, WEDNESDAY, UTC, "en") == ()


@pytest.mark.parametrize(
    ("sentence", "day", "dates"),
    [
        ("Last Friday I fell off my bike.", 5, ""),  # yesterday, or a week before
        ("Last Friday I fell off my bike.", 2, "2026-02-27"),
        ("Last Monday I fell off my bike.", 3, ""),  # three days ago, or of the week before
        ("Next Friday we have a party.", 3, ""),
        ("Next Friday we have a party.", 4, "2026-03-13"),
        ("Next Friday we have a party.", 6, "2026-03-13"),
        ("This Friday we have a party.", 2, "2026-03-06"),
        ("I met her this Monday.", 2, "2026-03-02"),
        ("I met her on Wednesday.", 2, ""),
        ("This coming Sunday we bake.", 2, "2026-03-08"),
        ("This past Sunday we baked.", 2, "2026-03-01"),
        ("Last week I was ill.", 2, "2026-02-23..2026-03-01"),
        ("The first one was this week.", 2, "2026-03-02..2026-03-04"),
        ("This week I'm going to paint.", 2, "2026-03-04..2026-03-08"),
        ("Last week I was ill.", 6, ""),  # which day a week begins with is not the same everywhere
        ("Last weekend we went skiing.", 2, "2026-02-28..2026-03-01"),
        ("We're going skiing this weekend.", 2, "2026-03-07..2026-03-08"),
        ("We're going skiing next weekend.", 2, ""),
        ("This weekend was great.", 7, "2026-03-07..2026-03-08"),
        ("In the last week I slept badly.", 2, ""),
        ("On Friday next week I fly home.", 2, "2026-03-13"),
        ("A week from Saturday we have a party.", 2, "2026-03-14"),
        ("The plumber comes a week on Monday.", 2, "2026-03-16"),
        ("The plumber comes a week on Wednesday.", 2, ""),
    ],
)
def test_last_this_and_next_are_certain_where_no_other_day_can_be_meant(sentence: str, day: int, dates: str) -> None:
    assert written(certain_dates(sentence, on(day), UTC, "en")) == dates


@pytest.mark.parametrize(
    ("sentence", "said_at", "dates"),
    [
        ("Last summer we saw Norway.", WEDNESDAY, "2025-06-01..2025-08-31"),
        ("Last summer we saw Norway.", NOVEMBER, ""),
        ("Next summer we will see Norway.", WEDNESDAY, ""),
        ("Next summer we will see Norway.", NOVEMBER, "2027-06-01..2027-08-31"),
        ("He died last May.", WEDNESDAY, "2025-05-01..2025-05-31"),
        ("He died last May.", NOVEMBER, ""),
    ],
)
def test_last_and_next_summer_are_certain_from_another_year_only(sentence: str, said_at: datetime, dates: str) -> None:
    assert written(certain_dates(sentence, said_at, UTC, "en")) == dates


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("They arrived three days ago.", "2026-03-01"),
        ("They arrived two weeks ago.", "2026-02-16..2026-02-22"),
        ("Three years ago I lived in Rome.", "2023-01-01..2023-12-31"),
        ("I'll be back in three days.", "2026-03-07"),
        ("The second round is two weeks from now.", "2026-03-18"),
        ("A few days ago I met Tom.", ""),
        ("They arrived a couple of weeks ago.", ""),
        ("They arrived about two weeks ago.", ""),
        ("Ten years ago I lived in Rome.", ""),
        ("I recently met Tom, the other day.", ""),
        ("We finished it in three days.", ""),
        ("You can learn it in three days.", ""),
        ("You have up to 3 goes in a year.", ""),
        ("I've been here for the last two weeks.", ""),
    ],
)
def test_so_long_ago_is_certain_where_the_number_is_meant(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


@pytest.mark.parametrize(
    "sentence",
    [
        "If I had gone in May, I would have met him.",
        "If it rains on Friday we stay in.",
        "I wish we had met in January.",
        "Maybe we'll go on Friday.",
        "We were going to fly on Sunday.",
        "I didn't go on Friday.",
        "I can't make it on Friday.",
        "The trip on 3 May is cancelled.",
        "She said she'd come on Friday.",
        "According to the tracker it arrives Friday.",
        '"I\'ll be there on Friday," she promised.',
        'We watched "Last Christmas" with Ann.',
        "We'll meet on Friday or Saturday.",
        "today_is = date.today()",
        "13 weeks tomorrow, and I can feel it.",
        "It's on the 5th in 2027.",
        "The second weekend of April then, if I'm still employed.",
        "Fingers crossed it's on Friday.",
        "I doubt it will be on Thursday.",
        "I bet it's on Friday.",
        "No way it comes on Friday.",
        "The exam is on 20 March, or so they say.",
        "Easter is on the 5th.",
        "Mother's Day is on the 15th.",
    ],
)
def test_what_did_not_or_may_not_happen_or_is_quoted_has_no_date(sentence: str) -> None:
    assert certain_dates(sentence, WEDNESDAY, UTC, "en") == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "My birthday is on 3 May.",
        "Mum was born on 3 May.",
        "Our anniversary is on 14 June.",
        "I always went to Rome in May.",
        "I used to swim every Friday.",
        "The museum is closed on Mondays.",
        "The course runs Monday to Friday.",
        "I have lived here since 2019.",
        "I haven't slept since Sunday.",
        "I quit after Christmas.",
        "The paper is due before 20 March.",
        "I worked there until May.",
        "She is better than last week.",
        "It's your last week at work.",
        "It'll be six years in February.",
        "He's in the shop class, senior this year.",
        "Getting it whipped out on the 26th.",
        "That Friday we left.",
        "In the 90s I lived in Bonn.",
        "Sales rose in Q3 2025.",
    ],
)
def test_what_comes_back_begins_or_ends_then_has_no_date(sentence: str) -> None:
    assert certain_dates(sentence, WEDNESDAY, UTC, "en") == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "He is 3/4 done with version 2.10.3.",
        "It happened on 5/6/2023.",
        "I paid 1984 euros for it.",
        "We just read 1984.",
        "I may go, and Will may come.",
        "I bought it for April.",
        "He was 40 in his 30s.",
        "We met at 10:30.",
        "Saturday Night Live was good.",
        "The Day After Tomorrow is a good film.",
    ],
)
def test_names_numbers_and_times_are_no_dates(sentence: str) -> None:
    assert certain_dates(sentence, WEDNESDAY, UTC, "en") == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "We went there on the Saturday when the film came out.",
        "We will meet on the first Sunday after the conference.",
        "We learned that in Sunday School.",
        "We went to Taco Tuesday with Ann.",
        "Finally, it's Sunday.",
        "Over the summer it is hot.",
        "They won like there was no tomorrow.",
        "In the world today nobody waits.",
        "I quit smoking, so it's three weeks today.",
    ],
)
def test_a_weekday_or_season_that_needs_a_description_is_no_certain_one(sentence: str) -> None:
    assert certain_dates(sentence, WEDNESDAY, UTC, "en") == ()


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("I rented it to read again this summer.", ""),  # the last one or the next?
        ("I went to Wales this winter.", "2025-12-01..2026-02-28"),
        ("She is going to start school this fall.", "2026-09-01..2026-11-30"),
        ("I gotta call my mother on Saturday.", "2026-03-07"),
        ("I've been studying for my exam on Friday.", ""),
        ("I had two exams scheduled for Monday.", ""),
    ],
)
def test_what_is_no_past_is_not_read_as_one(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("The call was moved from Thursday to Friday.", "2026-03-06"),
        ("The review moved from 18 February to 4 April.", "2026-04-04"),
        ("The recital has been moved to Thursday, 19 March.", "2026-03-19"),
        ("Dinner is on the 14th, not on the 21st.", "2026-03-14"),
    ],
)
def test_of_a_change_the_new_date_is_written(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


CHINESE = [
    ("我昨天去看了电影。", "2026-03-03"),
    ("我们打算十月十号结婚。", "2026-10-10"),
    ("我们去年十月结婚的。", "2025-10-01..2025-10-31"),
    ("我下周五要去上海出差。", "2026-03-13"),
    ("周一我交了报告。", "2026-03-02"),
    ("周五要交报告。", "2026-03-06"),
    ("会议从周四改到周五了。", "2026-03-06"),
    ("三天前我遇到了小王。", "2026-03-01"),
    ("今年春节我回家了。", "2026-02-17"),
    ("周末爬山去了。", "2026-02-28..2026-03-01"),
    ("2026-03-12交房租。", "2026-03-12"),
    ("周五见。", "2026-03-06"),
    ("我们十月十号结婚！", ""),
    ("周三到周五，三个小组，八成为过线。", ""),
    ("为了周五的考试我在复习。", ""),
    ("我每周三游泳。", ""),
    ("要是周五下雨就不去了。", ""),
    ("我周五没去。", ""),
    ("她说周五来。", ""),
    ("可能周五去。", ""),
    ("几天前我遇到了小王。", ""),
    ("大概两个月前搬的家。", ""),
    ("十年前我在北京。", ""),
    ("自从三月以来我一直失眠。", ""),
    ("我生日是五月三号。", ""),
    ("16号是我生日，别忘了。", ""),
    ("春节放假，4号就回去了。", ""),
    ("比上周好多了。", ""),
    ("原定周五的聚会取消了。", ""),
    ("不是周五，是周六。", ""),
    ("民国二十五年腊月初八她到了上海。", ""),
    ("去年腊月她嫁过来的。", ""),
    ("我三月初八结的婚，已经两年了。", ""),
    ("月初我要交房租。", "2026-03-01..2026-03-07"),
    ("月底我们要搬家。", "2026-03-25..2026-03-31"),
    ("明年三月中我要去日本。", "2027-03-12..2027-03-18"),
    ("月中国队赢了。", ""),
    ("去年中国队赢了。", "2025-01-01..2025-12-31"),
    ("去年年初我换了工作。", "2025-01-01..2025-02-28"),
    ("去年底我换了工作。", "2025-12-01..2025-12-31"),
    ("三天后我要去北京。", "2026-03-07"),
    ("我爸三天后回来。", "2026-03-07"),
    ("一周后我们要开会。", "2026-03-09..2026-03-13"),
    ("我两周后要去日本。", "2026-03-15..2026-03-21"),
    ("我两周前去了日本。", "2026-02-15..2026-02-21"),
    ("4月6号搬", "2026-04-06"),
    ("补考在3月20号。", "2026-03-20"),
    ("机票买了，12月21号飞。", ""),
    ("我2月8号出院", ""),
    ("端午我回青岛，2号下午走", ""),
    ("进八强了，28号打半决赛", ""),
    ("只在礼拜日喝酒。", ""),
    ("婚礼明年再说。", ""),
    ("他预产期五月。", "2026-05-01..2026-05-31"),
    ("我的快递预产期是四月。", ""),
    ("一年后我要再来。", "2027-01-01..2027-05-31"),
    ("6月9號要去臺北。", "2026-06-09"),
    ("我們上禮拜五去看了電影。", "2026-02-27"),
    ("一个月后我要去日本。", ""),
    ("我三个月前搬了家。", ""),
    ("术后注意休息，一周后、两周后各复查一次。", ""),
    ("出院两周后复查。", ""),
    ("毕业三年后我结婚了。", ""),
    ("婚后两年他走了。", ""),
    ("收到货以后，三天后要付款。", ""),
    ("三天后他回来了。", ""),
    ("出发三天前我丢了护照。", ""),
    ("公司两年前上市了。", "2024-01-01..2024-12-31"),
    ("婆婆今年七十二了。", ""),
    ("今天几号你当我傻。", ""),
    ("医院约的是18号上午。", "2026-03-18"),
    ("我4月3号上午第二个", "2026-04-03"),
    ("四月中走", "2026-04-12..2026-04-18"),
    ("让我五月份去看看", "2026-05-01..2026-05-31"),
    ("4月3号办的婚礼", ""),
    ("4月3号那天真冷", ""),
    ("我17号去杭州报到", "2026-03-17"),
    ("我17号来的", ""),
    ("证是2号办的", "2026-03-02"),
    ("我2号做的手术", "2026-03-02"),
    ("5号你们去哪玩", ""),
    ("15号我妈做手术", "2026-03-15"),
    ("15号我妈没做手术", ""),
    ("月底交房租", "2026-03-25..2026-03-31"),
    ("每月月底交房租", ""),
    ("奶奶28号在县医院看的", "2026-02-28"),
    ("我18号会去办的", "2026-03-18"),
    ("18号上午十点，三号厅", "2026-03-18"),
    ("18号上午十点地震了", "2026-02-18"),
    ("14号下午三点约了签约", "2026-03-14"),
    ("28号好了", ""),
    ("3月底交屋", "2026-03-25..2026-03-31"),
    ("复查16号，我陪", "2026-03-16"),
    ("4/3到4/6要回乡下", "2026-04-03..2026-04-06"),
    ("租约4/30到期", "2026-04-30"),
    ("3/17 下午四点渡轮站见", "2026-03-17"),
    ("喝了1/2就醉了", ""),
    ("大约1/3，不多", ""),
    ("比分是5/10，输了", ""),
    ("12号星期四早上拍照", "2026-03-12"),
    ("四月九號（禮拜四）", "2026-04-09"),
    ("我们周六14号聚餐", "2026-03-14"),
    ("12号星期五早上拍照", ""),
    ("3月12日，星期五，扫墓", ""),
    ("8号去医院检查", "2026-03-08"),
    ("手术定在8号", "2026-03-08"),
    ("手术定在5号", ""),  # tomorrow, which one would say
    ("今天4号，明天5号去医院检查", "2026-03-04 2026-03-05"),
    ("那边8号刚好初一，要上香", ""),
    ("除夕是8号，别忘了", ""),
    ("我8号要送他去上学", "2026-03-08"),
    ("三月到现在一直在吃药", ""),
    ("退休以后天天钓鱼", ""),
    ("去年今天我们刚认识", ""),
    ("下个月今天就要考完了", ""),
    ("我3月2号入的职，快一年了", "2026-03-02"),
    ("我5月入的职，快一年了", "2025-05-01..2025-05-31"),
    ("快放假了，我5月去看他", "2026-05-01..2026-05-31"),
    ("周一改周五了", "2026-03-06"),
    ("我后天要去钓鱼", "2026-03-06"),
    ("我们要去听五月天演唱会", ""),
    ("我要五月份去听演唱会", "2026-05-01..2026-05-31"),
    ("我年初就戒烟了", ""),
    ("周五就放假了", ""),
    ("我周五就要放假了", "2026-03-06"),
    ("我还以为你5月1号走呢", ""),
    ("估计5月1号到", ""),
    ("明天的会改到后天上午十点", "2026-03-06"),
    ("我2024年4月到现在没换过工作", ""),
    ("我们七月跟老曾要去成都", "2026-07-01..2026-07-31"),
    ("我曾在七月去过成都", "2025-07-01..2025-07-31"),
    ("我8号刚好要去医院", "2026-03-08"),
    ("28号去医院检查", "2026-03-28"),
    ("15号到现在一直发烧", ""),
    ("周三15号楼集合", ""),
    ("6月去海边最好", ""),
    ("我清明要回家", "2026-04-05"),
    ("清明过后要卖房", ""),
    ("住院到周五，人都麻了", ""),
    ("跟你说个事 我爸住院了 昨天晚上的事", "2026-03-03"),
    ("我听小王说五月要裁员", ""),
    ("老板想下周搬", ""),
    ("那我们周二的瑜伽怎么办", ""),
    ("这周游了两回", "2026-03-02..2026-03-04"),
    ("这周要交报告", "2026-03-02..2026-03-08"),
    ("他的明天我听了十年", ""),
]


@pytest.mark.parametrize(("sentence", "dates"), CHINESE)
def test_the_same_holds_of_chinese(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "zh")) == dates


@pytest.mark.parametrize(
    ("month", "sentence", "dates"),
    [
        (1, "去年冬天我捡了只猫。", ""),
        (4, "去年冬天我捡了只猫。", ""),
        (7, "去年冬天我捡了只猫。", "2025-12-01..2026-02-28"),
        (11, "前年冬天我捡了只猫。", "2024-12-01..2025-02-28"),
        (1, "前年冬天我捡了只猫。", ""),
        (2, "明年冬天我们要去哈尔滨。", ""),
        (1, "今年冬天下了三场雪。", ""),
        (7, "今年冬天下了三场雪。", ""),
        (11, "今年冬天我们要去看雪。", "2026-12-01..2027-02-28"),
        (11, "今年春天我搬了家。", "2026-03-01..2026-05-31"),
        (1, "2024年冬天我搬了家。", "2024-12-01..2025-02-28"),
        (11, "去年春节我去了三亚。", "2025-01-29"),
        (11, "今年春节我去了三亚。", "2026-02-17"),
        (11, "今年春节我要去三亚。", ""),
        (1, "今年圣诞我们去了香港。", ""),
        (11, "今年圣诞我们要去香港。", "2026-12-25"),
    ],
)
def test_a_season_or_a_holiday_that_may_be_of_two_years_is_in_doubt(month: int, sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY.replace(month=month), UTC, "zh")) == dates


@pytest.mark.parametrize(
    ("sentence", "day", "dates"),
    [
        ("上周三我去了医院。", 2, "2026-02-25"),
        ("上周三我去了医院。", 6, ""),  # for some, a week begins with Sunday
        ("3/14周六晚上我可以。", 2, "2026-03-14"),  # not the Saturday to come
        ("周六复查", 4, "2026-03-07"),
        ("周六上午十点半，七宝那家", 4, "2026-03-07"),
        ("周六上午十点开门", 4, ""),
        ("考级出来了是4月12号礼拜天", 4, "2026-04-12"),
    ],
)
def test_a_chinese_weekday_is_certain_where_no_other_day_can_be_meant(sentence: str, day: int, dates: str) -> None:
    assert written(certain_dates(sentence, on(day), UTC, "zh")) == dates


def test_a_day_that_counts_from_what_was_told_before_is_in_doubt():
    assert written(certain_dates("一周后复查。", WEDNESDAY, UTC, "zh", earlier="术后要静养。")) == ""
    assert written(certain_dates("我一万五一个月。", WEDNESDAY, UTC, "zh")) == ""  # a wage, no first of May
    assert written(certain_dates("一周后复查。", WEDNESDAY, UTC, "zh", earlier="然后呢？")) == "2026-03-09..2026-03-13"


@pytest.mark.parametrize(
    ("sentence", "language", "dates"),
    [
        ("Wir heiraten am 4. Juli 2026 im May.", "de", ""),
        ("Nos vemos el 2026-04-12.", "es", "2026-04-12"),
        ("我昨天去了 yesterday", "en", "2026-03-03"),
        ("我昨天去了 yesterday", "zh", "2026-03-03"),
        ("昨天 yesterday", "ja", ""),
    ],
)
def test_rules_touch_only_the_language_that_they_were_written_for(sentence: str, language: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, language)) == dates


@pytest.mark.parametrize(
    ("zone", "dates"),
    [("America/Chicago", "2025-11-27"), ("America/Toronto", ""), ("Africa/Lagos", ""), ("UTC", "2025-11-27")],
)
def test_a_holiday_of_one_country_has_its_day_there_alone(zone: str, dates: str) -> None:
    assert written(certain_dates("The oven died at Thanksgiving.", WEDNESDAY, ZoneInfo(zone), "en")) == dates


def test_the_day_is_that_of_the_speaker_and_before_the_morning_it_is_in_doubt() -> None:
    late = datetime(2026, 3, 4, 22, 30, tzinfo=UTC)
    [mention] = certain_dates("I saw her yesterday.", late, UTC, "en")
    assert written((mention,)) == "2026-03-03"
    [mention] = certain_dates("I saw her yesterday.", late, ZoneInfo("Asia/Shanghai"), "en")
    assert written((mention,)) == "2026-03-04"
    assert certain_dates("I saw her yesterday.", late + timedelta(hours=3), UTC, "en") == ()


@given(st.text(), st.datetimes(timezones=st.just(UTC)), st.sampled_from(["en", "zh", "de"]))
def test_no_text_and_no_time_makes_it_fail(text: str, said_at: datetime, language: str) -> None:
    for mention in certain_dates(text, said_at, UTC, language):
        assert text[mention.start_index : mention.end_index] == mention.text


@pytest.mark.parametrize(
    ("text", "earlier", "dates"),
    [
        ("I'll get Jess for Friday.", "I can't do the Friday one, the 20th.", ""),
        ("The first draw is fri at 7.", "They denied me for the 27th.", ""),
        ("I'll drive on Friday.", "The wedding is on 27 March.", ""),
        ("We leave on Friday.", "They denied me for the 19th.", "2026-03-06"),
        ("We leave on Friday.", "It is on the 6th.", "2026-03-06"),
        ("We met on Friday.", "They denied me for the 20th.", "2026-02-27"),
        ("The inspection is on Friday.", "My office is on the 20th floor now.", "2026-03-06"),
        ("The inspection is on Friday.", "It is the 20th century church.", "2026-03-06"),
        ("The inspection is on Friday.", "I can do the 20th.", ""),
        ("The inspection is on Friday.", "I can't do the 20th evening.", ""),
        ("The inspection is on Friday.", "It was moved to the 20th of this month.", ""),
    ],
)
def test_a_bare_weekday_may_be_a_later_one_that_was_named_before(text: str, earlier: str, dates: str) -> None:
    assert written(certain_dates(text, WEDNESDAY, UTC, "en", earlier=f"{earlier}\n")) == dates


def test_a_chinese_day_may_be_of_the_occasion_that_was_named_before():
    assert written(certain_dates("We leave on the 14th.", WEDNESDAY, UTC, "en", earlier="What about Easter?")) == ""
    assert written(certain_dates("We leave on the 14th.", WEDNESDAY, UTC, "en", earlier="And then?")) == "2026-03-14"
    assert written(certain_dates("We talked about the trip in June.", WEDNESDAY, UTC, "en")) == ""
    assert written(certain_dates("我们14号要出发。", WEDNESDAY, UTC, "zh", earlier="国庆去哪里？")) == ""
    assert written(certain_dates("我们14号要出发。", WEDNESDAY, UTC, "zh", earlier="去哪里？")) == "2026-03-14"


def test_what_is_still_so_today_is_so_nowadays():
    assert certain_dates("It's still a part of my work today.", WEDNESDAY, UTC, "en") == ()
    assert written(certain_dates("I still have a meeting today.", WEDNESDAY, UTC, "en")) == "2026-03-04"


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("Exam on 4 April, graduation on 20 April.", "2026-04-04 2026-04-20"),
        ("18th of April.", "2026-04-18"),
        ("It's the 12th of April, the op.", "2026-04-12"),
        ("photos from 4 April", ""),
        ("4 April was great", ""),
        ("4 November", ""),
        ("Thursday the 16th at 10.", "2026-04-16"),
        ("im redoing it sat 11th", "2026-04-11"),
        ("We sat 11th in the row.", ""),
        ("Fri 13th", ""),
        ("Tuesday the 17th, as in February", ""),
        ("I'm away from the 6th to the 8th.", "2026-03-06..2026-03-08"),
        ("I'm not here on the 17th.", "2026-03-17"),
        ("The floor gets laid on the 20th.", "2026-03-20"),
        ("I've got my thing on Friday, ok?", "2026-03-06"),
        ("We leave on the 12th and come back on the 20th.", "2026-03-12 2026-03-20"),
        ("The landlord has told us to leave by 31 May.", "2026-05-31"),
        ("He told us that he leaves on 31 May.", ""),
        ("wedding is in apr, in Rome", "2026-04-01..2026-04-30"),
        ("I was in jan mode", ""),
        ("It's in April, the 9th.", "2026-04-09"),
        ("It's in April, the 3rd time already.", "2026-04-01..2026-04-30"),
    ],
)
def test_a_near_day_and_one_with_its_weekday_need_no_tense(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


@pytest.mark.parametrize(
    ("question", "answer", "dates"),
    [
        ("When do you fly?", "the 14th", "2026-03-14"),
        ("when do u fly", "14th", "2026-03-14"),
        ("When did you move?", "Friday", "2026-02-27"),
        ("When are you moving?", "Friday", "2026-03-06"),
        ("When's the wedding?", "September", "2026-09-01..2026-09-30"),
        ("When do you get paid?", "the 14th", ""),
        ("When can you come?", "Friday", ""),
        ("When do you fly?", "maybe the 14th", ""),
        ("Who comes?", "the 14th", ""),
    ],
)
def test_a_bare_date_is_understood_with_the_question_that_it_answers(question: str, answer: str, dates: str) -> None:
    found = certain_dates(answer, WEDNESDAY, UTC, "en", asked=question)
    assert written(found) == dates
    assert all(answer[each.start_index : each.end_index] == each.text for each in found)


@pytest.mark.parametrize(
    "sentence",
    [
        "My scan on Monday, all clear.",
        "Exam on Monday: failed.",
        "Interview on Monday. Nailed it.",
        "Exam on Monday and I passed",
        "Surgery on Tuesday, doing ok now",
        "Exam on the 2nd, failed",
        "Exam Monday at 9 and it was hard",
        "Horrible exam on Monday",
        "Dentist on Monday :(",
        "Back from the vet Monday at 5.",
        "Home Friday at 9, knackered",
        "Dinner Saturday at 8, so nice",
        "Quiz Monday at 7, came last",
        "Beer Friday 4.50 a pint",
        "I can see you on Friday in that photo",
        "You can swim there on Sunday",
        "I can explain Friday",
        "Friday I'm in love",
        "im laughing at you on friday",
        "I see you on Friday",
        "The museum closes on Monday",
        "The museum opens on Monday",
        "The gym closes on Sunday at 4",
        "The cleaner comes on Monday",
        "The bus is at 5 on Monday",
        "I hate flying on Monday",
        "Flying on Monday was horrible.",
        "Leaving Rome on Sunday, we cried",
        "Driving test on Monday, third time lucky",
        "im stuck at work on Friday",
        "She came in the 3rd, still a medal",
    ],
)
def test_what_may_be_past_or_a_habit_is_not_dated_ahead(sentence: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == ""


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("My scan on Monday.", "2026-03-09"),
        ("Dentist on Friday at 3pm", "2026-03-06"),
        ("Interview on Monday, wish me luck", "2026-03-09"),
        ("Surgery on Tuesday, I'm scared", "2026-03-10"),
        ("Interview on Monday at 10, can you check my CV?", "2026-03-09"),
        ("See you on Friday", "2026-03-06"),
        ("They can come on Friday", "2026-03-06"),
        ("Moving on Friday", "2026-03-06"),
    ],
)
def test_an_occasion_of_which_nothing_is_told_yet_is_ahead(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("周一体检，血压有点高", ""),
        ("周日晚上8点吃火锅，真好吃", ""),
        ("周一考试，考砸", ""),
        ("周六回老家，好累", ""),
        ("周二下午三点堵车堵死", ""),
        ("周六见网友，照骗", ""),
        ("周六约了同事吃火锅，真好吃", ""),
        ("手术周一，顺利", ""),
        ("周二办护照排队两小时", ""),
        ("周一早上7点停电", ""),
        ("28号面试，挂", ""),
        ("18号体检，血压有点高", ""),
        ("月初出差，累", ""),
        ("应该周五去的", ""),
        ("我的票是周五走的", ""),
        ("我给 8/10，要再看一遍", ""),
        ("这家店 10/10，下次还要来", ""),
        ("9/10，打算再看", ""),
        ("做到 5/6。", ""),
        ("7/11去买水", ""),
        ("1/3要补考", ""),
        ("昨天，周二下午三点堵车", "2026-03-03"),
        ("昨天加班，周五晚上8点开会", "2026-03-03"),
        ("28号订了机票", ""),
        ("周五订了酒店", ""),
        ("周六聚餐人均两百", ""),
        ("8号公司年会，抽到手机", ""),
        ("比例3/7开", ""),
        ("周一考试，祝我好运", "2026-03-09"),
        ("周一手术，有点紧张", "2026-03-09"),
        ("周六搬家，你来帮忙吗", "2026-03-07"),
        ("周五下午三点开会", "2026-03-06"),
        ("18号上午10点，在三号厅", "2026-03-18"),
        ("8/10上午开庭", "2026-08-10"),
    ],
)
def test_a_chinese_day_of_which_something_is_told_is_not_ahead_and_a_score_is_no_day(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "zh")) == dates


@pytest.mark.parametrize(
    ("sentence", "language", "full"),
    [
        ("I meet 王浩然 on 2026-03-08", "en", "8 March 2026"),
        ("王浩然と 2026-03-08 に会う", "ja", "8 March 2026"),
        ("3/17上午见", "zh", "2026年3月17日"),
        ("2026-03-08见", "zh", "2026年3月8日"),
    ],
)
def test_a_date_in_figures_is_written_in_the_language_of_its_sentence(sentence: str, language: str, full: str) -> None:
    [mention] = certain_dates(sentence, WEDNESDAY, UTC, language)
    assert mention.written == full


@pytest.mark.parametrize(
    ("sentence", "dates"),
    [
        ("I want to do it easter monday, at the beach.", "2026-04-06"),
        ("We fly on good friday.", "2026-04-03"),
        ("It was boxing day, remember.", "2025-12-26"),
        ("Yes, 29th of this month, Ibadan.", "2026-03-29"),
        ("It is the 29th of next month.", "2026-04-29"),
        ("Which was feb last year.", "2025-02-01..2025-02-28"),
        ("The plant is closing in may.", "2026-05-01..2026-05-31"),
        ("He got word on friday that the plant is closing in april.", "2026-04-01..2026-04-30"),
        ("They may come in march order.", ""),
        ("Hailey's coming the 24th now.", "2026-03-24"),
        ("They're giving us exams 2nd of April to the 6th.", "2026-04-02..2026-04-06"),
        ("We're away from 21st to 26th.", "2026-03-21..2026-03-26"),
        ("ill transfer it on the 25th.", "2026-03-25"),
        ("She was ill on Friday.", "2026-02-27"),
        ("The Easter lunch is on the 5th.", ""),
        ("The Christmas party is on the 12th.", ""),
        ("Tom's Day care starts on the 12th.", "2026-03-12"),
        ("My flight on Sunday got moved.", ""),
        ("My flight got moved to Sunday.", "2026-03-08"),
        ("The driver's name is Friday and he's coming on Saturday.", "2026-03-07"),
        ("My favourite day is Friday.", ""),
        ("We are going on bank holiday Monday.", ""),
        ("We planted the first palm yesterday.", "2026-03-03"),
        ("Thursday went up to 230 so we're coming Friday 27th.", "2026-03-27"),
        ("Dentist moved me from Tuesday to the 2nd.", "2026-04-02"),
        ("We're there from the 2nd to the 5th of April.", "2026-04-02..2026-04-05"),
        ("I finish on the 23rd and I'm back in on the 6th.", "2026-03-23"),
        ("Kids break up on the 18th and go back on the 6th.", ""),
        ("She comes on the 24th, her exam is on the 23rd.", "2026-03-24 2026-03-23"),
    ],
)
def test_a_day_that_an_occasion_a_month_or_a_name_explains_is_read_with_it(sentence: str, dates: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == dates


def test_an_occasion_whose_month_is_that_of_the_day_is_no_doubt() -> None:
    assert written(certain_dates("The Christmas party is on the 12th.", NOVEMBER, UTC, "en")) == "2026-12-12"
    assert written(certain_dates("The Halloween party is on the 12th.", NOVEMBER, UTC, "en")) == ""


TOGETHER = [  # said on a Wednesday, 4 March 2026
    ("Next week I'm on holiday, from 9 to 12 March.", "2026-03-09..2026-03-12"),
    ("I'm on holiday next week, 9 to 12 March.", "2026-03-09..2026-03-12"),
    ("We fly next month, on 12 April.", "2026-04-12"),
    ("This year, on 5 May, I'll be 34.", "2026-05-05"),
    ("I'm away from tomorrow to Sunday.", "2026-03-05..2026-03-08"),
    ("Holiday from 31 March to 4 April, next week I'm still here.", "2026-03-31..2026-04-04 2026-03-09..2026-03-15"),
    ("The launch slipped from 3 May to 17 May.", "2026-05-17"),
    ("She's only gone and changed to the 20th.", "2026-03-20"),
    ("He switched his flight to the 2nd.", "2026-04-02"),
    ("Mum passed a year ago January.", "2025-01-01..2025-01-31"),
    # traps
    ("Next month we go to Rome, on the 12th.", "2026-04-01..2026-04-30"),
    ("This week I'm in Paris, on Friday I fly home.", "2026-03-04..2026-03-08 2026-03-06"),
    ("The dentist was moved from Thursday to Friday.", "2026-03-06"),
    ("Can we move tomorrow to Friday?", "2026-03-06"),
    ("The price went from 3 May to 10 May.", ""),
    ("Mum passed a year ago October.", ""),
    ("I'll be there tomorrow to 10.", "2026-03-05"),
    ("We meet tomorrow, two of us.", "2026-03-05"),
    ("Next week is quiet.", "2026-03-09..2026-03-15"),
    ("We changed on the 2nd.", "2026-03-02"),
    # a dash before what no date is
    ("My surgery is on 12 March - Marta comes with me.", "2026-03-12"),
    ("My surgery is on 12 March - monthly checkup.", "2026-03-12"),
    ("The rent is due on 12 March - money is tight.", "2026-03-12"),
    ("On Saturday 14 March – friends are coming.", "2026-03-14"),
    ("We leave tomorrow - decided at last.", "2026-03-05"),
    ("We marry on 14 March – sunny weather.", "2026-03-14"),
    # a dash before a clause of its own
    ("We leave tomorrow – Sunday is my birthday.", "2026-03-05"),
    ("I'm off tomorrow - Sunday we travel.", "2026-03-05 2026-03-08"),
    ("We leave tomorrow – Monday was too early.", "2026-03-05 2026-03-02"),
    ("We're away from tomorrow to Friday's disappointment.", "2026-03-05"),
    ("We're away tomorrow-Sunday.", "2026-03-05..2026-03-08"),
    ("We're away tomorrow - Sunday.", "2026-03-05..2026-03-08"),
    # two events
    ("My sister comes next week and the wedding is on 14 March.", "2026-03-09..2026-03-15 2026-03-14"),
    ("Next month I start at Acme and we fly on 14 April.", "2026-04-01..2026-04-30 2026-04-14"),
    ("I went to Rome last week and on 24 February I met Tom.", "2026-02-23..2026-03-01 2026-02-24"),
    # moved
    ("We swapped our shift from Friday to Saturday.", "2026-03-07"),
    # a name that is a month as well
    ("A year ago May moved to Rome.", "2025-01-01..2025-12-31"),
    ("Two years ago April left me.", "2024-01-01..2024-12-31"),
    ("Three years ago Jan got sick.", "2023-01-01..2023-12-31"),
    ("I was in Rome a year ago, in March I was in Paris.", "2025-01-01..2025-12-31"),
    ("I moved to Rome a year ago in March.", "2025-03-01..2025-03-31"),
]
TOGETHER_IN_CHINESE = [
    ("下周我休假，3月9号到12号。", "2026-03-09..2026-03-12"),
    ("这周末，周六我们去爬山。", "2026-03-07"),
    ("明天到周五我在上海。", "2026-03-05..2026-03-06"),
    ("我4月上旬到中旬出差。", "2026-04-01..2026-04-20"),
    ("3/11 周三 8:15 打疫苗", "2026-03-11"),
    ("3/7 （周六）爬山", "2026-03-07"),
    ("不是6号了，改10号", "2026-03-10"),
    ("牙医改到20号了。", "2026-03-20"),
    ("12号是周四，我请假。", "2026-03-12"),
    ("14号是周六，我来。", "2026-03-14"),
    # traps
    ("明天到3/9封山", ""),
    ("3/11 周四开会", ""),
    ("21号是周三，我来。", ""),
    ("那就暑假，七月我放了假随便你挑", ""),
    ("周五到下午都没空。", ""),
    ("明天到3楼找我。", "2026-03-05"),
    ("大约4月上旬到中旬", ""),
    ("周五到北京。", "2026-03-06"),
    ("今年很忙。", "2026-01-01..2026-12-31"),
    ("下周去北京。", "2026-03-09..2026-03-15"),
    # 到 is to arrive
    ("我明天到10号楼开会。", "2026-03-05"),
    ("我明天到3号线开会。", "2026-03-05"),
    ("我明天到7号院看房。", "2026-03-05"),
    ("我明天到十月咖啡馆面试。", "2026-03-05"),
    ("我明天到2/3的客户那里去。", "2026-03-05"),
    ("下周三到元旦公司面试。", "2026-03-11"),
    ("我明天到10号去北京。", "2026-03-05..2026-03-10"),
    ("我明天到三月出差。", ""),
]


@pytest.mark.parametrize(("sentence", "days"), TOGETHER)
def test_a_written_day_wins_over_the_vaguer_word_beside_it_and_half_a_stretch_is_none(sentence: str, days: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "en")) == days


@pytest.mark.parametrize(("sentence", "days"), TOGETHER_IN_CHINESE)
def test_so_it_is_in_chinese(sentence: str, days: str) -> None:
    assert written(certain_dates(sentence, WEDNESDAY, UTC, "zh")) == days
