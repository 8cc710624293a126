"""router: one decision more, which chooses exactly one strategy."""

from typing import Any

import pytest

from mneme.errors import ModelError, ModelMalformed, ModelRateLimited, ModelTimeout
from mneme.settings import load_settings
from queries.agents.planner import Tool
from queries.agents.query import QueryParam, QueryPolicy
from queries.agents.search import AgenticSearch
from tests.queries.agents.made import Immediately, Remembered, ScriptedPlanner, ask, enough, ids, message, more, response

QUESTION = "Who?"
MEMORY = {QUESTION: response(message("a")), "one": response(message("b")), "two": response(message("c"))}
SCRIPT: dict[str, Any] = {
    "parts": ("one", "two"),
    "judgements": [more("one"), enough()],
    "supplements": [more("one", "two")],
}
CALLS = {Tool.DIRECT: 0, Tool.SPLIT: 1, Tool.CHAIN: 2, Tool.REFLECT: 1}


@pytest.mark.parametrize("tool", Tool)
def test_the_chosen_strategy_answers_and_the_choice_is_one_call_more(tool: Tool) -> None:
    routed, alone = (
        ask(Remembered(MEMORY), ScriptedPlanner(tool, **SCRIPT), agent, QUESTION) for agent in ("router", str(tool))
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
    found = search.search(QueryParam(QUESTION, 10), QueryPolicy(), Remembered(MEMORY))
    assert found.metrics.agent
    assert found.metrics.agent.selected_tool == selected


@pytest.mark.parametrize("error", [ModelMalformed("prose"), ModelTimeout("late"), ModelRateLimited("slow"), ModelError("down")])
def test_without_a_choice_it_is_chain_and_it_says_so(error: ModelError) -> None:
    memory, planner = Remembered(MEMORY), ScriptedPlanner(error, **SCRIPT)
    found = ask(memory, planner, "router", QUESTION)
    assert [what for what, _ in planner.asked] == ["route", "judge", "judge"]
    assert memory.queries == [QUESTION, "one"]
    assert found.metrics.agent
    assert found.metrics.agent.selected_tool == "chain"
    assert found.query.notes == (f"agent: routing failed: {error}",)


def test_without_any_call_one_search_is_made_and_it_says_so() -> None:
    memory = Remembered(MEMORY)
    found = ask(memory, ScriptedPlanner(Tool.SPLIT, **SCRIPT), "router", QUESTION, policy=QueryPolicy(calls=0))
    assert memory.queries == [QUESTION]
    assert ids(found) == ["a"]
    assert found.query.notes == (
        "agent: routing left out: no call of the model is left of 0",
        "agent: judgement left out: no call of the model is left of 0",
    )


def test_exactly_one_strategy_is_chosen() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(Tool.REFLECT, **SCRIPT), "router", QUESTION)
    assert found.trace is not None
    assert [step.id for step in found.trace if step.move == "route"] == ["reflect"]
