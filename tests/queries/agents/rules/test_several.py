"""Whether a question asks for several things."""

import pytest

from queries.questions.types import asks_for_several


@pytest.mark.parametrize(
    "question",
    [
        "Which instruments does Maya play?",
        "What are Maya's hobbies?",
        "How many concerts has Maya given?",
        "What kind of music does Maya write?",
        "What does Maya do to relax?",
        "Where has Maya been?",
        "What do Maya and Jonas have in common?",
        "Which of Maya's songs were on the radio?",
        "Which prizes did Maya win in 2023?",
        "小雨去过哪些城市？",
        "小雨看过几部电影？",
    ],
)
def test_what_gathers_over_time_is_several_things(question: str) -> None:
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which cello did Maya buy?",
        "What was the name of the first dog?",
        "When did Maya move?",
        "What plans did Maya make in March 2024?",
        "What plans did Maya make on 9 March?",
        'Which characters does Maya like in "The Tempest"?',
        "Why did Maya leave?",
        "小雨昨天买了什么？",
    ],
)
def test_a_day_a_title_or_a_single_thing_is_one(question: str) -> None:
    assert not asks_for_several(question)
