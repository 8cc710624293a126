"""Embeddings over HTTP: the contract of every embedder, batches, dimensions, retries."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from connectors.embedders.openai_embedder import OpenAiEmbedder
from mneme.errors import ModelError, ModelMalformed, ModelRefused, SettingsError
from mneme.settings import EmbedderSettings
from mneme.text import estimate_tokens
from tests.cases.groups import group_of
from tests.connectors.model_help import Clock
from tests.contracts.embedder import EmbedderContract
from tests.servers.models import RATE_LIMITED, SERVER_ERROR, Fault, ModelServer

Open = Callable[..., OpenAiEmbedder]
PATH = "/v1/embeddings"


@pytest.fixture
def open_embedder(model_server: ModelServer) -> Iterator[Open]:
    opened: list[OpenAiEmbedder] = []

    def open_with(**settings: Any) -> OpenAiEmbedder:
        defaults: dict[str, Any] = {"provider": "openai", "base_url": model_server.url, "dimension": 64, "model": "bag"}
        opened.append(OpenAiEmbedder(group_of(EmbedderSettings, **(defaults | settings)), Clock().retries(3)))
        return opened[-1]

    yield open_with
    for embedder in opened:
        embedder.close()


class TestOpenAiEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, open_embedder: Open) -> OpenAiEmbedder:
        return open_embedder()


def test_texts_go_in_batches(open_embedder: Open, model_server: ModelServer) -> None:
    texts = [f"text number {number}" for number in range(7)]
    vectors = open_embedder(batch=3).embed(texts)
    assert [request.body["input"] for request in model_server.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert (vectors == open_embedder().embed(texts)).all()


def test_a_model_that_shortens_its_vectors_is_told_the_dimension(open_embedder: Open, model_server: ModelServer) -> None:
    assert open_embedder(model="text-embedding-3-small", dimension=32).embed(["a text"]).shape == (1, 32)
    open_embedder().embed(["a text"])
    assert ["dimensions" in request.body for request in model_server.requests] == [True, False]


def test_another_dimension_than_set_is_refused_with_the_right_one(open_embedder: Open) -> None:
    with pytest.raises(SettingsError, match=r"MNEME_EMBEDDER__DIMENSION is 1536, but bag gives 64"):
        open_embedder(dimension=1536).embed(["a text"])


def test_faults_that_pass_are_outlived(open_embedder: Open, model_server: ModelServer) -> None:
    model_server.script(RATE_LIMITED, SERVER_ERROR, Fault("drop"))
    assert open_embedder().embed(["a text"]).shape == (1, 64)


def test_three_retries_are_made(open_embedder: Open, model_server: ModelServer) -> None:
    model_server.script(*[SERVER_ERROR] * 9)
    with pytest.raises(ModelError, match="MNEME_EMBEDDER__BASE_URL"):
        open_embedder().embed(["a text"])
    assert model_server.calls(PATH) == 4


def test_a_wrong_key_is_refused(open_embedder: Open, model_server: ModelServer) -> None:
    model_server.api_key = "right"
    with pytest.raises(ModelRefused, match="MNEME_EMBEDDER__API_KEY"):
        open_embedder(api_key=SecretStr("wrong")).embed(["a text"])
    assert open_embedder(api_key=SecretStr("right")).embed(["a text"]).shape == (1, 64)


def test_a_missing_vector_is_malformed(open_embedder: Open, model_server: ModelServer) -> None:
    model_server.script(Fault("empty"))
    with pytest.raises(ModelMalformed, match="1 embeddings for 2 texts"):
        open_embedder().embed(["a text", "another"])


@pytest.mark.parametrize(
    "data",
    [
        None,
        [{"index": 0}],
        [{"index": 0, "embedding": [0.0] * 64}],
        [{"index": 0, "embedding": [float("nan")] * 64}],
        [{}],
        "text",
    ],
)
def test_what_is_no_vector_is_malformed(
    open_embedder: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, data: Any
) -> None:
    monkeypatch.setattr(model_server, "respond", lambda *_: (200, {"data": data}))
    with pytest.raises(ModelMalformed):
        open_embedder().embed(["a text"])


@pytest.mark.parametrize("unit", ["word ", "我们下周四去爬山。", "x", "\N{GRINNING FACE}", "a-b_c. "])
def test_a_text_that_is_too_long_is_cut_to_what_the_model_takes(
    open_embedder: Open, model_server: ModelServer, unit: str
) -> None:
    open_embedder().embed([unit * 40_000])
    sent = model_server.requests[0].body["input"][0]
    assert 0 < estimate_tokens(sent) <= 6500
    assert sent == (unit * 40_000)[: len(sent)]
    assert len(sent.encode()) >= 6500


def test_the_identity_is_of_the_settings(open_embedder: Open) -> None:
    identity = open_embedder().identity
    assert identity.fingerprint == "bag/openai/64"
    assert identity.languages == ("*",)
