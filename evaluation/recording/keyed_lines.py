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
    """The file; it appears with the first line.

    Only the places of the lines are held in memory, since answers with vectors are large.
    """

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
        self._forget(None)
        with self._reading() as file:
            if file is not None and self._torn(file):
                log.warning("%s: the last line is torn, by a crash, and is left out", path)

    def __len__(self) -> int:
        with self._reading():
            return len(self._places)

    def find(self, key: str) -> Any | None:
        """The JSON of a key; None without one."""
        with self._reading() as file:
            if file is None or key not in self._places:
                return None
            return self._at(file, key)

    def __iter__(self) -> Iterator[Any]:
        """The JSON of each key, in the order of the file."""
        with self._reading():
            keys = list(self._places)
        for key in keys:
            if (value := self.find(key)) is not None:
                yield value

    def add(self, value: Any) -> bool:
        """Append a line, unless its key has one; whether it was appended."""
        return bool(self.add_all([value]))

    def add_all(self, values: Iterable[Any]) -> int:
        """Append the lines whose keys have none, all or, after a crash, the first of them; how many."""
        lines = {self._key_of(value): to_line(value) for value in reversed(list(values))}  # of two of one key the first
        with self._writing() as file:
            new = [lines[key] for key in reversed(lines) if key not in self._places]
            if torn := self._torn(file):
                log.warning("%s: the last line was torn by a crash, and is cut off", self.path)
                file.truncate(self._end)
            if self._end and not torn and not self._ends_a_line(file):  # a person wrote the last line
                new.insert(0, b"\n")
            file.seek(0, os.SEEK_END)
            file.write(b"".join(new))
            file.flush()
            os.fsync(file.fileno())
            known = len(self._places)
            self._read_on(file)
            return len(self._places) - known

    def rewrite(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Put other lines in place of all: readers see the old file or the new one."""
        with self._writing() as file:
            old = [self._at(file, key) for key in self._places]
            replace_bytes(self.path, b"".join(map(to_line, change(old))), mode=_MODE)
            self._forget(None)

    @contextmanager
    def _reading(self) -> Iterator[BinaryIO | None]:
        """The file, read to its end, while nobody writes; None where there is none."""
        with self._lock, self._errors():
            try:
                file = self.path.open("rb")
            except FileNotFoundError:
                self._forget(None)
                yield None
                return
            with file:
                fcntl.flock(file, fcntl.LOCK_SH)
                self._read_on(file)
                yield file

    @contextmanager
    def _writing(self) -> Iterator[BinaryIO]:
        """The file, read to its end, while no other thread or process is in it."""
        with self._lock, self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(_open_locked(self.path, os.O_RDWR, _MODE), "r+b") as file:
                self._read_on(file)
                yield file

    def _forget(self, file_id: tuple[int, int] | None) -> None:
        self._places: dict[str, tuple[int, int]] = {}  # where the line of a key begins, and how long it is
        self._end = 0  # of what was read
        self._number = 0  # of lines read
        self._file_id = file_id

    def _read_on(self, file: BinaryIO) -> None:
        """Take in the lines that are new, all of another file."""
        stat = os.fstat(file.fileno())
        if self._file_id != (stat.st_dev, stat.st_ino) or stat.st_size < self._end:
            self._forget((stat.st_dev, stat.st_ino))
        file.seek(self._end)
        for line in file:
            try:
                key = self._key_of(json.loads(line)) if line.strip() else None
            except (ValueError, KeyError, TypeError) as error:
                if not line.endswith(b"\n"):
                    return
                reason = f"{error!r}" if isinstance(error, KeyError) else f"{error}"
                raise StoreRejected(
                    f"{self.path}, line {self._number + 1}: no {self._what} ({reason}); correct or remove the line"
                ) from error
            if key is not None:
                self._places.setdefault(key, (self._end, len(line)))
            self._end += len(line)
            self._number += 1

    def _at(self, file: BinaryIO, key: str) -> Any:
        start, length = self._places[key]
        file.seek(start)
        return json.loads(file.read(length))

    def _torn(self, file: BinaryIO) -> bool:
        return os.fstat(file.fileno()).st_size > self._end

    def _ends_a_line(self, file: BinaryIO) -> bool:
        file.seek(self._end - 1)
        return file.read(1) == b"\n"

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreUnavailable(f"{self.path}: {error.strerror}; make room or correct its rights, then try again") from error


def to_line(value: Any) -> bytes:
    """A JSON value as one line of UTF-8, readable; with escapes only where a text holds half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"


def _open_locked(path: Path, flags: int, mode: int) -> int:
    """A descriptor of a file that no other process has locked; made, with its name on the disk, if it is missing.

    Another process may put a new file in its place meanwhile: then that is opened.
    """
    while True:
        is_new = not path.exists()
        descriptor = os.open(path, flags | os.O_CREAT, mode)
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
