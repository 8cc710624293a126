"""The application: routes behind their middleware."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio.to_thread
from fastapi import Depends, FastAPI
from starlette.middleware import Middleware

from connectors.telemetry.meters import MeasuredRequests
from mneme import __version__
from serving.rest import openapi, problems
from serving.rest.keys import Keys
from serving.rest.middleware.auth import Authentication
from serving.rest.middleware.body_limits import BodyLimits, DrainedBodies
from serving.rest.middleware.rate_limit import RateLimit
from serving.rest.middleware.request_id import RequestId, SecurityHeaders
from serving.rest.pools import RequestPools
from serving.rest.requests import EACH_PARAMETER_ONCE, POOL_PLACE
from serving.rest.routes import conversations, documents, memories, operation, owners, search, stream
from serving.rest.sessions import Sessions
from serving.service.service import Service

_ROUTES = (search, stream, memories, owners, conversations, documents, operation)


def create_app(service: Service) -> FastAPI:
    """The service over HTTP. It is closed by whoever opened it, after the app has ended.

    Args:
        service: what is asked. Its settings say who may ask, and how much.

    Raises:
        SettingsError: a key of the settings is invalid.
    """
    settings = service.settings
    keys = Keys(settings.service.keys)
    pools = RequestPools(settings.service.searches, has_several=keys.are_several)
    sessions = Sessions(settings, keys)
    middleware = [
        Middleware(MeasuredRequests),
        Middleware(DrainedBodies),
        Middleware(SecurityHeaders),
        Middleware(RequestId),
        Middleware(Authentication, settings=settings, keys=keys, sessions=sessions),
        Middleware(RateLimit, requests_per_minute=settings.service.requests_per_minute),
        Middleware(BodyLimits, settings=settings, pools=pools),
    ]
    app = FastAPI(
        title="Mneme",
        version=__version__,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        middleware=middleware,
        lifespan=_threads,
    )
    app.state.service = service
    app.state.pools = pools
    app.state.sessions = sessions
    problems.install(app)
    openapi.describe(app)
    secured = [Depends(openapi.BEARER), Depends(openapi.API_KEY), EACH_PARAMETER_ONCE, POOL_PLACE]
    for module in _ROUTES:
        app.include_router(module.router, dependencies=secured)
    return app


def live_with(app: FastAPI, part: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
    """Let a part of an application start before it, and end after it: one that is mounted is not told of either."""
    of_app = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with part(), of_app(app) as state:
            yield state

    app.router.lifespan_context = lifespan


@asynccontextmanager
async def _threads(app: FastAPI) -> AsyncIterator[None]:
    """Threads enough for all who have a turn."""
    pools: RequestPools = app.state.pools
    anyio.to_thread.current_default_thread_limiter().total_tokens = pools.threads
    yield
