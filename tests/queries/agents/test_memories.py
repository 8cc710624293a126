"""The method ``agentic`` through the door of the query module."""

from datetime import timedelta
from typing import Any

import pytest

from mneme.errors import InputError, SettingsError
from mneme.settings import load_settings
from queries import Memories
from queries.agents.query import QueryPolicy
from queries.responses import SearchResponse
from queries.search import Searcher
from tests.queries.agents.made import ScriptedChat
from tests.queries.world import HARBOUR, MAYA, NOW, TEAM, WordEmbedder, conversation, filled, messages

QUESTION = "When does the rowing club meet?"
SECOND = "Who paid for the boat shed?"
OPEN = "the rowing club has a new flag"
MINE = {"user_id": "maya"}


def verdict(next_query: str) -> dict[str, Any]:
    return {"established": "", "missing": "", "sufficient": False, "confidence": 0.9, "next_query": next_query}


def remembering(*answers: dict[str, Any], **settings: Any) -> Memories:
    index = filled(*messages(MAYA, "beach", [("Maya", OPEN)], day=10, first=70))
    agents = {"planner": "model", "max_attempts": 2}
    chat = ScriptedChat(*answers) if answers else None
    return Memories(index, WordEmbedder(), load_settings({}).replace(agents=agents | settings), clock=lambda: NOW, chat=chat)


def chained(**request: Any) -> SearchResponse:
    """What a chain of two searches finds."""
    with remembering(verdict(SECOND)) as memories:
        return memories.search(QUESTION, "agentic", **({"filters": MINE, "agent": "chain"} | request))


def texts(found: SearchResponse) -> list[str]:
    return [each.text for each in found.ranked()]


def test_direct_finds_what_hybrid_finds() -> None:
    with remembering({}) as memories:
        hybrid = memories.search(QUESTION, filters=MINE, top_k=4)
        direct = memories.search(QUESTION, "agentic", MINE, top_k=4, agent="direct")
    assert [(each.id, each.rank) for each in direct.ranked()] == [(each.id, each.rank) for each in hybrid.ranked()]
    assert direct.query.method == "agentic"


def test_what_a_second_search_finds_first_has_a_place() -> None:
    assert any("four hundred euros for the boat shed" in text for text in texts(chained(top_k=3)))


def test_only_what_lies_in_episodes_is_searched_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[SearchResponse] = []
    search = Searcher.search

    def spied(*args: Any, **kwargs: Any) -> SearchResponse:
        found.append(search(*args, **kwargs))
        return found[-1]

    monkeypatch.setattr(Searcher, "search", spied)
    merged = chained(top_k=20)
    first, again = found
    assert first.profiles
    assert again.ranked()
    assert not again.profiles
    assert [each.id for each in merged.profiles] == [each.id for each in first.profiles]


def test_no_more_places_than_were_asked_for() -> None:
    assert [each.rank for each in chained(top_k=3).ranked()] == [1, 2, 3]


@pytest.mark.parametrize("top_k", [0, -1, 1001])
def test_a_number_of_places_that_is_none_is_refused(top_k: int) -> None:
    with pytest.raises(InputError, match="top_k"):
        chained(top_k=top_k)


@pytest.mark.parametrize("question", ["", " ", "?!", "word " * 3000])
def test_a_question_that_cannot_be_asked_is_refused_before_a_model_is_asked(question: str) -> None:
    chat = ScriptedChat({"tool": "direct"})
    settings = load_settings({}, agents={"planner": "model"})
    with (
        Memories(filled(), WordEmbedder(), settings, clock=lambda: NOW, chat=chat) as memories,
        pytest.raises(InputError, match="query"),
    ):
        memories.search(question, "agentic", MINE)
    assert chat.prompts == []


@pytest.mark.parametrize("method", ["keyword", "vector", "hybrid", "agentic"])
@pytest.mark.parametrize("messages", [-1, 51])
def test_a_context_that_cannot_be_shown_is_refused_in_every_method(method: str, messages: int) -> None:
    with remembering({}) as memories, pytest.raises(InputError, match="expand_context"):
        memories.search(QUESTION, method, MINE, expand_context=messages)


def test_filters_hold_in_every_search() -> None:
    found = chained(filters=MINE | {"conversation_id": "kitchen"}, top_k=20)
    assert found.ranked()
    assert {each.conversation_id for each in found.episodes} == {"kitchen"}
    assert not any("boat shed" in text for text in texts(found))


def test_a_proposed_query_does_not_reach_the_memory_of_others() -> None:
    with remembering(verdict("When is the release at the harbour office?")) as memories:
        found = memories.search(QUESTION, "agentic", MINE, top_k=50, agent="chain")
        assert found.metrics.agent
        assert found.metrics.agent.memory_search_called == 2
        assert not any("release" in text for text in texts(found))
        others = memories.search("When is the release at the harbour office?", filters={"group_id": TEAM.id})
    assert any("release" in text for text in texts(others))


def test_the_context_of_what_was_found_is_shown_without_a_rank() -> None:
    only = {"conversation_id": "harbour", "kinds": ["fact"]}
    alone, wide = chained(filters=MINE | only, top_k=1), chained(filters=MINE | only, top_k=1, expand_context=2)
    assert not alone.raw_messages
    assert texts(wide) == texts(alone)
    assert [each.rank for each in wide.raw_messages] == [None, None]
    assert {each.text for each in wide.raw_messages} < {text for _, text in HARBOUR}


class TestAgentMode:
    def found(self, **request: Any) -> SearchResponse:
        with remembering({"tool": "chain"}, verdict(SECOND), agent="direct") as memories:
            return memories.search(QUESTION, filters=MINE, top_k=20, agent_mode=True, **request)

    def test_is_the_router_whatever_the_settings_say(self) -> None:
        found = self.found()
        assert found.metrics.agent
        assert (found.metrics.agent.selected_tool, found.metrics.agent.llm_called) == ("chain", 2)
        assert found.query.method == "agentic"

    def test_gives_all_results_the_score_1(self) -> None:
        assert {each.score for each in self.found().ranked()} == {1.0}

    def test_keeps_what_no_episode_holds_yet_beside_long_term_memory(self) -> None:
        found = self.found()
        assert OPEN in texts(found)
        assert any("four hundred euros for the boat shed" in text for text in texts(found))
        assert found.metrics.agent
        assert not {each.id for each in found.raw_messages} & set(found.metrics.agent.evidence)

    @pytest.mark.parametrize("method", ["keyword", "vector"])
    def test_is_no_part_of_the_other_methods(self, method: str) -> None:
        with pytest.raises(InputError, match="agent_mode"):
            self.found(method=method)


@pytest.mark.parametrize(("name", "value"), [("agent", "chain"), ("policy", QueryPolicy(calls=1))])
def test_what_only_agents_know_is_refused_elsewhere(name: str, value: Any) -> None:
    with remembering({}) as memories, pytest.raises(InputError, match=name):
        memories.search(QUESTION, "hybrid", MINE, **{name: value})


def test_a_model_that_is_to_decide_and_is_not_there_is_an_error_of_the_settings() -> None:
    with remembering() as memories, pytest.raises(SettingsError, match="MNEME_MODELS__PROVIDER"):
        memories.search(QUESTION, "agentic", MINE)


def test_a_later_search_that_may_find_nothing_is_noted() -> None:
    found = chained(filters=MINE | {"kinds": ["profile"]}, top_k=5)
    assert [each.text for each in found.ranked()] == ["Maya is patient and curious"]
    assert any(SECOND in note and "kinds" in note for note in found.query.notes)


def test_a_search_as_of_a_time_knows_nothing_of_later() -> None:
    late = conversation(MAYA, "late", "Boats", [("Maya", "we paid the boat shed again")], day=60, first=90)
    with Memories(
        filled(*late),
        WordEmbedder(),
        load_settings({}, agents={"planner": "model"}).replace(agents={"max_attempts": 2}),
        clock=lambda: NOW,
        chat=ScriptedChat(verdict(SECOND)),
    ) as memories:
        asked = MINE | {"as_of": NOW - timedelta(days=100)}
        found = memories.search(QUESTION, "agentic", asked, top_k=50, agent="chain")
    assert any("boat shed" in text for text in texts(found))
    assert not any("again" in text and "boat" in text for text in texts(found))
