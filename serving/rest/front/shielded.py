"""Headers that tell a browser how little a response may do."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# What is no page runs nothing and loads nothing, wherever it is opened. A page says itself what it needs.
_NOTHING = "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"


class Shielded:
    """Lets no browser show a response in a frame, take it for something else, or tell other sites its address.

    The addresses of the console hold names, so that a referrer goes to this site only; not ``no-referrer``, which would make
    the origin of this site's own forms ``null``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                headers.setdefault("Content-Security-Policy", _NOTHING)
            await send(message)

        await self._app(scope, receive, send_shielded)
