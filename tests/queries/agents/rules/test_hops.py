"""What a question describes is put by name, one relationship at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.agents.decomposition import descriptions, is_chain, shortened
from queries.responses import Graph
from tests.queries.agents.made import DAY, relationship

ACME = "What is the current company of the spouse of the CEO of Acme?"
KNOWN = Graph(
    relationships=(
        relationship("Clara Novak", "ceo_of", "Acme"),
        relationship("Clara Novak", "married_to", "Anton"),
        relationship("Anton", "works_at", "Initech"),
    )
)


def test_the_innermost_description_is_asked_for_first() -> None:
    assert [each.question for each in descriptions(ACME)] == ["Who is the CEO of Acme?"]


def test_what_the_graph_knows_is_put_by_name_hop_by_hop() -> None:
    assert shortened(ACME, KNOWN) == "What is the current company of Anton?"


def test_what_is_asked_for_is_no_description() -> None:
    assert descriptions("What is the current company of Anton?") == []


def test_what_the_graph_does_not_know_stays() -> None:
    assert shortened(ACME, Graph()) == ACME


def test_somebody_who_still_is_goes_before_somebody_who_was() -> None:
    graph = Graph(
        relationships=(relationship("Old Boss", "ceo_of", "Acme", valid_to=DAY), relationship("New Boss", "ceo_of", "Acme"))
    )
    assert shortened("Where does the CEO of Acme work?", graph) == "Where does New Boss work?"


def test_another_relationship_does_not_answer() -> None:
    assert shortened("Where does Anton's teacher work?", KNOWN) == "Where does Anton's teacher work?"


def test_an_owner_with_an_s_is_a_description_too() -> None:
    assert shortened("Where does Anton's wife work?", KNOWN) == "Where does Clara Novak work?"


def test_a_part_of_a_name_is_enough() -> None:
    assert shortened("Where does Clara's husband work?", KNOWN) == "Where does Anton work?"


def test_chinese_descriptions() -> None:
    graph = Graph(relationships=(relationship("李娜", "ceo_of", "Acme"), relationship("李娜", "married_to", "王伟")))
    assert shortened("Acme的总裁的丈夫在哪里工作？", graph) == "王伟在哪里工作？"


@pytest.mark.parametrize(
    "question", [ACME, "Where does Ann's husband work?", "How old is Ann's sister's dog?", "小雨的丈夫的公司在哪里？"]
)
def test_several_relationships_are_a_chain(question: str) -> None:
    assert is_chain(question)


@pytest.mark.parametrize(
    "question",
    [
        "What does Ann's dance studio offer?",
        "What do Ann's kids like?",
        "When is Ann's daughter's birthday?",
        "小雨的生日是哪天？",
    ],
)
def test_a_single_one_is_not(question: str) -> None:
    assert not is_chain(question)


@given(st.text(alphabet="the of CEO Acme's spouse Ann 的小雨丈夫", max_size=120))
def test_any_text_comes_to_an_end(text: str) -> None:
    is_chain(text)
    shortened(text, KNOWN)
