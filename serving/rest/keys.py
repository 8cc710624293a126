"""API keys, each bound to a tenant or the operator, and the callers that they stand for."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from mneme.errors import SettingsError
from serving.rest.problems import Forbidden

OPERATOR = "*"  # in the place of a tenant: every tenant, the flow and metrics
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
        self._callers: dict[bytes, Caller] = {}
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
            digest = bytes.fromhex(hashed[1]) if hashed else digest_of(key)
            self._callers[digest] = Caller(tenant, digest.hex()[:16])

    def __bool__(self) -> bool:
        """Tell whether there are keys; without, everybody on this machine may do everything."""
        return bool(self._callers)

    @property
    def are_several(self) -> bool:
        """Tell whether there are several keys, so that one may delay another."""
        return len(self._callers) > 1

    def by_digest(self) -> Mapping[bytes, Caller]:
        """Whose each key is, by its digest."""
        return self._callers

    def caller(self, key: str) -> Caller | None:
        """The caller of a key; None for an unknown key."""
        digest = digest_of(key)
        found = None
        for known, caller in self._callers.items():
            if hmac.compare_digest(known, digest):
                found = caller
        return found


def digest_of(key: str) -> bytes:
    """Digest of a key, for places where the key must not be shown."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()
