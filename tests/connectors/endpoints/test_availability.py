"""An endpoint that asks for time gets it; one that is dead is asked seldom."""

from collections.abc import Iterator

import pytest

from connectors.endpoints.availability import FAILURES, PAUSES, Availability
from connectors.endpoints.openai_client import OpenAiClient
from mneme.errors import ModelError, ModelPaused
from tests.connectors.model_help import Clock
from tests.servers.models import SERVER_ERROR, Fault, ModelServer

BODY = {"model": "m", "input": ["a text"], "encoding_format": "float"}
PATH = "/v1/embeddings"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def endpoint(model_server: ModelServer, clock: Clock) -> Iterator[OpenAiClient]:
    """An endpoint whose callers have something else to do meanwhile."""
    client = OpenAiClient(model_server.url, None, clock.retries(), "MNEME_MODELS", hands_back=True)
    yield client
    client.close()


def test_a_call_is_handed_back_at_once_with_the_time_to_wait(
    endpoint: OpenAiClient, model_server: ModelServer, clock: Clock
) -> None:
    model_server.script(Fault("rate_limited", retry_after="90"))
    with pytest.raises(ModelPaused, match="it asked to wait 90 s; the next call may go out in 90 s") as caught:
        endpoint.embeddings(BODY)
    assert (caught.value.seconds, clock.slept) == (90, [])


def test_other_calls_wait_for_it_too_and_go_out_after_it(
    endpoint: OpenAiClient, model_server: ModelServer, clock: Clock
) -> None:
    model_server.script(Fault("rate_limited", retry_after="90"))
    for _ in range(3):
        with pytest.raises(ModelPaused):
            endpoint.embeddings(BODY)
    assert model_server.calls(PATH) == 1
    clock.now += 90
    assert endpoint.embeddings(BODY)["data"]


def test_a_short_wait_is_not_worth_handing_a_call_back(endpoint: OpenAiClient, model_server: ModelServer, clock: Clock) -> None:
    model_server.script(Fault("rate_limited", retry_after="1.5"))
    assert endpoint.embeddings(BODY)["data"]
    assert sum(clock.slept) == pytest.approx(2.0)


def test_a_dead_endpoint_is_asked_seldom_and_then_is_down(
    endpoint: OpenAiClient, model_server: ModelServer, clock: Clock
) -> None:
    model_server.script(*[SERVER_ERROR] * 40)
    pauses: list[float] = []
    for _ in range(PAUSES):
        with pytest.raises(ModelPaused) as paused:
            endpoint.embeddings(BODY)
        pauses.append(paused.value.seconds)
        clock.now += paused.value.seconds
    assert pauses == pytest.approx([5.0, 10.0, 20.0], abs=2.0)
    with pytest.raises(ModelError, match=r"calls in a row failed.*MNEME_MODELS__BASE_URL is up") as down:
        endpoint.embeddings(BODY)
    assert not isinstance(down.value, ModelPaused)
    asked = model_server.calls(PATH)
    assert asked <= FAILURES + PAUSES + 1
    for _ in range(24):
        with pytest.raises(ModelError):
            endpoint.embeddings(BODY)
    assert model_server.calls(PATH) == asked


def test_one_call_looks_whether_it_is_back_and_then_all_go_out() -> None:
    availability = Availability("http://models.example/v1")
    for _ in range(FAILURES):
        assert availability.enter(0.0) is None
        availability.failed(0.0, "HTTP 503")
    assert availability.enter(1.0) is not None
    assert availability.enter(5.0) is None
    assert availability.enter(5.0) is not None
    availability.answered()
    assert availability.enter(5.0) is None
    assert availability.enter(5.0) is None


def test_calls_that_fail_together_open_one_pause() -> None:
    availability = Availability("http://models.example/v1")
    for _ in range(10 * FAILURES):
        availability.failed(0.0, "no connection")
    rest = availability.enter(0.0)
    assert rest is not None
    assert (rest.seconds, rest.is_down) == (5.0, False)
