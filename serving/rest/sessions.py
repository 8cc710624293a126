"""Sessions of the console: a key is said once, and a signed cookie stands for it.

1. A cookie names the session, the key and the time at which it began, and is signed with a random secret. The
   key is named by its whole digest, itself under the secret: the cookie is of no use to guess a key with.
2. At each request the tenant is that of the key in the settings. A key that is removed ends its sessions with the restart
   that takes it in; one that is bound to another tenant shows that one.
3. A logout is kept by the service, so that a copy of the cookie is worth nothing either.

Replicas with the same MNEME_SERVICE__CONSOLE_SECRET and the same keys know each other's sessions. A logout holds in every
process that shares MNEME_DATA, at once and after a restart; a replica with data of its own does not hear of it: there a
copied cookie holds until its twelve hours are over. To end all sessions everywhere, change the secret.
"""

import hmac
import logging
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import HTTPConnection

from connectors.durable import exclusive, replace_bytes
from connectors.folders import private_folder
from mneme.errors import SettingsError
from mneme.settings import Settings
from serving.rest.keys import Caller, Keys, digest_of

_MOST_ENDED = 1_000  # of one key; to keep more would let a key's holder fill the disk by logging in and out
_ALL = "all"  # in place of a session: until when all of a key have ended

log = logging.getLogger(__name__)


class EndedSessions:
    """Ended sessions, each a file in a folder of its key. Safe for several threads, and for processes that share the folder.

    A logout holds after a restart and in every process with the same MNEME_DATA. Replicas with data of their own do not learn
    of each other's logouts.

    It is bounded by failing safe: with too many ended sessions of one key, all that this key began until now are ended, and
    whoever uses the key logs in once more. So are they, until a restart, where the disk does not take a logout.

    Args:
        folder: where they are kept; made with the first.
        lasts: seconds that a session lasts.
    """

    def __init__(self, folder: Path, lasts: float) -> None:
        self._folder = folder
        self._lasts = lasts
        self._unwritten: dict[str, float] = {}  # by key: when the last began of those that have ended

    def add(self, key: str, session: str) -> None:
        """End a session: from now on, and durably where the disk allows it."""
        now, folder = time.time(), self._folder / key
        try:
            private_folder(self._folder.parent)
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_bytes(folder / session, b"", 0o600)
            ended = [each for each in folder.iterdir() if each.name != _ALL]
            if len(ended) > _MOST_ENDED:
                replace_bytes(folder / _ALL, repr(now).encode(), 0o600)
            else:
                ended = [each for each in ended if each.stat().st_mtime < now - self._lasts]
            for each in ended:
                each.unlink(missing_ok=True)
        except OSError as error:
            self._unwritten[key] = now
            log.warning("a logout holds until a restart only: %s cannot be written (%s)", folder, error.strerror)

    def has(self, key: str, session: str, began: float) -> bool:
        """Tell whether a session was ended."""
        folder = self._folder / key
        try:
            until = float((folder / _ALL).read_bytes())
        except (OSError, ValueError):
            until = 0.0
        return (folder / session).exists() or began <= max(until, self._unwritten.get(key, 0.0))


SETTING = "MNEME_SERVICE__CONSOLE_SECRET"
FOLDER = "console"  # in MNEME_DATA
_SECRET_FILE = "secret"
_SHORTEST = 32  # characters


def console_secret(settings: Settings) -> bytes:
    """The secret of the settings; else the one that is kept with the data, made at the first start.

    Processes that share MNEME_DATA agree on it, also where they start at once: one makes it while the others wait.

    Raises:
        SettingsError: it is too short, or cannot be kept.
    """
    if settings.service.console_secret is not None:
        return _checked(settings.service.console_secret.get_secret_value().encode(), SETTING)
    folder = private_folder(settings.data) / FOLDER
    file = folder / _SECRET_FILE
    try:
        private_folder(folder)
        with exclusive(folder / f"{_SECRET_FILE}.lock"):
            if not file.exists():
                replace_bytes(file, secrets.token_hex(_SHORTEST).encode(), 0o600)
            return _checked(file.read_bytes(), str(file))
    except OSError as error:
        raise SettingsError(
            f"{SETTING}: none is set, and none can be kept in {folder} ({error.strerror}); set one (`openssl rand -hex 32`), "
            "correct the rights there, or set MNEME_SERVICE__CONSOLE=false"
        ) from error


def _checked(secret: bytes, place: str) -> bytes:
    if len(secret) < _SHORTEST:
        raise SettingsError(f"{place}: shorter than {_SHORTEST} characters; make one with `openssl rand -hex 32`")
    return secret


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
        self._ended = EndedSessions(settings.data / FOLDER / "ended", LASTS)

    def begin(self) -> None:
        """Let people log in, where there are keys.

        Raises:
            SettingsError: there is no secret, and none can be kept.
        """
        if self._keys:
            self._secret = console_secret(self._settings)
            self._callers = {self._signed(b"key", digest): caller for digest, caller in self._keys.by_digest().items()}

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
        """Tell whether a valid session still is: its time is not over, and nobody logged out."""
        began = session.began / 1000
        return time.time() < began + LASTS and not self._ended.has(session.key, session.id, began)

    def end(self, session: Session) -> None:
        """Log out: no copy of the cookie is worth anything from now on."""
        self._ended.add(session.key, session.id)

    def _signed(self, purpose: bytes, said: bytes) -> str:
        # The number goes up with each other way to keep logouts: no cookie of before holds, which may be of one who has left.
        return hmac.new(self._secret, b"mneme console 2 %b\n%b" % (purpose, said), "sha256").hexdigest()
