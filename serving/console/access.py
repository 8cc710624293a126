"""Who looks, and whether a page of this site asks."""

from starlette.requests import HTTPConnection

from serving.rest.front.places import state
from serving.rest.keys import NOBODY, Caller
from serving.sessions.sessions import Session


def caller_of(connection: HTTPConnection) -> Caller | None:
    """Who looks, as the front of the service found out; None: a key is to be said first."""
    caller: Caller = state(connection.scope).get("caller", NOBODY)
    return None if caller == NOBODY else caller


def session_of(connection: HTTPConnection) -> Session | None:
    """The session of who looks; None where there are no keys, and before login."""
    session: Session | None = state(connection.scope).get("session")
    return session


def is_of_this_site(connection: HTTPConnection) -> bool:
    """Whether a page of this site asks, or a program: another site's may not do anything in the name of who looks."""
    site = connection.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = connection.headers.get("origin")
    return origin is None or origin.partition("://")[2] == connection.headers.get("host")
