"""Access to the console, checked before NiceGUI is asked, and what its pages may load and run."""

import secrets

from jinja2.ext import Extension
from nicegui.client import templates
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mneme import problems
from serving.rest.keys import ANONYMOUS, Caller
from serving.rest.middleware import SAFE, is_under, state
from serving.rest.problems import problem_response
from serving.rest.sessions import Session, Sessions

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
        is_foreign = does_something and not is_same_site(connection)
        is_closed = caller_of(connection) is None and not any(is_under(path, each) for each in _OPEN)
        if is_socket and (is_foreign or is_closed):
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        elif is_socket:
            await self._while_it_holds(scope, receive, send)
        elif is_foreign:
            await problem_response(problems.FORBIDDEN, "Origin: a page of another site may not do that")(scope, receive, send)
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


def caller_of(connection: HTTPConnection) -> Caller | None:
    """The caller, as the middleware found it; None: log in first."""
    caller: Caller = state(connection.scope).get("caller", ANONYMOUS)
    return None if caller == ANONYMOUS else caller


def session_of(connection: HTTPConnection) -> Session | None:
    """The session of who looks; None where there are no keys, and before login."""
    session: Session | None = state(connection.scope).get("session")
    return session


def is_same_site(connection: HTTPConnection) -> bool:
    """Tell whether a page of this site or a program asks: a page of another site may not act in the name of the user."""
    site = connection.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = connection.headers.get("origin")
    return origin is None or origin.partition("://")[2] == connection.headers.get("host")


_NONCE = "mneme.nonce"  # in the scope of a request
_TAGS = ("<script", "<style")

_EMPTY = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"  # NiceGUI's styles of a page's own components, which has none

# Rights of the door, which runs no script within the page.
DOOR = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def new_nonce(scope: Scope) -> str:
    """The nonce of the page that a request asks for."""
    nonce: str = scope.setdefault(_NONCE, secrets.token_urlsafe(16))
    return nonce


def page_policy(nonce: str) -> str:
    """The policy of a page. Styles may stand at elements, where the widths of bars are; they can do no more than look."""
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}' {_EMPTY}; "
        "style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


class _Nonces(Extension):
    """Writes the nonce to the scripts and styles of a template."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """See ``Extension``."""
        for tag in _TAGS:
            source = source.replace(tag, f'{tag} nonce="{{{{ request.scope["{_NONCE}"] }}}}"')
        return source


def install() -> None:
    """Let NiceGUI's pages have their nonce."""
    templates.env.add_extension(_Nonces)
