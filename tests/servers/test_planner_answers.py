"""The scripted planner decides as its docstring says, so that who measures with it knows what was measured."""

import pytest

from queries.agents.model_planner import Choice, Parts, Reflection, Verdict
from tests.servers.model_answers import fill

QUESTION = "Where does the husband of the owner of Globex work?"
FOUND = """Question: {question}
Searched for so far:
- {queries}
Memories:
1 2026-03-01: Ann said: The owner of Globex is Rita Solano.
2 2026-03-02: Ann said: Tom will work late.
Relationships:
1 Rita Solano — owns — Globex"""


def decide(form, user):
    return form.model_validate(fill(form.model_json_schema(), user))


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        (QUESTION, "chain"),
        ("How many cats does Ann have?", "reflect"),
        ("Where does Ann work, and what does Tom study?", "split"),
        ("Where does Ann work?", "direct"),
    ],
)
def test_a_strategy_is_chosen_by_the_words_of_the_question(question, tool):
    assert decide(Choice, f"Question: {question}").tool == tool


def test_a_question_is_cut_before_its_second_question_with_its_names_on_both_sides():
    parts = decide(Parts, "Question: Where does Ann work now, and which car does she drive?").queries
    assert parts == ["Where does Ann work now", "which car does she drive Ann"]
    parts = decide(Parts, "Question: Where do Ann and Tom work?").queries
    assert parts == ["Where do Ann work?", "Where do Tom work?"]
    assert decide(Parts, "Question: Where does Ann work?").queries == []


def test_the_next_query_is_a_new_name_with_what_is_not_known_of_it():
    verdict = decide(Verdict, FOUND.format(question=QUESTION, queries=QUESTION))
    assert not verdict.sufficient
    assert verdict.next_query == "Rita Solano husband work"
    reflection = decide(Reflection, FOUND.format(question=QUESTION, queries=QUESTION))
    assert [each.query for each in reflection.queries][:2] == ["Rita Solano husband work", "Tom husband owner Globex"]


def test_what_holds_the_words_and_no_new_name_is_sufficient():
    asked = "Who is the owner of Globex?\n- Rita Solano\n- Tom"
    verdict = decide(Verdict, FOUND.format(question="Who is the owner of Globex?", queries=asked))
    assert verdict.sufficient
    assert verdict.next_query == ""
