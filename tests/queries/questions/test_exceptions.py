"""The exception of a question: its words are not searched for."""

import pytest

from queries.questions.exceptions import without_exception
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
    ],
)
def test_is_taken_out(question: str, left: str) -> None:
    assert without_exception(question) == left


@pytest.mark.parametrize(
    "question", ["Who besides Ann?", "Besides, what does Ben play?", "Wo ist Jan außerhalb der Arbeit?", "除夕我们去哪里？"]
)
def test_is_left_where_there_is_none_or_nothing_else(question: str) -> None:
    assert without_exception(question) == question


def test_attracts_no_words_and_stays_in_the_text() -> None:
    question = understand("What does Ben play besides chess?", None)
    assert "chess" not in question.tokens
    assert question.text == "What does Ben play besides chess?"
