"""What HTTP requests count: an ASGI middleware, so that it serves FastAPI and whatever is mounted beside it."""

import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from connectors.telemetry import metrics, tracing

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_MOUNTS = ("/console", "/mcp")  # shown as one route each


class MeasuredRequests:
    """Counts and times requests by route, method and status. ``app.add_middleware(MeasuredRequests)``.

    The route is what was declared (``/api/v1/memories/{id}``), never the path that was asked for; ``other`` where none fits.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else metrics.OTHER
        began, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        metrics.REQUESTS_IN_FLIGHT.inc()
        try:
            with tracing.span(f"{method} request") as span:
                await self._app(scope, receive, answer)
                span.tell(route=_route(scope), status=status)
        finally:
            route = _route(scope)
            metrics.REQUESTS_IN_FLIGHT.dec()
            metrics.REQUESTS.labels(route, method, str(status)).inc()
            metrics.REQUEST_SECONDS.labels(route, method).observe(time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """The route as it is declared; the router notes it in the scope."""
    path = scope.get("path", "")
    for mount in _MOUNTS:
        if path == mount or path.startswith(f"{mount}/"):
            return mount
    declared = getattr(scope.get("route"), "path", None)
    return declared if isinstance(declared, str) else metrics.OTHER
