"""Request ids, answers to unexpected errors, and security headers."""

import re
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connectors.telemetry.tracing import about
from serving.rest.middleware import state
from serving.rest.problems import answer_unexpected, response_to

_REQUEST_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)


class RequestId:
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
        state(scope)["request_id"] = request_id
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
            if (response := response_to(error)) is not None:
                await response(scope, receive, send_named)
            else:
                await answer_unexpected(scope, receive, send_named, error, request_id)


# What is no page runs nothing and loads nothing, wherever it is opened. A page says itself what it needs.
_POLICY = "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"


class SecurityHeaders:
    """Lets no browser show a response in a frame, take it for something else, or tell other sites its address.

    The addresses of the console hold names, so that a referrer goes to this site only; not ``no-referrer``, which would make
    the origin of this site's own forms ``null``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                headers.setdefault("Content-Security-Policy", _POLICY)
            await send(message)

        await self._app(scope, receive, send_shielded)
