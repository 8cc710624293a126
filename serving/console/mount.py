"""The console under ``/console`` of an application. To import this is to import NiceGUI."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from nicegui import app as nicegui
from nicegui import ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
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
    lost,
    search,
    sockets,
    statements,
)
from serving.console.flow import Samples
from serving.console.gate import Gate
from serving.console.shell import SERVICE, SESSIONS
from serving.console.visit import POOLS
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
    ours = {SERVICE: service, SESSIONS: sessions, flow.SAMPLES: Samples(service), POOLS: app.state.pools}

    async def of_service(scope: Scope, receive: Receive, send: Send) -> None:
        await console({**scope, **ours}, receive, send)

    for at in ("/", PATH):  # who knows only where the service listens finds it too
        app.add_route(at, _into_it, include_in_schema=False)
    app.mount(PATH, of_service, name="console")
    of_app = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        # A mounted application is not told of start and end by the one that it is mounted in.
        async with nicegui.router.lifespan_context(nicegui), of_app(app) as state:
            yield state

    app.router.lifespan_context = lifespan


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
    nicegui.exception_handler(404)(lost.not_found)
    nicegui.on_exception(_told)
    return nicegui


def _told(_: Exception) -> None:
    """Notify the user of an error after a page was built; NiceGUI has logged it."""
    with suppress(RuntimeError):  # there is no page any more
        ui.notify("That did not work: an error inside Mneme. The log of the service says which.", type="negative", timeout=8000)
