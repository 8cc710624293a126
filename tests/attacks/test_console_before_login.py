"""Whoever has no key gets the door of the console, and nothing else: no memory of the service, and a limit of requests."""

import http.client
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.serving.service_process import ServiceProcess, serving

KEYS = {"SERVICE__KEYS": json.dumps({"a-key-of-a-tenant-0001": "acme"}), "SERVICE__INTAKE": "none"}
PAGES = (
    "conversations",
    "facts",
    "search?q=x",
    "graph",
    "profile",
    "documents",
    "document?id=x",
    "flow",
    "conversation?id=x",
    "login",
)
OTHERS = (
    "",
    "conversations/",
    "a/b/c",
    "a/b/login",
    "login/x",
    "%2e%2e/conversations",
    "theme/../conversations",
    "theme/nothing.css",
    "_nicegui/3.18.0/static/nicegui.js",
    "_nicegui/x/components/y",
    "_nicegui_ws/socket.io/?EIO=4&transport=polling",
    "favicon.ico",
    "openapi.json",
    "docs",
    "x" * 3000,
    "login?wrong=<script>alert(1)</script>",
)
GROWTH = 50_000_000  # bytes


def asked(
    service: ServiceProcess, paths: Iterable[str], method: str = "GET", body: str | None = None
) -> Counter[tuple[int, str]]:
    """What is answered, with where it leads."""
    place = urlsplit(service.url)
    answers: Counter[tuple[int, str]] = Counter()
    connection = http.client.HTTPConnection(place.netloc, timeout=60)
    for path in paths:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        connection.request(method, f"/console/{path}", body, headers)
        answer = connection.getresponse()
        answer.read()
        answers[answer.status, answer.headers.get("Location", "").rsplit("/", 1)[-1]] += 1
    connection.close()
    return answers


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A service that answers any number of requests."""
    with serving(tmp_path_factory.mktemp("unlimited"), SERVICE__REQUESTS_PER_MINUTE="0", **KEYS) as service:
        asked(service, [*PAGES, *OTHERS])  # what is loaded once
        yield service


def grown(service: ServiceProcess, number: int) -> tuple[int, Counter[tuple[int, str]]]:
    """How many bytes so many requests without a key cost for good, and what is answered."""
    before = service.memory
    answers = asked(service, [PAGES[place % len(PAGES)] for place in range(number)])
    assert all(to == "login" for status, to in answers if status == 303)
    return service.memory - before, answers


@pytest.mark.slow
def test_thousands_of_requests_without_a_key_take_no_memory(
    unlimited: ServiceProcess, record_property: Callable[[str, object], None], is_long: bool
) -> None:
    """The limit alone must not be what keeps the memory: it is off."""
    number = 10_000 if is_long else 750
    record_property("inputs tried", number)
    more, answers = grown(unlimited, number)
    assert more < GROWTH, f"{more:,} bytes more"
    assert {status for status, _ in answers} == {200, 303}


@pytest.mark.slow
def test_without_a_key_there_is_the_door_alone_and_requests_and_guesses_of_keys_meet_the_limit(
    tmp_path: Path, tried: Callable[[Sequence[str]], Sequence[str]], is_long: bool
) -> None:
    with serving(tmp_path, SERVICE__REQUESTS_PER_MINUTE="100", **KEYS) as service:
        for path in tried(OTHERS):
            ((status, to),) = asked(service, [path])
            assert (status, to) in ((303, "login"), (404, "")) or (status == 200 and path.startswith("login?")), path
        _, within = grown(service, len(PAGES))
        assert {status for status, _ in within} == {200, 303}
        guesses = asked(service, tried(["login"] * 120), "POST", "key=a-key-of-a-tenant-0002")
        assert guesses[303, "login?wrong"] > 0
        assert guesses[429, ""] > 0
        assert set(guesses) == {(303, "login?wrong"), (429, "")}
        number = 10_000 if is_long else 750
        more, beyond = grown(service, number)
        assert more < GROWTH, f"{more:,} bytes more"
        assert beyond[429, ""] > number // 2
        assert {status for status, _ in beyond} <= {200, 303, 429}


def test_no_address_leads_to_the_host_that_a_request_names(unlimited: ServiceProcess) -> None:
    for path in ("login/", "conversations/", "search/", "x/"):
        connection = http.client.HTTPConnection(urlsplit(unlimited.url).netloc, timeout=60)
        connection.request("GET", f"/console/{path}", headers={"Host": "evil.example"})
        assert "evil.example" not in connection.getresponse().headers.get("Location", ""), path
        connection.close()
