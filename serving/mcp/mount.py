"""The MCP server at /mcp of the service: streamable HTTP, without sessions, one JSON answer to each request.

Whose memory a client has is in the URL that somebody configured (``/mcp?user_id=mira``), and its tenant is the key's. It is
read anew with every request, so that nothing a client was once let in for is left in a session.
"""

from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import FastAPI
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mneme import problems
from mneme.errors import InputError
from serving.mcp.memory import AgentMemory, OwnerScope
from serving.mcp.server import build_server
from serving.rest.app import live_with
from serving.rest.keys import Caller
from serving.rest.pools import PoolKind, RequestPools
from serving.rest.problems import Forbidden, problem_response
from serving.rest.requests import refuse_repeated
from serving.service.service import Service

PATH = "/mcp"

_WHOSE = "mcp_whose"  # of a request's state
_WAITING_TOOLS = ("remember", "forget")  # for a flush or an erasure


def mount(app: FastAPI, service: Service) -> None:
    """Add the MCP server to an application whose middleware has found out who asks, as a view of a service."""
    memory = AgentMemory(service)
    pools: RequestPools = app.state.pools

    def turn(context: ServerRequestContext[Any, Any]) -> AbstractAsyncContextManager[None]:
        request: Any = context.request  # served in a task of the SDK's
        return pools.turn(_kind(context), request.scope["state"]["identity"])

    server = build_server(memory, lambda request: request.scope["state"][_WHOSE], writable=service.takes_events, turn=turn)
    endpoint = _StreamableHTTP()
    # There is nothing to listen to (GET) and no session to end (DELETE), which 405 says to a client.
    app.router.routes.append(Route(PATH, endpoint, methods=["POST"], include_in_schema=False))

    def running() -> AbstractAsyncContextManager[None]:
        # A manager of the SDK runs once, an application may be started again: each start has its own.
        endpoint.manager = StreamableHTTPSessionManager(
            app=server.lowlevel,
            stateless=True,
            json_response=True,
            # Hosts and origins were looked at before it came here.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=service.settings.service.largest_request_bytes,
        )
        return endpoint.manager.run()

    live_with(app, running)


def _kind(context: ServerRequestContext[Any, Any]) -> PoolKind:
    """The kind of a request."""
    if context.method != "tools/call":
        return "others"
    return "waits" if (context.params or {}).get("name") in _WAITING_TOOLS else "searches"


class _StreamableHTTP:
    """The endpoint: whose memory it is, then the SDK."""

    manager: StreamableHTTPSessionManager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller: Caller = scope["state"]["caller"]
        parameters = Request(scope).query_params
        given = dict(parameters)
        try:
            refuse_repeated(parameters)
            scope["state"][_WHOSE] = OwnerScope.parse(given, caller.tenant_of(given.get("tenant_id")))
        except InputError as error:
            await problem_response(problems.INPUT, str(error))(scope, receive, send)
        except Forbidden as error:
            await problem_response(problems.FORBIDDEN, str(error))(scope, receive, send)
        else:
            await self.manager.handle_request(scope, receive, send)
