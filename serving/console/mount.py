"""The console under ``/console`` of an application."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi import FastAPI

    from serving.service.service import Service

PATH = "/console"

_PAGES = ("login", "conversations", "conversation", "search", "graph", "profile", "documents", "document", "flow")
_THEME = Path(__file__).parent / "theme"


def mount(app: "FastAPI", service: "Service") -> None:
    """Add the console to an application, as a view of a service.

    Several applications of one process may each have it, with a service of their own.

    Raises:
        ImportError: NiceGUI is not installed (``pip install 'mneme[console]'``).
    """
    from starlette.responses import RedirectResponse
    from starlette.types import ASGIApp, Receive, Scope, Send

    console: ASGIApp = _console()
    from serving.console.flow import SAMPLES
    from serving.console.samples import Samples
    from serving.console.shell import SERVICE

    ours = {SERVICE: service, SAMPLES: Samples(service)}

    async def of_service(scope: Scope, receive: Receive, send: Send) -> None:
        await console({**scope, **ours}, receive, send)

    app.add_route(PATH, lambda _: RedirectResponse(f"{PATH[1:]}/", 307), include_in_schema=False)
    app.mount(PATH, of_service, name="console")
    of_app = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[Any]:
        async with _running(), of_app(app) as state:
            yield state

    app.router.lifespan_context = lifespan


@cache
def _console() -> Any:
    """NiceGUI's application with the pages of the console. There is one in a process."""
    from fastapi import FastAPI
    from nicegui import app, ui

    for name in _PAGES:
        import_module(f"serving.console.{name}")
    app.add_static_files("/theme", _THEME, max_cache_age=3600)
    # What ``run_with`` adds to an application of ours is little, and only for one: it gets one that nobody asks.
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
    return app


@asynccontextmanager
async def _running() -> AsyncIterator[None]:
    """NiceGUI from start to end. A mounted application is not told of them by the one that it is mounted in."""
    from nicegui import app

    async with app.router.lifespan_context(app):
        yield
        await asyncio.sleep(0)  # what was sent to the browsers last goes out
