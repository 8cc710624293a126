"""direct: one search, and no model."""

import pytest

from mneme.errors import InputError, StoreUnavailable
from tests.queries.agents.made import Remembered, ScriptedPlanner, ask, ids, message, profile, response


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
