"""The response as JSON, field by field: what callers in other languages rely on."""

from typing import Any

from queries.responses import AgentMemory, FoundCase
from tests.memory_index_reference import ReferenceIndex
from tests.queries.world import MAYA, filled, memories, messages


def without_numbers(value: Any) -> Any:
    """The same JSON with scores and times of day left out: they are tested elsewhere."""
    if isinstance(value, dict):
        left_out = {"score", "milliseconds"}
        return {key: without_numbers(each) for key, each in value.items() if key not in left_out}
    return [without_numbers(each) for each in value] if isinstance(value, list) else value


def test_a_fact_that_answers_is_listed_and_nested_under_the_episode_it_replaced():
    index = filled(*messages(MAYA, "harbour", [("Jonas", "shed keys are with the club")], first=40))
    found = memories(index).search("How many euros did the boat shed cost?", filters={"user_id": "maya"}, top_k=3)
    response = without_numbers(found.model_dump(mode="json"))
    fact = {
        "id": "default/harbour/0-d11f79d4b490b654/f/2",
        "rank": 1,
        "reading": None,
        "atomic_fact": "Maya said that we paid four hundred euros for the boat shed",
        "topic_name": "Rowing club",
        "parent_episode_id": "default/harbour/0-d11f79d4b490b654",
        "message_ids": ["m3"],
        "said_at": "2026-03-02T09:03:00Z",
        "citation": None,
        "event_at": None,
        "event_until": None,
        "valid_from": None,
        "valid_to": None,
        "superseded_by": None,
        "repeated_by": [],
        "also_said_in": [],
        "claims": [],
        "quote": None,
    }
    assert response["facts"][0] == fact
    (episode,) = response["episodes"]
    assert episode["atomic_facts"][0] == fact
    assert {key: value for key, value in episode.items() if key != "atomic_facts"} == {
        "id": "default/harbour/0-d11f79d4b490b654",
        "rank": None,
        "reading": None,
        "subject": "Rowing club",
        "summary": "the rowing club meets at the harbour on Tuesdays",
        "episode": "Maya: the rowing club meets at the harbour on Tuesdays Jonas: my new boat is painted green "
        "Maya: we paid four hundred euros for the boat shed",
        "conversation_id": "harbour",
        "document_id": None,
        "section": None,
        "citation": None,
        "started_at": "2026-03-02T09:01:00Z",
        "ended_at": "2026-03-02T09:03:00Z",
        "participants": ["Maya", "Jonas"],
        "message_ids": ["m1", "m2", "m3"],
    }
    assert response["raw_messages"] == [
        {
            "id": "default/harbour/m40",
            "rank": 3,
            "reading": None,
            "message_id": "m40",
            "conversation_id": "harbour",
            "sender_id": "jonas",
            "sender_name": "Jonas",
            "text": "shed keys are with the club",
            "sent_at": "2026-03-02T09:40:00Z",
            "citation": None,
            "parent_episode_id": None,
        }
    ]
    assert response["query"] == {
        "text": "How many euros did the boat shed cost?",
        "method": "hybrid",
        "filters_applied": {"user_id": "maya", "tenant_id": "default"},
        "type": "counting",
        "top_k": 3,
        "period": None,
        "asker": "Maya",
        "notes": [
            "scores are min-max: no coefficients for words/test/256 on embedded yet; `mneme bench fit fusion` makes them"
        ],
    }
    assert set(response["metrics"]) == {
        "round_trips",
        "candidates",
        "scoring",
        "reranked",
        "rerank_milliseconds",
        "agent",
    }
    assert {name: value for name, value in response.items() if value in ([], {"cases": [], "skills": []})} == {
        "profiles": [],
        "foresights": [],
        "agent_memory": {"cases": [], "skills": []},
        "knowledge": [],
    }
    assert response["graph"] == {"entities": [], "relationships": [], "notes": []}
    assert response["trace"] is None


def test_what_holds_a_place_is_one_list_of_texts_by_rank():
    index = filled(*messages(MAYA, "harbour", [("Jonas", "the dentist has a boat")], first=40))
    question = "How does Maya book trains to the dentist on Friday, and is she patient?"
    found = memories(index).search(question, filters={"user_id": "maya", "agent_id": "planner"}, top_k=40)
    ranked = found.ranked()
    assert [item.rank for item in ranked] == list(range(1, len(ranked) + 1))
    assert {type(item).__name__ for item in ranked} >= {
        "FoundFact",
        "FoundMessage",
        "FoundForesight",
        "FoundProfile",
        "FoundSkill",
    }
    assert all(item.text for item in ranked)


def test_an_episode_that_holds_a_place_is_told_by_subject_and_summary():
    (item,) = memories().search("oven", "keyword", {"user_id": "maya"}).ranked()
    assert (item.rank, item.text) == (1, "Kitchen repair: the oven is broken again")


def test_an_agent_case_is_told_by_its_task_and_what_it_taught():
    case = FoundCase(
        id="c",
        score=1.0,
        rank=1,
        task_intent="Book a train",
        approach="",
        key_insight="Night trains sell out",
        quality_score=1.0,
        parent_episode_id="e",
        message_ids=(),
    )
    nothing = memories(ReferenceIndex()).search("train", "keyword", {"user_id": "maya"})
    assert nothing.ranked() == ()
    found = nothing.model_copy(update={"agent_memory": AgentMemory(cases=(case,))})
    assert [item.text for item in found.ranked()] == ["Book a train: Night trains sell out"]
