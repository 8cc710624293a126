"""Every question to every system, which are made up here."""

import io

import pytest
from rich.console import Console

from evaluation.metrics import Answer, Result, measure, rows_of
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.systems import Found, ask_all

QUIET = Console(file=io.StringIO())


def question(number: int) -> Question:
    return Question(f"q{number}", "c", {"user_id": "u"}, "What?", "any", frozenset({"right"}))


def place(*messages: str, tokens: int = 10) -> Result:
    return Result(messages, frozenset(messages), tokens)


def test_answers_stay_with_their_questions_and_methods() -> None:
    def right_for_even(asked: Question) -> Found:
        return Found([place("right" if int(asked.id[1:]) % 2 == 0 else "wrong")], ("a leg is off",))

    asked = ask_all({"one": right_for_even, "none": lambda _: Found([])}, [question(n) for n in range(6)], QUIET)
    assert [(each.method, each.question, each.figures["recall@5"]) for each in asked.answers] == [
        *(("one", f"q{n}", float(n % 2 == 0)) for n in range(6)),
        *(("none", f"q{n}", 0.0) for n in range(6)),
    ]
    assert asked.answers[1].messages == ("wrong",)
    assert asked.notes == {"one": {"a leg is off": 6}, "none": {}}


def answer(number: int, recall: float, category: str) -> Answer:
    return Answer("one", f"q{number}", category, f"c{number % 2}", {"recall@10": recall})


def test_rows_are_means_of_all_and_of_categories_with_intervals() -> None:
    rows = rows_of([answer(0, 1.0, "a"), answer(1, 0.0, "a"), answer(2, 0.5, "b")])
    assert [(row["category"], row["questions"]) for row in rows] == [("all", 3), ("a", 2), ("b", 1)]
    assert rows[0]["recall@10"] == 0.5
    assert float(rows[0]["recall@10_low"]) < 0.5 < float(rows[0]["recall@10_high"])
    assert "recall@10_low" not in rows[2]  # of one question nothing is known of the spread


def test_an_answer_measures_messages_and_tokens() -> None:
    figures = measure([place("a", "right", tokens=500), place("b", tokens=170)], frozenset({"right", "other"}))
    assert figures["recall@5"] == 0.5
    assert figures["mrr"] == 0.5
    assert figures["recall@600tokens"] == 0.5
    assert figures["tokens@10"] == figures["tokens"] == pytest.approx(670)
