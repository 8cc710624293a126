"""chain: retrieve, judge, rewrite."""

import pytest

from mneme.errors import ModelError, ModelMalformed, ModelTimeout, StoreUnavailable
from queries.agents.planner import Judgement
from queries.agents.query import QueryPolicy
from tests.queries.agents.made import Clock, Remembered, ScriptedPlanner, ask, enough, ids, message, more, response

CEO, SPOUSE, COMPANY = "What is the company of the spouse of the CEO of Acme?", "Who is Eve married to?", "Where does Lee work?"
MEMORY = {
    CEO: response(message("Eve is CEO")),
    SPOUSE: response(message("Eve married Lee")),
    COMPANY: response(message("Lee works at Initech")),
}


def test_what_is_sufficient_at_once_takes_one_search_and_one_call() -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(judgements=[enough()])
    found = ask(memory, planner, "chain", CEO)
    assert memory.queries == [CEO]
    assert planner.asked == [("judge", CEO)]
    assert ids(found) == ["Eve is CEO"]
    assert found.query.notes == ()


def test_what_is_sufficient_after_two_rounds_takes_two_searches_and_two_calls() -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(judgements=[more(SPOUSE), enough()])
    found = ask(memory, planner, "chain", CEO)
    assert [(query, everything) for query, _, everything in memory.searched] == [(CEO, True), (SPOUSE, False)]
    assert planner.asked == [("judge", CEO)] * 2
    assert set(ids(found)) == {"Eve is CEO", "Eve married Lee"}


def test_each_judgement_sees_all_that_was_found_so_far() -> None:
    planner = ScriptedPlanner(judgements=[more(SPOUSE), more(COMPANY), enough()])
    ask(Remembered(MEMORY), planner, "chain", CEO, max_attempts=5)
    assert planner.seen == [
        ("Eve is CEO",),
        ("Eve is CEO", "Eve married Lee"),
        ("Eve is CEO", "Eve married Lee", "Lee works at Initech"),
    ]


@pytest.mark.parametrize("attempts", [1, 2, 3, 5])
def test_a_model_that_always_says_not_enough_is_asked_no_more_than_the_attempts(attempts: int) -> None:
    memory = Remembered()
    planner = ScriptedPlanner(judgements=[more(f"query {number}") for number in range(100)])
    found = ask(memory, planner, "chain", CEO, max_attempts=attempts)
    assert len(memory.queries) == attempts
    assert len(planner.asked) == attempts - 1  # nothing depends on a judgement after the last search
    assert found.metrics.agent
    assert found.metrics.agent.llm_called <= attempts


@pytest.mark.parametrize("again", [CEO, CEO.upper(), CEO.rstrip("?"), f"  {CEO.casefold()} "])
def test_a_rewrite_that_repeats_ends_it(again: str) -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(judgements=[more(again)])
    found = ask(memory, planner, "chain", CEO, max_attempts=9)
    assert memory.queries == [CEO]
    assert len(planner.asked) == 1
    assert ids(found) == ["Eve is CEO"]


def test_a_loop_of_two_queries_ends() -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(judgements=[more(SPOUSE), more(CEO.lower()), more(SPOUSE)])
    ask(memory, planner, "chain", CEO, max_attempts=9)
    assert memory.queries == [CEO, SPOUSE]


@pytest.mark.parametrize(("confidence", "searches"), [(0.79, 2), (0.8, 1), (1.0, 1)])
def test_sufficient_is_believed_from_the_confidence_of_the_settings_on(confidence: float, searches: int) -> None:
    memory = Remembered(MEMORY)
    judgements = [Judgement(True, confidence, (SPOUSE,)), enough()]
    ask(memory, ScriptedPlanner(judgements=judgements), "chain", CEO, confidence_score=0.8)
    assert len(memory.queries) == searches


def test_not_sufficient_is_believed_whatever_its_confidence() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(judgements=[more(SPOUSE, confidence=1.0), enough()]), "chain", CEO)
    assert memory.queries == [CEO, SPOUSE]


def test_where_nothing_better_can_be_asked_it_says_what_is_missing() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(judgements=[more(missing="who Eve married")]), "chain", CEO)
    assert ids(found) == ["Eve is CEO"]
    assert found.query.notes == ("agent: not everything was found: who Eve married",)


@pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelTimeout("late"), ModelError("down")])
def test_without_a_judgement_what_was_found_is_the_result_and_it_says_so(error: ModelError) -> None:
    memory = Remembered(MEMORY)
    found = ask(memory, ScriptedPlanner(judgements=[more(SPOUSE), error]), "chain", CEO)
    assert memory.queries == [CEO, SPOUSE]
    assert set(ids(found)) == {"Eve is CEO", "Eve married Lee"}
    assert found.query.notes == (f"agent: judgement failed: {error}",)


def test_a_later_search_that_fails_leaves_what_was_found_and_it_says_so() -> None:
    memory = Remembered(MEMORY | {SPOUSE: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(judgements=[more(SPOUSE)]), "chain", CEO)
    assert ids(found) == ["Eve is CEO"]
    assert found.query.notes == (f"agent: search failed ({SPOUSE}): no index today",)


def test_where_the_first_search_fails_it_is_an_error_and_nothing_is_asked() -> None:
    planner = ScriptedPlanner(judgements=[enough()])
    with pytest.raises(StoreUnavailable, match="no index today"):
        ask(Remembered({CEO: StoreUnavailable("no index today")}), planner, "chain", CEO)
    assert planner.asked == []


def test_where_nothing_is_found_the_judgement_may_find_a_better_query() -> None:
    memory = Remembered({COMPANY: response(message("Lee works at Initech"))})
    assert ids(ask(memory, ScriptedPlanner(judgements=[more(COMPANY), enough()]), "chain", CEO)) == ["Lee works at Initech"]


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_calls_end_where_the_budget_does(calls: int) -> None:
    memory = Remembered()
    planner = ScriptedPlanner(judgements=[more(f"query {number}") for number in range(100)])
    found = ask(memory, planner, "chain", CEO, policy=QueryPolicy(calls=calls), max_attempts=9)
    assert len(planner.asked) == calls
    assert len(memory.queries) == calls + 1
    assert found.query.notes == (f"agent: judgement left out: no call of the model is left of {calls}",)


def test_after_the_last_search_of_the_budget_nothing_is_asked() -> None:
    planner = ScriptedPlanner(judgements=[more(SPOUSE), more(COMPANY)])
    memory = Remembered(MEMORY)
    ask(memory, planner, "chain", CEO, policy=QueryPolicy(searches=2), max_attempts=9)
    assert memory.queries == [CEO, SPOUSE]
    assert len(planner.asked) == 1


def test_a_slow_search_leaves_no_time_for_another() -> None:
    clock = Clock()

    def slow(_: str) -> None:
        clock.now += 20

    memory = Remembered(MEMORY, slow)
    planner = ScriptedPlanner(judgements=[more(SPOUSE), more(COMPANY), enough()])
    found = ask(memory, planner, "chain", CEO, policy=QueryPolicy(seconds=30), clock=clock, max_attempts=9, seconds=60)
    assert memory.queries == [CEO, SPOUSE]
    assert len(planner.asked) == 1
    assert set(ids(found)) == {"Eve is CEO", "Eve married Lee"}
    assert found.query.notes == ("agent: judgement left out: the 30 s have passed",)


def test_a_slow_model_leaves_no_time_for_another_search() -> None:
    clock = Clock()

    def slowly() -> Judgement:
        clock.now += 31
        return more(SPOUSE)

    memory = Remembered(MEMORY)
    found = ask(memory, ScriptedPlanner(judgements=[slowly]), "chain", CEO, clock=clock)
    assert memory.queries == [CEO]
    assert found.query.notes == ("agent: 1 searches left out: the 30 s have passed",)
