"""Who comes in, asked before NiceGUI is: it makes a client for whoever opens a page, and answers sockets of any origin."""

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mneme import problems
from serving.console.access import caller_of, is_of_this_site, session_of
from serving.console.policy import new_nonce, page_policy
from serving.rest.front.places import SAFE, is_under
from serving.rest.problems import refusal
from serving.sessions.sessions import Sessions

_SOCKET = "/_nicegui_ws"  # where pages tell what is done on them; by plain requests where a proxy lets no web socket through
_OPEN = ("/login", "/theme")  # what whoever has said no key may see
_POLICY_VIOLATION = 1008


class Gate:
    """Lets through to NiceGUI what comes from this site's pages, and from who is logged in where there are keys.

    What a socket brings or is sent goes through as long as its session holds, so that a logout, here or in another window,
    ends pages that are open.

    Args:
        app: NiceGUI's application.
        sessions: who is logged in.
    """

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one connection of a web socket."""
        connection = HTTPConnection(scope)
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        is_socket = scope["type"] == "websocket"
        does_something = is_socket or scope["method"] not in SAFE or is_under(path, _SOCKET)
        is_foreign = does_something and not is_of_this_site(connection)
        is_closed = caller_of(connection) is None and not any(is_under(path, each) for each in _OPEN)
        if is_socket and (is_foreign or is_closed):
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        elif is_socket:
            await self._while_it_holds(scope, receive, send)
        elif is_foreign:
            await refusal(problems.FORBIDDEN, "Origin: a page of another site may not do that")(scope, receive, send)
        elif is_closed:
            to_the_door = "../" * (path.count("/") - 1) + "login"
            await RedirectResponse(to_the_door, 303)(scope, receive, send)
        else:
            await self._with_policy(scope, receive, send)

    async def _while_it_holds(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = session_of(HTTPConnection(scope))
        is_closed = False

        async def holds() -> bool:
            nonlocal is_closed
            if session is None or self._sessions.holds(session):
                return True
            if not is_closed:
                is_closed = True
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return False

        async def receive_while() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and not await holds():
                return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}
            return message

        async def send_while(message: Message) -> None:
            if await holds():
                await send(message)

        await self._app(scope, receive_while, send_while)

    async def _with_policy(self, scope: Scope, receive: Receive, send: Send) -> None:
        nonce = new_nonce(scope)

        async def send_page(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.setdefault("Content-Security-Policy", page_policy(nonce))
            await send(message)

        await self._app(scope, receive, send_page)
