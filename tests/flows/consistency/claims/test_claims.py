"""What statements claim, English and Chinese."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.claims import claim_of
from flows.consistency.statements import Claim


def claim(text: str) -> tuple[str, str]:
    found = claim_of(text)
    return found.about, ("-" if found.ends else "") + found.value


# --- people ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "about", "value"),
    [
        ("Ann works at Google, mostly on maps.", "ann|job", "org=google"),
        ("Ann said: Today (20 April 2026) is Ann's first day at Stripe!", "ann|job", "org=stripe"),
        ("Marcus is a nurse at St Mary's.", "marcus|job", "role=nurse;org=st mary's"),
        ("Leila is between jobs right now.", "leila|job", "none"),
        ("Igor has started working as a barista at Kaffeine.", "igor|job", "org=kaffeine;role=barista"),
        ("Ann's brother works at Shell.", "ann's brother|job", "org=shell"),
        ("Ann and others moved to Lisbon last month (May 2026)!", "ann|home", "lisbon"),
        ('Asked "Where are you living these days?", Marcus said: Oslo.', "marcus|home", "oslo"),
        ("Ann lives in Portugal.", "ann|home|country", "portugal"),
        ("Tom said: Heads up, Tom's address is now 3 Mill Road, flat 2.", "tom|address", "3 mill road"),
        ("Ann is dating a guy called Felix.", "ann|partner", "status=dating;with=felix"),
        ("Oscar said: Lena and Oscar is engaged.", "oscar|partner", "status=engaged;with=lena"),
        ("Ann loves Thai food!", "ann|likes|thai food", "yes"),
        ("Ann can't stand cold coffee.", "ann|likes|cold coffe", "no"),
        ("Kenji said: Autumn is Kenji's favourite season.", "kenji|favourite|season", "autumn"),
        ("Priya has gone vegan, no cheese since May.", "priya|diet", "vegan"),
        ("Ann is allergic to peanuts.", "ann|allergic|peanut", "yes"),
        ("Kenji doesn't eat meat.", "kenji|eats|meat", "no"),
        ("Tom smokes about ten a day.", "tom|does|smoke", "yes"),
        ("Ann is over the flu, back on Ann's feet.", "ann|ill|flu", "no"),
        ("Leila has a new number: 555 0199.", "leila|phone number", "555 0199"),
        ("小明现在住在上海。", "小明|home", "上海"),
        ("王芳说：王芳在华为上班，做硬件测试。", "王芳|job", "org=华为"),
        ("李雷最喜欢的歌手现在是陈奕迅。", "李雷|favourite|歌手", "陈奕迅"),
        ("小红有男朋友了！", "小红|partner", "status=dating"),
        ("王磊每天抽一包烟。", "王磊|does|烟", "yes"),
    ],
)
def test_an_attribute_of_a_person_has_a_value(text: str, about: str, value: str) -> None:
    assert claim(text) == (about, value)


@pytest.mark.parametrize(
    ("text", "about", "value"),
    [
        (
            "Marcus finally did it, Marcus quit Marcus' job at St Mary's last Friday (8 May 2026).",
            "marcus|job",
            "-org=st mary's",
        ),
        ("Ann no longer works at Google.", "ann|job", "-org=google"),
        ("Ann used to work at Nokia, long ago.", "ann|job", "-org=nokia"),
        ("Oscar stopped driving for Uber.", "oscar|job", "-org=uber"),
        ("The bakery let Priya go last week.", "priya|job", "-"),
        ("Ella no longer live in Camden.", "ella|home", "-camden"),
        ("Ann said: Felix and Ann broke up. It was mutual, but still.", "ann|partner", "-with=felix"),
        ("Ann left Google.", "ann|job", "-org=google"),
        ("赵磊说：上个月（2026年4月）赵磊从字节跳动离职了。", "赵磊|job", "-org=字节跳动"),
        ("李雷和韩梅分手了。", "李雷|partner", "-with=韩梅"),
    ],
)
def test_an_ending_says_what_is_over(text: str, about: str, value: str) -> None:
    assert claim(text) == (about, value)


def test_what_is_new_goes_before_what_is_over() -> None:
    assert claim("Hana closed the photo studio and took a position at Canon.") == ("hana|job", "org=canon")
    assert claim("Nils left Hamburg in September 2026 and live in Kiel now.") == ("nils|home", "kiel")


@pytest.mark.parametrize(
    "text",
    [
        "Ann might move to Berlin.",
        "Ann is thinking of quitting Ann's job at Google.",
        "If Ann got an offer, Ann would work at Apple.",
        'Bo asked Ann: "Do you work at Google?"',
        "She works at Google.",
        "Ann went to Paris in 2022.",
        "Ann worked at the fair all week.",
        "Ann lives in fear of spiders' webs, a bit.",
        "Sounds like Ann loves it.",
        "Ann works from home.",
        "赵磊说：要是有好机会，赵磊也想跳槽到阿里。",
        "小明上周去了北京出差。",
    ],
)
def test_what_might_be_what_is_asked_and_what_happened_once_claims_no_attribute(text: str) -> None:
    assert claim_of(text).about.startswith("said|")


def test_a_second_one_of_what_one_can_have_once_takes_nothing_away() -> None:
    assert claim_of("Ann also works at a museum.").about.startswith("said|")
    assert claim("Ann also loves tea.") == ("ann|likes|tea", "yes")


# --- plans and things --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("The team dinner is on Thursday (5 March 2026) at 7.", "The team dinner moved to Friday (6 March 2026), same place."),
        ("Marcus has a dentist appointment next Tuesday.", "Marcus' dentist appointment got rescheduled to 17 March."),
        (
            "Leila said: The deadline for the grant is 28 February 2026.",
            "Leila said: They extended the grant deadline to 15 March.",
        ),
        ("Omar is meeting Layla for coffee on Saturday.", "Omar moved the coffee with Layla to Sunday."),
        ("Priya and others are flying to Rome on 12 May 2026.", "Priya's flight to Rome got cancelled."),
        ("Ann and others are having a barbecue on Sunday.", "Ann said: The barbecue is cancelled, it's going to pour."),
        ("Ben is going to buy a Tesla in May 2026.", "Ben is not going to buy a Tesla any more."),
        ("小明说：周四（2026年3月5日）晚上七点部门聚餐。", "小明说：部门聚餐改到周五（2026年3月6日）了。"),
        ("李强周六（2026年6月6日）下午三点要去看牙医。", "李强说：看牙医的时间改成下周二（2026年6月9日）了。"),
        ("王芳2026年5月12日飞东京。", "王芳去东京的航班改到2026年5月15日了。"),
        ("陈静说：周五（2026年2月6日）下午有产品评审会。", "陈静说：产品评审会不开了。"),
    ],
)
def test_a_plan_is_known_again_when_it_changes(first: str, then: str) -> None:
    before, after = claim_of(first), claim_of(then)
    assert before.about == after.about
    assert before.about.startswith("plan|")
    assert after.ends or after.value.endswith("moved")


def test_the_appointments_of_two_people_are_two() -> None:
    assert claim_of("Ann's dentist appointment is on Monday.").about != claim_of("Bo's dentist appointment is on Monday.").about


@pytest.mark.parametrize(
    ("text", "about", "value"),
    [
        ("The budget for the kitchen is 7,500 now.", "budget kitchen|is", "7,500"),
        ("Grace's team has 8 people now.", "grace team|people", "8"),
        ("Omar said: Ticket 481 is blocked by the API change.", "481 ticket|status", "blocked"),
        ("Hugo said: The pool opens at 6 from now on.", "pool|opens", "6"),
        ("王芳说：装修预算加到十五万了。", "装修预算|is", "十五万"),
        ("登录的问题还没修好。", "登录问题|done", "no"),
    ],
)
def test_things_have_numbers_and_states(text: str, about: str, value: str) -> None:
    assert claim(text) == (about, value)


# --- repetitions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("The server room is on the third floor.", "Bo said: The server room is on the third floor, again."),
        ("Ann is scared of heights.", "Ann is really scared of heights!"),
        ("Ann's cat is called Momo.", "Ann's cat's called Momo."),
        ("丁一属龙。", "丁一也属龙啊。"),
    ],
)
def test_a_statement_said_again_is_about_the_same(first: str, again: str) -> None:
    again = again.replace("Bo said: ", "")
    assert claim_of(first) == claim_of(again)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann saw it.", "Ann saw them."),
        ('Ann asked Bo: "Where is it?"', 'Ann asked Bo: "What now?"'),
        ("Ann is scared of heights.", "Ann is not scared of heights."),
        ("Ann said: What a day!", "Bo said: What a day!"),
    ],
)
def test_other_words_are_another_statement(one: str, other: str) -> None:
    assert claim_of(one) != claim_of(other)


def test_an_event_on_another_day_is_another_event() -> None:
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in (5, 12)]
    assert len({claim_of("Ann went to the gym on Monday.", day) for day in days}) == 2


# --- properties --------------------------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    "Ann Bo's and others works lives moved to in at Google the dinner is not cancelled on Friday 7,500 said: , . ? now 5 "
    "March 2026 "
    "小明 住在 上海 了 。 ， 取消 改到 周五 说： （2026年3月6日） loves broke up with team has people".split(" ")
)


@given(st.text(max_size=200) | st.lists(_WORDS, max_size=25).map(" ".join))
def test_no_text_makes_it_fail_and_the_same_text_gives_the_same_claim(text: str) -> None:
    first = claim_of.__wrapped__(text)
    assert isinstance(first, Claim)
    assert first.about
    assert claim_of.__wrapped__(text) == first


@given(st.lists(_WORDS, min_size=1, max_size=12).map(" ".join).filter(lambda text: "?" not in text))
def test_case_blanks_and_end_marks_do_not_matter(text: str) -> None:
    assert claim_of(text) == claim_of(f"  {text.upper().replace(' ', '  ')}") == claim_of(f"{text.lower()}.!")
