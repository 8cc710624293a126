"""The console under ``/console`` of an application. To import this is to import NiceGUI."""

from functools import cache
from html import escape
from pathlib import Path

from fastapi import FastAPI
from fastapi.exception_handlers import http_exception_handler
from nicegui import app as nicegui
from nicegui import ui
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

# Each of these adds its page to NiceGUI's application.
from serving.console import (
    conversations,
    documents,
    facts,
    flow,
    gate,
    graph,
    login,
    search,
    sockets,
    statements,
)
from serving.console.gate import Gate
from serving.console.shell import SERVICE, SESSIONS, page_alone
from serving.console.visit import POOLS
from serving.rest.app import live_with
from serving.rest.sessions import Sessions
from serving.service.service import Service

PATH = "/console"
PAGES = (login, conversations, facts, search, graph, statements, documents, flow)

_THEME = Path(__file__).parent / "theme"


def mount(app: FastAPI, service: Service) -> None:
    """Add the console to an application, as a view of a service.

    Several applications of one process may each have it, with a service of their own.

    Args:
        app: what ``create_app`` made of the service.
        service: what is shown.

    Raises:
        SettingsError: there are keys, and no secret for sessions can be kept.
    """
    sessions: Sessions = app.state.sessions
    sessions.begin()
    console = Gate(_console(), sessions)
    ours = {SERVICE: service, SESSIONS: sessions, POOLS: app.state.pools}

    async def of_service(scope: Scope, receive: Receive, send: Send) -> None:
        await console({**scope, **ours}, receive, send)

    for at in ("/", PATH):  # who knows only where the service listens finds it too
        app.add_route(at, _into_it, include_in_schema=False)
    app.mount(PATH, of_service, name="console")
    live_with(app, lambda: nicegui.router.lifespan_context(nicegui))


def _into_it(_: Request) -> Response:
    return RedirectResponse(f"{PATH[1:]}/", 307)


@cache
def _console() -> ASGIApp:
    """NiceGUI's application, of which there is one in a process, set up once."""
    nicegui.add_static_files("/theme", _THEME, max_cache_age=3600)
    # Beside setting it up, ``run_with`` mounts it, into one application only: it gets one that nobody asks.
    ui.run_with(
        FastAPI(),
        title="Mneme",
        favicon=_THEME / "icon.svg",
        language="en-US",
        dark=False,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10.0,
    )
    nicegui.router.redirect_slashes = False  # it would send whoever asks to the host that the request names
    gate.install()
    sockets.install()
    nicegui.exception_handler(404)(_not_found)
    return nicegui


_NOT_FOUND = """<h1>There is no page here</h1>
<p class="quiet">{path} is none of the console's addresses.</p>
<p><a href="{root}/conversations">To the conversations</a></p>"""


async def _not_found(request: Request, error: Exception) -> Response:
    """Answer what asks for a page with one; what asks for a part of one, as JSON."""
    if "text/html" not in request.headers.get("accept", "") and isinstance(error, HTTPException):
        return await http_exception_handler(request, error)
    root = escape(request.scope.get("root_path", ""), quote=True)
    main = _NOT_FOUND.format(root=root, path=escape(request.url.path))
    return HTMLResponse(page_alone("Not found", main, f"{root}/"), 404)
