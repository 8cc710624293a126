"""The answer to an address of the console at which there is nothing: plain HTML, with the way back."""

from html import escape

from fastapi.exception_handlers import http_exception_handler
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from serving.console.shell import page_alone

_MAIN = """<h1>There is no page here</h1>
<p class="quiet">{path} is none of the console's addresses.</p>
<p><a href="{root}/conversations">To the conversations</a></p>"""


async def not_found(request: Request, error: Exception) -> Response:
    """Answer what asks for a page with one; what asks for a part of one, as JSON."""
    if "text/html" not in request.headers.get("accept", "") and isinstance(error, HTTPException):
        return await http_exception_handler(request, error)
    root = escape(request.scope.get("root_path", ""), quote=True)
    main = _MAIN.format(root=root, path=escape(request.url.path))
    return HTMLResponse(page_alone("Not found", main, f"{root}/"), 404)
