"""Paths that the middleware tells apart, and the state that it leaves for the routes."""

from typing import Any

from starlette.types import Scope

API = "/api/v1"
CONSOLE = "/console"
MCP = "/mcp"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})  # methods that change nothing


def is_under(path: str, folder: str) -> bool:
    """Whether a path is a folder, or lies in it.

    >>> is_under("/mcp", "/mcp"), is_under("/mcp/x", "/mcp"), is_under("/mcpx", "/mcp")
    (True, True, False)
    """
    return path == folder or path.startswith(f"{folder}/")


def state(scope: Scope) -> dict[str, Any]:
    """What the front tells the routes: ``request.state`` there."""
    told: dict[str, Any] = scope.setdefault("state", {})
    return told
