"""Sessions that were logged out, until they would have ended by themselves."""

import json
import logging
import time
from pathlib import Path
from threading import Lock
from typing import Any

from connectors.durable import exclusive, replace_bytes

_MOST = 1_000  # of one key; to keep more would let a key's holder fill the disk by logging in and out

log = logging.getLogger(__name__)


class EndedSessions:
    """What was logged out. Safe for several threads, and for processes that share the file.

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
        """Whether a session was ended."""
        with self._lock:
            self._refresh()
            return session in self._ended.get(key, {}) or began <= self._until.get(key, 0.0)

    def _end(self, key: str, session: str, began: float) -> None:
        now = time.time()
        self._ended.setdefault(key, {})[session] = began
        if len(self._ended[key]) > _MOST:
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
