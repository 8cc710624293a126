"""A chat model that is a file: what is recorded is answered, what is not is written down as a batch."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from connectors.endpoints.openai_chat import OpenAiChat
from evaluation.recording.recordings import Recordings, key_of
from evaluation.recording.replayer import PendingRequests, import_answers, pending_path
from mneme.errors import ModelMalformed, ModelRefused
from mneme.ports import Prompt, Role
from mneme.settings import Models
from tests.evaluation.recording.recording_help import chat, post, recording, replaying
from tests.servers.models import ModelServer

CHAT = "/v1/chat/completions"


class Colour(BaseModel):
    """What the model is asked for."""

    name: str


PROMPT = Prompt(Role.EXTRACTION, "Say a colour.", "Which is the sky's?")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


@contextmanager
def offline_chat(file: Path) -> Iterator[OpenAiChat]:
    with replaying(file, pending=True) as (url, _), closing(OpenAiChat(Models(provider="openai", base_url=url))) as model:
        yield model


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


def test_a_request_without_an_answer_is_written_down_once_as_a_batch(file: Path) -> None:
    with replaying(file, pending=True) as (url, replayer):
        answers = [post(url, json=chat("你好")) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {404}
    assert "mneme bench offline import" in answers[0].json()["error"]["message"]
    assert replayer.unknown.total() == 3
    (line,) = pending_path(file).read_text(encoding="utf-8").splitlines()
    body = chat("你好")
    assert json.loads(line) == {"custom_id": key_of(CHAT, body), "method": "POST", "url": CHAT, "body": body}
    assert "你好" in line
    assert not file.exists()


def test_a_chat_model_goes_on_when_its_batch_is_answered(file: Path) -> None:
    with offline_chat(file) as model:
        with pytest.raises(ModelRefused, match=str(pending_path(file))):
            model.answer(PROMPT, Colour)
        answer_all(file, {"name": "blue"})
        assert model.answer(PROMPT, Colour) == Colour(name="blue")
    assert pending_path(file).read_bytes() == b""


def test_an_answer_that_does_not_fit_makes_the_question_for_its_repair_pending(file: Path) -> None:
    with offline_chat(file) as model:
        for _ in range(2):
            with pytest.raises(ModelRefused, match="pending"):
                model.answer(PROMPT, Colour)
            answer_all(file, {"weather": "fine"})
        with pytest.raises(ModelMalformed, match="also when asked again"):
            model.answer(PROMPT, Colour)


def test_what_a_proxy_recorded_is_answered_without_it(model_server: ModelServer, file: Path) -> None:
    with recording(model_server.url, file) as (url, _), closing(OpenAiChat(Models(provider="openai", base_url=url))) as online:
        expected = online.answer(PROMPT, Colour), list(online.write(PROMPT)), used(online)
    with offline_chat(file) as offline:
        assert (offline.answer(PROMPT, Colour), list(offline.write(PROMPT)), used(offline)) == expected
    assert not pending_path(file).exists()


def used(model: OpenAiChat) -> dict[Role, tuple[int, int, int]]:
    return {role: (usage.calls, usage.input_tokens, usage.output_tokens) for role, usage in model.usage().items()}


def test_a_request_that_streams_is_not_written_down(file: Path) -> None:
    with offline_chat(file) as model, pytest.raises(ModelRefused, match="no recording"):
        list(model.write(PROMPT))
    assert not pending_path(file).exists()


def test_pending_requests_lie_beside_the_recordings() -> None:
    assert pending_path(Path("runs/a.v2.jsonl")) == Path("runs/a.v2.pending.jsonl")
    assert pending_path(Path("a")) == Path("a.pending.jsonl")
