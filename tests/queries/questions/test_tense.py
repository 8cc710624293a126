"""The tense of a question: now, the past, a history, a state."""

import pytest

from queries.questions.tense import (
    asks_about_now,
    asks_about_past,
    asks_for_history,
    asks_for_lasting,
    asks_for_state,
    in_present,
)

STATES = """Where does Paul live?
What is my current job?
Who's Ann's boss?
Is Lena in a relationship?
What has Jason been working on lately?
Wo wohnt Jonas?
Was macht Frieda beruflich?
Wann hat Malte den Zahnarzttermin?
¿En qué trabaja Lucía?
Où habite Chloé ?
Combien Théo paie-t-il de loyer ?
小雨住在哪里？
小雨对什么过敏？
健太はどこに住んでいますか？
Где живёт Иван?"""

PAST = """Where did Paul live?
What was Ann's first job?
Who did Anna meet?
What has Anna bought?
Wo hat Jonas gewohnt?
Was machte Frieda früher?
¿Dónde vivió Iker?
Où habitait Chloé ?
Où est-ce que Chloé a travaillé ?
小雨去了哪里？
小雨以前住在哪里？
健太はどこに住んでいましたか？
Где жил Иван?
the boat shed"""


@pytest.mark.parametrize(
    "question",
    [
        "What is Ada's current job?",
        "Where does Tom live now, and not before?",
        "What is the latest plan, after the first one?",
        "Is Ada still on the board that she joined in 2019?",
        "她现在住在哪里？",
        "小雨目前的工作是什么？",
    ],
)
def test_a_question_about_now_is_not_about_the_past_whatever_else_it_names(question):
    assert asks_about_now(question)
    assert not asks_about_past(question)


@pytest.mark.parametrize(
    "question",
    [
        "How has Ada's job changed?",
        "How did the plan for the roof evolve?",
        "What is the history of the boat?",
        "What has changed about the current plan?",
        "How does the current plan differ from the previous one?",
        "Where did I live over the last ten years?",
        "小雨的工作有什么变化？",
        "仕事はどう変わったか、経緯を教えて",
    ],
)
def test_how_it_came_to_be_so_asks_for_what_was_too(question):
    assert asks_for_history(question)
    assert asks_about_past(question)
    assert not asks_about_now(question)


@pytest.mark.parametrize("question", ["Where did Ada work before?", "What was the original plan?", "小雨以前住在哪里？"])
def test_what_was_so_is_the_past_but_no_history(question):
    assert asks_about_past(question)
    assert not asks_for_history(question)


@pytest.mark.parametrize(
    "question", ["Where does Ada work?", "What did Tom buy?", "How many apples grow there?", "她住在哪里？"]
)
def test_other_questions_are_about_neither(question):
    assert not asks_about_past(question)
    assert not asks_about_now(question)
    assert not asks_for_history(question)


@pytest.mark.parametrize("question", ["Did the team develop an app?", "Is it different from mine?", "A or B, which is it now?"])
def test_words_of_change_alone_ask_for_no_history(question):
    assert not asks_for_history(question)


@pytest.mark.parametrize("question", STATES.splitlines())
def test_a_question_in_the_present_asks_for_a_state(question: str) -> None:
    assert asks_for_state(question)


@pytest.mark.parametrize("question", PAST.splitlines())
def test_what_happened_or_used_to_be_is_no_state(question: str) -> None:
    assert not asks_for_state(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is Ed's cat called?",
        "What is Rob allergic to?",
        "What is the topic of the workshop?",
        "小雨是什么血型？",
        "论坛的主要内容是什么？",
    ],
)
def test_a_name_an_allergy_and_the_topic_of_a_talk_last(question: str) -> None:
    assert asks_for_lasting(question)
    assert not asks_for_lasting("Where does Ed live?")


@pytest.mark.parametrize("question", ["What's my thesis topic now?", "公司现在的规模是多大？", "雨还会持续下吗？"])
def test_a_topic_that_is_asked_for_now_may_have_changed(question: str) -> None:
    assert not asks_for_lasting(question)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Where did I live before Berlin?", "Where does I live ?"),
        ("Before I moved, where did I live?", " where does I live?"),
        ("Where did I live before?", "Where does I live ?"),
    ],
)
def test_the_bounds_of_the_past_are_not_what_is_asked_for(question: str, left: str) -> None:
    assert in_present(question) == left
