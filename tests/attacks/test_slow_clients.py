"""Clients that take their time: half a header, half a body, an answer that nobody reads, and more connections than are due.

Each test ends because the service ends the connection; without a limit it would wait until its socket gives up.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from mneme.settings import load_settings
from serving.rest.connections import HEADER_SECONDS, LimitedConnection, server_config
from serving.rest.middleware import state
from serving.rest.middleware.body_limits import BODY_SECONDS, BodyLimits, DrainedBodies
from serving.rest.middleware.request_id import RequestId
from serving.rest.pools import RequestPools

SHORT = 0.3
PATIENCE = 30.0  # seconds, after which a test that hangs fails


class ImpatientConnection(LimitedConnection):
    header_seconds = SHORT
    reading_seconds = SHORT


class FewConnections(LimitedConnection):
    most_of_an_address = 5


class Identified:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state(scope)["identity"] = "somebody"
        await self._app(scope, receive, send)


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body, and answers at length, slowly, or not before somebody says so."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        return
    if scope["type"] != "http":
        return
    await Request(scope, receive).body()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    match scope["path"]:
        case "/long":
            for _ in range(1000):
                await send({"type": "http.response.body", "body": b"a" * 100_000, "more_body": True})
        case "/slow":
            for _ in range(4):
                await asyncio.sleep(SHORT)
                await send({"type": "http.response.body", "body": b"data: a\n\n", "more_body": True})
    await send({"type": "http.response.body", "body": b"end", "more_body": False})


@contextmanager
def listens(connection: type[asyncio.Protocol]) -> Iterator[int]:
    """The port of a service whose front has short limits."""
    settings = load_settings({})
    app: ASGIApp = answer
    bounded = Middleware(BodyLimits, settings=settings, pools=RequestPools(4), seconds=SHORT)
    for each in (bounded, Middleware(Identified), Middleware(RequestId), Middleware(DrainedBodies)):
        app = each.cls(app, *each.args, **each.kwargs)
    server = uvicorn.Server(server_config(app, connection, port=0, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        threading.Event().wait(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with listens(ImpatientConnection) as port:
        yield port


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        yield client


def read_all(client: socket.socket) -> bytes:
    """What comes until the service ends the connection."""
    told = b""
    with suppress(ConnectionError):
        while piece := client.recv(65_536):
            told += piece
    return told


HALF_HEADERS = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: a",
    b"GET / HTTP/1.1\r\nHost: a\r\n",
    b"POST /api/v1/x HTTP/1.1\r\nContent-Le",
)
HALF_BODIES = (
    b"Content-Length: 10\r\n\r\n",
    b"Content-Length: 10\r\n\r\nabc",
    b"Transfer-Encoding: chunked\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n3\r\nab",
)


def test_half_a_header_is_not_waited_for(port: int, tried: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
    for sent in tried(HALF_HEADERS):
        with connected(port) as client:
            client.sendall(sent)
            assert read_all(client).startswith(b"HTTP/1.1 408")


def test_half_a_header_after_a_whole_request_is_not_waited_for(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHo")
        assert read_all(client).count(b"HTTP/1.1 200") == 1


def test_a_header_that_drips_has_no_more_time(port: int) -> None:
    with connected(port) as client, suppress(ConnectionError):
        client.sendall(b"GET / HTTP/1.1\r\nX: ")
        client.settimeout(0.05)
        for _ in range(int(PATIENCE / 0.05)):
            with suppress(TimeoutError):
                if client.recv(100)[:12] in (b"", b"HTTP/1.1 408"):
                    return
            client.sendall(b"a")
        raise AssertionError("it was waited for")


@pytest.mark.parametrize("path", [b"/api/v1/memories", b"/mcp", b"/elsewhere"])
def test_half_a_body_is_not_waited_for(port: int, path: bytes, tried: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
    for sent in tried(HALF_BODIES):
        with connected(port) as client:
            client.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: a\r\n" + sent)
            told = client.recv(4096)
            assert told.startswith(b"HTTP/1.1 408"), told
            assert b"application/problem+json" in told


def test_200_half_requests_are_gone_after_a_while(port: int) -> None:
    clients = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(200)]
    for number, client in enumerate(clients):
        client.sendall(HALF_HEADERS[number % len(HALF_HEADERS)])
    for client in clients:
        assert read_all(client).startswith(b"HTTP/1.1 408")
        client.close()


def test_an_answer_that_nobody_reads_is_not_kept(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
        threading.Event().wait(SHORT * 4)
        assert len(read_all(client)) < 100_000_000


def test_an_answer_that_is_written_slowly_lives_on(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        told = read_all(client)
        assert told.count(b"data: a") == 4
        assert b"end" in told


def test_a_web_socket_that_is_idle_lives_on(port: int) -> None:
    from websockets.sync.client import connect

    with connect(f"ws://127.0.0.1:{port}/") as client:
        for _ in range(3):
            threading.Event().wait(SHORT)
            client.send("still there")
            assert client.recv(PATIENCE) == "still there"


def test_one_address_has_so_many_connections_and_no_more() -> None:
    with listens(FewConnections) as port:
        clients = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(5)]
        with connected(port) as client:
            assert read_all(client)[:12] in (b"HTTP/1.1 503", b"")
        clients.pop().close()
        while True:  # until the service has seen that it is gone
            with connected(port) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                if read_all(client).startswith(b"HTTP/1.1 200"):
                    break
        for client in clients:
            client.close()


def test_a_client_has_time_enough_where_it_is_merely_slow() -> None:
    assert HEADER_SECONDS >= 10
    assert BODY_SECONDS >= 20
