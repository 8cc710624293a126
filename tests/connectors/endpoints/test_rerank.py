"""Cross-encoders over HTTP, and servers that misbehave."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from connectors.endpoints.rerank import RerankEndpoint
from mneme.errors import ModelError, ModelMalformed, ModelRateLimited, ModelRefused, ModelTimeout, SettingsError
from mneme.settings import Rerank
from tests.cases.groups import group_of
from tests.connectors.model_help import Clock
from tests.contracts.reranker import QUERY, TEXTS, RerankerContract
from tests.servers.models import SERVER_ERROR, Fault, ModelServer

Open = Callable[..., RerankEndpoint]
PATH = "/v1/rerank"


@pytest.fixture
def open_reranker(model_server: ModelServer) -> Iterator[Open]:
    opened: list[RerankEndpoint] = []

    def open_with(clock: Clock | None = None, **settings: Any) -> RerankEndpoint:
        chosen = group_of(Rerank, **({"provider": "endpoint", "base_url": model_server.url} | settings))
        retries = None if clock is None else clock.retries(2, 0.5, chosen.timeout_seconds)
        opened.append(RerankEndpoint(chosen, retries))
        return opened[-1]

    yield open_with
    for reranker in opened:
        reranker.close()


class TestRerankEndpoint(RerankerContract):
    @pytest.fixture
    def reranker(self, open_reranker: Open) -> RerankEndpoint:
        return open_reranker()


def test_a_request_has_the_model_the_question_and_the_texts(open_reranker: Open, model_server: ModelServer) -> None:
    open_reranker(model="judge", api_key=SecretStr("a-key")).rerank(QUERY, TEXTS)
    [request] = model_server.requests
    assert (request.path, request.body) == (PATH, {"model": "judge", "query": QUERY, "documents": TEXTS})
    assert request.headers["authorization"] == "Bearer a-key"


def test_a_server_of_one_model_is_told_no_name(open_reranker: Open, model_server: ModelServer) -> None:
    open_reranker().rerank(QUERY, TEXTS)
    assert "model" not in model_server.requests[0].body


def test_faults_that_pass_are_outlived(open_reranker: Open, model_server: ModelServer) -> None:
    clock = Clock()
    model_server.script(Fault("rate_limited", retry_after="3"), Fault("drop"))
    assert open_reranker(clock).rerank(QUERY, TEXTS)[0] == 1.0
    assert clock.slept[0] == 3.0


def test_a_server_that_asks_to_wait_too_long_is_not_waited_for(open_reranker: Open, model_server: ModelServer) -> None:
    clock = Clock()
    model_server.script(Fault("rate_limited", retry_after="60"))
    with pytest.raises(ModelRateLimited, match="MNEME_RERANK"):
        open_reranker(clock, timeout_seconds=10).rerank(QUERY, TEXTS)
    assert clock.slept == []


def test_errors_end_after_the_retries(open_reranker: Open, model_server: ModelServer) -> None:
    model_server.script(*[SERVER_ERROR] * 9)
    with pytest.raises(ModelError, match="MNEME_RERANK__BASE_URL"):
        open_reranker(Clock()).rerank(QUERY, TEXTS)
    assert model_server.calls(PATH) == 3


@pytest.mark.parametrize("kind", ["hang", "slow"])
def test_a_slow_server_is_given_up_in_time(open_reranker: Open, model_server: ModelServer, kind: Any) -> None:
    model_server.script(*[Fault(kind, seconds=30)] * 4)
    with pytest.raises(ModelTimeout, match=r"within 0\.2 s"):
        open_reranker(timeout_seconds=0.2).rerank(QUERY, TEXTS)


def test_a_wrong_key_is_refused_and_not_shown(open_reranker: Open, model_server: ModelServer) -> None:
    model_server.api_key = "right"
    with pytest.raises(ModelRefused, match="MNEME_RERANK__API_KEY") as error:
        open_reranker(api_key=SecretStr("very-secret")).rerank(QUERY, TEXTS)
    assert "very-secret" not in str(error.value)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        "text",
        None,
        7,
        {"results": None},
        {"results": {"0": 1.0}},
        {"results": ["text"]},
        {"results": [{}]},
        {"results": [{"index": 0}]},
        {"results": [{"relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": "high"}]},
        {"results": [{"index": 0, "relevance_score": None}]},
        {"results": [{"index": 0, "relevance_score": True}]},
        {"results": [{"index": 0, "relevance_score": 10**400}]},
        {"results": [{"index": 0, "relevance_score": float("nan")}]},
        {"results": [{"index": 0, "relevance_score": float("inf")}]},
        {"results": [{"index": -1, "relevance_score": 0.5}]},
        {"results": [{"index": 3, "relevance_score": 0.5}]},
        {"results": [{"index": 0.0, "relevance_score": 0.5}]},
        {"results": [{"index": True, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.5}]},
    ],
    ids=lambda answer: json.dumps(answer)[:40],
)
def test_what_is_no_score_of_a_text_is_malformed(
    open_reranker: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr(model_server, "respond", lambda *_: (200, answer))
    with pytest.raises(ModelMalformed):
        open_reranker().rerank(QUERY, TEXTS)


@pytest.mark.parametrize(
    ("results", "scores"),
    [
        ([{"index": 2, "relevance_score": -3.5}, {"index": 0, "relevance_score": 1}], [1.0, None, -3.5]),
        ([], [None, None, None]),
    ],
)
def test_a_text_that_the_answer_leaves_out_has_no_score(
    open_reranker: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, results: Any, scores: Any
) -> None:
    monkeypatch.setattr(model_server, "respond", lambda *_: (200, {"results": results}))
    assert open_reranker().rerank(QUERY, TEXTS) == scores


def test_an_endpoint_needs_an_address() -> None:
    with pytest.raises(SettingsError, match="MNEME_RERANK__BASE_URL"):
        RerankEndpoint(Rerank(provider="endpoint"))
    with pytest.raises(SettingsError, match="MNEME_RERANK__BASE_URL"):
        RerankEndpoint(Rerank(provider="endpoint", base_url="rerank.example"))
