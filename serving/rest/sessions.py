"""Sessions of the console: a key is said once, and a signed cookie stands for it.

1. A cookie names the session, the key and the time at which it began, and is signed with a random secret . The
   key is named by its whole digest, itself under the secret: the cookie is of no use to guess a key with.
2. At each request the tenant is that of the key in the settings. A key that is removed ends its sessions with the restart
   that takes it in; one that is bound to another tenant shows that one.
3. A logout is kept by the service, so that a copy of the cookie is worth nothing either.

Replicas with the same MNEME_SERVICE__CONSOLE_SECRET and the same keys know each other's sessions. A logout holds in every
process that shares MNEME_DATA, at once and after a restart; a replica with data of its own does not hear of it: there a
copied cookie holds until its twelve hours are over. To end all sessions everywhere, change the secret.
"""

import hmac
import json
import logging
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.requests import HTTPConnection

from connectors.durable import exclusive, replace_bytes
from connectors.folders import private_folder
from mneme.errors import SettingsError
from mneme.settings import Settings
from serving.rest.keys import Caller, Keys, digest_of

_MOST_ENDED = 1_000  # of one key; to keep more would let a key's holder fill the disk by logging in and out

log = logging.getLogger(__name__)


class EndedSessions:
    """Ended sessions. Safe for several threads, and for processes that share the file.

    The file is read again when it has changed, so that a logout holds after a restart and in every process with the same
    MNEME_DATA. Replicas with data of their own do not learn of each other's logouts.

    It is bounded by failing safe: with too many ended sessions of one key, all that this key began until now are ended, and
    whoever uses the key logs in once more.

    Args:
        file: where they are kept; made with the first.
        lasts: seconds that a session lasts.
    """

    def __init__(self, file: Path, lasts: float) -> None:
        self._file = file
        self._lasts = lasts
        self._lock = Lock()
        self._read: tuple[int, int] | None = None  # the version of the file that was read
        self._ended: dict[str, dict[str, float]] = {}  # by key: session, and when it began
        self._until: dict[str, float] = {}  # by key: when the last began of those that all have ended

    def add(self, key: str, session: str, began: float) -> None:
        """End a session: from now on, and durably where the disk allows it."""
        with self._lock:
            self._end(key, session, began)
            try:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with exclusive(self._file.with_suffix(".lock")):
                    self._refresh()
                    self._end(key, session, began)  # once more: what others ended may be too many, or over
                    replace_bytes(self._file, json.dumps({"ended": self._ended, "until": self._until}).encode(), 0o600)
            except OSError as error:
                log.warning("a logout holds until a restart only: %s cannot be written (%s)", self._file, error.strerror)

    def has(self, key: str, session: str, began: float) -> bool:
        """Tell whether a session was ended."""
        with self._lock:
            self._refresh()
            return session in self._ended.get(key, {}) or began <= self._until.get(key, 0.0)

    def _end(self, key: str, session: str, began: float) -> None:
        now = time.time()
        self._ended.setdefault(key, {})[session] = began
        if len(self._ended[key]) > _MOST_ENDED:
            self._until[key] = now
        oldest = now - self._lasts
        self._until = {each: at for each, at in self._until.items() if at > oldest}
        for each, sessions in list(self._ended.items()):
            since = max(oldest, self._until.get(each, 0.0))
            self._ended[each] = {name: at for name, at in sessions.items() if at > since}

    def _refresh(self) -> None:
        """Take in what other processes have ended."""
        try:
            status = self._file.stat()
        except OSError:
            return
        if self._read == (version := (status.st_ino, status.st_mtime_ns)):
            return
        try:
            said: dict[str, Any] = json.loads(self._file.read_bytes())
            ended, until = dict(said["ended"]), dict(said["until"])
        except (OSError, ValueError, KeyError, TypeError):
            log.warning("%s cannot be read; sessions that were logged out before the start may be open", self._file)
            ended, until = {}, {}
        self._read = version
        for key, sessions in ended.items():
            self._ended[key] = self._ended.get(key, {}) | sessions
        for key, at in until.items():
            self._until[key] = max(at, self._until.get(key, 0.0))


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
        """Tell whether a valid session still is: its time is not over, and nobody logged out."""
        began = session.began / 1000
        return time.time() < began + LASTS and not self._ended.has(session.key, session.id, began)

    def end(self, session: Session) -> None:
        """Log out: no copy of the cookie is worth anything from now on."""
        self._ended.add(session.key, session.id, session.began / 1000)

    def _signed(self, purpose: bytes, said: bytes) -> str:
        return hmac.new(self._secret, b"mneme console %b\n%b" % (purpose, said), "sha256").hexdigest()
