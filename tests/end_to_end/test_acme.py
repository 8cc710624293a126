"""The example of several hops, from its file to its answer: three conversations, and none of them tells the whole way."""

from pathlib import Path

import pytest

from flows import ingest
from mneme.settings import load_settings
from queries import Memories

EXAMPLE = Path(__file__).parents[2] / "examples" / "acme.jsonl"
QUESTION = "What is the current company of the spouse of the CEO of Acme?"
HOPS = ["Clara Novak is the new CEO of Acme", "Clara is married to Anton Reyes", "Anton works at Lumen Robotics now"]


@pytest.fixture(scope="module")
def memories(tmp_path_factory):
    settings = load_settings({}, data=tmp_path_factory.mktemp("acme"), embedder={"provider": "hash"})
    ingest([EXAMPLE], settings)
    with Memories.connect(settings) as opened:
        yield opened


def test_all_three_hops_are_found_by_the_agent_that_follows_the_graph(memories):
    found = memories.search(QUESTION, "agentic", {"user_id": "nadia"}, top_k=10)
    assert [hop for hop in HOPS if any(hop in item.text for item in found.ranked())] == HOPS
    assert found.metrics.agent.selected_tool == "chain"
    assert found.metrics.agent.planner == "rules"
    assert found.metrics.agent.llm_called == 0
    assert found.metrics.agent.queries == (QUESTION, "What is the current company of Anton Reyes?")


def test_the_graph_calls_everybody_by_one_name_whatever_they_were_called(memories):
    graph = memories.search(QUESTION, filters={"user_id": "nadia"}).graph
    edges = {(each.source, each.relation, each.target): each.valid_to is None for each in graph.relationships}
    assert edges == {
        ("Clara Novak", "ceo_of", "Acme"): True,
        ("Anton Reyes", "married_to", "Clara Novak"): True,
        ("Anton Reyes", "works_at", "Lumen Robotics"): True,
        ("Anton Reyes", "works_at", "Brightwater"): False,
    }


def test_the_answer_is_where_he_works_now_with_the_steps_that_lead_there(memories):
    answer = memories.ask(QUESTION, {"user_id": "nadia"}, method="agentic")
    assert answer.extractive
    assert not answer.abstained
    assert "Lumen Robotics: Clara Novak ceo of Acme [" in answer.answer
    assert "Brightwater" not in answer.answer
    assert len(answer.citations) == 3
