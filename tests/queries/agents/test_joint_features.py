"""What is known of each thing that was found for a question which asks for several."""

from collections.abc import Sequence

import numpy as np
import pytest

from mneme.rows import Vector
from queries.agents.evidence import Episodic, Evidence
from queries.agents.joint_features import FEATURES, forms, known, named
from tests.queries.agents.made import episode, fact, message, response

QUESTION = "Which books has Maya read?"


def flat(texts: Sequence[str]) -> Vector:
    return np.ones((len(texts), 1), dtype=np.float32)


def column(name: str, *items: Episodic, theirs: Sequence[Episodic] = (), question: str = QUESTION) -> dict[str, float]:
    """One feature of everything that was found, by id."""
    evidence = Evidence()
    evidence.add(question, response(*items))
    if theirs:
        evidence.add(f"{question} (Maya)", response(*theirs), ("Maya",))
    found = known(question, evidence, flat)
    assert found.numbers.shape == (len(found.items), len(FEATURES))
    assert np.isfinite(found.numbers).all()
    return {each.id: row[FEATURES.index(name)] for each, row in zip(found.items, found.numbers, strict=True)}


def test_what_stands_higher_has_better_log_odds_and_a_better_rank() -> None:
    for name in ("all_log_odds", "all_rank"):
        numbers = column(name, message("first"), message("second"))
        assert numbers["first"] > numbers["second"]


def test_each_search_has_its_own_ranking() -> None:
    numbers = column("theirs_rank", message("a"), message("b"), theirs=[message("b"), message("a")])
    assert numbers["b"] > numbers["a"]


def test_without_a_search_among_their_words_the_first_stands_for_it() -> None:
    assert column("theirs_rank", message("a"), message("b")) == column("all_rank", message("a"), message("b"))


def test_what_only_their_words_brought_is_known_too_and_below_all_in_the_other() -> None:
    numbers = column("all_log_odds", message("a"), message("b"), theirs=[message("new")])
    assert numbers["new"] < min(numbers["a"], numbers["b"])


def test_other_searches_do_not_count() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response(message("a")))
    evidence.add("books", response(message("b")))
    assert [each.id for each in known(QUESTION, evidence, flat).items] == ["a"]


def test_an_episode_lifts_what_is_in_it() -> None:
    numbers = column("episode_best", fact("best", episode="e"), fact("other"), fact("last", episode="e"))
    assert numbers["best"] == numbers["last"] > numbers["other"]


def test_neighbours_are_messages_beside_it_in_its_episode() -> None:
    talk = episode("e", message_ids=("one", "two", "three"))
    evidence = Evidence()
    told = response(
        fact("said second", episode="e", message_ids=("two",)),
        fact("said first", episode="e", message_ids=("one",)),
        fact("elsewhere"),
    )
    evidence.add(QUESTION, told.model_copy(update={"episodes": (talk, *told.episodes[1:])}))
    found = known(QUESTION, evidence, flat)
    before = {each.id: row[FEATURES.index("beside_-1")] for each, row in zip(found.items, found.numbers, strict=True)}
    assert before["said second"] > before["elsewhere"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("names", "we went to Vienna"),
        ("quotes", 'it was "The Tempest"'),
        ("has_number", "it cost 30"),
        ("commas", "plums, figs, pears"),
        ("is_question", "which one?"),
    ],
)
def test_the_form_of_an_answer_tells(name: str, text: str) -> None:
    numbers = column(name, message("has", text), message("has not", "we went there"))
    assert numbers["has"] > numbers["has not"] == 0.0


def test_names_of_who_took_part_or_of_the_question_are_none() -> None:
    assert column("names", message("said", "thanks Maya, and Books too"))["said"] == 0.0


def test_a_form_counts_for_a_question_that_asks_for_it() -> None:
    told = message("said", "we saw Vienna")
    assert column("names_for_names", told)["said"] > 0.0
    assert column("names_for_names", told, question="What does Maya do to relax?")["said"] == 0.0
    assert column("names_for_count", told, question="How many towns did Maya see?")["said"] > 0.0


def test_the_text_is_compared_with_the_question_in_four_forms() -> None:
    def embed(texts: Sequence[str]) -> Vector:
        return np.array([[1.0, 0.0] if "book" in text.lower() else [0.0, 1.0] for text in texts], dtype=np.float32)

    evidence = Evidence()
    evidence.add(QUESTION, response(message("far", "it rains"), message("near", "a book")))
    found = known(QUESTION, evidence, embed)
    near = {each.id: row[FEATURES.index("words_nearness")] for each, row in zip(found.items, found.numbers, strict=True)}
    assert near == {"far": 0.0, "near": 1.0}


def test_nothing_found_has_no_rows() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response())
    assert known(QUESTION, evidence, flat).numbers.shape == (0, len(FEATURES))


def test_who_is_named_is_one_of_those_who_took_part() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response(message("a", sender_name="Maya Chen"), message("b", sender_name="Jonas")))
    assert named("Which books has Maya read to Lena?", evidence) == ("Maya Chen",)


def test_a_question_that_is_only_a_name_keeps_its_words() -> None:
    assert forms("Maya?", ["Maya"])[2] == "Maya"
