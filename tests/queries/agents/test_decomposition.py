"""Questions of several parts, and descriptions by relationships."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.agents.decomposition import clauses, descriptions, is_chain, shortened, split_question
from queries.agents.planner import MOST_SUB_QUERIES
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


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Where does Ann work, and what does Bob do?", ("Where does Ann work?", "what does Bob do?")),
        ("Where does Ann live and when did she move?", ("Where does Ann live?", "when did Ann move?")),
        ("What did Ann buy and who saw her bag?", ("What did Ann buy?", "who saw Ann's bag?")),
        ("Which town did Ann see? And did Bob like it?", ("Which town did Ann see?", "did Bob like it?")),
        ("小雨住在哪里，小明喜欢吃什么？", ("小雨住在哪里", "小明喜欢吃什么")),
    ],
)
def test_questions_of_their_own_are_asked_each_by_itself(question: str, parts: tuple[str, ...]) -> None:
    assert split_question(question) == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which towns have both Ann and Bob seen?", ("Which towns has Ann seen?", "Which towns has Bob seen?")),
        ("What do Ann, Bob and Cleo play?", ("What does Ann play?", "What does Bob play?", "What does Cleo play?")),
        ("What are Ann and Bob's plans?", ("What are Ann's plans?", "What are Bob's plans?")),
        ("小雨和小明都去过哪些城市？", ("小雨去过哪些城市？", "小明去过哪些城市？")),
        ("小雨跟小明分别喜欢什么？", ("小雨喜欢什么？", "小明喜欢什么？")),
    ],
)
def test_people_who_are_listed_are_asked_about_one_by_one(question: str, parts: tuple[str, ...]) -> None:
    assert split_question(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ann live?",
        "What does Ann do that she loves and can make money from?",
        "Where did Ann and Bob meet?",
        "Which areas of the U.S. has Ann seen?",
        "Which bread and butter did Ann buy?",
        "小雨喜欢吃什么？",
        "昨天下雨，小雨去了哪里？",
    ],
)
def test_one_question_stays_one(question: str) -> None:
    assert split_question(question) == ()
    assert len(clauses(question)) == 1


def test_a_clause_that_names_somebody_keeps_its_pronoun() -> None:
    assert split_question("Where is Ann and what did Bob give her?")[1] == "what did Bob give her?"


def test_a_pronoun_that_may_mean_two_stays() -> None:
    assert split_question("What did Ann and Bob see, and where does she live?")[-1] == "where does she live?"


WORDS = st.sampled_from(
    [
        *("where", "what", "does", "did", "Ann", "Bob", "Cleo", "and", "both", "live", "paint", "she", "her", ",", "?", "the"),
        *("和", "小雨", "小明", "都", "什么", "，", "哪里", "'s"),
    ]
)


@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_at_most_as_many_as_are_searched_for_and_never_a_single_one(text: str) -> None:
    parts = split_question(text)
    assert len(parts) != 1
    assert len(parts) <= MOST_SUB_QUERIES
    assert all(any(character.isalnum() for character in part) for part in parts)


@given(st.text(max_size=300))
def test_any_text_is_split_or_not(text: str) -> None:
    split_question(text)


@given(st.lists(st.sampled_from(["Ann", "Bob", "Cleo", "Dora"]), min_size=2, max_size=4, unique=True), st.booleans())
def test_no_word_that_matters_is_lost(people: list[str], both: bool) -> None:
    listed = f"{', '.join(people[:-1])} and {people[-1]}"
    parts = split_question(f"Which green towns have {'both ' if both else ''}{listed} painted since March?")
    asked = set(re.findall(r"\w+", " ".join(parts)))
    assert {"Which", "green", "towns", "painted", "since", "March", *people} <= asked


def test_the_innermost_description_is_asked_for_first() -> None:
    assert [each.question for each in descriptions(ACME)] == ["Who is the CEO of Acme?"]


def test_what_the_graph_knows_is_put_by_name_hop_by_hop() -> None:
    assert shortened(ACME, KNOWN) == "What is the current company of Anton?"


def test_what_is_asked_for_is_no_description() -> None:
    assert not list(descriptions("What is the current company of Anton?"))


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
