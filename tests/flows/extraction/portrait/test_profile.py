from datetime import UTC, datetime

import pytest

from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import talk


def profile(text):
    return [
        (item.about, item.category, item.implicit) for item in LocalExtractor().extract(talk(f"Ann: {text}", "Bo: ok")).profile
    ]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I love hiking.", "preference"),
        ("I'm really into jazz.", "preference"),
        ("My favorite colour is green.", "preference"),
        ("I can't stand cilantro.", "dislike"),
        ("I'm allergic to nuts.", "health"),
        ("I want to become a pilot.", "goal"),
        ("I'm a teacher.", "identity"),
        ("I play the cello.", "skill"),
        ("I have two cats.", "possession"),
        ("I lost my job as a banker.", "work"),
        ("I get seasick easily.", "health"),
        ("My left knee hurts.", "health"),
        ("I hate mornings.", "dislike"),
        ("My home is Oslo, I grew up in Oslo.", "origin"),
    ],
)
def test_what_one_says_of_oneself_is_explicit(text, category):
    assert profile(text) == [("Ann", category, False)]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I run every morning.", "habit"),
        ("In my free time I go to the sea.", "habit"),
        ("Painting helps me relax.", "interest"),
        ("I've been surfing since I was a kid.", "interest"),
        ("Family is so important to me.", "value"),
        ("I'm passionate about animal rights.", "value"),
        ("I always regret late decisions.", "habit"),
        ("I'm an introvert.", "identity"),
    ],
)
def test_what_one_does_again_and_holds_dear_is_told(text, category):
    [item] = profile(text)
    assert item[1] == category
    assert item[2] == (category in ("interest", "value"))  # shown; the others were said outright


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I work at Initech.", "Ann works at Initech."),
        ("I no longer work at Initech.", "Ann no longer works at Initech."),
        ("My husband cooks.", "Ann is married."),
        ("My kids are tall.", "Ann has kids."),
        ("We have a dog named Rex.", "Ann has a pet, Rex."),
        ("I moved to Lyon last year.", "Ann lives in Lyon."),
    ],
)
def test_a_relationship_is_told_in_one_plain_sentence(text, statement):
    assert [item.statement for item in LocalExtractor().extract(talk(f"Ann: {text}", "Bo: ok")).profile] == [statement]


@pytest.mark.parametrize(
    "text",
    [
        "I love it!",
        "I love your dress.",
        "I have a meeting at noon.",
        "I'm a bit tired.",
        "Do I like jazz?",
        "I love all the yellow leaves.",
        "I love how they shine.",
        "That is my favorite!",
        "Check out my own painting!",
        "I have a file named notes.",
        "I want to check the error.",
    ],
)
def test_passing_remarks_are_no_trait(text):
    assert profile(text) == []


@pytest.mark.parametrize(
    ("text", "category"), [("我喜欢爬山。", "preference"), ("我对花生过敏。", "health"), ("我每天跑步。", "habit")]
)
def test_chinese_traits_are_read(text, category):
    assert [item[1] for item in profile(text)] == [category]


def test_an_assistant_has_no_profile():
    assert LocalExtractor().extract(talk("user: Hi", "assistant: I love helping people with taxes.")).profile == ()


def foresights(text, **fields):
    return LocalExtractor().extract(talk(f"Ann: {text}", "Bo: ok", **fields)).foresights


def test_a_plan_with_a_date_has_start_and_end():
    [plan] = foresights("I'm visiting my aunt next week.")
    assert plan.statement == "Ann is visiting Ann's aunt next week (9 to 15 March 2026)."
    assert plan.evidence == "I'm visiting my aunt next week."
    assert (plan.start, plan.end) == (datetime(2026, 3, 9, tzinfo=UTC), datetime(2026, 3, 16, tzinfo=UTC))


@pytest.mark.parametrize(
    "text",
    [
        "I'm planning to open a small bakery.",
        "The dentist appointment is tomorrow.",
        "我打算下个月去杭州。",
        "The report is due by Friday.",
    ],
)
def test_what_is_ahead_is_a_foresight(text):
    assert len(foresights(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["I visited my aunt last week.", "I'll let you know.", "See you tomorrow!", "Will you come tomorrow?", "I'll be fine."],
)
def test_what_is_over_or_a_way_of_speaking_is_no_foresight(text):
    assert foresights(text) == ()


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("The report deadline is 27 March.", "The report deadline is 27 March 2026."),
        ("Then it is decided: I move the launch to 8 August.", "Ann moves the launch to 8 August 2026."),
        ("But the doctors say the twins will come in June.", "The doctors say the twins will come in June 2026."),
        (
            "I'll write it down for everybody in the team and for the customers in the north; the new launch is on 8 August, "
            "the printer driver and the offline mode have to wait for the one after.",
            "The new launch is on 8 August 2026, the printer driver and the offline mode have to wait for the one after.",
        ),
        ("They sign on 1 April.", "Ann said: They sign on 1 April 2026."),
    ],
)
def test_a_foresight_is_the_expectation_alone(text, statement):
    assert [plan.statement for plan in foresights(text)] == [statement]


def test_the_day_that_is_meant_is_the_one_ahead():
    [plan] = foresights("I reverse the decision of 14 February, the launch stays on 8 August.")
    assert plan.start == datetime(2026, 8, 8, tzinfo=UTC)


def test_what_only_confirms_a_day_is_no_expectation_of_its_own():
    lines = ("Ann: I'll bake a lemon cake for Saturday.", "Bo: Saturday at 19:30 then.", "Ann: See you Saturday!")
    found = LocalExtractor().extract(talk(*lines)).foresights
    assert [plan.sources for plan in found] == [(0,)]


@pytest.mark.parametrize(
    "text",
    [
        "22 to 24 August.",
        "I'm gonna keep working on my dreams.",
        "Who knows if I'll ever get a pet.",
        "I'm starting to realize that sleep is important.",
        "Maybe I'll write a screenplay about sailors.",
        "Starting a business takes courage.",
        "Hope to see more of Lisbon.",
        "I'll reach my dreams if I keep pushing hard.",
        "Friday's dinner is cancelled.",
        "不上线，只改提示词。",
    ],
)
def test_a_mood_or_a_bare_date_is_no_foresight(text):
    assert foresights(text) == ()


def test_a_message_with_several_days_has_an_expectation_for_each():
    found = foresights("On Wednesday I install the new gauge, on Friday I have my last day.")
    assert [(plan.start.day, plan.statement.split(" ")[0]) for plan in found] == [(4, "On"), (6, "On")]
    assert "gauge" in found[0].statement
    assert "last day" in found[1].statement


def test_a_bare_day_that_answers_a_question_is_told_with_it():
    lines = ("Ann: Birthday party on the day or at the weekend?", "Bo: Saturday, please.")
    [plan] = LocalExtractor().extract(talk(*lines)).foresights
    assert plan.statement.startswith('Asked "Birthday party')
    assert plan.start.day == 7


def test_a_request_with_a_deadline_is_expected():
    [plan] = foresights("Can you send the report by Friday?")
    assert plan.start.day == 6


def test_what_the_same_episode_cancels_is_not_expected():
    lines = ("Ann: We fly to Lofoten on 5 June.", "Bo: Nice.", "Ann: Oh no, Lofoten is cancelled.")
    assert LocalExtractor().extract(talk(*lines)).foresights == ()


def test_a_chinese_plan_for_today_is_expected_and_what_is_done_is_not():
    assert len(foresights("我补个需求文档，今天出初稿。")) == 1
    assert foresights("今天已经提交了。") == ()
