"""A file of JSON lines, each with a key: the first line of a key holds, and a line is on the disk when ``add`` returns.

Several threads may use one instance, and another file may be put in its place between two calls. A crash can leave the last
line torn: it is ignored with a warning, and cut off before the next line is written.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from threading import RLock
from typing import Any

from connectors.durable import disk_errors, replace_bytes
from mneme.errors import StoreRejected

log = logging.getLogger(__name__)

_MODE = 0o600  # the lines hold what people said


class KeyedLines:
    """The lines by key; the file appears with the first line."""

    def __init__(self, path: Path, what: str, key_of: Callable[[Any], str]) -> None:
        """Read the file, if there is one.

        Args:
            path: of the file.
            what: one of its lines is, for errors.
            key_of: the key of a line's JSON; raises ValueError, KeyError or TypeError for what is no such line.

        Raises:
            StoreRejected: a line that is none; the message names it. By every method.
            StoreUnavailable: the file cannot be read or written. By every method.
        """
        self.path = path
        self._what = what
        self._key_of = key_of
        self._lock = RLock()
        self._lines: dict[str, Any] = {}
        self._read_at: tuple[int, int, int] | None = None  # file, size and time when it was read last
        self._can_grow = False  # the file is there, and its last line is whole
        self._known()

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Any]:
        """The JSON of each key, in the order of the file."""
        return iter(list(self._known().values()))

    def find(self, key: str) -> Any | None:
        """The JSON of a key; None without one."""
        return self._known().get(key)

    def add(self, *values: Any) -> int:
        """Append the lines whose keys have none, all or, after a crash, the first of them; how many."""
        with self._lock, disk_errors(str(self.path)):
            known, new = self._known(), dict[str, Any]()
            for value in values:
                if (key := self._key_of(value)) not in known:
                    new.setdefault(key, value)
            if self._can_grow:
                with self.path.open("ab") as file:
                    file.writelines(map(to_line, new.values()))
                    file.flush()
                    os.fsync(file.fileno())
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                replace_bytes(self.path, b"".join(map(to_line, (known | new).values())), _MODE)
            self._lines, self._read_at, self._can_grow = known | new, self._state(), True
            return len(new)

    def rewrite(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Put other lines in place of all: readers see the old file or the new one."""
        with self._lock, disk_errors(str(self.path)):
            replace_bytes(self.path, b"".join(map(to_line, change(list(self)))), _MODE)

    def _known(self) -> dict[str, Any]:
        """The lines as the file has them now; it is read again where it has changed."""
        with self._lock, disk_errors(str(self.path)):
            if (now := self._state()) != self._read_at:
                content = self.path.read_bytes() if now else b""
                self._lines, self._read_at, self._can_grow = self._parsed(content), now, content.endswith(b"\n")
            return self._lines

    def _parsed(self, content: bytes) -> dict[str, Any]:
        """The lines by key."""
        lines: dict[str, Any] = {}
        for number, line in enumerate(BytesIO(content), start=1):
            try:
                if line.strip():
                    value = json.loads(line)
                    lines.setdefault(self._key_of(value), value)
            except (ValueError, KeyError, TypeError) as error:
                if not line.endswith(b"\n"):
                    log.warning("%s: the last line is torn, by a crash, and is left out", self.path)
                    break
                raise StoreRejected(f"{self.path}, line {number}: no {self._what} ({error!r}); correct or remove it") from error
        return lines

    def _state(self) -> tuple[int, int, int] | None:
        """Tell one state of the file from another: which it is, its size and its time; None without a file."""
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns


def to_line(value: Any) -> bytes:
    """A JSON value as one line of UTF-8, readable; with escapes only where a text holds half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"
