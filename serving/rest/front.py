"""What stands before every route: a name for the request, whose it is, how often, and how much of it is read.

    Named        a request id in and out; what nobody expects becomes a problem without a word of the inside
    Guarded      the right host and origin, and a key where there are keys; the routes find the caller in ``request.state``
    Rationed     so many requests a minute
    Bounded      bodies of at most so many bytes, JSON of at most so many levels

Each is a plain ASGI application around the next, so that what is mounted (console, MCP) stands behind them too.
"""

import re
import time
from urllib.parse import urlsplit
from uuid import uuid4

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connectors.telemetry.context import about
from mneme import problems
from mneme.events import DEEPEST
from mneme.events.parsing import is_deeper
from mneme.settings import Settings
from serving.rest.keys import EVERYBODY, NOBODY, Caller, Keys
from serving.rest.problems import Refused, answer_unexpected, refusal, refusal_of

API = "/api/v1"
CONSOLE = "/console"
UPLOADS = f"{API}/documents"

_OPEN = frozenset({"/health", "/health/live", "/openapi.json", "/docs", "/favicon.ico"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_RATIONED = (API, "/mcp", f"{CONSOLE}/login")
_HERE = ("localhost", "127.0.0.1", "[::1]")
_REQUEST_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
_FORM_BYTES = 1_000_000  # of an upload, beside the file


class Named:
    """Gives each request an id, the caller's own or a new one, and answers what nobody expected."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        _state(scope)["request_id"] = request_id
        started = False

        async def send_named(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        try:
            with about(request_id=request_id):  # for what is logged
                await self._app(scope, receive, send_named)
        except Exception as error:
            if started:
                raise
            if (response := refusal_of(error)) is not None:
                await response(scope, receive, send_named)
            else:
                await answer_unexpected(scope, receive, send_named, error, request_id)


class Guarded:
    """Lets in who may come in.

    With keys: whoever has one, in ``Authorization: Bearer`` or ``X-API-Key``; the console asks for one itself, and remembers
    it in a cookie. Without: everybody on this machine, but no page of another site that a browser here has open (DNS
    rebinding, cross-site requests).

    Args:
        app: what stands behind.
        settings: the host that is served, and the pages of other origins that may ask.
        keys: who may ask.
    """

    def __init__(self, app: ASGIApp, settings: Settings, keys: Keys) -> None:
        self._app = app
        self._keys = keys
        host = settings.service.host
        self._hosts = frozenset((*_HERE, f"[{host}]" if ":" in host else host.lower()))
        self._origins = frozenset(settings.service.cors_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one connection of a web socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        found = self._caller(connection)
        if not isinstance(found, Response):
            _state(scope)["caller"] = found
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await found(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _caller(self, connection: HTTPConnection) -> Caller | Response:
        if not self._keys:
            return self._on_this_machine(connection)
        key = _key_of(connection)
        caller = self._keys.caller(key) if key is not None else None
        if caller is not None:
            return caller
        path = connection.scope["path"]
        if path in _OPEN or _is_under(path, CONSOLE):
            return NOBODY
        told = "it is not known" if key is not None else "none was given"
        challenge = 'Bearer realm="mneme"' + (', error="invalid_token"' if key is not None else "")
        return refusal(
            problems.UNAUTHENTICATED,
            f"Authorization: a key is needed, and {told}; send `Authorization: Bearer KEY`, or X-API-Key",
            {"WWW-Authenticate": challenge},
        )

    def _on_this_machine(self, connection: HTTPConnection) -> Caller | Response:
        if _host_of(connection) not in self._hosts:
            return refusal(
                problems.MISDIRECTED,
                "Host: without keys this service is for this machine only; use http://localhost, or set MNEME_SERVICE__KEYS",
            )
        if self._is_foreign(connection):
            return refusal(
                problems.FORBIDDEN, "Origin: a page of another site may not do that; allow it in MNEME_SERVICE__CORS_ORIGINS"
            )
        return EVERYBODY

    def _is_foreign(self, connection: HTTPConnection) -> bool:
        """Whether the page of another site wants to change something, or to listen."""
        origin = connection.headers.get("origin")
        if origin is None or (connection.scope["type"] == "http" and connection.scope["method"] in _SAFE):
            return False
        return origin not in self._origins and urlsplit(origin).netloc != connection.headers.get("host")


class Rationed:
    """So many requests a minute for each key, or address where there is none.

    Args:
        app: what stands behind.
        requests_per_minute: 0 for no limit.
    """

    def __init__(self, app: ASGIApp, requests_per_minute: int) -> None:
        self._app = app
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._limit = RateLimitItemPerMinute(requests_per_minute) if requests_per_minute else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        limit = self._limit
        if limit is None or scope["type"] != "http" or not any(_is_under(scope["path"], each) for each in _RATIONED):
            await self._app(scope, receive, send)
            return
        caller: Caller = _state(scope)["caller"]
        address = scope["client"][0] if scope.get("client") else ""
        identity = address if caller in (EVERYBODY, NOBODY) else caller.name
        may = self._limiter.hit(limit, identity)
        reset, left = self._limiter.get_window_stats(limit, identity)
        seconds = max(1, round(reset - time.time()))
        headers = {
            "RateLimit-Policy": f'"requests";q={limit.amount};w=60',
            "RateLimit": f'"requests";r={max(0, left)};t={seconds}',
        }
        if not may:
            detail = (
                f"over {limit.amount} requests a minute; wait {seconds} s, or set MNEME_SERVICE__REQUESTS_PER_MINUTE higher"
            )
            await refusal(problems.RATE_LIMITED, detail, headers | {"Retry-After": str(seconds)})(scope, receive, send)
            return

        async def send_with_limits(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, receive, send_with_limits)


class Bounded:
    """Reads no more than is allowed, whatever a request says of its length; JSON is not nested too deeply.

    Args:
        app: what stands behind.
        settings: how much.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._json_bytes = settings.service.largest_request_bytes
        self._upload_bytes = settings.documents.largest_bytes + _FORM_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in _SAFE:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_upload = scope["path"] == UPLOADS and headers.get("content-type", "").startswith("multipart/")
        limit = self._upload_bytes if is_upload else self._json_bytes
        name = "MNEME_DOCUMENTS__LARGEST_BYTES" if is_upload else "MNEME_SERVICE__LARGEST_REQUEST_BYTES"
        too_large = Refused(problems.TOO_LARGE, f"body: over {limit} bytes, the most that is read; split it, or raise {name}")
        told = headers.get("content-length", "")
        if told.isdecimal() and int(told[:20]) > limit:
            await refusal(too_large.problem, too_large.detail)(scope, receive, send)
            return
        read = 0

        async def receive_limited() -> Message:
            nonlocal read
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > limit:
                    raise too_large
            return message

        if not is_upload and _is_under(scope["path"], API):
            await self._app(scope, await _shallow(receive_limited), send)
        else:
            await self._app(scope, receive_limited, send)


async def _shallow(receive: Receive) -> Receive:
    """The whole body, looked at.

    Raises:
        Refused: it is too large, or nested too deeply.
    """
    chunks: list[bytes] = []
    messages: list[Message] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            messages.append(message)
            break
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            break
    body = b"".join(chunks)
    if is_deeper(body):
        raise Refused(problems.BAD_REQUEST, f"body: nested deeper than {DEEPEST} levels; nothing here needs as many")
    messages.append({"type": "http.request", "body": body, "more_body": False})

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def _state(scope: Scope) -> dict[str, object]:
    state: dict[str, object] = scope.setdefault("state", {})
    return state


def _is_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _host_of(connection: HTTPConnection) -> str:
    """The host that a request names, without its port."""
    host = connection.headers.get("host", "").lower()
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


def _key_of(connection: HTTPConnection) -> str | None:
    scheme, _, credentials = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    return connection.headers.get("x-api-key") or None
