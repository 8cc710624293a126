"""API keys, each bound to a tenant or the operator, and the middleware that checks them."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mneme import problems
from mneme.errors import SettingsError
from mneme.fair_shares import current_caller
from mneme.settings import Settings
from serving.rest.middleware import CONSOLE, SAFE, is_under, state
from serving.rest.problems import Forbidden, problem_response

if TYPE_CHECKING:
    from serving.rest.sessions import Sessions

OPERATOR = "*"  # in the place of a tenant: every tenant, dead letters and metrics
DEFAULT_TENANT = "default"

_HASHED = re.compile(r"sha256:([0-9a-fA-F]{64})")
_SHORTEST_KEY = 16  # characters; what is shorter can be guessed


@dataclass(frozen=True, slots=True)
class Caller:
    """Caller of a request. ``tenant`` is the key's, or ``*`` of the operator; ``name`` is unique, and no key."""

    tenant: str
    name: str

    @property
    def is_operator(self) -> bool:
        """Tell whether the caller may see everything."""
        return self.tenant == OPERATOR

    def tenant_of(self, asked: str | None) -> str:
        """The tenant that a request is about: the one it names, else the key's own.

        Raises:
            Forbidden: the key is another tenant's.
        """
        if self.is_operator:
            return asked or DEFAULT_TENANT
        if asked is not None and asked != self.tenant:
            raise Forbidden(f"this key is for tenant {self.tenant!r}; leave tenant_id out, or use the other tenant's key")
        return self.tenant

    def check_operator(self, what: str) -> None:
        """
        Raises:
            Forbidden: the key is a tenant's.
        """
        if not self.is_operator:
            raise Forbidden(f"{what}: for the operator only; use a key that MNEME_SERVICE__KEYS binds to *")


LOCAL_CALLER = Caller(OPERATOR, "everybody")  # on this machine, where there are no keys
ANONYMOUS = Caller("", "")  # who gave no key, at what is open to all


class Keys:
    """The keys of the settings. A key is compared with each of them in a time that does not tell how much of it is right.

    Args:
        keys: ``settings.service.keys``.

    Raises:
        SettingsError: a key that can be guessed, or no tenant.
    """

    def __init__(self, keys: Mapping[str, str]) -> None:
        self._tenants: dict[bytes, str] = {}
        for key, tenant in keys.items():
            hashed = _HASHED.fullmatch(key)
            if key.startswith("sha256:") and hashed is None:
                raise SettingsError("MNEME_SERVICE__KEYS: after sha256: come 64 hexadecimal digits (`printf KEY | sha256sum`)")
            if hashed is None and (len(key) < _SHORTEST_KEY or not key.isascii() or not key.isprintable() or " " in key):
                raise SettingsError(
                    f"MNEME_SERVICE__KEYS: the key of tenant {tenant!r} is not {_SHORTEST_KEY} or more ASCII characters, no "
                    "space among them; make one with `openssl rand -hex 24`"
                )
            if not tenant.strip():
                raise SettingsError("MNEME_SERVICE__KEYS: a key has no tenant; write one, or * for the operator")
            self._tenants[bytes.fromhex(hashed[1]) if hashed else sha256(key.encode()).digest()] = tenant

    def __bool__(self) -> bool:
        """Tell whether there are keys; without, everybody on this machine may do everything."""
        return bool(self._tenants)

    @property
    def are_several(self) -> bool:
        """Tell whether there are several keys, so that one may delay another."""
        return len(self._tenants) > 1

    def by_digest(self) -> list[tuple[bytes, Caller]]:
        """The digest of each key, with whose it is."""
        return [(digest, _caller(digest, tenant)) for digest, tenant in self._tenants.items()]

    def caller(self, key: str) -> Caller | None:
        """The caller of a key; None for an unknown key."""
        digest = digest_of(key)
        found = None
        for known, tenant in self._tenants.items():
            if hmac.compare_digest(known, digest):
                found = _caller(digest, tenant)
        return found


def digest_of(key: str) -> bytes:
    """Digest of a key, for places where the key must not be shown."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def _caller(digest: bytes, tenant: str) -> Caller:
    return Caller(tenant, digest.hex()[:16])


_OPEN = frozenset({"/", "/health", "/health/live", "/openapi.json", "/docs", "/favicon.ico"})
_HERE = ("localhost", "127.0.0.1", "[::1]")


class Authentication:
    """Lets in who may come in.

    With keys: whoever has one, in ``Authorization: Bearer`` or ``X-API-Key``; the console asks for one itself, and has sessions
    (serving/sessions). Without: everybody on this machine, but no page of another site that a browser here has open (DNS
    rebinding, cross-site requests).

    Args:
        app: what stands behind.
        settings: the host that is served, and the pages of other origins that may ask.
        keys: who may ask.
        sessions: who is logged in to the console.
    """

    def __init__(self, app: ASGIApp, settings: Settings, keys: Keys, sessions: "Sessions") -> None:
        self._app = app
        self._keys = keys
        self._sessions = sessions
        host = settings.service.host
        self._hosts = frozenset((*_HERE, f"[{host}]" if ":" in host else host.lower()))
        self._origins = frozenset(settings.service.cors_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one connection of a web socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        found = self._caller(connection)
        if not isinstance(found, Response):
            state(scope)["caller"] = found
            state(scope)["identity"] = identity = _identity(found, connection)
            token = current_caller.set(identity if self._keys.are_several else "")
            try:
                await self._app(scope, receive, send)
            finally:
                current_caller.reset(token)
        elif scope["type"] == "http":
            await found(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _caller(self, connection: HTTPConnection) -> Caller | Response:
        if not self._keys:
            return self._on_this_machine(connection)
        path = connection.scope["path"]
        if is_under(path, CONSOLE):
            session = state(connection.scope)["session"] = self._sessions.of(connection)
            return session.caller if session is not None else ANONYMOUS
        key = _key_of(connection)
        caller = self._keys.caller(key) if key is not None else None
        if caller is not None:
            return caller
        if path in _OPEN:
            return ANONYMOUS
        reason = "it is not known" if key is not None else "none was given"
        challenge = 'Bearer realm="mneme"' + (', error="invalid_token"' if key is not None else "")
        return problem_response(
            problems.UNAUTHENTICATED,
            f"Authorization: a key is needed, and {reason}; send `Authorization: Bearer KEY`, or X-API-Key "
            "(`mneme` and Python send MNEME_SERVICE__API_KEY)",
            {"WWW-Authenticate": challenge},
        )

    def _on_this_machine(self, connection: HTTPConnection) -> Caller | Response:
        if _host_of(connection) not in self._hosts:
            return problem_response(
                problems.MISDIRECTED,
                "Host: without keys this service is for this machine only; use http://localhost, or set MNEME_SERVICE__KEYS",
            )
        if self._is_foreign(connection):
            return problem_response(
                problems.FORBIDDEN, "Origin: a page of another site may not do that; allow it in MNEME_SERVICE__CORS_ORIGINS"
            )
        return LOCAL_CALLER

    def _is_foreign(self, connection: HTTPConnection) -> bool:
        """Tell whether the page of another site wants to change something, or to listen."""
        origin = connection.headers.get("origin")
        if origin is None or (connection.scope["type"] == "http" and connection.scope["method"] in SAFE):
            return False
        return origin not in self._origins and urlsplit(origin).netloc != connection.headers.get("host")


def _identity(caller: Caller, connection: HTTPConnection) -> str:
    """Identity for limits: the key's name, or the address without a key."""
    if caller not in (LOCAL_CALLER, ANONYMOUS):
        return caller.name
    return connection.client.host if connection.client is not None else ""


def _host_of(connection: HTTPConnection) -> str:
    """The host that a request names, without its port."""
    host = connection.headers.get("host", "").lower()
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


def _key_of(connection: HTTPConnection) -> str | None:
    scheme, _, credentials = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    return connection.headers.get("x-api-key") or None
