"""What a question asks for."""

import pytest

from queries.understand import QuestionType, question_type, understand
from tests.queries.world import WordEmbedder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many plants did Ada buy?", QuestionType.COUNTING),
        ("How often does the choir meet?", QuestionType.COUNTING),
        ("她买了几本书？", QuestionType.COUNTING),
        ("When did the choir meet?", QuestionType.TEMPORAL),
        ("what year was it", QuestionType.TEMPORAL),
        ("我们几点出发？", QuestionType.TEMPORAL),
        ("Who sings in the choir?", QuestionType.FACTUAL),
        ("她住在哪里？", QuestionType.FACTUAL),
        ("What has Ada been working on lately?", QuestionType.GENERAL),
    ],
)
def test_the_type_is_told_by_pattern(question, expected):
    assert question_type(question) is expected


@pytest.mark.parametrize(
    ("question", "expected"), [("How many plants?", 40), ("Who sings?", 10), ("What is Ada like?", 20), ("When was it?", 20)]
)
def test_the_type_chooses_top_k_when_the_caller_does_not(question, expected):
    assert understand(question, None).top_k == expected
    assert understand(question, None, top_k=3).top_k == 3


def test_the_default_top_k_is_a_setting():
    assert understand("What is Ada like?", None, default_top_k=7).top_k == 7


@pytest.mark.parametrize(
    ("question", "people", "expected"),
    [
        ("What does Ada sing?", ("ada", "Ada Moreau"), True),
        ("What does Moreau sing?", ("Ada Moreau",), True),
        ("What is in Canada?", ("Ada",), False),
        ("Is it so?", ("Bo Is",), False),
        ("小雨喜欢什么？", ("小雨",), True),
        ("下雨了吗？", ("小雨",), False),
        ("What about user 7?", ("7",), False),
    ],
)
def test_people_are_named_by_whole_words_of_three_letters_or_more(question, people, expected):
    assert understand(question, None).names(people) is expected


def test_mostly_chinese_is_embedded_where_the_embedder_serves_chinese():
    chinese = WordEmbedder(languages=("en", "zh"))
    assert understand("茶馆在哪里？", chinese).vector is not None
    assert understand("茶馆在哪里？", WordEmbedder(languages=("en",))).vector is None


def test_a_foreign_word_in_an_english_question_keeps_the_vector():
    assert understand("What does 茶馆 mean in the menu?", WordEmbedder(languages=("en",))).vector is not None
