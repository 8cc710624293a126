"""What is left of a request when it has been answered."""

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST_BYTES = 64_000_000
_SECONDS = 10.0


class Drained:
    """Reads what a client still sends after it was refused, and drops it, before the connection is closed.

    Many clients read no answer before they have sent everything; where the connection were closed before that, they would
    see it reset, and not why. Past ``_MOST_BYTES`` or ``_SECONDS`` they do.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        is_read = False

        async def receive_noted() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def send_last(message: Message) -> None:
            if is_read or message["type"] != "http.response.body" or message.get("more_body", False):
                await send(message)
                return
            await send({**message, "more_body": True})
            read = 0
            with suppress(TimeoutError):
                async with asyncio.timeout(_SECONDS):
                    while not is_read and read < _MOST_BYTES:
                        read += len((await receive_noted()).get("body", b""))
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app(scope, receive_noted, send_last)
