"""reflect: look at what was found, and search side by side for what is missing."""

from collections.abc import Sequence

import pytest

from mneme.errors import ModelMalformed, StoreUnavailable
from queries.agents.evidence import Place
from queries.agents.query import QueryPolicy
from tests.queries.agents.made import Clock, Remembered, ScriptedPlanner, ask, enough, ids, message, more, response

ALL = "Which instruments does Maya own?"
WORDS, QUESTION, STATEMENT = "Maya cello violin", "Did Maya buy a drum?", "Maya owns a flute."
MEMORY = {
    ALL: response(message("a cello")),
    WORDS: response(message("a violin"), message("a cello")),
    QUESTION: response(message("a drum")),
    STATEMENT: response(message("a flute")),
}
MISSING = more(WORDS, QUESTION, STATEMENT)


def test_what_is_sufficient_at_once_takes_one_search_and_one_call() -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(supplements=[enough()])
    found = ask(memory, planner, "reflect", ALL)
    assert memory.queries == [ALL]
    assert planner.asked == [("supplement", ALL)]
    assert ids(found) == ["a cello"]


def test_what_is_missing_is_searched_for_at_once_and_nothing_more_is_asked() -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(supplements=[MISSING])
    found = ask(memory, planner, "reflect", ALL)
    assert [(query, everything) for query, _, everything in memory.searched] == [
        (ALL, True),
        (WORDS, False),
        (QUESTION, False),
        (STATEMENT, False),
    ]
    assert len(planner.asked) == 1
    assert set(ids(found)) == {"a cello", "a violin", "a drum", "a flute"}


def test_a_model_that_always_says_not_enough_is_asked_once() -> None:
    planner = ScriptedPlanner(supplements=[more(f"query {number}") for number in range(100)])
    memory = Remembered()
    ask(memory, planner, "reflect", ALL)
    assert len(planner.asked) == 1
    assert len(memory.queries) == 2


def test_each_query_has_a_place() -> None:
    crowd = [message(f"m{number}") for number in range(20)]
    memory = Remembered(
        {ALL: response(*crowd), WORDS: response(*crowd), QUESTION: response(*crowd)} | {STATEMENT: MEMORY[STATEMENT]}
    )
    assert "a flute" in ids(ask(memory, ScriptedPlanner(supplements=[MISSING]), "reflect", ALL, limit=4))


@pytest.mark.parametrize("wanted", [1, 2, 3, 6])
def test_no_more_queries_are_searched_for_than_the_settings_say(wanted: int) -> None:
    memory = Remembered()
    planner = ScriptedPlanner(supplements=[more(*(f"query {number}" for number in range(20)))])
    ask(memory, planner, "reflect", ALL, supplementary=wanted)
    assert len(memory.queries) == 1 + wanted


def test_queries_that_repeat_are_not_searched_for() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[more(ALL.upper(), WORDS, WORDS.lower())]), "reflect", ALL)
    assert memory.queries == [ALL, WORDS]


def test_the_ten_best_are_looked_at_as_the_reranker_sees_them() -> None:
    judged: list[str] = []

    def backwards(question: str, places: Sequence[Place]) -> tuple[Sequence[Place], Sequence[str]]:
        judged.append(question)
        return places[::-1], ()

    memory = Remembered({ALL: response(*(message(f"m{number:02}") for number in range(30)))})
    planner = ScriptedPlanner(supplements=[more(WORDS)])
    ask(memory, planner, "reflect", ALL, rerank=backwards)
    assert planner.seen == [tuple(f"m{number:02}" for number in range(19, 9, -1))]
    assert judged == [ALL, f"{ALL}\n{WORDS}"]


def test_where_nothing_better_can_be_asked_it_says_what_is_missing() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[more(missing="other instruments")]), "reflect", ALL)
    assert found.query.notes == ("agent: not everything was found: other instruments",)


def test_without_a_reflection_what_was_found_is_the_result_and_it_says_so() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[ModelMalformed("prose")]), "reflect", ALL)
    assert ids(found) == ["a cello"]
    assert found.query.notes == ("agent: reflection failed: prose",)


def test_a_supplementary_search_that_fails_costs_itself_and_it_says_so() -> None:
    memory = Remembered(MEMORY | {QUESTION: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(supplements=[MISSING]), "reflect", ALL)
    assert set(ids(found)) == {"a cello", "a violin", "a flute"}
    assert found.query.notes == (f"agent: search failed ({QUESTION}): no index today",)


def test_where_the_first_search_fails_it_is_an_error() -> None:
    planner = ScriptedPlanner(supplements=[MISSING])
    with pytest.raises(StoreUnavailable):
        ask(Remembered({ALL: StoreUnavailable("no index today")}), planner, "reflect", ALL)
    assert planner.asked == []


def test_searches_that_are_too_many_for_the_budget_are_left_out_and_it_says_so() -> None:
    memory = Remembered(MEMORY)
    found = ask(memory, ScriptedPlanner(supplements=[MISSING]), "reflect", ALL, policy=QueryPolicy(searches=3))
    assert memory.queries == [ALL, WORDS, QUESTION]
    assert found.query.notes == ("agent: 1 searches left out: no more are allowed for one question",)


def test_a_slow_search_leaves_no_time_for_a_reflection() -> None:
    clock = Clock()

    def slow(_: str) -> None:
        clock.now += 31

    planner = ScriptedPlanner(supplements=[MISSING])
    found = ask(Remembered(MEMORY, slow), planner, "reflect", ALL, clock=clock)
    assert ids(found) == ["a cello"]
    assert planner.asked == []
    assert found.query.notes == ("agent: reflection left out: the 30 s have passed",)
