"""A chat model that is a file: what is recorded is answered, what is not is written down as a batch."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from connectors.endpoints.backoff import Refusal
from connectors.endpoints.openai_chat import OpenAiChat
from connectors.recorded.offline import OfflineEndpoint, PendingRequests, import_answers, pending_path
from connectors.recorded.recordings import Recording, Recordings, key_of
from mneme.errors import ModelError, ModelMalformed, ModelPending, ModelRefused, SettingsError
from mneme.ports import Prompt, Role
from mneme.settings import Models
from tests.connectors.model_help import Clock
from tests.evaluation.recording.recording_help import chat, post, recording
from tests.servers.models import ModelServer

CHAT = "/v1/chat/completions"
JSON = "application/json"


class Colour(BaseModel):
    """What the model is asked for."""

    name: str


PROMPT = Prompt(Role.EXTRACTION, "Say a colour.", "Which is the sky's?")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


@pytest.fixture
def endpoint(file: Path) -> OfflineEndpoint:
    return OfflineEndpoint(file, None, Clock().retries())


def offline_chat(file: Path) -> OpenAiChat:
    return OpenAiChat(Models(provider="openai", base_url="http://127.0.0.1:1/v1", recordings=file))


def answer_all(file: Path, answer: Any) -> None:
    """What a batch does: an answer for each pending request."""
    pending = pending_path(file)
    responses = file.parent / "responses.jsonl"
    lines = []
    for line in pending.read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        assert (asked["method"], asked["url"]) == ("POST", CHAT)
        completion = {"choices": [{"index": 0, "message": {"content": json.dumps(answer)}, "finish_reason": "stop"}]}
        response = {"status_code": 200, "body": completion}
        lines.append(json.dumps({"custom_id": asked["custom_id"], "response": response, "error": None}) + "\n")
    responses.write_text("".join(lines), encoding="utf-8")
    import_answers(responses, PendingRequests(pending), Recordings(file))


def test_a_request_without_an_answer_is_written_down_once_as_a_batch(endpoint: OfflineEndpoint, file: Path) -> None:
    for _ in range(3):
        with pytest.raises(ModelPending, match="mneme bench offline import"):
            endpoint.chat(chat("你好"))
    (line,) = pending_path(file).read_text(encoding="utf-8").splitlines()
    body = chat("你好")
    assert json.loads(line) == {"custom_id": key_of(CHAT, body), "method": "POST", "url": CHAT, "body": body}
    assert "你好" in line
    assert not file.exists()


def test_a_pending_answer_is_an_error_that_is_not_tried_again() -> None:
    assert issubclass(ModelPending, ModelRefused)
    assert issubclass(ModelPending, ModelError)


def test_a_chat_model_goes_on_when_its_batch_is_answered(file: Path) -> None:
    model = offline_chat(file)
    with pytest.raises(ModelPending, match=str(pending_path(file))):
        model.answer(PROMPT, Colour)
    answer_all(file, {"name": "blue"})
    assert model.answer(PROMPT, Colour) == Colour(name="blue")
    assert pending_path(file).read_bytes() == b""
    model.close()


def test_an_answer_that_does_not_fit_makes_the_question_for_its_repair_pending(file: Path) -> None:
    model = offline_chat(file)
    for pending in (ModelPending, ModelPending):
        with pytest.raises(pending):
            model.answer(PROMPT, Colour)
        answer_all(file, {"weather": "fine"})
    with pytest.raises(ModelMalformed, match="also when asked again"):
        model.answer(PROMPT, Colour)


def test_what_a_proxy_recorded_is_answered_without_it(model_server: ModelServer, file: Path) -> None:
    with recording(model_server.url, file) as (url, _):
        online = OpenAiChat(Models(provider="openai", base_url=url))
        expected = online.answer(PROMPT, Colour), list(online.write(PROMPT)), used(online)
        online.close()
    offline = offline_chat(file)
    assert (offline.answer(PROMPT, Colour), list(offline.write(PROMPT)), used(offline)) == expected
    assert not pending_path(file).exists()


def used(model: OpenAiChat) -> dict[Role, tuple[int, int, int]]:
    return {role: (usage.calls, usage.input_tokens, usage.output_tokens) for role, usage in model.usage().items()}


def test_a_text_that_streams_is_pending_without_its_stream(file: Path) -> None:
    model = offline_chat(file)
    with pytest.raises(ModelPending):
        list(model.write(PROMPT))
    body = json.loads(pending_path(file).read_text(encoding="utf-8"))["body"]
    assert set(body) == {"model", "messages", "temperature"}
    answer_all(file, "Blue, of course.")
    assert list(model.write(PROMPT)) == ['"Blue, of course."']


def test_half_a_surrogate_pair_is_asked_as_it_is_sent(model_server: ModelServer, endpoint: OfflineEndpoint, file: Path) -> None:
    with recording(model_server.url, file) as (url, _):
        post(url, json=chat("half ?"))
    assert endpoint.chat(chat("half \ud83d"))["choices"]


def test_a_recorded_refusal_is_raised(endpoint: OfflineEndpoint, file: Path) -> None:
    body = chat("Hi", response_format={"type": "json_schema"})
    Recordings(file).add(Recording(CHAT, body, 400, JSON, '{"error": {"message": "unknown"}}'))
    with pytest.raises(Refusal) as raised:
        endpoint.chat(body)
    assert raised.value.status == 400


@pytest.mark.parametrize("answer", ["prose", "[]", '{"choices": null}', '{"choices": ["text"]}', "{}"])
def test_a_recorded_answer_of_another_kind_is_malformed(endpoint: OfflineEndpoint, file: Path, answer: str) -> None:
    Recordings(file).add(Recording(CHAT, chat("Hi"), 200, JSON, answer))
    with pytest.raises(ModelMalformed, match=str(file)):
        list(endpoint.chat_stream(chat("Hi", stream=True), 0.0))


def test_pending_requests_go_where_it_is_said(file: Path, tmp_path: Path) -> None:
    model = OpenAiChat(Models(provider="openai", recordings=file).model_copy(update={"pending": tmp_path / "batch.jsonl"}))
    with pytest.raises(ModelPending, match=r"batch\.jsonl"):
        model.answer(PROMPT, Colour)
    assert len(PendingRequests(tmp_path / "batch.jsonl")) == 1
    assert not pending_path(file).exists()


def test_pending_requests_without_recordings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="MNEME_MODELS__RECORDINGS"):
        OpenAiChat(Models(provider="openai").model_copy(update={"pending": tmp_path / "batch.jsonl"}))


def test_pending_requests_lie_beside_the_recordings() -> None:
    assert pending_path(Path("runs/a.v2.jsonl")) == Path("runs/a.v2.pending.jsonl")
    assert pending_path(Path("a")) == Path("a.pending.jsonl")
