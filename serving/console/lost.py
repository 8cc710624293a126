"""The answer to an address of the console at which there is nothing: plain HTML, with the way back."""

from html import escape

from fastapi.exception_handlers import http_exception_handler
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from serving.console.shell import links

_PAGE = """<!doctype html>
<html lang="en-US">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found · Mneme</title>
<link rel="icon" href="{root}/theme/icon.svg">
{links}
</head>
<body>
<main class="alone">
<h1>There is no page here</h1>
<p class="quiet">{path} is none of the console's addresses.</p>
<p><a href="{root}/conversations">To the conversations</a></p>
</main>
</body>
</html>
"""


async def not_found(request: Request, error: Exception) -> Response:
    """Answer what asks for a page with one; what asks for a part of one, as JSON."""
    if "text/html" not in request.headers.get("accept", "") and isinstance(error, HTTPException):
        return await http_exception_handler(request, error)
    root = escape(request.scope.get("root_path", ""), quote=True)
    theme = links().replace('"theme/', f'"{root}/theme/')
    return HTMLResponse(_PAGE.format(links=theme, root=root, path=escape(request.url.path)), 404)
