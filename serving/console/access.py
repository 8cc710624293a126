"""Who looks: everybody on this machine where no keys are set, else whoever said one; kept in a signed cookie.

The cookie names a key as logs do, by a piece of its hash, so it is of no use elsewhere; and where the keys of the settings
change, it holds no more.
"""

import hmac
import time
from collections.abc import Mapping
from hashlib import sha256

from starlette.requests import Request

from serving.rest.keys import EVERYBODY, Caller, Keys

COOKIE = "mneme_console"
LASTS = 12 * 3600  # seconds


def caller_of(request: Request, keys: Mapping[str, str]) -> Caller | None:
    """Who looks; None: a key is to be said first."""
    if not keys:
        return EVERYBODY
    said, _, signature = request.cookies.get(COOKIE, "").rpartition(".")
    if not said.isascii() or not hmac.compare_digest(signature.encode(), _signature(said, keys).encode()):
        return None
    name, tenant, ends = bytes.fromhex(said).decode().split("\n")
    return Caller(tenant, name) if int(ends) > time.time() else None


def cookie_of(key: str, keys: Mapping[str, str]) -> str | None:
    """The value of the cookie for a key that somebody said; None: there is no such key."""
    caller = Keys(keys).caller(key.strip())
    if caller is None:
        return None
    said = f"{caller.name}\n{caller.tenant}\n{int(time.time()) + LASTS}".encode().hex()
    return f"{said}.{_signature(said, keys)}"


def is_of_this_site(request: Request) -> bool:
    """Whether a form was sent from a page of this site: another's page may not send one in the name of who looks."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _signature(said: str, keys: Mapping[str, str]) -> str:
    """Made with all keys and their tenants: processes with the same keys sign alike, and nothing need be kept.

    Where keys are given by their hashes the secret is made of these: whoever reads the settings could log in anyway.
    """
    secret = sha256("\n".join(f"{key}\t{tenant}" for key, tenant in sorted(keys.items())).encode()).digest()
    return hmac.new(secret, b"mneme console\n" + said.encode(), "sha256").hexdigest()
