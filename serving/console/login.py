"""The door, where keys are set: a key is said once, and a session stands for it.

Its page is plain HTML, so that nobody who has no key gets more of the console than this.
"""

from typing import Annotated

from fastapi import Form
from nicegui import app
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from serving.console.gate import DOOR, caller_of, session_of
from serving.console.shell import SESSIONS, page_alone
from serving.rest.sessions import COOKIE, LASTS, Sessions

_MAIN = """<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"></rect>\
<path d="M5 12c4-5 7-5 11 0s7 5 11 0M5 20c4-5 7-5 11 0s7 5 11 0"></path></svg>
<h1>Mneme</h1>
<p class="quiet">The keys of this service are in MNEME_SERVICE__KEYS. Yours says whose memory you see.</p>
{notice}<form method="post" action="login">
<label for="key">Key</label>
<input name="key" id="key" type="password" required autocomplete="current-password" autofocus>
<button class="primary" type="submit">Log in</button>
</form>"""
_WRONG = '<p class="notice is-problem" role="alert">This key is not one of this service\'s.</p>\n'


@app.get("/login", include_in_schema=False)
def login(request: Request) -> Response:
    """Ask for a key."""
    if caller_of(request) is not None:
        return RedirectResponse("conversations", 303)
    page = page_alone("Log in", _MAIN.format(notice=_WRONG if "wrong" in request.query_params else ""))
    return HTMLResponse(page, headers={"Content-Security-Policy": DOOR, "Cache-Control": "no-store"})


@app.post("/login", include_in_schema=False)
def log_in(request: Request, key: Annotated[str, Form(max_length=1000)] = "") -> Response:
    """Take a key."""
    sessions: Sessions = request.scope[SESSIONS]
    cookie = sessions.cookie(key)
    if cookie is None:
        return RedirectResponse("login?wrong", 303)
    response = RedirectResponse("conversations", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=LASTS, httponly=True, samesite="lax", secure=secure)
    return response


@app.post("/logout", include_in_schema=False)
def log_out(request: Request) -> Response:
    """End the session, and forget the key."""
    sessions: Sessions = request.scope[SESSIONS]
    session = session_of(request)
    if session is not None:
        sessions.end(session)
    response = RedirectResponse("login", 303)
    response.delete_cookie(COOKIE)
    return response


@app.get("/", include_in_schema=False)
def first_page() -> Response:
    """Redirect to the first page."""
    return RedirectResponse("conversations", 307)
