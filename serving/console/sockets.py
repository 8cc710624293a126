"""Restrict socket events to the client that joined: NiceGUI takes any event that names a client, from any socket.

1. A socket joins the client of a page only from the session that opened the page.
2. An event is taken only for the client that its socket has joined.
3. What is in pieces (a text, and bytes to come) is not taken: the pieces are kept until the last, of which there may be none.
4. What a page wants to write into the log of the service is not written: it would say what whoever looks likes.
"""

import logging
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any
from urllib.parse import parse_qs

from nicegui import core
from nicegui.client import Client
from socketio.exceptions import ConnectionRefusedError
from starlette.requests import HTTPConnection

from serving.console.gate import session_of

_TAKEN = ("0", "1", "2", "3")  # of Socket.IO: to connect, to disconnect, an event, an acknowledgement; 5 and 6 are in pieces
_OF_A_CLIENT = ("event", "javascript_response", "ack")

_Handler = Callable[..., Any]
_Taking = Callable[..., Awaitable[Any]]

log = logging.getLogger(__name__)


def install() -> None:
    """Put these rules before NiceGUI's own handlers of its socket."""
    handlers: dict[str, _Handler] = core.sio.handlers["/"]
    core.sio.on("connect", _quiet(_joining_by_query(handlers["connect"])))
    core.sio.on("handshake", _quiet(_joining(handlers["handshake"])))
    for name in _OF_A_CLIENT:
        core.sio.on(name, _quiet(_of_joined(handlers[name])))
    core.sio.on("log", _nothing)
    core.sio.eio.on("message", _whole(core.sio._handle_eio_message))


def _may_join(sid: str, client_id: object) -> bool:
    client = Client.instances.get(client_id) if isinstance(client_id, str) else None
    if client is None:
        return False
    socket = HTTPConnection(core.sio.get_environ(sid)["asgi.scope"])
    return session_of(socket) == session_of(client.request)


def _joining_by_query(handler: _Handler) -> _Taking:
    async def connect(sid: str, environ: Any, *more: Any) -> Any:
        query = environ.get("QUERY_STRING", "") if isinstance(environ, dict) else ""  # a page may send an event of this name
        named = parse_qs(query if isinstance(query, str) else "").get("client_id", [])
        if not all(_may_join(sid, each) for each in named):
            # In NiceGUI's words: a page that hears them loads itself anew, as it must after a restart of the service.
            raise ConnectionRefusedError("Implicit handshake failed")
        return await handler(sid, environ, *more)

    return connect


def _joining(handler: _Handler) -> _Taking:
    async def handshake(sid: str, data: Any) -> bool:
        return isinstance(data, dict) and _may_join(sid, data.get("client_id")) and bool(await handler(sid, data))

    return handshake


def _of_joined(handler: _Handler) -> _Taking:
    async def event(sid: str, data: Any) -> None:
        client_id = data.get("client_id") if isinstance(data, dict) else None
        if isinstance(client_id, str) and client_id in core.sio.rooms(sid):
            result = handler(sid, data)
            if isawaitable(result):
                await result

    return event


def _quiet(handler: _Taking) -> _Taking:
    """Without a stack trace in the log for each event that NiceGUI does not understand: no page of ours sends one."""

    async def take(sid: str, *data: Any) -> Any:
        try:
            return await handler(sid, *data)
        except ConnectionRefusedError:
            raise
        except Exception as error:  # noqa: BLE001  what goes wrong on a page is told there: this is the message itself
            log.info("a message on the console's socket was no event (%s)", type(error).__name__)
            return None

    return take


def _whole(handler: _Taking) -> _Taking:
    """Takes a message that is whole, of a kind that there is; quietly, too."""

    async def message(sid: str, data: Any) -> None:
        if isinstance(data, str) and data.startswith(_TAKEN):
            await _quiet(handler)(sid, data)

    return message


async def _nothing(sid: str, *data: Any) -> None:
    pass
