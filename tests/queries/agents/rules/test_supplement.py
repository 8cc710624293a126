"""A question in other words: key words, a question, a statement."""

import pytest

from queries.agents.evidence import Evidence
from queries.agents.rule_planner import feedback, queries, statement
from tests.queries.agents.made import fact, message, response

QUESTION = "Which violin did Maya buy?"


def found(*texts: str) -> Evidence:
    evidence = Evidence()
    evidence.add(QUESTION, response(message("said by Maya", "hm"), *(fact(f"f{at}", text) for at, text in enumerate(texts))))
    return evidence


def test_three_styles_are_three_queries() -> None:
    assert queries(QUESTION, found(), 3) == ("violin buy", "Which violin did I buy?", "I buy violin")


def test_no_more_than_wanted() -> None:
    assert queries(QUESTION, found(), 1) == ("violin buy",)


def test_words_that_several_episodes_share_are_fed_back() -> None:
    shared = found("the luthier in Cremona", "a luthier wrote", "it rained")
    assert feedback(QUESTION, shared) == ("luthier",)
    assert queries(QUESTION, shared, 1) == ("violin buy luthier",)


def test_a_word_of_one_episode_is_not() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response(*(fact(f"f{at}", "the luthier", "same") for at in range(4))))
    assert feedback(QUESTION, evidence) == ()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which books has Ann read?", "Ann has read books"),
        ("Where does Ann live?", "Ann live"),
        ("In what ways is Ann helping?", "Ann is helping In ways"),
        ("Ann?", ""),
        ("小雨喜欢什么？", "小雨喜欢"),
    ],
)
def test_a_question_is_turned_into_a_statement(question: str, told: str) -> None:
    assert statement(question) == told
