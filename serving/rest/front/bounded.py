"""How much of a request is read."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mneme import problems
from mneme.events import DEEPEST
from mneme.events.parsing import is_deeper
from mneme.settings import Settings
from serving.rest.front.places import API, CONSOLE, SAFE, is_under
from serving.rest.problems import Refused, refusal

_UPLOADS = (f"{API}/documents", f"{CONSOLE}/upload")
_FORM_BYTES = 1_000_000  # of an upload, beside the file


class Bounded:
    """Reads no more than is allowed, whatever a request says of its length; JSON is not nested too deeply.

    Args:
        app: what stands behind.
        settings: how much.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._json_bytes = settings.service.largest_request_bytes
        self._upload_bytes = settings.documents.largest_bytes + _FORM_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_upload = scope["path"] in _UPLOADS and headers.get("content-type", "").startswith("multipart/")
        limit = self._upload_bytes if is_upload else self._json_bytes
        name = "MNEME_DOCUMENTS__LARGEST_BYTES" if is_upload else "MNEME_SERVICE__LARGEST_REQUEST_BYTES"
        too_large = Refused(problems.TOO_LARGE, f"body: over {limit} bytes, the most that is read; split it, or raise {name}")
        told = headers.get("content-length", "")
        if told.isdecimal() and int(told[:20]) > limit:
            await refusal(too_large.problem, too_large.detail)(scope, receive, send)
            return
        read = 0

        async def receive_limited() -> Message:
            nonlocal read
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > limit:
                    raise too_large
            return message

        if not is_upload and is_under(scope["path"], API):
            await self._app(scope, await _shallow(receive_limited), send)
        else:
            await self._app(scope, receive_limited, send)


async def _shallow(receive: Receive) -> Receive:
    """The whole body, looked at.

    Raises:
        Refused: it is too large, or nested too deeply.
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
    if is_deeper(body):
        raise Refused(problems.BAD_REQUEST, f"body: nested deeper than {DEEPEST} levels; nothing here needs as many")
    messages.append({"type": "http.request", "body": body, "more_body": False})

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
