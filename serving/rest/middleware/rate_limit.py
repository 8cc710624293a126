"""Rate limit: requests a minute of each key, or of each address without keys."""

import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.types import ASGIApp, Receive, Scope, Send

from mneme import problems
from serving.rest.middleware import API, CONSOLE, MCP, is_under, state
from serving.rest.problems import problem_response

_LIMITED = (API, MCP, CONSOLE)
_ASSETS = (f"{CONSOLE}/_nicegui", f"{CONSOLE}/theme")  # files that a page loads, ten at once


class RateLimit:
    """The middleware that refuses a request over the limit.

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
        if limit is None or scope["type"] != "http" or not _is_limited(scope["path"]):
            await self._app(scope, receive, send)
            return
        identity: str = state(scope)["identity"]
        if self._limiter.hit(limit, identity):
            await self._app(scope, receive, send)
            return
        seconds = max(1, round(self._limiter.get_window_stats(limit, identity).reset_time - time.time()))
        detail = f"over {limit.amount} requests a minute; wait {seconds} s, or set MNEME_SERVICE__REQUESTS_PER_MINUTE higher"
        await problem_response(problems.RATE_LIMITED, detail, {"Retry-After": str(seconds)})(scope, receive, send)


def _is_limited(path: str) -> bool:
    return any(is_under(path, each) for each in _LIMITED) and not any(is_under(path, each) for each in _ASSETS)
