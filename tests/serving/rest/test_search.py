"""Asking over HTTP: searches, and answers whole or as they are written."""

import asyncio
import json
import threading
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mneme.errors import ModelTimeout
from queries import AnswerResponse, AnswerStream, Memories, SearchResponse
from serving.rest.pools import RequestPools
from serving.rest.routes.search import _kept_alive
from tests.serving.rest.conftest import WHOSE

SEARCH, ASK = "/api/v1/memories/search", "/api/v1/ask"
QUESTION = "what did we decide about the Q2 deadline?"


# As it stands in the announcement of mRAG (shared/seeds/000), to the space.
ANNOUNCED = """\
POST /api/v1/memories/search
{ "query": "what did we decide about the Q2 deadline?", "method": "hybrid", "filters": { "user_id": "user_123" }, "top_k": 10 }
"""


def events_of(text: str) -> list[tuple[str, Any]]:
    """The server-sent events of a response: their names and data."""
    parts = [dict(line.split(": ", 1) for line in part.splitlines()) for part in text.strip().split("\n\n")]
    return [(part["event"], json.loads(part["data"])) for part in parts]


class TestSearch:
    def test_the_request_of_the_announcement_works_word_for_word_and_has_its_shape(self, client: TestClient) -> None:
        path, body = ANNOUNCED.removeprefix("POST ").splitlines()
        found = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert found.status_code == 200
        told = found.json()
        assert {"episodes", "facts", "profiles", "raw_messages", "agent_memory", "query"} <= told.keys()
        assert told["query"]["text"] == QUESTION
        assert told["query"]["method"] == "hybrid"
        assert told["query"]["filters_applied"]["user_id"] == "user_123"
        [episode, *_] = told["episodes"]
        assert {"id", "summary", "score", "atomic_facts"} <= episode.keys()
        fact = episode["atomic_facts"][0]
        assert {"id", "atomic_fact", "topic_name", "score", "parent_episode_id"} <= fact.keys()
        assert fact["parent_episode_id"] == episode["id"]
        assert "Q2 deadline is unrealistic" in told["facts"][0]["atomic_fact"]

    @pytest.mark.parametrize("method", ["keyword", "vector"])
    def test_facts_are_empty_without_mrag(self, client: TestClient, method: str) -> None:
        told = client.post(SEARCH, json={"query": QUESTION, "method": method, "filters": WHOSE}).json()
        assert told["episodes"]
        assert told["facts"] == []

    def test_the_response_is_that_of_python(self, client: TestClient) -> None:
        told = client.post(SEARCH, json={"query": QUESTION, "filters": WHOSE, "explain": True}).content
        found = SearchResponse.model_validate_json(told)
        assert found.trace
        assert found.model_dump_json().encode() == told

    def test_what_only_agents_know_is_passed_on(self, client: TestClient) -> None:
        asked = {"query": QUESTION, "method": "agentic", "filters": WHOSE, "agent": "split", "policy": {"searches": 1}}
        told = client.post(SEARCH, json=asked).json()
        assert told["metrics"]["agent"]["selected_tool"] == "split"
        assert told["metrics"]["agent"]["memory_search_called"] == 1

    def test_agent_mode_scores_everything_as_one(self, client: TestClient) -> None:
        told = client.post(SEARCH, json={"query": QUESTION, "filters": WHOSE, "agent_mode": True}).json()
        placed = [each for name in ("episodes", "facts", "raw_messages") for each in told[name] if each["rank"] is not None]
        assert {each["score"] for each in placed} == {1.0}

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"query": QUESTION, "filters": {}}, "filters: one of user_id"),
            ({"query": "  ", "filters": WHOSE}, "query: it is empty"),
            ({"query": QUESTION, "filters": WHOSE | {"colour": "red"}}, "filters: colour not known"),
            ({"query": QUESTION, "filters": "mira"}, "filters: is no JSON object"),
            ({"query": QUESTION, "filters": WHOSE, "method": "magic"}, "method: "),
            ({"query": QUESTION, "filters": WHOSE, "top_k": 0}, "top_k: "),
            ({"query": QUESTION, "filters": WHOSE, "colour": "red"}, "colour: is not known here"),
            ({"query": QUESTION, "filters": WHOSE, "agent": "split"}, "agent: only the method agentic has it"),
            ({"query": "x" * 10_001, "filters": WHOSE}, "query: "),
            ({"query": QUESTION, "filters": WHOSE | {"tenant_id": 7}}, "filters: tenant_id"),
        ],
    )
    def test_what_cannot_be_asked_is_a_problem_that_names_the_field(
        self, client: TestClient, asked: dict[str, Any], said: str
    ) -> None:
        refused = client.post(SEARCH, json=asked)
        assert refused.status_code == 422
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["detail"].startswith(said)


class TestAsk:
    def test_an_answer_cites_what_it_is_made_of(self, client: TestClient) -> None:
        told = client.post(ASK, json={"question": QUESTION, "filters": WHOSE}).json()
        assert "unrealistic" in told["answer"]
        assert told["citations"][0]["id"].startswith("default/standup/")

    def test_a_follow_up_leans_on_the_conversation_before_it(self, client: TestClient) -> None:
        history = [["user", "Who is Jason?"], ["assistant", "A colleague."]]
        told = client.post(ASK, json={"question": "when is his birthday?", "filters": WHOSE, "history": history}).json()
        assert "Jason" in told["searched"]

    def test_a_stream_is_pieces_and_then_the_answer(self, client: TestClient) -> None:
        told = client.post(ASK, json={"question": QUESTION, "filters": WHOSE, "stream": True})
        assert told.headers["content-type"].startswith("text/event-stream")
        *pieces, (last, answer) = events_of(told.text)
        assert {name for name, _ in pieces} == {"piece"}
        assert last == "answer"
        assert "".join(piece["text"] for _, piece in pieces) == answer["answer"]

    def test_what_cannot_be_asked_is_refused_before_the_stream_begins(self, client: TestClient) -> None:
        refused = client.post(ASK, json={"question": "", "filters": WHOSE, "stream": True})
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith("query: it is empty")

    def test_what_fails_within_the_stream_is_its_last_event(self, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        def pieces() -> Iterator[str]:
            yield "On"
            raise ModelTimeout("no answer within 30 s; raise MNEME_ANSWERS__SECONDS")

        monkeypatch.setattr(Memories, "ask_stream", lambda *_, **__: AnswerStream(pieces()))  # type: ignore[arg-type]
        told = events_of(client.post(ASK, json={"question": QUESTION, "filters": WHOSE, "stream": True}).text)
        assert told[0] == ("piece", {"text": "On"})
        assert told[1][0] == "problem"
        assert told[1][1]["status"] == 504

    @pytest.mark.parametrize("while_a_piece_is_made", [False, True])
    def test_whoever_leaves_ends_the_call_of_the_model(self, while_a_piece_is_made: bool) -> None:
        begun, may_go_on, ended = threading.Event(), threading.Event(), threading.Event()

        def pieces() -> Generator[str, None, AnswerResponse]:
            try:
                yield "On"
                begun.set()
                assert may_go_on.wait(60)
                yield "4 May"
                raise AssertionError("nobody reads it")
            finally:
                ended.set()

        async def read() -> None:
            pools = RequestPools(searches=1)
            events = _kept_alive(AnswerStream(pieces()), pools, "key")
            assert b"On" in await anext(events)
            assert pools.searches.shares.held("key") == 0, "between two pieces a search has its turn"
            if while_a_piece_is_made:
                reading = asyncio.ensure_future(anext(events))
                await asyncio.to_thread(begun.wait, 60)
                assert pools.searches.shares.held("key") == 1
                reading.cancel()
                await asyncio.wait({reading})
                may_go_on.set()
                assert await asyncio.to_thread(ended.wait, 60)
            else:
                await events.aclose()

        asyncio.run(read())
        assert ended.is_set()
