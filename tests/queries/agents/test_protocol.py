"""Agents over the real protocol: a small world, and a model behind HTTP that answers as it was told, badly, late, or never."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from connectors.endpoints.openai_chat import OpenAiChat
from mneme.settings import Models, load_settings
from queries import Memories
from queries.agents.query import QueryPolicy
from queries.responses import AgentMetrics, SearchResponse
from tests.connectors.model_help import Clock
from tests.queries.world import MAYA, NOW, WordEmbedder, conversation, filled
from tests.servers.models import Fault, ModelServer

QUESTION = "What is the current company of the spouse of the CEO of Acme?"
SPOUSE, COMPANY = "Who did Eve marry?", "Where does Lee work?"
GENEROUS = 30.0  # seconds: what is tested is that a run with a deadline of one second ends

Script = Mapping[str, Sequence[Any]]


def verdict(sufficient: bool, confidence: float, next_query: str = "") -> dict[str, Any]:
    return {
        "established": "",
        "missing": "a step",
        "sufficient": sufficient,
        "confidence": confidence,
        "next_query": next_query,
    }


def reflection(*queries: str) -> dict[str, Any]:
    wanted = [{"style": "statement", "query": query} for query in queries]
    return {"established": "", "missing": "a step", "sufficient": False, "confidence": 0.5, "queries": wanted}


HOPS = [verdict(False, 0.9, SPOUSE), verdict(False, 0.9, COMPANY), verdict(True, 0.95)]
SCRIPT: Script = {
    "route": [{"tool": "chain"}],
    "split": [{"queries": [SPOUSE, COMPANY]}],
    "judge": HOPS,
    "supplement": [reflection(SPOUSE, COMPANY)],
}


def asked_for(schema: dict[str, Any]) -> str:
    """Which decision a form is of."""
    fields = set(schema["properties"])
    if "tool" in fields:
        return "route"
    if "next_query" in fields:
        return "judge"
    return "supplement" if "sufficient" in fields else "split"


def follow(server: ModelServer, script: Script) -> None:
    """Let the model answer by this script; the last answer of each kind again when they are used up."""
    left = {what: list(answers) for what, answers in script.items()}

    def answer(schema: dict[str, Any], user: str) -> Any:
        answers = left[asked_for(schema)]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    server.answer = answer


TOLD = [  # three conversations, each with one step
    *conversation(MAYA, "news", "Acme", [("Maya", "Eve is the new CEO of Acme")], day=6),
    *conversation(MAYA, "wedding", "A wedding", [("Maya", "Eve did marry Lee in June")], day=7),
    *conversation(MAYA, "pub", "Jobs", [("Lee", "Lee went to work at Initech")], day=8),
]


@pytest.fixture
def memories(model_server: ModelServer) -> Iterator[Memories]:
    follow(model_server, SCRIPT)
    settings = load_settings({}, agents={"planner": "model"}).replace(agents={"max_attempts": 4})
    chat = OpenAiChat(Models(provider="openai", base_url=model_server.url), Clock().retries(0), repair=False)
    with Memories(filled(*TOLD), WordEmbedder(), settings, clock=lambda: NOW, chat=chat) as opened:
        yield opened


def ask(memories: Memories, agent: str, **policy: Any) -> SearchResponse:
    return memories.search(
        QUESTION, "agentic", {"user_id": "maya"}, top_k=5, agent=agent, policy=QueryPolicy(**policy), explain=True
    )


def agent_of(found: SearchResponse) -> AgentMetrics:
    assert found.metrics.agent is not None
    return found.metrics.agent


def notes(found: SearchResponse) -> list[str]:
    return [note for note in found.query.notes if note.startswith("agent: ")]


def texts(found: SearchResponse) -> str:
    return " ".join(each.text for each in found.ranked())


class TestCalls:
    @pytest.mark.parametrize(
        ("agent", "queries", "calls"),
        [
            ("direct", [QUESTION], 0),
            ("split", [QUESTION, SPOUSE, COMPANY], 1),
            ("chain", [QUESTION, SPOUSE, COMPANY], 3),
            ("reflect", [QUESTION, SPOUSE, COMPANY], 1),
            ("router", [QUESTION, SPOUSE, COMPANY], 4),
        ],
    )
    def test_are_counted_as_the_endpoint_counts_them(
        self, agent: str, queries: list[str], calls: int, memories: Memories, model_server: ModelServer
    ) -> None:
        found = ask(memories, agent)
        metrics = agent_of(found)
        assert list(metrics.queries) == queries
        assert metrics.llm_called == model_server.calls() == calls
        assert metrics.input_token == sum(model_server.prompt_tokens.values())
        assert (metrics.output_token > 0) == (calls > 0)
        assert metrics.memory_search_called == len(queries)
        assert notes(found) == []

    def test_find_each_hop_of_a_chain_by_what_was_found_before(self, memories: Memories, model_server: ModelServer) -> None:
        found = texts(ask(memories, "chain"))
        assert all(step in found for step in ("CEO of Acme", "marry Lee", "Initech"))
        last = model_server.requests[-1].body["messages"][1]["content"]
        assert last.startswith(
            f"Question: {QUESTION}\nSearched for so far:\n- {QUESTION}\n- {SPOUSE}\n- {COMPANY}\nMemories:\n1 "
        )
        assert "Initech" in last

    def test_stay_within_a_budget_of_tokens(self, memories: Memories, model_server: ModelServer) -> None:
        metrics = agent_of(ask(memories, "chain", tokens=2000))
        assert 0 < model_server.calls() < 3
        assert metrics.input_token + metrics.output_token <= 2000


class TestAModelThatFails:
    @pytest.mark.parametrize(
        "fault",
        [Fault("malformed"), Fault("wrong_schema"), Fault("truncated"), Fault("rate_limited"), Fault("status", status=401)],
        ids=lambda fault: fault.kind,
    )
    @pytest.mark.parametrize("agent", ["split", "chain", "reflect", "router"])
    def test_is_asked_once_and_what_was_found_is_the_result(
        self, agent: str, fault: Fault, memories: Memories, model_server: ModelServer
    ) -> None:
        follow(model_server, SCRIPT | {"judge": [verdict(True, 1.0)]})
        model_server.script(fault)
        found = ask(memories, agent)
        assert model_server.calls() == agent_of(found).llm_called == (2 if agent == "router" else 1)
        assert "CEO of Acme" in texts(found)

    def test_is_asked_once_by_the_settings_too(self, model_server: ModelServer) -> None:
        settings = load_settings({}, models={"provider": "openai", "base_url": model_server.url})
        model_server.script(Fault("malformed"))
        with Memories(filled(*TOLD), WordEmbedder(), settings, clock=lambda: NOW) as memories:
            found = ask(memories, "chain")
        assert agent_of(found).planner == "model"
        assert model_server.calls() == agent_of(found).llm_called == 1

    def test_to_choose_is_asked_by_the_chain_that_follows(self, memories: Memories, model_server: ModelServer) -> None:
        model_server.meets = lambda path, body: Fault("malformed")
        found = ask(memories, "router")
        assert model_server.calls() == agent_of(found).llm_called == 2
        assert [note.split(":")[1] for note in notes(found)] == [" routing failed", " judgement failed"]

    @pytest.mark.parametrize("agent", ["chain", "router"])
    def test_by_hanging_does_not_hold_the_question_beyond_its_deadline(
        self, agent: str, memories: Memories, model_server: ModelServer
    ) -> None:
        model_server.script(Fault("hang", seconds=120))
        started = time.monotonic()
        found = ask(memories, agent, seconds=1)
        assert time.monotonic() - started < GENEROUS
        assert model_server.calls() == 1
        assert notes(found)[0].startswith(f"agent: {'routing' if agent == 'router' else 'judgement'} ")
