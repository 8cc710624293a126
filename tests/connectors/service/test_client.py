"""A service asked by HTTP: what it says comes back as what it was there, and what may pass is asked again."""

from collections.abc import Iterator

import pytest

from connectors.service import NotThere, ServiceClient, quoted
from mneme.errors import DiskFull, InputError, MnemeError, SettingsError, StoreUnavailable
from mneme.problems import DISK_FULL, INPUT, PROBLEMS, RATE_LIMITED, STORE_UNAVAILABLE, Problem
from mneme.settings import Settings, load_settings
from tests.connectors.service.listening import Answer, Listening, problem

KEY = "key-that-nobody-may-see"


@pytest.fixture
def service() -> Iterator[Listening]:
    with Listening() as listening:
        yield listening


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def client(service: Listening, pauses: list[float]) -> Iterator[ServiceClient]:
    client = ServiceClient(service.url, KEY, answer_seconds=10.0, patience_seconds=5.0, sleep=pauses.append)
    yield client
    client.close()


def test_a_request_has_the_key_and_its_answer_is_parsed(service: Listening, client: ServiceClient):
    service.answers.append(Answer(200, b'{"items": [1]}'))
    assert client.request("GET", "/memories", params={"user_id": ("a", "b"), "before": None}) == {"items": [1]}
    [asked] = service.asked
    assert (asked.path, asked.query) == ("/api/v1/memories", "user_id=a&user_id=b")
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


def test_half_of_a_character_is_refused_before_anything_is_sent(service: Listening, client: ServiceClient):
    half = "a\ud800"
    for ask in (
        lambda: client.request("POST", "/memories/search", json={"query": half}),
        lambda: client.request("GET", "/history", params={"entity": half}),
        lambda: client.request("GET", quoted("memories", half)),
        lambda: list(client.events("POST", "/ask", json={"question": half})),
    ):
        with pytest.raises(InputError, match="half of a surrogate pair"):
            ask()
    assert service.asked == []


def test_a_closed_client_says_so(service: Listening, client: ServiceClient):
    client.close()
    for ask in (lambda: client.request("GET", "/health"), lambda: list(client.events("POST", "/ask", json={}))):
        with pytest.raises(InputError, match="closed; connect another"):
            ask()


def test_an_empty_answer_is_none(service: Listening, client: ServiceClient):
    service.answers.append(Answer(204, b""))
    assert client.request("DELETE", "/memories/x") is None


@pytest.mark.parametrize("kind", PROBLEMS, ids=lambda kind: kind.name)
def test_a_problem_is_the_error_that_it_was_there(service: Listening, client: ServiceClient, kind: Problem):
    service.answers.extend([problem(kind, "what is wrong; and what to do")] * 12)
    with pytest.raises(kind.error) as raised:
        client.request("POST", "/memories", json={})
    assert type(raised.value) in (kind.error, NotThere)
    assert str(raised.value) == "what is wrong; and what to do"


def test_what_is_safe_is_asked_again_as_the_service_says(service: Listening, client: ServiceClient, pauses: list[float]):
    service.answers += [
        problem(STORE_UNAVAILABLE, "busy"),
        problem(STORE_UNAVAILABLE, "busy", **{"Retry-After": "2"}),
        Answer(0),
        Answer(200, b"1"),
    ]
    assert client.request("GET", "/health") == 1
    assert len(pauses) == 3
    assert pauses[1] == 2.0


def test_a_limit_of_requests_is_waited_out_whatever_was_asked(service: Listening, client: ServiceClient, pauses: list[float]):
    service.answers += [problem(RATE_LIMITED, "too many", **{"Retry-After": "1"}), Answer(200, b"1")]
    assert client.request("POST", "/memories", json={}) == 1
    assert pauses == [1.0]


@pytest.mark.parametrize(("kind", "error"), [(INPUT, InputError), (DISK_FULL, DiskFull)])
def test_what_does_not_pass_by_itself_is_told_at_once(
    service: Listening, client: ServiceClient, kind: Problem, error: type[MnemeError]
):
    service.answers.append(problem(kind, "no"))
    with pytest.raises(error):
        client.request("GET", "/memories")
    assert len(service.asked) == 1


def test_a_service_that_is_not_there_is_named_without_the_key(pauses: list[float]):
    with Listening() as listening:
        url = listening.url
    client = ServiceClient(url, KEY, patience_seconds=0.0)
    with pytest.raises(StoreUnavailable, match=r"http://127\.0\.0\.1:.*mneme serve") as raised:
        client.request("GET", "/health")
    assert KEY not in f"{raised.value!r}{client!r}"
    client.close()


@pytest.mark.parametrize("waits_for_start", [False, True])
def test_whoever_asks_learns_soon_that_nothing_is_there_and_whoever_sends_outlasts_a_restart(
    waits_for_start: bool, monkeypatch: pytest.MonkeyPatch
):
    client = ServiceClient.of(load_settings({}), "http://127.0.0.1:1", waits_for_start=waits_for_start)
    assert client is not None
    waited: list[float] = []
    client._sleep = waited.append
    monkeypatch.setattr("connectors.service.time.monotonic", lambda: sum(waited))
    with pytest.raises(StoreUnavailable, match="does not answer"):
        client.request("GET", "/health")
    assert (15.0 if waits_for_start else 0.5) < sum(waited) <= (20.0 if waits_for_start else 2.0)
    client.close()


@pytest.mark.parametrize("answer", [Answer(200, b"<html>"), Answer(502, b"<html>bad</html>"), Answer(404, b"<html>")])
def test_what_is_no_mneme_is_not_quoted(service: Listening, client: ServiceClient, answer: Answer):
    service.answers.extend([answer] * 12)
    with pytest.raises(MnemeError) as raised:
        client.request("GET", "/health")
    assert "html" not in str(raised.value)


def test_what_no_url_can_hold_is_refused(service: Listening, client: ServiceClient):
    with pytest.raises(InputError, match="fewer filters"):
        client.request("GET", "/memories", params={"conversation_id": ["talk" * 100] * 200})
    assert service.asked == []


def test_another_address_is_named_as_a_wrong_setting_and_not_asked(service: Listening, client: ServiceClient):
    service.answers.append(Answer(301, b"", {"Location": f"{service.url}/elsewhere"}))
    with pytest.raises(SettingsError, match=r"301.*MNEME_SERVICE__URL"):
        client.request("GET", "/health")
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("url", "key"),
    [("127.0.0.1:8765", None), ("ftp://x", None), ("http://me:pw@x", None), ("http://x/?a=1", None), ("http://x", "a\nb")],
)
def test_what_cannot_be_a_service_is_a_wrong_setting(url: str, key: str | None):
    with pytest.raises(SettingsError, match=r"^MNEME_SERVICE__(URL|API_KEY)") as raised:
        ServiceClient(url, key)
    assert "pw" not in str(raised.value)


def test_a_service_may_lie_under_a_path(service: Listening):
    client = ServiceClient(f"{service.url}/memory/")
    client.request("GET", "/health")
    assert service.asked[0].path == "/memory/api/v1/health"
    client.close()


def test_the_settings_name_the_service(service: Listening):
    settings = Settings(_env_file=None)
    assert ServiceClient.of(settings) is None
    named = settings.model_copy(update={"service": settings.service.model_copy(update={"url": service.url})})
    for client in (ServiceClient.of(named), ServiceClient.of(settings, service.url)):
        assert client is not None
        assert client.url == service.url
        client.close()


def test_events_come_as_they_are_written_and_a_problem_among_them_is_raised(service: Listening, client: ServiceClient):
    told = b'event: piece\ndata: {"text": "It is "}\n\n: still there\n\nevent: answer\ndata: {"text":\ndata: "red"}\n\n'
    failed = b'event: problem\ndata: {"type": "urn:mneme:problem:disk-full", "status": 503, "detail": "full"}\n\n'
    service.answers.append(Answer(200, told + failed, {"Content-Type": "text/event-stream"}))
    events = client.events("POST", "/ask", json={})
    assert [next(events), next(events)] == [("piece", {"text": "It is "}), ("answer", {"text": "red"})]
    with pytest.raises(DiskFull, match="full"):
        next(events)
