"""A file of JSON lines, each with a key: the first line of a key holds, and a line is on the disk when ``add`` returns.

Several threads and processes may use one file, and another may be put in its place between two calls. A crash can leave the
last line torn: it is ignored with a warning, and cut off before the next line is written.
"""

import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, BinaryIO

from connectors.durable import replace_bytes, sync_path
from mneme.errors import StoreRejected, StoreUnavailable

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
        self._end = 0  # of the last whole line
        self._known()

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Any]:
        """The JSON of each key, in the order of the file."""
        with self._lock:
            return iter(list(self._known().values()))

    def find(self, key: str) -> Any | None:
        """The JSON of a key; None without one."""
        return self._known().get(key)

    def add(self, value: Any) -> bool:
        """Append a line, unless its key has one; whether it was appended."""
        return bool(self.add_all([value]))

    def add_all(self, values: Iterable[Any]) -> int:
        """Append the lines whose keys have none, all or, after a crash, the first of them; how many."""
        with self._locked() as file:
            known = self._read(file)
            new: dict[str, Any] = {}
            for value in values:
                if (key := self._key_of(value)) not in known:
                    new.setdefault(key, value)
            file.truncate(self._end)  # what a crash tore
            file.seek(max(0, self._end - 1))
            written = b"" if file.read(1) in (b"", b"\n") else b"\n"  # a person wrote the last line
            written += b"".join(map(to_line, new.values()))
            file.write(written)
            file.flush()
            os.fsync(file.fileno())
            known |= new
            self._end += len(written)
            self._read_at = _state(file)
            return len(new)

    def rewrite(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Put other lines in place of all: readers see the old file or the new one."""
        with self._locked() as file:
            replace_bytes(self.path, b"".join(map(to_line, change(list(self._read(file).values())))), mode=_MODE)

    def _known(self) -> dict[str, Any]:
        """The lines as the file has them now; it is read again where it has changed."""
        with self._lock, self._errors():
            try:
                file = self.path.open("rb")
            except FileNotFoundError:
                self._lines, self._read_at, self._end = {}, None, 0
                return self._lines
            with file:
                fcntl.flock(file, fcntl.LOCK_SH)
                return self._read(file)

    def _read(self, file: BinaryIO) -> dict[str, Any]:
        if (now := _state(file)) == self._read_at:
            return self._lines
        lines: dict[str, Any] = {}
        end = 0
        for number, line in enumerate(file, start=1):
            try:
                if line.strip():
                    value = json.loads(line)
                    lines.setdefault(self._key_of(value), value)
            except (ValueError, KeyError, TypeError) as error:
                if not line.endswith(b"\n"):
                    log.warning("%s: the last line is torn, by a crash, and is left out", self.path)
                    break
                reason = f"{error!r}" if isinstance(error, KeyError) else f"{error}"
                raise StoreRejected(
                    f"{self.path}, line {number}: no {self._what} ({reason}); correct or remove the line"
                ) from error
            end += len(line)
        self._lines, self._read_at, self._end = lines, now, end
        return lines

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """The file, while no other thread or process writes."""
        with self._lock, self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(_open_locked(self.path), "r+b") as file:
                yield file

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreUnavailable(f"{self.path}: {error.strerror}; make room or correct its rights, then try again") from error


def _state(file: BinaryIO) -> tuple[int, int, int]:
    """Tell one state of a file from another: which it is, its size and its time."""
    stat = os.fstat(file.fileno())
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def to_line(value: Any) -> bytes:
    """A JSON value as one line of UTF-8, readable; with escapes only where a text holds half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"


def _open_locked(path: Path) -> int:
    """A descriptor of a file that no other process has locked; made, with its name on the disk, if it is missing.

    Another process may put a new file in its place meanwhile: then that is opened.
    """
    while True:
        is_new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, _MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if path.exists() and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                if is_new:
                    sync_path(path.parent)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
