"""One key that holds all it can delays nobody else: of everything that requests wait in, a part is kept for the others."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from connectors import Publisher
from connectors.endpoints.call_budget import CallBudget, Purpose
from mneme.errors import StoreUnavailable
from mneme.fair_shares import FairShares, current_caller
from mneme.settings import Settings
from queries import Memories
from serving.rest.pools import Kind, Pool, RequestPools
from serving.service.service import Service
from tests.serving.rest.conftest import client_of, with_service
from tests.waiting import wait_until

API = "/api/v1"
LOUD, QUIET = "loud-0123456789abcdef", "quiet-0123456789abcdef"
AT_ONCE = 110  # requests of the loud key: more than any pool has places
PATIENCE = 60.0  # seconds, after which a test that hangs fails
ANSWERED = StoreUnavailable("a fake: the call was let through")


class Held:
    """Calls that do not return while they are the loud tenant's."""

    def __init__(self) -> None:
        self.may_end = threading.Event()

    def __call__(self, *given: Any, **named: Any) -> Any:
        if "loud" in repr((given, named)):
            self.may_end.wait(PATIENCE)
        raise ANSWERED


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held = Held()
    for owner, names in (
        (Memories, ("search", "ask_stream", "ask", "browse", "conversations", "profile", "portrait", "owners", "documents")),
        (Service, ("wait_for_flush", "erasure", "flush", "flush_owner", "erase")),
        (Publisher, ("send_document", "send_many")),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, held, raising=False)
    yield held
    held.may_end.set()


@pytest.fixture
def client(memory_settings: Settings) -> Iterator[TestClient]:
    settings = with_service(memory_settings, keys={LOUD: "loud", QUIET: "quiet"}, wait_seconds=PATIENCE)
    with client_of(settings, with_mcp=True) as client:
        yield client


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"json": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}}


ASKED = {"query": "x", "filters": {"user_id": "u"}}
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
REQUESTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "searches": ("POST", f"{API}/memories/search", {"json": ASKED}),
    "answers": ("POST", f"{API}/ask", {"json": {"question": "x", "filters": {"user_id": "u"}}}),
    "agents": ("POST", f"{API}/memories/search", {"json": ASKED | {"method": "agentic"}}),
    "flushes": ("POST", f"{API}/flush", {"json": {"conversation_id": "c"}}),
    "flushes that are asked for again": ("GET", f"{API}/flushes/f?wait=60", {}),
    "erasures": ("DELETE", f"{API}/memories?user_id=u&wait=60", {}),
    "erasures that are asked for again": ("GET", f"{API}/erasures/e?wait=60", {}),
    "lists": ("GET", f"{API}/memories?user_id=u", {}),
    "owners": ("GET", f"{API}/owners", {}),
    "uploads": ("POST", f"{API}/documents", {"files": {"file": ("a.txt", b"x")}, "data": {"user_id": "u"}}),
    "tools that search": ("POST", "/mcp?user_id=u", {**tool("search", query="x"), "headers": MCP}),
    "tools that ask": ("POST", "/mcp?user_id=u", {**tool("ask", question="x"), "headers": MCP}),
}


def ask(client: TestClient, key: str, name: str) -> httpx.Response:
    method, path, given = REQUESTS[name]
    headers = {"Authorization": f"Bearer {key}", **given.get("headers", {})}
    return client.request(method, path, **{**given, "headers": headers})


@pytest.mark.parametrize("loud", REQUESTS)
def test_a_key_that_holds_all_it_can_delays_nothing_of_another(
    client: TestClient, held: Held, loud: str, tried: Callable[[Sequence[Any]], Sequence[Any]]
) -> None:
    with ThreadPoolExecutor(AT_ONCE + 1) as pool:
        waiting = [pool.submit(ask, client, LOUD, loud) for _ in range(AT_ONCE)]
        try:
            until_full(client, waiting)
            for name in tried(list(REQUESTS)):
                answer = pool.submit(ask, client, QUIET, name).result(PATIENCE)
                assert answer.status_code == (503 if not name.startswith("tools") else 200), answer.text
            assert client.get("/health/live").status_code == 200
            assert client.get("/health").status_code in (200, 503)
        finally:
            held.may_end.set()
        told = {each.result(PATIENCE).status_code for each in waiting}
    assert told <= {503, 429, 200}


def until_full(client: TestClient, waiting: Sequence[Future[httpx.Response]]) -> None:
    """Return once the loud key gets no further place: all its requests have one, wait for one, or were refused."""
    pools: RequestPools = client.app.state.pools  # type: ignore[attr-defined]

    def places() -> int:
        return sum(each.shares.places - each.shares.free + len(each._waiting) for each in pools._pools.values())

    wait_until(lambda: places() + sum(each.done() for each in waiting) >= len(waiting))


def test_a_wait_too_many_is_told_when_to_come_again(client: TestClient, held: Held) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(ask, client, LOUD, "flushes") for _ in range(AT_ONCE)]
        try:
            until_full(client, waiting)
            refused = ask(client, LOUD, "flushes")
        finally:
            held.may_end.set()
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["type"] == "urn:mneme:problem:rate-limited"
        assert [each.result(PATIENCE).status_code for each in waiting].count(503) == 48


def test_every_operation_takes_a_turn_but_the_one_that_says_that_the_service_lives(
    client: TestClient, held: Held, monkeypatch: pytest.MonkeyPatch, tried: Callable[[Sequence[Any]], Sequence[Any]]
) -> None:
    taken: list[str] = []

    @asynccontextmanager
    async def admit(self: RequestPools, kind: Kind, caller: str) -> AsyncIterator[None]:
        taken.append(kind)
        yield

    monkeypatch.setattr(RequestPools, "admit", admit)
    held.may_end.set()
    described = client.get("/openapi.json").json()["paths"]
    operations = [(method, path.replace("{id}", "x")) for path, methods in described.items() for method in methods]
    for method, path in tried(operations):
        client.request(method, path, headers={"Authorization": f"Bearer {QUIET}"})
    assert len(taken) == len(operations)
    assert taken.count("none") == 2, "POST /memories takes one by what is asked for"
    message = {"conversation_id": "c", "user_id": "u", "content": "x"}
    for asked, kind in (({}, "others"), ({"flush": True, "wait": 1}, "waits")):
        client.post("/api/v1/memories", json={"messages": [message], **asked}, headers={"Authorization": f"Bearer {QUIET}"})
        assert taken[-1] == kind


def test_one_alone_has_all_places() -> None:
    shares = FairShares(16, has_several=False)
    assert [shares.take("only") for _ in range(17)] == [True] * 16 + [False]


@pytest.mark.parametrize("places", [2, 3, 4, 10, 16, 64])
def test_whatever_one_takes_another_finds_a_place(places: int) -> None:
    shares = FairShares(places)
    while shares.take("loud"):
        pass
    assert shares.held("loud") == places - max(1, places // 4)
    assert shares.take("quiet")


def test_a_place_that_is_given_back_goes_to_whoever_may_have_it() -> None:
    async def run() -> None:
        pool, order = Pool(4), list[str]()
        may_end = {name: asyncio.Event() for name in ("loud", "quiet")}

        async def hold(name: str) -> None:
            async with pool.place(name):
                order.append(name)
                await may_end[name].wait()

        tasks = [asyncio.create_task(hold("loud")) for _ in range(9)]
        await asyncio.sleep(0)
        assert order == ["loud"] * 3
        tasks += [asyncio.create_task(hold("quiet")) for _ in range(2)]
        await asyncio.sleep(0)
        assert order == ["loud"] * 3 + ["quiet"]
        tasks[3].cancel()  # whoever leaves the line takes no place
        may_end["quiet"].set()
        may_end["loud"].set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (order.count("loud"), order.count("quiet")) == (8, 2)
        assert pool.shares.free == 4

    asyncio.run(run())


def test_the_calls_of_models_are_shared_too() -> None:
    budget, may_end, begun = CallBudget(8, 400), threading.Event(), threading.Semaphore(0)

    def call(name: str, patience: float = PATIENCE) -> None:
        current_caller.set(name)
        with budget.call(Purpose.QUERIES, 1, patience):
            begun.release()
            if name == "loud":
                may_end.wait(PATIENCE)

    with ThreadPoolExecutor(20) as pool:
        calls = [pool.submit(copy_context().run, call, "loud") for _ in range(12)]
        for _ in range(6):
            assert begun.acquire(timeout=PATIENCE)
        quiet = [pool.submit(copy_context().run, call, "quiet") for _ in range(5)]
        for each in quiet:
            each.result(PATIENCE)
        may_end.set()
        for each in calls:
            each.result(PATIENCE)
