"""Who looks: everybody on this machine where no keys are set, else whoever said one; kept in a signed cookie.

The cookie names a key by a hash of its hash, so it says nothing of use, and ends with the key: where the keys of the settings
change, nobody is logged in any more who should not be.
"""

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request

COOKIE = "mneme_console"
LASTS = 12 * 3600  # seconds
_HASHED = "sha256:"
_OPERATOR = "*"


@dataclass(frozen=True, slots=True)
class Access:
    """What somebody may see. ``tenant_id`` None: every tenant, dead letters and the flow; else that tenant."""

    tenant_id: str | None

    @property
    def is_operator(self) -> bool:
        """Whether the flow and dead letters, which are of all tenants, may be seen."""
        return self.tenant_id is None


def access_of(request: Request, keys: Mapping[str, str]) -> Access | None:
    """What the one who asks may see; None: a key is to be said first."""
    if not keys:
        return Access(None)
    name, _, rest = request.cookies.get(COOKIE, "").partition(".")
    ends, _, signature = rest.partition(".")
    if not ends.isdigit() or int(ends) < time.time() or not hmac.compare_digest(signature, _signature(name, ends, keys)):
        return None
    for key, tenant_id in keys.items():
        if hmac.compare_digest(_name(_digest(key)), name):
            return Access(None if tenant_id == _OPERATOR else tenant_id)
    return None


def cookie_of(key: str, keys: Mapping[str, str]) -> str | None:
    """The value of the cookie for a key that somebody said; None: there is no such key."""
    said = hashlib.sha256(key.strip().encode()).hexdigest()
    if not [each for each in keys if hmac.compare_digest(_digest(each), said)]:
        return None
    ends = str(int(time.time()) + LASTS)
    return f"{_name(said)}.{ends}.{_signature(_name(said), ends, keys)}"


def is_of_this_site(request: Request) -> bool:
    """Whether a form was sent from a page of this site: another's page may not send one in the name of who looks."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _digest(key: str) -> str:
    """The sha256 of a key as the settings give it: itself, or already hashed."""
    return key.removeprefix(_HASHED).lower() if key.startswith(_HASHED) else hashlib.sha256(key.encode()).hexdigest()


def _name(digest: str) -> str:
    return hashlib.sha256(digest.encode()).hexdigest()[:32]


def _signature(name: str, ends: str, keys: Mapping[str, str]) -> str:
    """All processes with the same keys sign alike, and nothing need be kept."""
    secret = hashlib.sha256("\n".join(["mneme console", *sorted(map(_digest, keys))]).encode()).digest()
    return hmac.new(secret, f"{name}.{ends}".encode(), "sha256").hexdigest()
