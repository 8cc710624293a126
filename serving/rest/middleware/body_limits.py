"""Limits of request bodies: bytes, depth and time; and the rest of a refused body, read before the connection is closed."""

import asyncio
import json
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mneme import problems
from mneme.events import DEEPEST
from mneme.events.parsing import is_deeper_outline, outline
from mneme.settings import Settings
from serving.rest.middleware import API, MCP, SAFE, is_under, state
from serving.rest.pools import LARGE_BODY_BYTES, RequestPools
from serving.rest.problems import ProblemRaised, problem_response

LARGEST_OUTLINE = 1_000_000  # characters of JSON outside of its texts: some ten times what a thousand messages need
BODY_SECONDS = 30.0  # for a body to arrive,
_SLOWEST_BYTES_A_SECOND = 10_000  # and longer if it is large

_UPLOADS = f"{API}/documents"
_FORM_BYTES = 1_000_000  # of an upload, beside the file


@dataclass(frozen=True, slots=True)
class _Limit:
    """The most bytes of a body, and the setting that says so, if there is one."""

    largest: int
    setting: str = ""

    def refuse(self) -> ProblemRaised:
        remedy = f"split it, or raise {self.setting}" if self.setting else "split it"
        return ProblemRaised(problems.TOO_LARGE, f"body: over {self.largest} bytes, the most that is read; {remedy}")


class BodyLimits:
    """Reads no more than is allowed, whatever a request says of its length, and waits for it no longer.

    JSON is read whole: it is not nested too deeply, and holds no more than can be parsed in a moment, which takes the event
    loop. Of large bodies few are in memory at a time; others are read when their turn comes.

    Args:
        app: what stands behind.
        settings: how much.
        pools: of the service.
        seconds: that a body may take to arrive, and as long as its bytes need at ``_SLOWEST_BYTES_A_SECOND``.
    """

    def __init__(self, app: ASGIApp, settings: Settings, pools: RequestPools, seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._json = _Limit(settings.service.largest_request_bytes)
        self._upload = _Limit(settings.documents.largest_bytes + _FORM_BYTES, "MNEME_DOCUMENTS__LARGEST_BYTES")
        self._pools = pools
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if headers.get("content-encoding", "identity").lower() != "identity":
            await problem_response(problems.MEDIA, "Content-Encoding: bodies are read as they come; send it unpacked")(
                scope, receive, send
            )
            return
        is_upload = scope["path"] == _UPLOADS and headers.get("content-type", "").startswith("multipart/")
        limit = self._upload if is_upload else self._json
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > limit.largest:
            refused = limit.refuse()
            await problem_response(refused.problem, refused.detail)(scope, receive, send)
            return
        async with AsyncExitStack() as places:
            receive = self._limited(receive, limit, state(scope)["identity"], places)
            if not is_upload and (is_under(scope["path"], API) or is_under(scope["path"], MCP)):
                receive = await _whole(receive)
            await self._app(scope, receive, send)

    def _limited(self, receive: Receive, limit: _Limit, identity: str, places: AsyncExitStack) -> Receive:
        """The body as far as it is allowed, within the time that it has; a large one holds a place until it is dropped."""
        read, waited, is_large, is_read = 0, 0.0, False, False
        clock = asyncio.get_running_loop().time

        async def receive_limited() -> Message:
            nonlocal read, waited, is_large, is_read
            if is_read:  # what comes now is that the client leaves, for which nobody need be quick
                return await receive()
            began = clock()
            try:
                async with asyncio.timeout(self._seconds + read / _SLOWEST_BYTES_A_SECOND - waited):
                    message = await receive()
            except TimeoutError:
                raise ProblemRaised(
                    problems.TOO_SLOW,
                    f"body: after {waited + clock() - began:.0f} s only {read} bytes of it have arrived; send it at once",
                    {"Connection": "close"},
                ) from None
            waited += clock() - began
            is_read = message["type"] != "http.request" or not message.get("more_body", False)
            read += len(message.get("body", b""))
            if read > limit.largest:
                raise limit.refuse()
            if read > LARGE_BODY_BYTES and not is_large:
                is_large = True
                await places.enter_async_context(self._pools.large_bodies.place(identity))
            return message

        return receive_limited


async def _whole(receive: Receive) -> Receive:
    """The whole body, looked at.

    Raises:
        ProblemRaised: it is not UTF-8, holds too much, or is nested too deeply.
    """
    chunks: list[bytes] = []
    messages: list[Message] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            messages.append(message)
            break
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            break
    body = b"".join(chunks)
    chunks.clear()
    if (encoding := json.detect_encoding(body)) not in ("utf-8", "utf-8-sig"):  # it would be parsed, and its outline empty
        raise ProblemRaised(problems.MEDIA, f"body: it is {encoding.upper()}; send UTF-8 JSON")
    outlined = await to_thread.run_sync(outline, body, LARGEST_OUTLINE) if len(body) > LARGE_BODY_BYTES else outline(body)
    if len(outlined) > LARGEST_OUTLINE:
        raise ProblemRaised(
            problems.TOO_LARGE, f"body: over {LARGEST_OUTLINE} characters outside of its texts, more than is parsed; split it"
        )
    if is_deeper_outline(outlined):
        raise ProblemRaised(problems.BAD_REQUEST, f"body: nested deeper than {DEEPEST} levels; nothing here needs as many")
    messages.append({"type": "http.request", "body": body, "more_body": False})

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


_DRAINED_BYTES = 64_000_000
_DRAIN_SECONDS = 10.0


class DrainedBodies:
    """Reads what a client still sends after it was refused, and drops it, before the connection is closed.

    Many clients read no answer before they have sent everything; where the connection were closed before that, they would
    see it reset, and not why. Past ``_DRAINED_BYTES`` or ``_DRAIN_SECONDS`` they do.
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
                async with asyncio.timeout(_DRAIN_SECONDS):
                    while not is_read and read < _DRAINED_BYTES:
                        read += len((await receive_noted()).get("body", b""))
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app(scope, receive_noted, send_last)
