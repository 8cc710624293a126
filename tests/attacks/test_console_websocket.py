"""The web socket of the console: who may open it, from where, and for which page an event on it is taken."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Literal

import httpx
import pytest
from nicegui import core
from nicegui.events import GenericEventArguments
from pydantic import ValidationError
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

import flows
from mneme.events import AnyEvent, Message
from mneme.settings import load_settings
from mneme.times import utc_now
from serving.console import shell
from serving.console.markup import tag
from serving.console.visit import SENT_EVENT, Visit, fields_of
from serving.service.service import FlushStatus, Service
from tests.serving.console.conftest import served

pytestmark = pytest.mark.slow

ONE, TWO = "a-key-of-one-tenant-0001", "a-key-of-two-tenants-002"
SOCKET = "_nicegui_ws/socket.io/"
Tried = Callable[[Sequence[Any]], Sequence[Any]]


class Recording(Service):
    """Takes in nothing, and keeps what it was given."""

    accepted: list[AnyEvent]
    may_end: threading.Event  # the flushes of the second tenant
    is_open = False

    @property
    def intake(self) -> Literal["kafka", "inbox", "none"]:
        return "inbox" if self.is_open else "none"

    def accept(self, events: Sequence[AnyEvent], backfill: bool = False) -> None:
        self.accepted.extend(events)

    def flush(self, tenant_id: str, conversation_ids: Sequence[str], timeout: float) -> FlushStatus:
        if tenant_id == "two":
            self.may_end.wait(60)
        return FlushStatus(flush_ids=(), conversation_ids=(), missing=(), seconds=0.0)


@shell.page("attacked", "Attacked")
async def box(visit: Visit) -> None:
    """A page on which messages are written, and waited for, in the way in which facts are corrected."""

    async def write(event: GenericEventArguments) -> None:
        said = fields_of(event.args)
        conversation = said.get("conversation", "")
        try:
            ids = {"user_id": "mira", "conversation_id": conversation, "sender_id": said.get("sender")}
            message = Message.model_validate({**ids, "content": said.get("text"), "sent_at": utc_now()})
        except ValidationError:
            return
        await visit.in_thread("others", visit.service.accept, [message])
        await visit.in_thread("waits", visit.service.flush, visit.tenant_id, [conversation], 60.0)

    tag("form", data_stays=True).on(SENT_EVENT, write, args=["detail"])


@dataclass
class Attacked:
    """A console with two keys, and what it was made to write."""

    url: str
    service: Recording

    def wrote(self, text: str, seconds: float = 1.0) -> bool:
        """Whether a message with a text arrives within a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(text in repr(each) for each in self.service.accepted):
                return True
            time.sleep(0.02)
        return False


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    asked = {"keys": {ONE: "one", TWO: "two"}, "intake": "none", "requests_per_minute": 0}
    folder = tmp_path_factory.mktemp("socket")
    settings = load_settings({}, data=folder / "data", embedder={"provider": "hash"}, service=asked)
    event = {"event": "message", "conversation_id": "c", "user_id": "mira", "content": "Good morning.", "message_id": "m"}
    talk = folder / "talk.jsonl"
    talk.write_text("".join(json.dumps(event | {"tenant_id": tenant}) + "\n" for tenant in ("one", "two")))
    flows.ingest([talk], settings)
    with Recording(settings) as service:
        service.accepted, service.is_open, service.may_end = [], True, threading.Event()
        service.may_end.set()
        with served(service) as console:
            yield Attacked(console.url, service)


@dataclass
class Page:
    """A page that somebody with a key opened, and how to do something on it."""

    attacked: Attacked
    cookie: str
    client_id: str
    element: int
    listener: str
    headers: dict[str, str] = field(default_factory=dict)

    def query(self, **other: str) -> str:
        named = {"EIO": "4", "transport": "websocket", "client_id": self.client_id, "next_message_id": "0"}
        named |= {
            "implicit_handshake": "true",
            "tab_id": f"tab-{self.client_id}",
            "document_id": f"doc-{self.client_id}",
            **other,
        }
        return "&".join(f"{name}={value}" for name, value in named.items() if value)

    def writing(self, text: str) -> str:
        """The frame of an event that writes a message."""
        args = [json.dumps({"detail": {"conversation": "c", "sender": "mira", "text": text}})]
        event = {"id": self.element, "client_id": self.client_id, "listener_id": self.listener, "args": args}
        return "42" + json.dumps(["event", event])


def log_in(attacked: Attacked, key: str) -> str:
    answer = httpx.post(f"{attacked.url}login", data={"key": key})
    return f"mneme_console={answer.cookies['mneme_console']}"


def opened(attacked: Attacked, key: str, cookie: str | None = None) -> Page:
    """Log in, and open a page with a box to write a message."""
    cookie = cookie or log_in(attacked, key)
    html = httpx.get(f"{attacked.url}attacked?owner=user:mira", headers={"cookie": cookie}, timeout=60).text
    (client_id,) = set(re.findall(r"[\"']client_id[\"']: [\"']([0-9a-f-]{36})", unescape(html)))
    (said,) = re.findall(r"parseElements\(String\.raw`(.*?)`\)", html, re.DOTALL)
    elements = json.loads(unescape(said))
    ((element, listener),) = [
        (int(name), event["listener_id"])
        for name, each in elements.items()
        for event in each.get("events", ())
        if event["type"] == "sent"
    ]
    return Page(attacked, cookie, client_id, element, listener)


@contextmanager
def socket(page: Page, cookie: str | None = None, origin: str | None = None, **query: str) -> Iterator[ClientConnection]:
    """A connection of Engine.IO that asked to join the namespace."""
    headers = {"cookie": page.cookie if cookie is None else cookie}
    url = f"{page.attacked.url.replace('http:', 'ws:')}{SOCKET}?{page.query(**query)}"
    with connect(url, additional_headers=headers, origin=origin, proxy=None) as connection:  # type: ignore[arg-type]
        assert str(connection.recv(10)).startswith("0")
        connection.send("40")
        yield connection


def joined(connection: ClientConnection) -> bool:
    """Whether the server let the socket into the page."""
    return next(str(frame) for frame in iter(lambda: connection.recv(10), None) if str(frame).startswith("4")).startswith("40")


def is_ended(connection: ClientConnection) -> bool:
    try:
        for _ in range(1000):
            connection.recv(10)
    except ConnectionClosed:
        return True
    except TimeoutError:
        return False
    return False


def test_who_opened_a_page_may_write_on_it(attacked: Attacked) -> None:
    page = opened(attacked, ONE)
    origin = attacked.url.removesuffix("/console/")
    with socket(page, origin=origin) as connection:
        assert joined(connection)
        connection.send(page.writing("my own text"))
        assert attacked.wrote("my own text", 20)


@pytest.mark.parametrize("cookie", ["", "mneme_console=x", f"mneme_console={'a' * 22}.1700000000000.{'0' * 64}.{'0' * 64}"])
def test_without_a_session_there_is_no_socket(attacked: Attacked, tried: Tried, cookie: str) -> None:
    page = opened(attacked, ONE)
    for path in tried([SOCKET, "", "conversations", "login", "theme/console.css", "_nicegui_ws/"]):
        url = f"{attacked.url.replace('http:', 'ws:')}{path}?{page.query()}"
        with pytest.raises(InvalidStatus) as refused:
            connect(url, additional_headers={"cookie": cookie}, proxy=None).close()
        assert refused.value.response.status_code in (403, 404, 500)
    polled = f"{attacked.url}{SOCKET}?{page.query(transport='polling')}"
    for method in ("GET", "POST"):
        assert httpx.request(method, polled, headers={"cookie": cookie}).status_code == 303


FOREIGN = ("https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1", "file://", "http://127.0.0.1.evil.example")


def test_no_page_of_another_site_opens_a_socket_with_the_cookie_of_who_looks(attacked: Attacked, tried: Tried) -> None:
    page = opened(attacked, ONE)
    for origin in tried(FOREIGN):
        with pytest.raises(InvalidStatus), socket(page, origin=origin):
            pass
        polled = f"{attacked.url}{SOCKET}?{page.query(transport='polling')}"
        for method in ("GET", "POST", "OPTIONS"):
            answer = httpx.request(method, polled, headers={"cookie": page.cookie, "origin": origin})
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers


def test_a_session_joins_no_page_of_another_and_does_nothing_on_it(attacked: Attacked, tried: Tried) -> None:
    """Even where it knows the ids of the page, the element and the listener"""
    victim, own = opened(attacked, TWO), opened(attacked, ONE)
    same_key = opened(attacked, TWO)  # another session of the same key
    with socket(victim) as connection:
        assert joined(connection)
        for number, thief in enumerate(tried([own, same_key])):
            with socket(victim, cookie=thief.cookie) as foreign:
                assert not joined(foreign)
            for given in (victim.client_id, thief.client_id, ""):
                with socket(thief, client_id=given, implicit_handshake="false") as foreign:
                    if given == victim.client_id:
                        assert not joined(foreign)
                        continue
                    assert joined(foreign)
                    handshake = {"client_id": victim.client_id, "tab_id": "t", "document_id": "d", "next_message_id": 0}
                    foreign.send("420" + json.dumps(["handshake", handshake]))
                    assert str(foreign.recv(10)) == "430[false]"
                    foreign.send(victim.writing(f"stolen {number}"))
                    foreign.send("42" + json.dumps(["ack", {"client_id": victim.client_id, "next_message_id": 10**6}]))
            with socket(thief) as foreign:
                assert joined(foreign)
                foreign.send(victim.writing(f"stolen {number}"))
        assert not attacked.wrote("stolen")
        connection.send(victim.writing("the page goes on"))
        assert attacked.wrote("the page goes on", 20)


def test_after_a_logout_a_socket_that_is_open_does_nothing_and_is_closed(attacked: Attacked) -> None:
    page = opened(attacked, ONE)
    with socket(page) as connection:
        assert joined(connection)
        httpx.post(f"{attacked.url}logout", headers={"cookie": page.cookie})
        connection.send(page.writing("after the logout"))
        assert is_ended(connection)
        assert not attacked.wrote("after the logout")
    with pytest.raises(InvalidStatus), socket(page):
        pass


def test_events_that_are_none_harm_nothing(attacked: Attacked, tried: Tried, caplog: pytest.LogCaptureFixture) -> None:
    page = opened(attacked, ONE)
    good = {"id": page.element, "client_id": page.client_id, "listener_id": page.listener}
    frames: list[Any] = [
        None, 1, "x", [], {}, {"client_id": None}, {"client_id": [1]}, {"client_id": {}}, {"client_id": page.client_id},
        good, good | {"id": "x", "args": []}, good | {"id": -1, "args": ["1"]}, good | {"listener_id": "x", "args": ["{}"]},
        *(good | {"args": args} for args in (None, 1, "x", [1], ["["], ["null"], ["[]"], ["{}"], ['{"detail": null}'],
          ['{"detail": [1, 2]}'], ['{"detail": {"text": {"a": 1}}}'], ["[" * 5000 + "]" * 5000], ["1", "2", "3"],
          [json.dumps({"detail": {"conversation": "c", "sender": "s", "text": "x" * 500_000}})],
          [json.dumps({"detail": {"conversation": "\ud800", "sender": "s", "text": "\x00"}})])),
    ]  # fmt: skip
    names = ("event", "handshake", "javascript_response", "ack", "log", "connect", "nothing")
    with socket(page) as connection:
        assert joined(connection)
        listening = threading.Thread(target=is_ended, args=(connection,), daemon=True)
        listening.start()
        for frame in tried(frames):
            for name in names:
                connection.send("42" + json.dumps([name, frame]))
        for level in ("error", "warning"):
            connection.send(
                "42" + json.dumps(["log", {"client_id": page.client_id, "level": level, "message": "a made-up line"}])
            )
        connection.send(page.writing("still here"))
        assert attacked.wrote("still here", 30)
    assert "a made-up line" not in caplog.text
    assert "Traceback" not in caplog.text


def test_whoever_writes_a_hundred_messages_at_once_keeps_nobody_else_from_the_console(attacked: Attacked) -> None:
    page = opened(attacked, TWO)
    attacked.service.may_end.clear()
    try:
        with socket(page) as connection:
            assert joined(connection)
            for place in range(100):
                connection.send(page.writing(f"one of a hundred: {place}"))
            assert attacked.wrote("one of a hundred: 40", 20)
            cookie = log_in(attacked, ONE)
            began = time.monotonic()
            assert "mira" in httpx.get(f"{attacked.url}conversations", headers={"cookie": cookie}, timeout=120).text
            assert time.monotonic() - began < 20
    finally:
        attacked.service.may_end.set()


def test_what_comes_in_pieces_is_not_kept(attacked: Attacked, caplog: pytest.LogCaptureFixture) -> None:
    page = opened(attacked, ONE)
    with socket(page) as connection:
        assert joined(connection)
        for kind in "56":
            connection.send(f'4{kind}9999999999-["event"]')
        for _ in range(20):
            connection.send(bytes(100_000))
        connection.send(page.writing("after the pieces"))
        assert attacked.wrote("after the pieces", 10)
        assert not core.sio._binary_packet
    assert "Traceback" not in caplog.text
