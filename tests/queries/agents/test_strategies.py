"""The agents: one search, sub-queries side by side, a chain, a second round, and the router that chooses."""

from collections.abc import Sequence
from typing import Any

import pytest

from mneme.errors import InputError, ModelError, ModelMalformed, ModelRateLimited, ModelTimeout, StoreUnavailable
from mneme.settings import load_settings
from queries.agents.evidence import Place
from queries.agents.planner import Judgement, Tool
from queries.agents.query import QueryParam, QueryPolicy
from queries.agents.search import AgenticSearch
from tests.queries.agents.made import (
    Clock,
    Immediately,
    Remembered,
    ScriptedPlanner,
    ask,
    enough,
    ids,
    message,
    more,
    profile,
    response,
)

BOTH = "Where do Ann and Tom work?"
ANN, TOM = "Where does Ann work?", "Where does Tom work?"
SPLIT_MEMORY = {
    BOTH: response(profile(), message("both")),
    ANN: response(message("ann"), message("both")),
    TOM: response(message("tom"), message("both")),
}

CEO, SPOUSE, COMPANY = "What is the company of the spouse of the CEO of Acme?", "Who is Eve married to?", "Where does Lee work?"
CHAIN_MEMORY = {
    CEO: response(message("Eve is CEO")),
    SPOUSE: response(message("Eve married Lee")),
    COMPANY: response(message("Lee works at Initech")),
}

ALL = "Which instruments does Maya own?"
WORDS, REFLECT_QUESTION, STATEMENT = "Maya cello violin", "Did Maya buy a drum?", "Maya owns a flute."
REFLECT_MEMORY = {
    ALL: response(message("a cello")),
    WORDS: response(message("a violin"), message("a cello")),
    REFLECT_QUESTION: response(message("a drum")),
    STATEMENT: response(message("a flute")),
}
MISSING = more(WORDS, REFLECT_QUESTION, STATEMENT)

ROUTER_QUESTION = "Who?"
ROUTER_MEMORY = {ROUTER_QUESTION: response(message("a")), "one": response(message("b")), "two": response(message("c"))}
SCRIPT: dict[str, Any] = {
    "parts": ("one", "two"),
    "judgements": [more("one"), enough()],
    "supplements": [more("one", "two")],
}
CALLS = {Tool.DIRECT: 0, Tool.SPLIT: 1, Tool.CHAIN: 2, Tool.REFLECT: 1}


def test_the_question_is_searched_for_once_and_nothing_is_asked() -> None:
    memory, planner = Remembered({"question": response(message("a"), profile(), message("b"))}), ScriptedPlanner()
    found = ask(memory, planner, "direct", limit=7)
    assert memory.searched == [("question", 7, True)]
    assert planner.asked == []
    assert ids(found) == ["a", "portrait", "b"]


def test_it_is_the_search_as_it_was() -> None:
    alone = response(message("a"), message("b"), message("c"))
    assert ask(Remembered({"question": alone}), ScriptedPlanner(), "direct").raw_messages == alone.raw_messages


def test_a_search_that_fails_is_an_error() -> None:
    with pytest.raises(StoreUnavailable, match="no index today"):
        ask(Remembered({"question": StoreUnavailable("no index today")}), ScriptedPlanner(), "direct")


def test_an_agent_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="agent: 'psychic' is not known; accepted are router, direct, split, chain, reflect"):
        ask(Remembered(), ScriptedPlanner(), "psychic")


def test_the_question_and_its_parts_are_searched_for_by_one_decision() -> None:
    memory, planner = Remembered(SPLIT_MEMORY), ScriptedPlanner(parts=(ANN, TOM))
    found = ask(memory, planner, "split", BOTH)
    assert planner.asked == [("split", BOTH)]
    assert [(query, everything) for query, _, everything in memory.searched] == [(BOTH, True), (ANN, False), (TOM, False)]
    assert ids(found) == ["portrait", "both", "ann", "tom"]
    assert found.query.notes == ()


def test_a_question_that_is_one_is_searched_for_as_it_is() -> None:
    memory = Remembered(SPLIT_MEMORY)
    assert ids(ask(memory, ScriptedPlanner(parts=()), "split", BOTH)) == ["portrait", "both"]
    assert memory.queries == [BOTH]


def test_each_part_has_a_place() -> None:
    crowd = [message(f"m{number}") for number in range(10)]
    memory = Remembered({BOTH: response(*crowd), ANN: response(*crowd), TOM: response(message("tom"))})
    assert "tom" in ids(ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH, limit=3))


@pytest.mark.parametrize("parts", [(BOTH, ANN, TOM), (BOTH.upper(), ANN, TOM), (ANN, ANN.lower(), TOM, f" {TOM} ")])
def test_nothing_is_searched_for_twice(parts: tuple[str, ...]) -> None:
    memory = Remembered(SPLIT_MEMORY)
    ask(memory, ScriptedPlanner(parts=parts), "split", BOTH)
    assert [query.strip().casefold() for query in memory.queries] == [each.casefold() for each in (BOTH, ANN, TOM)]


def test_more_than_six_parts_are_not_searched_for() -> None:
    memory = Remembered()
    ask(memory, ScriptedPlanner(parts=tuple(f"part {number}" for number in range(20))), "split", BOTH, searches=50)
    assert len(memory.queries) == 1 + 6


@pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelRateLimited("slow down")])
def test_without_a_decision_the_question_is_searched_for_and_it_says_so(error: Exception) -> None:
    memory = Remembered(SPLIT_MEMORY)
    found = ask(memory, ScriptedPlanner(parts=error), "split", BOTH)
    assert ids(found) == ["portrait", "both"]
    assert found.query.notes == (f"agent: split failed: {error}",)


def test_without_a_call_the_question_is_searched_for_and_it_says_so() -> None:
    found = ask(Remembered(SPLIT_MEMORY), ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH, policy=QueryPolicy(calls=0))
    assert ids(found) == ["portrait", "both"]
    assert found.query.notes == ("agent: split left out: no call of the model is left of 0",)


def test_a_part_that_fails_costs_itself_and_it_says_so() -> None:
    memory = Remembered(SPLIT_MEMORY | {ANN: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH)
    assert ids(found) == ["portrait", "both", "tom"]
    assert found.query.notes == (f"agent: search failed ({ANN}): no index today",)


def test_where_only_the_question_fails_its_parts_are_there() -> None:
    memory = Remembered(SPLIT_MEMORY | {BOTH: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH)
    assert set(ids(found)) == {"both", "ann", "tom"}
    assert found.query.text == BOTH


def test_where_all_fail_it_is_an_error() -> None:
    memory = Remembered(dict.fromkeys((BOTH, ANN, TOM), StoreUnavailable("no index today")))
    with pytest.raises(StoreUnavailable, match="no index today"):
        ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH)


def test_parts_that_are_too_many_for_the_budget_are_left_out_and_it_says_so() -> None:
    memory = Remembered(SPLIT_MEMORY)
    found = ask(memory, ScriptedPlanner(parts=(ANN, TOM)), "split", BOTH, policy=QueryPolicy(searches=2))
    assert memory.queries == [BOTH, ANN]
    assert found.query.notes == ("agent: 1 searches left out: no more are allowed for one question",)


def test_a_chain_that_is_sufficient_at_once_takes_one_search_and_one_call() -> None:
    memory, planner = Remembered(CHAIN_MEMORY), ScriptedPlanner(judgements=[enough()])
    found = ask(memory, planner, "chain", CEO)
    assert memory.queries == [CEO]
    assert planner.asked == [("judge", CEO)]
    assert ids(found) == ["Eve is CEO"]
    assert found.query.notes == ()


def test_what_is_sufficient_after_two_rounds_takes_two_searches_and_two_calls() -> None:
    memory, planner = Remembered(CHAIN_MEMORY), ScriptedPlanner(judgements=[more(SPOUSE), enough()])
    found = ask(memory, planner, "chain", CEO)
    assert [(query, everything) for query, _, everything in memory.searched] == [(CEO, True), (SPOUSE, False)]
    assert planner.asked == [("judge", CEO)] * 2
    assert set(ids(found)) == {"Eve is CEO", "Eve married Lee"}


def test_each_judgement_sees_all_that_was_found_so_far() -> None:
    planner = ScriptedPlanner(judgements=[more(SPOUSE), more(COMPANY), enough()])
    ask(Remembered(CHAIN_MEMORY), planner, "chain", CEO, max_attempts=5)
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
    memory, planner = Remembered(CHAIN_MEMORY), ScriptedPlanner(judgements=[more(again)])
    found = ask(memory, planner, "chain", CEO, max_attempts=9)
    assert memory.queries == [CEO]
    assert len(planner.asked) == 1
    assert ids(found) == ["Eve is CEO"]


def test_a_loop_of_two_queries_ends() -> None:
    memory, planner = Remembered(CHAIN_MEMORY), ScriptedPlanner(judgements=[more(SPOUSE), more(CEO.lower()), more(SPOUSE)])
    ask(memory, planner, "chain", CEO, max_attempts=9)
    assert memory.queries == [CEO, SPOUSE]


@pytest.mark.parametrize(("confidence", "searches"), [(0.79, 2), (0.8, 1), (1.0, 1)])
def test_sufficient_is_believed_from_the_confidence_of_the_settings_on(confidence: float, searches: int) -> None:
    memory = Remembered(CHAIN_MEMORY)
    judgements = [Judgement(True, confidence, (SPOUSE,)), enough()]
    ask(memory, ScriptedPlanner(judgements=judgements), "chain", CEO, confidence_score=0.8)
    assert len(memory.queries) == searches


def test_not_sufficient_is_believed_whatever_its_confidence() -> None:
    memory = Remembered(CHAIN_MEMORY)
    ask(memory, ScriptedPlanner(judgements=[more(SPOUSE, confidence=1.0), enough()]), "chain", CEO)
    assert memory.queries == [CEO, SPOUSE]


def test_a_chain_that_can_ask_nothing_better_says_what_is_missing() -> None:
    found = ask(Remembered(CHAIN_MEMORY), ScriptedPlanner(judgements=[more(missing="who Eve married")]), "chain", CEO)
    assert ids(found) == ["Eve is CEO"]
    assert found.query.notes == ("agent: not everything was found: who Eve married",)


@pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelTimeout("late"), ModelError("down")])
def test_without_a_judgement_what_was_found_is_the_result_and_it_says_so(error: ModelError) -> None:
    memory = Remembered(CHAIN_MEMORY)
    found = ask(memory, ScriptedPlanner(judgements=[more(SPOUSE), error]), "chain", CEO)
    assert memory.queries == [CEO, SPOUSE]
    assert set(ids(found)) == {"Eve is CEO", "Eve married Lee"}
    assert found.query.notes == (f"agent: judgement failed: {error}",)


def test_a_later_search_that_fails_leaves_what_was_found_and_it_says_so() -> None:
    memory = Remembered(CHAIN_MEMORY | {SPOUSE: StoreUnavailable("no index today")})
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
    memory = Remembered(CHAIN_MEMORY)
    ask(memory, planner, "chain", CEO, policy=QueryPolicy(searches=2), max_attempts=9)
    assert memory.queries == [CEO, SPOUSE]
    assert len(planner.asked) == 1


def test_a_slow_search_leaves_no_time_for_another() -> None:
    clock = Clock()

    def slow(_: str) -> None:
        clock.now += 20

    memory = Remembered(CHAIN_MEMORY, slow)
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

    memory = Remembered(CHAIN_MEMORY)
    found = ask(memory, ScriptedPlanner(judgements=[slowly]), "chain", CEO, clock=clock)
    assert memory.queries == [CEO]
    assert found.query.notes == ("agent: 1 searches left out: the 30 s have passed",)


def test_a_reflection_that_is_sufficient_at_once_takes_one_search_and_one_call() -> None:
    memory, planner = Remembered(REFLECT_MEMORY), ScriptedPlanner(supplements=[enough()])
    found = ask(memory, planner, "reflect", ALL)
    assert memory.queries == [ALL]
    assert planner.asked == [("supplement", ALL)]
    assert ids(found) == ["a cello"]


def test_what_is_missing_is_searched_for_at_once_and_nothing_more_is_asked() -> None:
    memory, planner = Remembered(REFLECT_MEMORY), ScriptedPlanner(supplements=[MISSING])
    found = ask(memory, planner, "reflect", ALL)
    assert [(query, everything) for query, _, everything in memory.searched] == [
        (ALL, True),
        (WORDS, False),
        (REFLECT_QUESTION, False),
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
        {ALL: response(*crowd), WORDS: response(*crowd), REFLECT_QUESTION: response(*crowd)}
        | {STATEMENT: REFLECT_MEMORY[STATEMENT]}
    )
    assert "a flute" in ids(ask(memory, ScriptedPlanner(supplements=[MISSING]), "reflect", ALL, limit=4))


@pytest.mark.parametrize("wanted", [1, 2, 3, 6])
def test_no_more_queries_are_searched_for_than_the_settings_say(wanted: int) -> None:
    memory = Remembered()
    planner = ScriptedPlanner(supplements=[more(*(f"query {number}" for number in range(20)))])
    ask(memory, planner, "reflect", ALL, supplementary=wanted)
    assert len(memory.queries) == 1 + wanted


def test_queries_that_repeat_are_not_searched_for() -> None:
    memory = Remembered(REFLECT_MEMORY)
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


def test_a_reflection_that_can_ask_nothing_better_says_what_is_missing() -> None:
    found = ask(Remembered(REFLECT_MEMORY), ScriptedPlanner(supplements=[more(missing="other instruments")]), "reflect", ALL)
    assert found.query.notes == ("agent: not everything was found: other instruments",)


def test_without_a_reflection_what_was_found_is_the_result_and_it_says_so() -> None:
    found = ask(Remembered(REFLECT_MEMORY), ScriptedPlanner(supplements=[ModelMalformed("prose")]), "reflect", ALL)
    assert ids(found) == ["a cello"]
    assert found.query.notes == ("agent: reflection failed: prose",)


def test_a_supplementary_search_that_fails_costs_itself_and_it_says_so() -> None:
    memory = Remembered(REFLECT_MEMORY | {REFLECT_QUESTION: StoreUnavailable("no index today")})
    found = ask(memory, ScriptedPlanner(supplements=[MISSING]), "reflect", ALL)
    assert set(ids(found)) == {"a cello", "a violin", "a flute"}
    assert found.query.notes == (f"agent: search failed ({REFLECT_QUESTION}): no index today",)


def test_where_the_first_search_fails_it_is_an_error() -> None:
    planner = ScriptedPlanner(supplements=[MISSING])
    with pytest.raises(StoreUnavailable):
        ask(Remembered({ALL: StoreUnavailable("no index today")}), planner, "reflect", ALL)
    assert planner.asked == []


def test_searches_that_are_too_many_for_the_budget_are_left_out_and_it_says_so() -> None:
    memory = Remembered(REFLECT_MEMORY)
    found = ask(memory, ScriptedPlanner(supplements=[MISSING]), "reflect", ALL, policy=QueryPolicy(searches=3))
    assert memory.queries == [ALL, WORDS, REFLECT_QUESTION]
    assert found.query.notes == ("agent: 1 searches left out: no more are allowed for one question",)


def test_a_slow_search_leaves_no_time_for_a_reflection() -> None:
    clock = Clock()

    def slow(_: str) -> None:
        clock.now += 31

    planner = ScriptedPlanner(supplements=[MISSING])
    found = ask(Remembered(REFLECT_MEMORY, slow), planner, "reflect", ALL, clock=clock)
    assert ids(found) == ["a cello"]
    assert planner.asked == []
    assert found.query.notes == ("agent: reflection left out: the 30 s have passed",)


@pytest.mark.parametrize("tool", Tool)
def test_the_chosen_strategy_answers_and_the_choice_is_one_call_more(tool: Tool) -> None:
    routed, alone = (
        ask(Remembered(ROUTER_MEMORY), ScriptedPlanner(tool, **SCRIPT), agent, ROUTER_QUESTION)
        for agent in ("router", str(tool))
    )
    assert routed.metrics.agent
    assert alone.metrics.agent
    assert (alone.metrics.agent.llm_called, routed.metrics.agent.llm_called) == (CALLS[tool], CALLS[tool] + 1)
    assert (alone.metrics.agent.selected_tool, routed.metrics.agent.selected_tool) == (tool, tool)
    assert ids(routed) == ids(alone)
    assert routed.metrics.agent.queries == alone.metrics.agent.queries


@pytest.mark.parametrize(("agent", "selected"), [("router", "direct"), ("chain", "chain")])
def test_the_settings_say_who_answers_where_the_question_does_not(agent: str, selected: str) -> None:
    search = AgenticSearch(
        load_settings({}, agents={"agent": agent}), ScriptedPlanner(Tool.DIRECT, **SCRIPT), None, Immediately()
    )
    found = search.search(QueryParam(ROUTER_QUESTION, 10), QueryPolicy(), Remembered(ROUTER_MEMORY))
    assert found.metrics.agent
    assert found.metrics.agent.selected_tool == selected


@pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelTimeout("late"), ModelRateLimited("slow"), ModelError("down")])
def test_without_a_choice_it_is_chain_and_it_says_so(error: ModelError) -> None:
    memory, planner = Remembered(ROUTER_MEMORY), ScriptedPlanner(error, **SCRIPT)
    found = ask(memory, planner, "router", ROUTER_QUESTION)
    assert [what for what, _ in planner.asked] == ["route", "judge", "judge"]
    assert memory.queries == [ROUTER_QUESTION, "one"]
    assert found.metrics.agent
    assert found.metrics.agent.selected_tool == "chain"
    assert found.query.notes == (f"agent: routing failed: {error}",)


def test_without_any_call_one_search_is_made_and_it_says_so() -> None:
    memory = Remembered(ROUTER_MEMORY)
    found = ask(memory, ScriptedPlanner(Tool.SPLIT, **SCRIPT), "router", ROUTER_QUESTION, policy=QueryPolicy(calls=0))
    assert memory.queries == [ROUTER_QUESTION]
    assert ids(found) == ["a"]
    assert found.query.notes == (
        "agent: routing left out: no call of the model is left of 0",
        "agent: judgement left out: no call of the model is left of 0",
    )


def test_exactly_one_strategy_is_chosen() -> None:
    found = ask(Remembered(ROUTER_MEMORY), ScriptedPlanner(Tool.REFLECT, **SCRIPT), "router", ROUTER_QUESTION)
    assert found.trace is not None
    assert [step.id for step in found.trace if step.move == "route"] == ["reflect"]


def model(*queries: str, **more_of: Any) -> ScriptedPlanner:
    """A model that proposes these queries."""
    return ScriptedPlanner(supplements=[more(*queries)], name="model", **more_of)


def test_a_model_reflects_by_default_and_rules_route() -> None:
    for planner, tool in ((model(), "reflect"), (ScriptedPlanner(route=Tool.DIRECT), "direct")):
        found = ask(Remembered(REFLECT_MEMORY), planner, None, ALL)
        assert found.metrics.agent is not None
        assert found.metrics.agent.selected_tool == tool


def test_of_a_model_up_to_six_queries_are_searched_for_by_one_decision() -> None:
    memory, planner = Remembered(), model(*(f"query {number}" for number in range(20)))
    ask(memory, planner, "reflect", ALL)
    assert len(memory.queries) == 1 + 6
    assert len(planner.asked) == 1


def test_a_model_looks_at_twenty_memories() -> None:
    memory = Remembered({ALL: response(*(message(f"m{number:02}") for number in range(30)))})
    planner = model(WORDS)
    ask(memory, planner, "reflect", ALL)
    assert len(planner.seen[0]) == 20
