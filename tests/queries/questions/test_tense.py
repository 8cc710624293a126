"""Whether a question is about what is so, what was so, or how it changed."""

import pytest

from queries.questions.tense import asks_about_now, asks_about_past, asks_for_history


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
