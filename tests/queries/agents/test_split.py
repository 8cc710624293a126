"""split: one decision, then the question and its parts side by side."""

import pytest

from mneme.errors import ModelMalformed, ModelRateLimited, StoreUnavailable
from queries.agents.query import QueryPolicy
from tests.queries.agents.made import Remembered, ScriptedPlanner, ask, ids, message, profile, response

BOTH = "Where do Ann and Tom work?"
ANN, TOM = "Where does Ann work?", "Where does Tom work?"
MEMORY = {
    BOTH: response(profile(), message("both")),
    ANN: response(message("ann"), message("both")),
    TOM: response(message("tom"), message("both")),
}


def test_the_question_and_its_parts_are_searched_for_by_one_decision() -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(parts=(ANN, TOM))
    found = ask(memory, planner, "split", BOTH)
    assert planner.asked == [("split", BOTH)]
    assert [(query, everything) for query, _, everything in memory.searched] == [(BOTH, True), (ANN, False), (TOM, False)]
    assert ids(found) == ["portrait", "both", "ann", "tom"]
    assert found.query.notes == ()


def test_a_question_that_is_one_is_searched_for_as_it_is() -> None:
    memory = Remembered(MEMORY)
    assert ids(ask(memory, ScriptedPlanner(parts=()), "split", BOTH)) == ["portrait", "both"]
    assert memory.queries == [BOTH]


def test_each_part_has_a_place() -> None:
    crowd = [message(f"m{number}") for number in range(10)]
    memory = Remembered({BOTH: response(*crowd), ANN: response(*crowd), TOM: response(message("tom"))})
    assert "tom" in ids(ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH, limit=3))


@pytest.mark.parametrize("parts", [(BOTH, ANN, TOM), (BOTH.upper(), ANN, TOM), (ANN, ANN.lower(), TOM, f" {TOM} ")])
def test_nothing_is_searched_for_twice(parts: tuple[str, ...]) -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(parts=parts), "split", BOTH)
    assert [query.strip().casefold() for query in memory.queries] == [each.casefold() for each in (BOTH, ANN, TOM)]


def test_more_than_six_parts_are_not_searched_for() -> None:
    memory = Remembered()
    ask(memory, ScriptedPlanner(parts=tuple(f"part {number}" for number in range(20))), "split", BOTH, searches=50)
    assert len(memory.queries) == 1 + 6


@pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelRateLimited("slow down")])
def test_without_a_decision_the_question_is_searched_for_and_it_says_so(error: Exception) -> None:
    memory = Remembered(MEMORY)
    found = ask(memory, ScriptedPlanner(parts=error), "split", BOTH)
    assert ids(found) == ["portrait", "both"]
    assert found.query.notes == (f"agent: split failed: {error}",)


def test_without_a_call_the_question_is_searched_for_and_it_says_so() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH, policy=QueryPolicy(calls=0))
    assert ids(found) == ["portrait", "both"]
    assert found.query.notes == ("agent: split left out: no call of the model is left of 0",)


def test_a_part_that_fails_costs_itself_and_it_says_so() -> None:
    memory = Remembered(MEMORY | {ANN: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH)
    assert ids(found) == ["portrait", "both", "tom"]
    assert found.query.notes == (f"agent: search failed ({ANN}): no index today",)


def test_where_only_the_question_fails_its_parts_are_there() -> None:
    memory = Remembered(MEMORY | {BOTH: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH)
    assert set(ids(found)) == {"both", "ann", "tom"}
    assert found.query.text == BOTH


def test_where_all_fail_it_is_an_error() -> None:
    memory = Remembered(dict.fromkeys((BOTH, ANN, TOM), StoreUnavailable("no index today")))
    with pytest.raises(StoreUnavailable, match="no index today"):
        ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH)


def test_parts_that_are_too_many_for_the_budget_are_left_out_and_it_says_so() -> None:
    memory = Remembered(MEMORY)
    found = ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH, policy=QueryPolicy(searches=2))
    assert memory.queries == [BOTH, ANN]
    assert found.query.notes == ("agent: 1 searches left out: no more are allowed for one question",)
