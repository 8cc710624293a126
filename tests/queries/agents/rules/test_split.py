"""A question that asks for several things in so many words becomes one question for each."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.agents.decomposition import clauses, split_question
from queries.agents.planner import MOST_SUB_QUERIES


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
def test_any_text_comes_to_an_end(text: str) -> None:
    split_question(text)


@given(st.lists(st.sampled_from(["Ann", "Bob", "Cleo", "Dora"]), min_size=2, max_size=4, unique=True), st.booleans())
def test_no_word_that_matters_is_lost(people: list[str], both: bool) -> None:
    listed = f"{', '.join(people[:-1])} and {people[-1]}"
    parts = split_question(f"Which green towns have {'both ' if both else ''}{listed} painted since March?")
    asked = set(re.findall(r"\w+", " ".join(parts)))
    assert {"Which", "green", "towns", "painted", "since", "March", *people} <= asked
