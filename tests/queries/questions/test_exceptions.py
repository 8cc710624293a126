"""The exception of a question: its words are not searched for."""

import pytest

from queries.questions.exceptions import excepted, without_exception
from queries.questions.understand import understand


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What does Mira like besides lentil soup?", "What does Mira like ?"),
        ("Besides chess and rowing, what does Ben play?", "what does Ben play?"),
        ("What other than chess does Ben play?", "What does Ben play?"),
        ("Who came to the party apart from my sister, by the way?", "Who came to the party by the way?"),
        ("Was isst Jan außer dem guten Käse und der Wurst gern?", "Was isst Jan gern?"),
        ("Was hat Jan abgesehen von Schach gelernt?", "Was hat Jan gelernt?"),
        ("除了饺子，林悦还喜欢吃什么？", "林悦还喜欢吃什么？"),
        ("林悦除了饺子以外还喜欢吃什么？", "林悦还喜欢吃什么？"),
        ("Which of my friends besides Tom works at Acme?", "Which of my friends works at Acme?"),
        ("Besides tea, coffee and juice, what does Ben drink?", "what does Ben drink?"),
        ("What does Ben drink besides tea, coffee and juice?", "What does Ben drink ?"),
        ("Was trinkt Jan außer Tee, Kaffee und Saft?", "Was trinkt Jan ?"),
        ("Außer Schach, was spielen Jan und Tom?", "was spielen Jan und Tom?"),
    ],
)
def test_is_taken_out(question: str, left: str) -> None:
    assert without_exception(question) == left


@pytest.mark.parametrize(
    "question",
    [
        "Who besides Ann?",
        "Besides, what does Ben play?",
        "What does Ann eat other than meat when she visits her mother?",
        "What did Ann buy besides the thing that Tom sold?",
        "Why do I live apart from my wife?",
        "Wo ist Jan außerhalb der Arbeit?",
        "Welcher Aufzug ist außer Betrieb?",
        "除夕我们去哪里？",
        "他解除了哪份合同，还签了什么？",
        "她删除了旧照片，还做了什么？",
    ],
)
def test_is_left_where_there_is_none_or_nothing_else(question: str) -> None:
    assert without_exception(question) == question


def test_is_told_by_its_words_alone() -> None:
    assert excepted("Besides tea and juice, what does Ben drink?") == "tea and juice"
    assert excepted("Who besides Ann?") == ""


def test_attracts_no_words_and_stays_in_the_text() -> None:
    question = understand("What does Ben play besides chess?", None)
    assert "chess" not in question.tokens
    assert question.text == "What does Ben play besides chess?"
