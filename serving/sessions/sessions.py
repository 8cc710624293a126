"""Sessions of the console: a key is said once, and a signed cookie stands for it.

1. A cookie names the session, the key and the time at which it began, and is signed with a random secret (secret.py). The
   key is named by its whole digest, itself under the secret: the cookie is of no use to guess a key with.
2. At each request the tenant is that of the key in the settings. A key that is removed ends its sessions with the restart
   that takes it in; one that is bound to another tenant shows that one.
3. A logout is kept by the service (ended.py), so that a copy of the cookie is worth nothing either.

Replicas with the same MNEME_SERVICE__CONSOLE_SECRET and the same keys know each other's sessions. A logout holds in every
process that shares MNEME_DATA, at once and after a restart; a replica with data of its own does not hear of it: there a
copied cookie holds until its twelve hours are over. To end all sessions everywhere, change the secret.
"""

import hmac
import re
import secrets
import time
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from mneme.settings import Settings
from serving.rest.keys import Caller, Keys, digest_of
from serving.sessions.ended import EndedSessions
from serving.sessions.secret import FOLDER, console_secret

COOKIE = "mneme_console"
LASTS = 12 * 3600  # seconds

_FORM = re.compile(r"([\w-]{22})\.(\d{10,13})\.([0-9a-f]{64})\.([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who logged in. ``key`` names the key, ``began`` is in milliseconds since 1970."""

    id: str
    key: str
    began: int
    caller: Caller


class Sessions:
    """The sessions of a service. Without ``begin`` there are none.

    Args:
        settings: the secret, or where it is kept.
        keys: who may log in.
    """

    def __init__(self, settings: Settings, keys: Keys) -> None:
        self._settings = settings
        self._keys = keys
        self._secret = b""
        self._callers: dict[str, Caller] = {}
        self._ended = EndedSessions(settings.data / FOLDER / "ended.json", LASTS)

    def begin(self) -> None:
        """Let people log in, where there are keys.

        Raises:
            SettingsError: there is no secret, and none can be kept.
        """
        if self._keys:
            self._secret = console_secret(self._settings)
            self._callers = {self._signed(b"key", digest): caller for digest, caller in self._keys.by_digest()}

    def cookie(self, key: str) -> str | None:
        """A new session for a key that somebody said, as the value of its cookie; None: there is no such key."""
        name = self._signed(b"key", digest_of(key.strip()))
        if name not in self._callers:
            return None
        said = f"{secrets.token_urlsafe(16)}.{time.time_ns() // 1_000_000}.{name}"
        return f"{said}.{self._signed(b'session', said.encode())}"

    def of(self, connection: HTTPConnection) -> Session | None:
        """The session of a request, or of a web socket; None: a key is to be said first."""
        found = _FORM.fullmatch(connection.cookies.get(COOKIE, ""))
        if not self._callers or found is None:
            return None
        said, _, signature = found[0].rpartition(".")
        if not hmac.compare_digest(signature, self._signed(b"session", said.encode())):
            return None
        caller = self._callers.get(found[3])
        session = Session(found[1], found[3], int(found[2]), caller) if caller is not None else None
        return session if session is not None and self.holds(session) else None

    def holds(self, session: Session) -> bool:
        """Whether a session that was valid is so still: its time is not over, and nobody logged out."""
        began = session.began / 1000
        return time.time() < began + LASTS and not self._ended.has(session.key, session.id, began)

    def end(self, session: Session) -> None:
        """Log out: no copy of the cookie is worth anything from now on."""
        self._ended.add(session.key, session.id, session.began / 1000)

    def _signed(self, purpose: bytes, said: bytes) -> str:
        return hmac.new(self._secret, b"mneme console %b\n%b" % (purpose, said), "sha256").hexdigest()
