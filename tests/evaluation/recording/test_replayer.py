"""Recordings alone answer; what is not recorded is told, and not tried again."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from connectors.endpoints.backoff import Refusal
from connectors.endpoints.openai_client import OpenAiClient
from evaluation.recording.local_endpoint import local_endpoint
from evaluation.recording.recordings import Recording, Recordings
from mneme.errors import StoreUnavailable
from tests.connectors.model_help import Clock
from tests.evaluation.recording.recording_help import chat, post, replaying

CHAT = "/v1/chat/completions"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "recordings.jsonl"
    asked = [chat("Where does Anna live?"), chat("Where does Ben live?"), chat("Hi", model="other")]
    Recordings(path).add(*(Recording(CHAT, body, 200, "application/json", '{"choices": []}') for body in asked))
    return path


@pytest.mark.parametrize(
    ("path", "body", "model"),
    [
        ("/chat/completions", chat("Where does Anna work?"), "m"),
        ("/embeddings", {"model": "m", "input": "a"}, "m"),
        ("/chat/completions", {"messages": []}, "no model"),
    ],
)
def test_what_is_not_recorded_is_named(file: Path, path: str, body: dict[str, Any], model: str) -> None:
    with replaying(file) as (url, replayer):
        answer = post(url, path, json=body)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == f"no recording of POST /v1{path} for {model}"
    assert replayer.unknown == {f"no recording of POST /v1{path} for {model}": 1}
    assert replayer.answered == 0


def test_our_client_gives_up_at_once_and_says_why(file: Path) -> None:
    clock = Clock()
    with replaying(file) as (url, replayer):
        endpoint = OpenAiClient(url, SecretStr("any"), clock.retries(), "MNEME_MODELS")
        with pytest.raises(Refusal, match="no recording of POST /v1/chat/completions for m"):
            endpoint.chat(chat("secret text that is not recorded"))
        endpoint.close()
    assert (clock.slept, replayer.unknown.total()) == ([], 1)


def test_no_text_of_a_request_is_in_what_is_told_at_the_end(file: Path) -> None:
    with replaying(file) as (url, replayer):
        for n in range(30):
            assert post(url, json=chat(f"canary {n}")).status_code == 404
        assert httpx.get(f"{url}/canary").status_code == 404
    assert replayer.unknown.total() == 31
    assert len(replayer.unknown) <= 3
    assert "canary 1" not in str(replayer.unknown)


def test_the_models_of_the_recordings_are_listed(file: Path) -> None:
    with replaying(file) as (url, replayer):
        listed = httpx.get(f"{url}/models").json()
    assert [model["id"] for model in listed["data"]] == ["m", "other"]
    assert replayer.unknown.total() == 0


def test_recordings_that_come_meanwhile_are_replayed(file: Path) -> None:
    with replaying(file) as (url, _):
        assert post(url, json=chat("new")).status_code == 404
        Recordings(file).add(Recording(CHAT, chat("new"), 201, "text/plain; x=y", "\udcff"))
        answer = post(url, json=chat("new"))
    assert (answer.status_code, answer.headers["Content-Type"], answer.content) == (201, "text/plain; x=y", b"\xff")


def test_a_taken_port_is_told(file: Path) -> None:
    with replaying(file) as (url, replayer):
        port = int(url.rsplit(":", 1)[1].removesuffix("/v1"))
        with pytest.raises(StoreUnavailable, match="--port"), local_endpoint(replayer.answer, port):
            pass


def test_a_front_ends_although_clients_keep_their_connections(file: Path) -> None:
    with httpx.Client() as client:
        with replaying(file) as (url, _):
            assert client.get(f"{url}/models").status_code == 200
        with pytest.raises(httpx.TransportError):
            client.get(f"{url}/models")
