"""What a question asks for."""

from datetime import UTC, datetime

import pytest

from mneme.errors import InputError
from queries.questions.periods import Period
from queries.questions.types import QuestionType
from queries.questions.understand import LONGEST_QUESTION, understand
from tests.queries.world import MAYA, NOW, WordEmbedder, conversation, filled, memories

MAY_2025 = Period(datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("question", "kind", "top_k"),
    [
        ("How many plants?", QuestionType.COUNTING, 60),
        ("Who sings?", QuestionType.FACTUAL, 10),
        ("What is Ada like?", QuestionType.GENERAL, 40),
        ("When was it?", QuestionType.TEMPORAL, 20),
    ],
)
def test_the_type_chooses_top_k_when_the_caller_does_not(question, kind, top_k):
    assert understand(question, None).type is kind
    assert understand(question, None).top_k == top_k
    assert understand(question, None, top_k=3).top_k == 3


def test_the_default_top_k_is_a_setting():
    assert understand("When was it?", None, default_top_k=7).top_k == 7


@pytest.mark.parametrize("question", ["", "  ", "?!", "half \ud800", "a" * (LONGEST_QUESTION + 1)])
def test_what_is_no_question_is_refused_by_name(question):
    with pytest.raises(InputError, match=r"^query: "):
        understand(question, None)


@pytest.mark.parametrize("question", ["How many plants did Ada buy in May? {}", "{} How many plants did Ada buy in May?"])
def test_of_a_long_text_the_ends_say_what_is_asked(question):
    asked = understand(question.format("The garden is green. " * 400), None, asked_at=NOW.replace(month=3))
    assert asked.type is QuestionType.COUNTING
    assert asked.period == MAY_2025


def test_what_is_so_now_is_not_about_the_past_and_how_it_changed_is():
    assert not understand("What is Ada's current job, not the one before?", None).about_past
    assert understand("How has Ada's job changed?", None).about_past


@pytest.mark.parametrize(
    ("question", "people", "expected"),
    [
        ("What does Ada sing?", ("7", "Ada Moreau"), True),
        ("What does she sing?", ("7", "Ada Moreau"), False),
        ("Where do I sing?", ("Ada", "Maya"), True),
        ("Where do I sing?", ("User",), True),
        ("Where do I sing?", ("Ada",), False),
        ("Where do we sing?", ("Maya",), False),
        ("Where did you say I should sing?", ("assistant", "Assistant"), True),
        ("Where did you say I should sing?", ("Maya",), False),
        ("Where do you sing?", ("Assistant",), False),
    ],
)
def test_a_question_names_people_its_asker_and_of_what_was_answered_the_assistant(question, people, expected):
    assert understand(question, None, owner="maya").names(people) is expected


def test_who_asks_is_nobody_in_particular_in_the_memory_of_a_group():
    assert not understand("Where do I sing?", None).names(["Maya"])


def test_mostly_chinese_is_embedded_where_the_embedder_serves_chinese():
    chinese = WordEmbedder(languages=("en", "zh"))
    assert understand("茶馆在哪里？", chinese).vector is not None
    assert understand("茶馆在哪里？", WordEmbedder(languages=("en",))).vector is None


def test_a_foreign_word_in_an_english_question_keeps_the_vector():
    assert understand("What does 茶馆 mean in the menu?", WordEmbedder(languages=("en",))).vector is not None


def test_a_search_reads_dates_from_the_moment_it_is_asked_as_of():
    index = filled()
    asked = {
        as_of: memories(index).search("What did I say in May?", "keyword", {"user_id": "maya"} | as_of_filter).query.period
        for as_of, as_of_filter in (("now", {}), ("then", {"as_of": "2025-08-01T00:00:00+02:00"}))
    }
    assert asked["now"]
    assert asked["now"].since == datetime(2026, 5, 1, tzinfo=UTC)
    assert asked["then"]
    assert asked["then"].before == datetime(2025, 5, 31, 22, tzinfo=UTC)


def test_a_search_knows_who_asks():
    said = [("Jonas", "the lamp is red"), ("Maya", "the lamp is blue")]
    index = filled(*conversation(MAYA, "lamps", "Lamps", said, day=9))
    found = memories(index).search("Which lamp is mine?", filters={"user_id": "maya"})
    assert "blue" in found.facts[0].atomic_fact
