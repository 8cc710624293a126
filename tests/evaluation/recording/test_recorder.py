"""A recorder in front of an endpoint: passes on, keeps what lasts, asks nothing twice."""

import errno
import logging
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluation.recording.recordings import Recordings
from mneme.errors import SettingsError
from tests.evaluation.recording.recording_help import HEADERS, KEY, chat, post, recording, replaying, same
from tests.servers.models import SERVER_ERROR, Fault, ModelServer

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
SEEN = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, PICTURE]}]}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("/chat/completions", {"json": chat("Grüße, 你好!")}),
    ("/chat/completions", {"json": chat("Hello.", stream=True, stream_options={"include_usage": True})}),
    ("/embeddings", {"json": {"model": "e", "input": ["a", "b"], "encoding_format": "float"}}),
    ("/rerank", {"json": {"query": "a", "documents": ["a", "b"]}}),
    ("/chat/completions", {"json": SEEN}),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recordings.jsonl"


def test_what_was_recorded_is_replayed_byte_for_byte(model_server: ModelServer, file: Path) -> None:
    with recording(model_server.url, file) as (url, recorder):
        first = [same(post(url, path, **sent)) for path, sent in ASKED]
        second = [same(post(url, path, **sent)) for path, sent in ASKED]
        direct = [same(post(model_server.url, path, **sent)) for path, sent in ASKED]
    with replaying(file) as (url, replayer):
        replayed = [same(post(url, path, headers={}, **sent)) for path, sent in ASKED]
    assert first == second == replayed == direct
    assert [status for status, _, _ in first] == [200] * 5
    assert recorder.counts == {"recorded": 5, "from the file": 5}
    assert (replayer.answered, replayer.unknown.total()) == (5, 0)
    assert model_server.received == 10  # five through the recorder, five directly


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (Fault("rate_limited", retry_after="7"), 429),
        (SERVER_ERROR, 500),
        (Fault("status", status=401), 401),
        (Fault("status", status=404), 404),
        (Fault("status", status=400), 400),
        (Fault("drop"), 502),
        (Fault("hang", seconds=30), 504),
    ],
    ids=lambda value: f"{value.kind}-{value.status}" if isinstance(value, Fault) else "",
)
def test_what_fails_passes_through_and_is_not_recorded(
    model_server: ModelServer, file: Path, fault: Fault, status: int
) -> None:
    model_server.script(fault)
    with recording(model_server.url, file, seconds=1.0 if fault.kind == "hang" else 20.0) as (url, recorder):
        failed = post(url, json=chat("Hi"))
        assert failed.status_code == status
        assert failed.json()["error"]["message"]
        assert failed.headers.get("Retry-After") == fault.retry_after
        assert len(Recordings(file)) == 0
        assert post(url, json=chat("Hi")).status_code == 200
        assert recorder.counts == {f"not recorded ({status})": 1, "recorded": 1}


def test_the_refusal_of_a_format_is_part_of_a_recording(file: Path) -> None:
    asked = [chat("Hi", response_format={"type": kind}) for kind in ("json_object", "text")]
    with ModelServer(formats=["text"]) as server, recording(server.url, file) as (url, _):
        recorded = [same(post(url, json=body)) for body in asked]
    with replaying(file) as (url, _):
        assert [same(post(url, json=body)) for body in asked] == recorded
    assert [status for status, _, _ in recorded] == [400, 200]


def test_a_stream_that_breaks_off_is_not_recorded(model_server: ModelServer, file: Path) -> None:
    model_server.script(Fault("drop"))
    body = chat("Hello.", stream=True)
    with recording(model_server.url, file) as (url, _):
        assert post(url, json=body).status_code == 502
        assert len(Recordings(file)) == 0
        whole = post(url, json=body)
        assert whole.text.endswith("data: [DONE]\n\n")
        assert len(Recordings(file)) == 1


def test_an_error_that_is_called_a_success_is_not_recorded(model_server: ModelServer, file: Path) -> None:
    model_server.script(Fault("status", status=200, message="no provider is free"))
    with recording(model_server.url, file) as (url, recorder):
        assert post(url, json=chat("Hi")).json()["error"]["message"] == "no provider is free"
        assert post(url, json=chat("Hi")).json()["choices"]
    assert recorder.counts == {"not recorded (200)": 1, "recorded": 1}


def test_a_malformed_answer_is_an_answer(model_server: ModelServer, file: Path) -> None:
    model_server.script(Fault("malformed"))
    with recording(model_server.url, file) as (url, _):
        answers = [same(post(url, json=chat("Hi"))) for _ in range(2)]
    assert answers[0] == answers[1]
    assert b"weather" in answers[0][2]


def test_a_broken_run_is_continued(model_server: ModelServer, file: Path) -> None:
    bodies = [chat(f"Question {n}") for n in range(4)]
    with recording(model_server.url, file) as (url, _):
        before = [same(post(url, json=body)) for body in bodies[:2]]
    file.write_bytes(file.read_bytes() + b'{"key": "half of a li')
    with recording(model_server.url, file) as (url, recorder):
        after = [same(post(url, json=body)) for body in bodies]
    assert after[:2] == before
    assert recorder.counts == {"from the file": 2, "recorded": 2}
    assert model_server.received == len(Recordings(file)) == 4


def test_a_client_who_leaves_does_not_cost_the_answer(model_server: ModelServer, file: Path) -> None:
    model_server.latency = 0.3
    with recording(model_server.url, file) as (url, recorder):
        for body in (chat("Hi"), chat("Hi", stream=True)):
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(f"{url}/chat/completions", json=body, timeout=httpx.Timeout(20.0, read=0.1))
    assert recorder.counts == {"recorded": 2}  # leaving the front waits for what is under way
    with replaying(file) as (url, _):
        assert post(url, json=chat("Hi")).json()["choices"]


def test_what_is_no_json_passes_through(model_server: ModelServer, file: Path) -> None:
    with recording(model_server.url, file) as (url, recorder):
        heard = post(url, "/audio/transcriptions", files={"file": ("n.wav", b"Remember the milk.")}, data={"model": "ears"})
    assert heard.json()["text"] == "Remember the milk."
    assert (recorder.counts, len(Recordings(file))) == ({"not recorded (no JSON)": 1}, 0)


def test_an_endpoint_that_is_down_is_told(file: Path) -> None:
    with recording("http://127.0.0.1:1/v1", file) as (url, recorder):
        answer = post(url, json=chat("Hi"))
    assert (answer.status_code, answer.json()["error"]["type"]) == (502, "upstream_unreachable")
    assert "--upstream" in answer.json()["error"]["message"]
    assert recorder.counts == {"not recorded (502)": 1}


def test_no_key_gets_into_the_file_nor_into_a_log(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ModelServer(api_key="another") as server, recording(server.url, file) as (url, _):
        assert KEY in post(url, json=chat("Hi")).text  # this endpoint quotes it
    with ModelServer(api_key=KEY) as server, recording(f"{server.url}", file) as (url, recorder):
        for path, sent in ASKED:
            assert post(url, f"{path}?api-key={KEY}", **sent).status_code == 404  # the model server knows no queries
            assert post(url, path, **sent).status_code == 200
        server.write = lambda user: f"Your key is {KEY}."
        echoed = post(url, json=chat("What is my key?"))
        assert KEY in echoed.text
        assert post(url, json=chat(f"My key is {KEY}.")).status_code == 200
        assert recorder.counts["not recorded (with the key)"] == 2
    assert len(Recordings(file)) == 5
    assert KEY not in file.read_text(encoding="utf-8")
    assert KEY not in caplog.text


def test_a_login_of_the_upstream_is_used_and_told_nobody(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ModelServer() as server:
        with recording(server.url.replace("://", "://me:hunter2-canary@"), file) as (url, recorder):
            assert post(url, headers={}, json=chat("Hi")).status_code == 200
        assert server.requests[0].headers["authorization"].startswith("Basic ")
    assert "hunter2" not in file.read_text(encoding="utf-8") + caplog.text + repr(recorder)


def test_the_headers_of_the_client_are_passed_on(model_server: ModelServer, file: Path) -> None:
    with recording(model_server.url, file) as (url, _):
        post(url, json=chat("Hi"), headers={**HEADERS, "OpenAI-Project": "p", "X-Name": "Zoë".encode("latin-1")})
    headers = model_server.requests[0].headers
    assert headers["authorization"] == HEADERS["Authorization"]
    assert (headers["openai-project"], headers["accept-encoding"]) == ("p", "identity")
    assert model_server.requests[0].path == "/v1/chat/completions"


def test_other_paths_and_methods_are_not_recorded(model_server: ModelServer, file: Path) -> None:
    with recording(model_server.url, file) as (url, _):
        assert httpx.get(f"{url}/files").status_code == 404
        assert httpx.post(f"{url.removesuffix('/v1')}/chat/completions", json={}).status_code == 404
        assert httpx.post(f"{url}/chat/completions", content=iter([b"{}"])).status_code == 411
        assert post(url, "/nothing", json={}).status_code == 404
        assert httpx.get(f"{url}/models").status_code == 501  # asked of the model server, which knows no GET
    assert len(Recordings(file)) == 0


@pytest.mark.parametrize("upstream", ["models.example/v1", "ftp://models.example", "http://", "http://[::1"])
def test_an_upstream_that_is_no_url_is_refused(file: Path, upstream: str) -> None:
    with pytest.raises(SettingsError, match="--upstream"), recording(upstream, file):
        pass


def test_a_disk_without_room_is_told(model_server: ModelServer, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with recording(model_server.url, file) as (url, recorder):
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", no_room)
            answer = post(url, json=chat("Hi"))
        assert post(url, json=chat("Good morning")).status_code == 200
    assert (answer.status_code, answer.json()["error"]["type"]) == (500, "recording_failed")
    assert recorder.counts == {"not recorded (the file cannot be written)": 1, "recorded": 1}


def no_room(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
