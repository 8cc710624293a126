"""The middleware that checks the API key of each request."""

from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mneme import problems
from mneme.fair_shares import current_caller
from mneme.settings import Settings
from serving.rest.keys import ANONYMOUS, LOCAL_CALLER, Caller, Keys
from serving.rest.middleware import CONSOLE, SAFE, is_under, state
from serving.rest.problems import problem_response
from serving.rest.sessions import Sessions

_OPEN = frozenset({"/", "/health", "/health/live", "/openapi.json", "/favicon.ico"})
_HERE = ("localhost", "127.0.0.1", "[::1]")


class Authentication:
    """Lets in who may come in.

    With keys: whoever has one, in ``Authorization: Bearer`` or ``X-API-Key``; the console asks for one itself, and has sessions
    (serving/rest/sessions.py). Without: everybody on this machine, but no page of another site that a browser here has open
    (DNS rebinding, cross-site requests).

    Args:
        app: what stands behind.
        settings: the host that is served.
        keys: who may ask.
        sessions: who is logged in to the console.
    """

    def __init__(self, app: ASGIApp, settings: Settings, keys: Keys, sessions: Sessions) -> None:
        self._app = app
        self._keys = keys
        self._sessions = sessions
        host = settings.service.host
        self._hosts = frozenset((*_HERE, f"[{host}]" if ":" in host else host.lower()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one connection of a web socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        found = self._caller(connection)
        if not isinstance(found, Response):
            state(scope)["caller"] = found
            state(scope)["identity"] = identity = _identity(found, connection)
            token = current_caller.set(identity if self._keys.are_several else "")
            try:
                await self._app(scope, receive, send)
            finally:
                current_caller.reset(token)
        elif scope["type"] == "http":
            await found(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _caller(self, connection: HTTPConnection) -> Caller | Response:
        if not self._keys:
            return self._on_this_machine(connection)
        path = connection.scope["path"]
        if is_under(path, CONSOLE):
            session = state(connection.scope)["session"] = self._sessions.of(connection)
            return session.caller if session is not None else ANONYMOUS
        given = _keys_of(connection)
        if len(given) > 1:
            return problem_response(problems.BAD_REQUEST, "Authorization: several keys are given; send one of them")
        key = next(iter(given), None)
        caller = self._keys.caller(key) if key is not None else None
        if caller is not None:
            return caller
        if path in _OPEN:
            return ANONYMOUS
        reason = "it is not known" if key is not None else "none was given"
        challenge = 'Bearer realm="mneme"' + (', error="invalid_token"' if key is not None else "")
        return problem_response(
            problems.UNAUTHENTICATED,
            f"Authorization: a key is needed, and {reason}; send `Authorization: Bearer KEY`, or X-API-Key "
            "(`mneme` and Python send MNEME_SERVICE__API_KEY)",
            {"WWW-Authenticate": challenge},
        )

    def _on_this_machine(self, connection: HTTPConnection) -> Caller | Response:
        if _host_of(connection) not in self._hosts:
            return problem_response(
                problems.MISDIRECTED,
                "Host: without keys this service is for this machine only; use http://localhost, or set MNEME_SERVICE__KEYS",
            )
        if self._is_foreign(connection):
            return problem_response(
                problems.FORBIDDEN, "Origin: a page of another site may not do that; let its server ask, with a key"
            )
        return LOCAL_CALLER

    def _is_foreign(self, connection: HTTPConnection) -> bool:
        """Tell whether the page of another site wants to change something, or to listen."""
        origin = connection.headers.get("origin")
        if origin is None or (connection.scope["type"] == "http" and connection.scope["method"] in SAFE):
            return False
        return urlsplit(origin).netloc != connection.headers.get("host")


def _identity(caller: Caller, connection: HTTPConnection) -> str:
    """Identity for limits: the key's name, or the address without a key."""
    if caller not in (LOCAL_CALLER, ANONYMOUS):
        return caller.name
    return connection.client.host if connection.client is not None else ""


def _host_of(connection: HTTPConnection) -> str:
    """The host that a request names, without its port."""
    host = connection.headers.get("host", "").lower()
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


def _keys_of(connection: HTTPConnection) -> set[str]:
    """All keys that a request gives, wherever it does."""
    headers = connection.headers
    credentials = [each.partition(" ") for each in headers.getlist("authorization")]
    bearer = [key.strip() for scheme, _, key in credentials if scheme.lower() == "bearer"]
    return {*bearer, *headers.getlist("x-api-key")} - {""}
