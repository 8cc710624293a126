"""Middleware before every route, from the outside in; each is a plain ASGI application around the next.

Console and MCP are mounted behind it too: drain refused bodies (``body_limits``), set security headers and request ids
(``request_id``), check keys (``auth``), limit requests in number (``rate_limit``) and in size (``body_limits``). Here are the
paths that it tells apart, and the state that it leaves for the routes.
"""

from typing import Any

from starlette.types import Scope

API = "/api/v1"
CONSOLE = "/console"
MCP = "/mcp"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})  # methods that change nothing


def is_under(path: str, folder: str) -> bool:
    """Tell whether a path is a folder, or lies in it.

    >>> is_under("/mcp", "/mcp"), is_under("/mcp/x", "/mcp"), is_under("/mcpx", "/mcp")
    (True, True, False)
    """
    return path == folder or path.startswith(f"{folder}/")


def state(scope: Scope) -> dict[str, Any]:
    """State of a request, set by the middleware: ``request.state`` in the routes."""
    values: dict[str, Any] = scope.setdefault("state", {})
    return values
