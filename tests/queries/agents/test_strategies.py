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

ASKED = "Who?"
MEMORY = {
    ASKED: response(profile(), message("asked")),
    "one": response(message("first"), message("asked")),
    "two": response(message("second"), message("asked")),
}
SCRIPT: dict[str, Any] = {
    "parts": ("one", "two"),
    "judgements": [more("one"), more("two"), enough()],
    "supplements": [more("one", "two")],
}
DECISIONS = {Tool.SPLIT: "split", Tool.CHAIN: "judgement", Tool.REFLECT: "reflection"}
"""What each strategy that decides calls its decision."""

GONE = StoreUnavailable("no index today")
ENDLESS = [more(f"query {number}") for number in range(100)]
deciding = pytest.mark.parametrize("agent", DECISIONS)


def crowd(count: int) -> list[Any]:
    return [message(f"m{number:02}") for number in range(count)]


class TestEveryStrategyThatDecides:
    @deciding
    def test_searches_for_the_question_and_for_what_was_decided(self, agent: Tool) -> None:
        memory, planner = Remembered(MEMORY), ScriptedPlanner(**SCRIPT)
        found = ask(memory, planner, agent, ASKED, max_attempts=3)
        assert [(query, everything) for query, _, everything in memory.searched] == [
            (ASKED, True),
            ("one", False),
            ("two", False),
        ]
        assert len(planner.asked) == (2 if agent == Tool.CHAIN else 1)  # nothing depends on a judgement after the last search
        assert set(ids(found)) == {"portrait", "asked", "first", "second"}
        assert found.query.notes == ()

    @deciding
    def test_takes_one_search_and_one_call_where_that_suffices(self, agent: Tool) -> None:
        memory, planner = Remembered(MEMORY), ScriptedPlanner(parts=(), judgements=[enough()], supplements=[enough()])
        found = ask(memory, planner, agent, ASKED)
        assert memory.queries == [ASKED]
        assert [question for _, question in planner.asked] == [ASKED]
        assert ids(found) == ["portrait", "asked"]

    @deciding
    @pytest.mark.parametrize("again", [ASKED, ASKED.upper(), ASKED.rstrip("?"), f"  {ASKED.casefold()} "])
    def test_searches_for_nothing_twice(self, agent: Tool, again: str) -> None:
        memory, judgements = Remembered(MEMORY), [more("one"), more(again), more("two")]
        ask(memory, ScriptedPlanner((), ("one", again, "ONE"), judgements, [more("one", again, "ONE")]), agent, ASKED)
        assert memory.queries == [ASKED, "one"]

    @deciding
    @pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelTimeout("late"), ModelError("down")])
    def test_gives_what_was_found_and_says_so_where_it_cannot_decide(self, agent: Tool, error: ModelError) -> None:
        memory = Remembered(MEMORY)
        found = ask(memory, ScriptedPlanner(parts=error, judgements=[error], supplements=[error]), agent, ASKED)
        assert ids(found) == ["portrait", "asked"]
        assert found.query.notes == (f"agent: {DECISIONS[agent]} failed: {error}",)

    @deciding
    def test_gives_what_was_found_and_says_so_where_no_call_is_left(self, agent: Tool) -> None:
        found = ask(Remembered(MEMORY), ScriptedPlanner(**SCRIPT), agent, ASKED, policy=QueryPolicy(calls=0))
        assert ids(found) == ["portrait", "asked"]
        assert found.query.notes == (f"agent: {DECISIONS[agent]} left out: no call of the model is left of 0",)

    @deciding
    def test_says_what_failed_and_gives_the_rest(self, agent: Tool) -> None:
        found = ask(Remembered(MEMORY | {"one": GONE}), ScriptedPlanner(**SCRIPT), agent, ASKED)
        assert set(ids(found)) == {"portrait", "asked"} | ({"second"} if agent != Tool.CHAIN else set())
        assert found.query.notes == ("agent: search failed (one): no index today",)

    @deciding
    def test_searches_no_more_often_than_the_budget_allows_and_says_so(self, agent: Tool) -> None:
        memory, planner = Remembered(MEMORY), ScriptedPlanner(**SCRIPT)
        found = ask(memory, planner, agent, ASKED, policy=QueryPolicy(searches=2))
        assert memory.queries == [ASKED, "one"]
        assert len(planner.asked) == 1
        left_out = "agent: 1 searches left out: no more are allowed for one question"
        assert found.query.notes == (() if agent == Tool.CHAIN else (left_out,))

    @pytest.mark.parametrize("agent", [Tool.CHAIN, Tool.REFLECT])
    def test_says_what_is_missing_where_nothing_better_can_be_asked(self, agent: Tool) -> None:
        nothing = [more(missing="other instruments")]
        found = ask(Remembered(MEMORY), ScriptedPlanner(judgements=nothing, supplements=nothing), agent, ASKED)
        assert found.query.notes == ("agent: not everything was found: other instruments",)

    @pytest.mark.parametrize("agent", [Tool.SPLIT, Tool.REFLECT])
    def test_gives_each_query_a_place(self, agent: Tool) -> None:
        memory = Remembered({ASKED: response(*crowd(20)), "one": response(*crowd(20)), "two": MEMORY["two"]})
        assert "second" in ids(ask(memory, ScriptedPlanner(**SCRIPT), agent, ASKED, limit=3))


class TestWhatFailsAtOnce:
    @pytest.mark.parametrize("agent", [Tool.DIRECT, Tool.CHAIN, Tool.REFLECT])
    def test_is_an_error_and_nothing_is_decided(self, agent: Tool) -> None:
        planner = ScriptedPlanner(**SCRIPT)
        with pytest.raises(StoreUnavailable, match="no index today"):
            ask(Remembered({ASKED: GONE}), planner, agent, ASKED)
        assert planner.asked == []

    def test_leaves_the_parts_of_a_split(self) -> None:
        found = ask(Remembered(MEMORY | {ASKED: GONE}), ScriptedPlanner(**SCRIPT), "split", ASKED)
        assert set(ids(found)) == {"asked", "first", "second"}
        assert found.query.text == ASKED

    def test_is_an_error_where_every_part_fails(self) -> None:
        with pytest.raises(StoreUnavailable, match="no index today"):
            ask(Remembered(dict.fromkeys(MEMORY, GONE)), ScriptedPlanner(**SCRIPT), "split", ASKED)


class TestDirect:
    def test_is_one_search_without_a_decision(self) -> None:
        alone = response(message("a"), profile(), message("b"))
        memory, planner = Remembered({ASKED: alone}), ScriptedPlanner()
        found = ask(memory, planner, "direct", ASKED, limit=7)
        assert memory.searched == [(ASKED, 7, True)]
        assert planner.asked == []
        assert ids(found) == ["a", "portrait", "b"]
        assert found.raw_messages == alone.raw_messages


def test_what_several_parts_find_stands_before_what_one_does() -> None:
    assert ids(ask(Remembered(MEMORY), ScriptedPlanner(**SCRIPT), "split", ASKED)) == ["portrait", "asked", "first", "second"]


def test_more_than_six_parts_are_not_searched_for() -> None:
    memory = Remembered()
    ask(memory, ScriptedPlanner(parts=tuple(f"part {number}" for number in range(20))), "split", ASKED, searches=50)
    assert len(memory.queries) == 1 + 6


class TestChain:
    def test_judges_all_that_was_found_so_far(self) -> None:
        planner = ScriptedPlanner(**SCRIPT)
        ask(Remembered(MEMORY), planner, "chain", ASKED, max_attempts=5)
        assert planner.seen == [("asked",), ("asked", "first"), ("asked", "first", "second")]

    @pytest.mark.parametrize("attempts", [1, 2, 5])
    def test_searches_no_more_often_than_the_settings_say(self, attempts: int) -> None:
        memory, planner = Remembered(), ScriptedPlanner(judgements=ENDLESS)
        ask(memory, planner, "chain", ASKED, max_attempts=attempts)
        assert len(memory.queries) == attempts
        assert len(planner.asked) == attempts - 1

    @pytest.mark.parametrize("calls", [1, 2])
    def test_ends_where_the_calls_do(self, calls: int) -> None:
        memory, planner = Remembered(), ScriptedPlanner(judgements=ENDLESS)
        found = ask(memory, planner, "chain", ASKED, policy=QueryPolicy(calls=calls), max_attempts=9)
        assert (len(planner.asked), len(memory.queries)) == (calls, calls + 1)
        assert found.query.notes == (f"agent: judgement left out: no call of the model is left of {calls}",)

    @pytest.mark.parametrize(
        ("judgement", "searches"),
        [
            (Judgement(True, 0.79, ("one",)), 2),
            (Judgement(True, 0.8, ("one",)), 1),
            (Judgement(False, 1.0, ("one",)), 2),
        ],
    )
    def test_believes_sufficient_from_the_confidence_of_the_settings_on(self, judgement: Judgement, searches: int) -> None:
        memory = Remembered(MEMORY)
        ask(memory, ScriptedPlanner(judgements=[judgement, enough()]), "chain", ASKED, confidence_score=0.8)
        assert len(memory.queries) == searches

    def test_goes_on_where_nothing_was_found(self) -> None:
        memory = Remembered({"one": response(message("first"))})
        assert ids(ask(memory, ScriptedPlanner(judgements=[more("one"), enough()]), "chain", ASKED)) == ["first"]


class TestReflect:
    def test_decides_once_however_little_was_found(self) -> None:
        memory, planner = Remembered(), ScriptedPlanner(supplements=ENDLESS)
        ask(memory, planner, "reflect", ASKED)
        assert (len(planner.asked), len(memory.queries)) == (1, 2)

    @pytest.mark.parametrize("wanted", [1, 6])
    def test_searches_for_as_many_queries_as_the_settings_say(self, wanted: int) -> None:
        memory = Remembered()
        planner = ScriptedPlanner(supplements=[more(*(f"query {number}" for number in range(20)))])
        ask(memory, planner, "reflect", ASKED, supplementary=wanted)
        assert len(memory.queries) == 1 + wanted

    def test_looks_at_the_ten_best_as_the_reranker_sees_them(self) -> None:
        judged: list[str] = []

        def backwards(question: str, places: Sequence[Place]) -> tuple[Sequence[Place], Sequence[str]]:
            judged.append(question)
            return places[::-1], ()

        planner = ScriptedPlanner(supplements=[more("one")])
        ask(Remembered({ASKED: response(*crowd(30))}), planner, "reflect", ASKED, rerank=backwards)
        assert planner.seen == [tuple(f"m{number:02}" for number in range(19, 9, -1))]
        assert judged == [ASKED, f"{ASKED}\none"]

    def test_looks_with_a_model_at_twenty_and_searches_for_six(self) -> None:
        memory = Remembered({ASKED: response(*crowd(30))})
        planner = ScriptedPlanner(supplements=[more(*(f"query {number}" for number in range(20)))], name="model")
        ask(memory, planner, "reflect", ASKED)
        assert (len(planner.seen[0]), len(memory.queries), len(planner.asked)) == (20, 1 + 6, 1)


class TestTime:
    @pytest.mark.parametrize(("agent", "slow"), [(Tool.CHAIN, "one"), (Tool.REFLECT, ASKED)])
    def test_that_a_search_takes_is_not_there_for_a_decision(self, agent: Tool, slow: str) -> None:
        clock = Clock()

        def search(query: str) -> None:
            clock.now += 31 * (query == slow)

        memory, planner = Remembered(MEMORY, search), ScriptedPlanner(**SCRIPT)
        found = ask(memory, planner, agent, ASKED, clock=clock)
        assert memory.queries[-1] == slow
        assert found.query.notes == (f"agent: {DECISIONS[agent]} left out: the 30 s have passed",)

    def test_that_a_decision_takes_is_not_there_for_another_search(self) -> None:
        clock = Clock()

        def slowly() -> Judgement:
            clock.now += 31
            return more("one")

        memory = Remembered(MEMORY)
        found = ask(memory, ScriptedPlanner(judgements=[slowly]), "chain", ASKED, clock=clock)
        assert memory.queries == [ASKED]
        assert found.query.notes == ("agent: 1 searches left out: the 30 s have passed",)


class TestRouter:
    @pytest.mark.parametrize("tool", Tool)
    def test_follows_the_strategy_that_was_chosen_with_one_call_more(self, tool: Tool) -> None:
        routed, alone = (ask(Remembered(MEMORY), ScriptedPlanner(tool, **SCRIPT), agent, ASKED) for agent in ("router", tool))
        assert routed.metrics.agent
        assert alone.metrics.agent
        assert routed.metrics.agent.llm_called == alone.metrics.agent.llm_called + 1
        assert routed.metrics.agent.selected_tool == alone.metrics.agent.selected_tool == tool
        assert ids(routed) == ids(alone)
        assert [step.id for step in routed.trace or () if step.move == "route"] == [tool]

    @pytest.mark.parametrize(
        ("agent", "planner", "selected"),
        [
            ("router", ScriptedPlanner(Tool.DIRECT, **SCRIPT), "direct"),
            ("chain", ScriptedPlanner(Tool.DIRECT, **SCRIPT), "chain"),
            (None, ScriptedPlanner(Tool.DIRECT, **SCRIPT), "direct"),
            (None, ScriptedPlanner(**SCRIPT, name="model"), "reflect"),
        ],
    )
    def test_serves_unless_the_settings_name_another_or_a_model_decides(
        self, agent: str | None, planner: ScriptedPlanner, selected: str
    ) -> None:
        search = AgenticSearch(load_settings({}, agents={"agent": agent} if agent else {}), planner, None, Immediately())
        found = search.search(QueryParam(ASKED, 10), QueryPolicy(), Remembered(MEMORY))
        assert found.metrics.agent
        assert found.metrics.agent.selected_tool == selected

    @pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelRateLimited("slow")])
    def test_is_a_chain_and_says_so_without_a_choice(self, error: ModelError) -> None:
        planner = ScriptedPlanner(error, **SCRIPT)
        found = ask(Remembered(MEMORY), planner, "router", ASKED, max_attempts=2)
        assert [what for what, _ in planner.asked] == ["route", "judge"]
        assert found.metrics.agent
        assert found.metrics.agent.selected_tool == "chain"
        assert found.query.notes == (f"agent: routing failed: {error}",)

    def test_refuses_an_agent_that_is_none_with_those_that_are(self) -> None:
        with pytest.raises(InputError, match="agent: 'psychic' is not known; accepted are router, direct, split, chain, refl"):
            ask(Remembered(), ScriptedPlanner(), "psychic")
