"""The door, where keys are set: a key is said once, and a cookie stands for it."""

from typing import Annotated

from fastapi import Form
from nicegui import app, ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from serving.console.access import COOKIE, LASTS, caller_of, cookie_of, is_of_this_site
from serving.console.head import head
from serving.console.markup import notice, tag
from serving.console.shell import SERVICE
from serving.service.service import Service


@ui.page("/login", title="Log in · Mneme")
def login(request: Request) -> Response | None:
    """Ask for a key."""
    service: Service = request.scope[SERVICE]
    if caller_of(request, service.settings.service.keys) is not None:
        return RedirectResponse("conversations", 303)
    head()
    with tag("main", classes="alone"):
        with tag("svg", classes="mark", viewBox="0 0 32 32", aria_hidden="true"):
            tag("rect", width=32, height=32, rx=8)
            tag("path", d="M5 12c4-5 7-5 11 0s7 5 11 0M5 20c4-5 7-5 11 0s7 5 11 0")
        tag("h1", "Mneme")
        tag("p", "The keys of this service are in MNEME_SERVICE__KEYS. Yours says whose memory you see.", "quiet")
        if "wrong" in request.query_params:
            notice("This key is not one of this service's.", "problem")
        with tag("form", method="post", action="login"):
            tag("label", "Key", for_="key")
            tag("input", name="key", id="key", type="password", required=True, autocomplete="current-password", autofocus=True)
            tag("button", "Log in", "primary", type="submit")
    return None


@app.post("/login", include_in_schema=False)
def log_in(request: Request, key: Annotated[str, Form(max_length=1000)] = "") -> Response:
    """Take a key."""
    service: Service = request.scope[SERVICE]
    cookie = cookie_of(key, service.settings.service.keys) if is_of_this_site(request) else None
    if cookie is None:
        return RedirectResponse("login?wrong", 303)
    response = RedirectResponse("conversations", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=LASTS, httponly=True, samesite="lax", secure=secure)
    return response


@app.post("/logout", include_in_schema=False)
def log_out(request: Request) -> Response:
    """Forget the key."""
    response = RedirectResponse("login", 303)
    response.delete_cookie(COOKIE)
    return response


@app.get("/", include_in_schema=False)
def first_page() -> Response:
    """Where the console begins."""
    return RedirectResponse("conversations", 307)
