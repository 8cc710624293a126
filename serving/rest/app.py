"""The application: routes, and what stands before them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.middleware import Middleware

from connectors.telemetry.requests import MeasuredRequests
from mneme import __version__
from serving.rest import openapi, problems
from serving.rest.front.bounded import Bounded
from serving.rest.front.drained import Drained
from serving.rest.front.guarded import Guarded
from serving.rest.front.named import Named
from serving.rest.front.rationed import Rationed
from serving.rest.front.shielded import Shielded
from serving.rest.keys import Keys
from serving.rest.requests import TURN
from serving.rest.routes import (
    ask,
    conversations,
    dead_letters,
    docs,
    documents,
    erasures,
    events,
    export,
    flushes,
    health,
    memories,
    owners,
    search,
)
from serving.rest.turns import Turns
from serving.service.service import Service
from serving.sessions.sessions import Sessions

_API_ROUTES = (search, ask, events, memories, erasures, conversations, documents, flushes, export, owners, dead_letters)
_TOLD = ("X-Request-ID", "RateLimit", "RateLimit-Policy", "Retry-After")


def create_app(service: Service) -> FastAPI:
    """The service over HTTP. It is closed by whoever opened it, after the app has ended.

    Args:
        service: what is asked. Its settings say who may ask, and how much.

    Raises:
        SettingsError: a key of the settings is none.
    """
    settings = service.settings
    keys = Keys(settings.service.keys)
    turns = Turns(settings.service.searches, has_several=keys.are_several)
    sessions = Sessions(settings, keys)
    front = [
        Middleware(MeasuredRequests),
        Middleware(Drained),
        Middleware(Shielded),
        Middleware(Named),
        Middleware(Guarded, settings=settings, keys=keys, sessions=sessions),
        Middleware(Rationed, requests_per_minute=settings.service.requests_per_minute),
        Middleware(Bounded, settings=settings, turns=turns),
    ]
    if settings.service.cors_origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=settings.service.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=_TOLD,
        )
        front.insert(3, cors)
    app = FastAPI(
        title="Mneme",
        version=__version__,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        middleware=front,
        lifespan=_threads,
    )
    app.state.service = service
    app.state.turns = turns
    app.state.sessions = sessions
    problems.install(app)
    openapi.describe(app)
    secured = [Depends(openapi.BEARER), Depends(openapi.API_KEY), TURN]
    for module in (*_API_ROUTES, health):
        app.include_router(module.router, dependencies=secured)
    app.include_router(docs.router, dependencies=[TURN])
    return app


@asynccontextmanager
async def _threads(app: FastAPI) -> AsyncIterator[None]:
    """Threads enough for all who have a turn."""
    turns: Turns = app.state.turns
    anyio.to_thread.current_default_thread_limiter().total_tokens = turns.threads
    yield
