"""Chat over HTTP: the contract of every chat model, formats, repair, roles, budgets."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import SecretStr

from connectors.endpoints.openai_chat import OpenAiChat
from mneme.errors import ModelMalformed, ModelRefused, ModelTimeout, SettingsError
from mneme.ports import Role, Usage
from mneme.settings import Models
from mneme.text import estimate_tokens
from tests.cases.groups import group_of
from tests.connectors.model_help import Clock
from tests.contracts.chat_model import ChatModelContract, Notes, ask
from tests.servers.models import RATE_LIMITED, Fault, ModelServer

Open = Callable[..., OpenAiChat]
GENEROUS = 30.0  # seconds, for a machine that is busy: what is tested is that nothing waits for a minute of the clock


@pytest.fixture
def open_chat(model_server: ModelServer) -> Iterator[Open]:
    """Opens chats of the model server with some settings."""
    opened: list[OpenAiChat] = []

    def open_with(**settings: Any) -> OpenAiChat:
        defaults: dict[str, Any] = {"provider": "openai", "base_url": model_server.url, "default": "small"}
        opened.append(OpenAiChat(group_of(Models, **(defaults | settings)), Clock().retries()))
        return opened[-1]

    yield open_with
    for chat in opened:
        chat.close()


class TestOpenAiChat(ChatModelContract):
    @pytest.fixture
    def chat(self, open_chat: Open) -> OpenAiChat:
        return open_chat()


def formats(server: ModelServer) -> list[str]:
    return [request.body.get("response_format", {"type": "text"})["type"] for request in server.requests]


def test_the_form_goes_as_a_strict_schema(open_chat: Open, model_server: ModelServer) -> None:
    open_chat().answer(ask(), Notes)
    sent = model_server.requests[0].body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["name"] == "Notes"
    assert sent["schema"]["additionalProperties"] is False
    assert sent["schema"]["required"] == ["subject", "facts", "mood", "boundaries"]


@pytest.mark.parametrize("known", [["json_object", "text"], ["text"]])
def test_an_endpoint_without_schemas_gets_the_next_best_format_and_is_remembered(
    open_chat: Open, model_server: ModelServer, known: list[str]
) -> None:
    model_server.formats = tuple(known)
    chat = open_chat()
    assert chat.answer(ask(), Notes) == chat.answer(ask(), Notes)
    tried = ["json_schema", "json_object", "text"]
    assert formats(model_server) == [*tried[: tried.index(known[0]) + 1], known[0]]
    assert '"facts"' in model_server.requests[-1].body["messages"][0]["content"]


def test_a_refusal_for_another_reason_changes_no_format(open_chat: Open, model_server: ModelServer) -> None:
    model_server.script(*[Fault("status", status=400, message=f"too long {n}") for n in range(3)])
    chat = open_chat()
    with pytest.raises(ModelRefused, match="too long 0"):
        chat.answer(ask(), Notes)
    chat.answer(ask(), Notes)
    assert formats(model_server)[-1] == "json_schema"


@pytest.mark.parametrize("fault", ["malformed", "wrong_schema", "empty"])
def test_an_answer_that_does_not_fit_is_asked_for_once_more(open_chat: Open, model_server: ModelServer, fault: Any) -> None:
    model_server.script(Fault(fault))
    chat = open_chat()
    assert chat.answer(ask(), Notes).facts
    conversation = model_server.requests[1].body["messages"]
    assert [message["role"] for message in conversation] == ["system", "user", "assistant", "user"]
    assert "does not fit" in conversation[-1]["content"]
    assert chat.usage()[Role.EXTRACTION].calls == 2


def test_after_the_second_misfit_it_is_malformed_and_quotes_nobody(open_chat: Open, model_server: ModelServer) -> None:
    model_server.script(Fault("wrong_schema"), Fault("malformed"))
    with pytest.raises(ModelMalformed, match=r"small as extraction.*no JSON object.*MNEME_MODELS__BY_ROLE") as caught:
        open_chat().answer(ask(), Notes)
    assert "weather" not in str(caught.value)
    assert model_server.calls() == 2


def test_a_fitting_answer_needs_no_second_call(open_chat: Open, model_server: ModelServer) -> None:
    model_server.script(Fault("truncated"))
    assert open_chat().answer(ask(), Notes)
    assert model_server.calls() in (1, 2)


def test_each_role_has_its_model(open_chat: Open, model_server: ModelServer) -> None:
    chat = open_chat(by_role={"answer": "large"})
    chat.answer(ask(Role.ANSWER), Notes)
    chat.answer(ask(Role.EXTRACTION), Notes)
    assert [request.body["model"] for request in model_server.requests] == ["large", "small"]
    assert chat.model(Role.ANSWER) == "large"


def test_an_unknown_role_is_refused_at_once(open_chat: Open) -> None:
    with pytest.raises(SettingsError, match=r"MNEME_MODELS__BY_ROLE: extractor .*extraction"):
        open_chat(by_role={"extractor": "large"})


@pytest.mark.parametrize("model", ["o3-mini", "gpt-5", "vendor/gpt-5-nano"])
def test_reasoning_models_get_effort_and_no_temperature(open_chat: Open, model_server: ModelServer, model: str) -> None:
    open_chat(default=model, reasoning_effort="low").answer(ask(), Notes)
    open_chat(default="gpt-4.1", reasoning_effort="low").answer(ask(), Notes)
    reasoning, plain = (request.body for request in model_server.requests)
    assert "temperature" not in reasoning
    assert reasoning["reasoning_effort"] == "low"
    assert plain["temperature"] == 0.0
    assert "reasoning_effort" not in plain


def test_tokens_are_those_that_the_endpoint_counts(open_chat: Open, model_server: ModelServer) -> None:
    chat = open_chat()
    chat.answer(ask(), Notes)
    assert chat.usage()[Role.EXTRACTION].input_tokens == model_server.prompt_tokens["small"]


def test_tokens_are_estimated_where_the_endpoint_does_not_count(
    open_chat: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    respond = model_server.respond
    monkeypatch.setattr(model_server, "respond", lambda *given: (200, respond(*given)[1] | {"usage": None}))
    chat = open_chat()
    answer = chat.answer(ask(), Notes)
    used = chat.usage()[Role.EXTRACTION]
    assert used.input_tokens == model_server.prompt_tokens["small"], "with the schema, as providers count"
    assert used.output_tokens == pytest.approx(estimate_tokens(answer.model_dump_json()), rel=0.2)


def test_a_failed_call_is_not_counted(open_chat: Open, model_server: ModelServer) -> None:
    model_server.script(Fault("status", status=401))
    chat = open_chat(api_key=SecretStr("k"))
    with pytest.raises(ModelRefused, match="MNEME_MODELS__API_KEY"):
        chat.answer(ask(), Notes)
    assert chat.usage().get(Role.EXTRACTION, Usage()).calls == 0


def test_another_service_at_the_address_is_malformed(
    open_chat: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_server, "respond", lambda *_: (200, {"status": "ok"}))
    with pytest.raises(ModelMalformed, match="MNEME_MODELS__BASE_URL"):
        open_chat().answer(ask(), Notes)


def test_faults_of_transport_are_outlived(open_chat: Open, model_server: ModelServer) -> None:
    model_server.script(RATE_LIMITED, Fault("drop"), Fault("error"))
    assert open_chat().answer(ask(), Notes).facts
    assert model_server.calls() == 4


def test_calls_in_flight_are_bounded(open_chat: Open, model_server: ModelServer) -> None:
    model_server.latency = 0.02
    chat = open_chat(calls_in_flight=3)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda number: chat.answer(ask(user=f"[0] Anna: {number}"), Notes), range(24)))
    assert model_server.most_in_flight == 3


def test_the_process_bounds_the_calls_of_all_clients(open_chat: Open, model_server: ModelServer) -> None:
    model_server.latency = 0.02
    chats = [open_chat(calls_in_flight=5, calls_in_flight_process=5) for _ in range(3)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda number: chats[number % 3].answer(ask(user=f"[0] Anna: {number}"), Notes), range(24)))
    assert model_server.most_in_flight == 4  # of five, one is kept for queries


def test_a_query_does_not_wait_for_ingestion(open_chat: Open, model_server: ModelServer) -> None:
    chat = open_chat(calls_in_flight=1, calls_in_flight_process=2)
    model_server.script(Fault("hang"))
    ingestion = threading.Thread(target=chat.answer, args=(ask(Role.EXTRACTION), Notes))
    ingestion.start()
    while not model_server.requests:
        threading.Event().wait(0.005)
    try:
        assert chat.answer(ask(Role.ANSWER), Notes).facts
        assert ingestion.is_alive()
    finally:
        model_server.stopping.set()
        ingestion.join()


def test_a_place_that_never_comes_free_is_a_timeout(open_chat: Open, model_server: ModelServer) -> None:
    chat = open_chat(calls_in_flight=1, deadline_seconds=0.1)
    model_server.script(Fault("hang", seconds=1.0))
    ingestion = threading.Thread(target=chat.answer, args=(ask(), Notes))
    ingestion.start()
    while not model_server.requests:
        threading.Event().wait(0.005)
    with pytest.raises(ModelTimeout, match="MNEME_MODELS__CALLS_IN_FLIGHT"):
        chat.answer(ask(), Notes)
    ingestion.join()


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of 0.6 seconds, that no other test has used."""
    monkeypatch.setattr("connectors.endpoints.call_budget.MINUTE_SECONDS", 0.6)
    monkeypatch.setattr("connectors.endpoints.call_budget._process", {})


@pytest.mark.usefixtures("minute")
def test_requests_of_a_minute_are_bounded_also_those_that_fail(open_chat: Open, model_server: ModelServer) -> None:
    model_server.script(RATE_LIMITED, Fault("malformed"), Fault("error"))
    chats = [open_chat(calls_in_flight=20, requests_per_minute=40) for _ in range(2)]  # 30 for ingestion
    started = time.monotonic()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda number: chats[number % 2].answer(ask(user=f"[0] Anna: {number}"), Notes), range(40)))
    assert model_server.calls() == 43
    assert time.monotonic() - started >= (43 - 3) / 28 * 0.6


@pytest.mark.usefixtures("minute")
def test_tokens_of_a_minute_are_bounded_as_the_endpoint_counts_them(open_chat: Open, model_server: ModelServer) -> None:
    chat = open_chat(calls_in_flight=20, tokens_per_minute=40_000)  # 30,000 for ingestion
    started = time.monotonic()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda number: chat.answer(ask(user=f"[0] Anna: {number} {'word ' * 400}"), Notes), range(40)))
    used = chat.usage()[Role.EXTRACTION]
    bounded = (used.input_tokens + used.output_tokens - 3000 - 1500) / 27_000 * 0.6  # but for the bucket and the last call
    assert bounded < time.monotonic() - started < bounded + GENEROUS


@pytest.mark.usefixtures("minute")
def test_who_does_not_come_out_in_time_has_a_timeout(open_chat: Open, model_server: ModelServer) -> None:
    chat = open_chat(calls_in_flight=20, tokens_per_minute=1000, deadline_seconds=0.1)
    chat.answer(ask(user="[0] Anna: " + "word " * 3000), Notes)
    with pytest.raises(ModelTimeout, match="TOKENS_PER_MINUTE"):
        chat.answer(ask(), Notes)
    assert model_server.calls() == 1
    assert chat.answer(ask(Role.ANSWER), Notes).facts, "queries have a share of their own"
