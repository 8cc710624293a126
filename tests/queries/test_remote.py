"""Memories of a service are asked as those in process are, and answer the same."""

import inspect
import json
import socket
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from connectors.service import ServiceClient
from mneme.errors import InputError, SettingsError, StoreUnavailable
from mneme.settings import load_settings
from queries import Memories, QueryPolicy, RemoteMemories
from tests.contracts.memories import MINE, MemoriesContract, more
from tests.queries import world

HERE_ONLY = {"gather", "open"}  # what needs the index itself


@pytest.fixture(scope="module")
def local() -> Iterator[Memories]:
    with world.memories(world.filled(*more())) as memories:
        yield memories


@pytest.fixture(scope="module")
def url(local: Memories) -> Iterator[str]:
    """A service of these memories, on a port of its own."""
    uvicorn = pytest.importorskip("uvicorn")
    from serving.rest.app import create_app
    from serving.service.service import Service

    settings = load_settings({}, service={"intake": "none", "keys": {"a-key-for-the-tests": "default"}})
    service = Service(settings)
    service.__dict__ |= {"memories": local, "_index": local._index}
    server_socket = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(service), log_config=None, lifespan="on"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [server_socket]})
    serving.start()
    try:
        yield f"http://127.0.0.1:{server_socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        serving.join()
        server_socket.close()


@pytest.fixture(scope="module")
def remote(url: str) -> Iterator[Memories]:
    with Memories.connect(load_settings({}), url=url, api_key="a-key-for-the-tests") as memories:
        yield memories


class TestInProcess(MemoriesContract):
    @pytest.fixture
    def memories(self, local: Memories) -> Memories:
        return local


class TestOfAService(MemoriesContract):
    @pytest.fixture
    def memories(self, remote: Memories) -> Memories:
        return remote

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("search", ("where does Jonas work?", "hybrid", MINE)),
            ("search", ("where does Jonas work?", "agentic", MINE)),
            ("history", ("Jonas", MINE)),
            ("inspect", ("harbour", MINE)),
            ("documents", (MINE,)),
            ("conversations", (MINE, 3)),
            ("browse", (None, MINE, 20)),
            ("graph", ("Jonas", MINE, 2)),
            ("portrait", (MINE,)),
            ("owners", ()),
        ],
    )
    def test_it_answers_what_the_index_answers(self, name: str, arguments: Any, local: Memories, remote: Memories) -> None:
        here, there = (getattr(memories, name)(*arguments) for memories in (local, remote))
        if name == "search":
            here, there = (_without_times(each) for each in (here, there))
        assert there == here


def _without_times(found: Any) -> Any:
    dumped = found.model_dump(mode="json")
    dumped["metrics"]["milliseconds"] = 0
    if agent := dumped["metrics"]["agent"]:
        agent["memory_retrieval_time"] = agent["llm_time"] = 0
    return dumped


def public(functions: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: each for name, each in functions if not name.startswith("_") and inspect.isfunction(each)}


def arguments(method: Any) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults; the types are compared by mypy, for the remote memories override the others."""
    return [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]


def test_both_have_the_same_methods_with_the_same_arguments() -> None:
    here = public(inspect.getmembers(Memories))
    there = public(vars(RemoteMemories).items())  # what it inherits would read an index
    assert here.keys() == there.keys()
    for name in here.keys() - HERE_ONLY:
        assert arguments(there[name]) == arguments(here[name]), name


def test_a_service_is_named_by_the_environment_or_by_the_call(url: str) -> None:
    settings = load_settings({}, service={"url": url, "api_key": "a-key-for-the-tests"})
    with Memories.connect(settings) as memories:
        assert isinstance(memories, RemoteMemories)
        assert memories.owners()


def test_without_its_key_nothing_is_told(url: str) -> None:
    with Memories.connect(load_settings({}), url=url) as memories, pytest.raises(SettingsError, match="key"):
        memories.owners()


@pytest.mark.parametrize(
    "command",
    [
        ["search", "where does Jonas work?"],
        ["ask", "what colour is the new boat?"],
        ["history", "Jonas"],
        ["inspect", "harbour"],
        ["inspect", "--documents"],
    ],
    ids=" ".join,
)
def test_the_command_line_asks_a_service(command: list[str], url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from serving.cli import app

    monkeypatch.setenv("MNEME_DATA", str(tmp_path))  # where there is no index
    monkeypatch.setenv("MNEME_SERVICE__API_KEY", "a-key-for-the-tests")
    asked = [*command, "--user", "maya"]
    told = CliRunner().invoke(app, [*asked, "--json", "--url", url])
    assert told.exit_code == 0, told.output
    assert json.loads(told.output)
    shown = CliRunner(env={"MNEME_SERVICE__URL": url}).invoke(app, asked)
    assert shown.exit_code == 0, shown.output
    assert list(tmp_path.iterdir()) == []


def test_another_tenant_is_not_told_of(remote: Memories) -> None:
    with pytest.raises(SettingsError, match="tenant"):
        remote.conversations(MINE | {"tenant_id": "another"})


def test_what_needs_the_index_itself_says_so(remote: Memories) -> None:
    with pytest.raises(InputError, match="open the index itself"):
        remote.gather("a question", MINE)


def test_what_an_agent_may_spend_is_told(remote: Memories) -> None:
    found = remote.search("who owns the boat, and where?", "agentic", MINE, agent="split", policy=QueryPolicy(searches=1))
    assert found.metrics.agent is not None
    assert found.metrics.agent.memory_search_called == 1


class Odd(httpx.BaseTransport):
    """A service that answers with what it is told to."""

    def __init__(self, content: bytes, media_type: str = "application/json") -> None:
        self._content = content
        self._media_type = media_type

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=self._content, headers={"Content-Type": self._media_type}, request=request)


def of_odd(content: bytes) -> RemoteMemories:
    client = ServiceClient("http://127.0.0.1:1")
    client._client = httpx.Client(base_url="http://127.0.0.1:1/api/v1", transport=Odd(content))
    return RemoteMemories(client)


def test_an_answer_of_another_version_is_told_as_that() -> None:
    with of_odd(json.dumps({"items": 3}).encode()) as memories, pytest.raises(StoreUnavailable, match="same version"):
        memories.conversations(MINE)


def test_a_stream_that_breaks_off_is_told_as_that() -> None:
    with of_odd(b'event: piece\ndata: {"text": "Jonas"}\n\n') as memories:
        stream = memories.ask_stream("who?", MINE)
        assert next(stream) == "Jonas"
        with pytest.raises(StoreUnavailable, match="broke off"):
            next(stream)


def test_a_service_that_is_not_there_is_named_with_the_remedy() -> None:
    client = ServiceClient("http://127.0.0.1:1", patience_seconds=0.0)
    with RemoteMemories(client) as memories, pytest.raises(StoreUnavailable, match="mneme serve"):
        memories.owners()
