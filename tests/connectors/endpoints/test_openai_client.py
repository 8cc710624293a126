"""What may pass is tried again, what is refused is not, and nothing outlasts its deadline."""

import logging
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from pydantic import SecretStr

from connectors.endpoints.backoff import Refusal, Retries, retry_after
from connectors.endpoints.openai_client import OpenAiClient, Upload
from mneme.errors import (
    ModelError,
    ModelKeyRefused,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    SettingsError,
)
from mneme.times import utc_now
from tests.connectors.model_help import Clock
from tests.servers.models import RATE_LIMITED, SERVER_ERROR, Fault, ModelServer

BODY = {"model": "m", "input": ["a text"], "encoding_format": "float"}
KEY = "sk-very-secret-0123456789"

Open = Callable[[Retries], OpenAiClient]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def endpoint(model_server: ModelServer) -> Iterator[Open]:
    opened: list[OpenAiClient] = []

    def open_endpoint(retries: Retries) -> OpenAiClient:
        opened.append(OpenAiClient(model_server.url, SecretStr(KEY), retries, "MNEME_MODELS"))
        return opened[-1]

    yield open_endpoint
    for one in opened:
        one.close()


@pytest.mark.parametrize(
    "fault", [RATE_LIMITED, SERVER_ERROR, Fault("status", status=503), Fault("status", status=408), Fault("drop")]
)
def test_what_may_pass_is_tried_again(endpoint: Open, model_server: ModelServer, clock: Clock, fault: Fault) -> None:
    model_server.script(fault, fault)
    assert endpoint(clock.retries()).embeddings(BODY)["data"]
    assert model_server.calls("/v1/embeddings") == 3
    assert clock.slept == [2.0, 4.0]


def test_waits_double_and_are_jittered_down(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(*[SERVER_ERROR] * 5)
    endpoint(clock.retries(jitter=0.5)).embeddings(BODY)
    assert clock.slept == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_retries_are_spent_after_their_number(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(*[SERVER_ERROR] * 9)
    with pytest.raises(ModelError, match=r"HTTP 500 as the test wanted it, 6 times; check that MNEME_MODELS__BASE_URL is up"):
        endpoint(clock.retries()).embeddings(BODY)
    assert model_server.calls("/v1/embeddings") == 6


def test_a_429_that_does_not_end_is_rate_limited(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(*[RATE_LIMITED] * 9)
    with pytest.raises(ModelRateLimited, match=r"429 slow down, 6 times; make fewer calls .*MNEME_MODELS"):
        endpoint(clock.retries()).embeddings(BODY)


def test_retry_after_is_waited_for(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    in_a_minute = format_datetime(utc_now() + timedelta(seconds=60), usegmt=True)
    model_server.script(Fault("rate_limited", retry_after="7.5"), Fault("rate_limited", retry_after=in_a_minute))
    endpoint(clock.retries(jitter=0.0)).embeddings(BODY)
    assert clock.slept[0] == 7.5
    assert clock.slept[1] == pytest.approx(59.5, abs=1.5)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        ("0.25", 0.25),
        ("86400", 600.0),
        ("1e3", 600.0),
        ("-5", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("soon", 0.0),
        ("", 0.0),
        ("Mon, 02 Mar 2026 09:00:30 GMT", 30.0),
        ("Mon, 02 Mar 2026 10:00:30 +0100", 30.0),
        ("Mon, 02 Mar 2026 08:00:00 GMT", 0.0),
        ("Tue, 03 Mar 2026 09:00:00 GMT", 600.0),
    ],
)
def test_retry_after_is_seconds_or_a_date_at_most_ten_minutes(value: str, seconds: float) -> None:
    assert retry_after(value, datetime(2026, 3, 2, 9, tzinfo=UTC)) == seconds


def test_a_retry_after_holds_back_the_calls_of_others_too(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    one = endpoint(clock.retries(count=0))
    model_server.script(Fault("rate_limited", retry_after="7"))
    with pytest.raises(ModelRateLimited):
        one.embeddings(BODY)
    assert one.embeddings(BODY)["data"]
    assert clock.slept == [7.0]
    assert model_server.calls("/v1/embeddings") == 2


def test_a_retry_after_beyond_the_deadline_is_not_waited_for(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(Fault("rate_limited", retry_after="3600"))
    with pytest.raises(ModelRateLimited):
        endpoint(clock.retries(deadline_seconds=60)).embeddings(BODY)
    assert clock.slept == []


@pytest.mark.parametrize(
    ("status", "check"),
    [
        (400, "model's name"),
        (401, "MNEME_MODELS__API_KEY"),
        (403, "API_KEY"),
        (404, "MNEME_MODELS__BASE_URL"),
        (302, "BASE_URL"),
    ],
)
def test_a_refusal_is_not_tried_again_and_says_what_to_check(
    endpoint: Open, model_server: ModelServer, clock: Clock, status: int, check: str
) -> None:
    model_server.script(Fault("status", status=status, message="no such thing"))
    with pytest.raises(Refusal, match=f"HTTP {status} no such thing; check .*{check}") as caught:
        endpoint(clock.retries()).embeddings(BODY)
    assert caught.value.status == status
    assert isinstance(caught.value, ModelKeyRefused) is (status == 401)
    assert model_server.calls("/v1/embeddings") == 1


def test_a_429_for_lack_of_credit_is_a_refusal(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(Fault("status", status=429, message="insufficient_quota"))
    with pytest.raises(ModelKeyRefused, match="credit"):
        endpoint(clock.retries()).embeddings(BODY)


def test_the_deadline_is_over_all_attempts(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(*[SERVER_ERROR] * 9)
    with pytest.raises(ModelTimeout, match=r"within 10 s; the last attempt: HTTP 500"):
        endpoint(clock.retries(deadline_seconds=10)).embeddings(BODY)
    assert clock.slept == [2.0, 4.0]


@pytest.mark.parametrize("fault", [Fault("hang"), Fault("slow", seconds=20.0)])
def test_a_server_that_hangs_or_drips_is_left_at_the_deadline(endpoint: Open, model_server: ModelServer, fault: Fault) -> None:
    model_server.script(fault)
    began = time.monotonic()
    with pytest.raises(ModelTimeout, match=r"within 0\.5 s"):
        endpoint(Retries(5, 0.01, 0.5)).embeddings(BODY)
    assert time.monotonic() - began < 15.0


def test_no_server_at_all_is_an_error_that_names_the_address(clock: Clock) -> None:
    endpoint = OpenAiClient("http://127.0.0.1:9/v1", None, clock.retries(count=1), "MNEME_EMBEDDER")
    with pytest.raises(ModelError, match=r"http://127.0.0.1:9/v1/embeddings: no connection.*2 times.*MNEME_EMBEDDER__BASE_URL"):
        endpoint.embeddings(BODY)
    endpoint.close()


def answering(monkeypatch: pytest.MonkeyPatch, *answers: httpx2.Response | Exception) -> None:
    """Let every endpoint give these answers, the last one again and again."""
    left = list(answers)

    def send(_client: httpx2.Client, request: httpx2.Request, **_: object) -> httpx2.Response:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        answer.request = request
        return answer

    monkeypatch.setattr(httpx2.Client, "send", send)


@pytest.mark.parametrize("answer", ["<html>Sign in</html>", "[]", "7", "null", '"a text"', "{", ""])
@pytest.mark.parametrize("content_type", ["application/json", "text/html"])
def test_what_is_no_json_object_is_malformed(
    endpoint: Open, clock: Clock, monkeypatch: pytest.MonkeyPatch, answer: str, content_type: str
) -> None:
    answering(monkeypatch, httpx2.Response(200, text=answer, headers={"Content-Type": content_type}))
    with pytest.raises(ModelMalformed, match=r"answered no JSON.*MNEME_MODELS__BASE_URL"):
        endpoint(clock.retries()).embeddings(BODY)
    with pytest.raises(ModelMalformed, match=r"answered no JSON.*MNEME_MODELS__BASE_URL"):
        endpoint(clock.retries()).transcribe("ears", Upload("a.wav", b"sound"), {})


def test_content_that_cannot_be_unpacked_is_tried_again(endpoint: Open, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, httpx2.DecodingError("incorrect header check"), httpx2.Response(200, json={"data": [1]}))
    assert endpoint(clock.retries()).embeddings(BODY)["data"]
    assert clock.slept == [2.0]


def test_the_key_is_in_no_error_no_log_and_no_repr(
    endpoint: Open, model_server: ModelServer, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    model_server.api_key = "another"
    opened = endpoint(clock.retries())
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelRefused, match=r"Incorrect API key provided: \*\*\*") as caught:
        opened.embeddings(BODY)
    assert model_server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text + str(caught.value) + repr(caught.value) + repr(opened) + repr(vars(opened)["_sdk"])


def test_a_password_in_the_address_is_not_shown(clock: Clock) -> None:
    endpoint = OpenAiClient("http://anna:hush@127.0.0.1:9/v1?token=hush", None, clock.retries(count=0), "MNEME_MODELS")
    with pytest.raises(ModelError) as caught:
        endpoint.embeddings(BODY)
    assert "hush" not in str(caught.value) + repr(endpoint)
    endpoint.close()


@pytest.mark.parametrize("url", ["", "localhost:8000/v1", "ftp://host/v1", "http://", "http://host:port/v1"])
def test_a_wrong_address_is_refused_at_once(clock: Clock, url: str) -> None:
    with pytest.raises(SettingsError, match="MNEME_MODELS__BASE_URL"):
        OpenAiClient(url, None, clock.retries(), "MNEME_MODELS")


@pytest.mark.parametrize("key", ["sk-schlüssel", "sk-1\nX-Other: 2"])
def test_a_key_that_is_none_is_refused_without_showing_it(clock: Clock, key: str) -> None:
    with pytest.raises(SettingsError, match="MNEME_MODELS__API_KEY") as caught:
        OpenAiClient("http://host/v1", SecretStr(key), clock.retries(), "MNEME_MODELS")
    assert "sk-" not in str(caught.value)


def test_half_a_surrogate_pair_does_not_stop_a_call(endpoint: Open, clock: Clock, model_server: ModelServer) -> None:
    endpoint(clock.retries()).embeddings({**BODY, "input": ["half \ud83d"]})
    assert model_server.requests[0].body["input"] == ["half ?"]


def test_a_file_is_sent_the_same_at_each_attempt(endpoint: Open, model_server: ModelServer, clock: Clock) -> None:
    content = random.Random(8).randbytes(100_000) + b"\r\n--boundary--\r\n\r"
    model_server.script(SERVER_ERROR, Fault("rate_limited", retry_after="7"))
    answer = endpoint(clock.retries()).transcribe("ears", Upload("a.wav", content), {"language": "en"})
    assert answer["text"]
    assert [request.body for request in model_server.requests] == [{"model": "ears", "language": "en", "file": content}] * 3
    assert list(model_server.requests[0].body) == ["model", "language", "file"]  # as recordings of it have them
    assert clock.slept == [2.0, 7.0]


def test_a_file_is_in_no_repr() -> None:
    assert "secret" not in repr(Upload("a.wav", b"secret"))


def test_what_the_environment_holds_for_the_sdk_is_told_to_no_endpoint(
    endpoint: Open, model_server: ModelServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-account")
    without_key = OpenAiClient(model_server.url, None, clock.retries(), "MNEME_MODELS")
    without_key.embeddings(BODY)
    endpoint(clock.retries()).embeddings(BODY)
    without_key.close()
    anonymous, named = (request.headers for request in model_server.requests)
    assert "authorization" not in anonymous
    assert named["authorization"] == f"Bearer {KEY}"
    assert "of-another-account" not in str(anonymous) + str(named)


def test_the_sdk_is_imported_with_the_first_call() -> None:
    code = (
        "import sys; from connectors.endpoints.openai_chat import OpenAiChat; from mneme.settings import Models;"
        "OpenAiChat(Models(provider='openai')); sys.exit('openai' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
