"""Files that outlive a power cut, and folders with one writing process."""

import errno
import fcntl
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mneme.errors import DiskFull, StoreRejected, StoreUnavailable

LOCK_FILE = "writer.lock"
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_ATTEMPTS = 3
_BETWEEN_ATTEMPTS_SECONDS = 0.01


@contextmanager
def disk_errors(
    place: str,
    rights: str = "correct its rights",
    disk: str = "check its disk, then try again",
) -> Iterator[None]:
    """Raise errors of the file system as those of Mneme: the name of the place, the reason, and what helps."""
    try:
        yield
    except OSError as error:
        reason = f"{place}: {(error.strerror or 'it cannot be used').lower()}"
        if error.errno in _NO_SPACE:
            raise DiskFull(f"{reason}; make room there, then try again") from error
        if isinstance(error, PermissionError):
            raise StoreRejected(f"{reason}; {rights}") from error
        raise StoreUnavailable(f"{reason}; {disk}") from error


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path at which the block writes a file, which then takes its place: a reader sees the old or the new one, never a part.

    It is on the disk on return. Of several that write it at a time the last counts.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        draft = Path(folder, path.name)
        yield draft
        sync_path(draft)
        draft.replace(path)
    sync_path(path.parent)


def replace_json(path: Path, value: Any) -> None:
    """Write a JSON file as a ``whole_file``."""
    replace_bytes(path, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode())


def replace_bytes(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write bytes as a ``whole_file``."""
    with whole_file(path) as draft:
        draft.touch(mode)
        draft.write_bytes(content)


class FolderSync:
    """Brings new files of a folder to the disk.

    LanceDB commits by renaming finished files and never calls fsync (seen with strace, 0.40), so that a power cut
    could lose rows which the flow's recovery store already counts as written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._synced = _files(folder)

    def sync(self) -> None:
        """Return when every file that appeared since the last call is on the disk, with its name."""
        present = _files(self._folder)
        new = present - self._synced
        for path in sorted(new):
            sync_path(Path(path))
        for parent in sorted({os.path.dirname(path) for path in new}):
            sync_path(Path(parent))
        self._synced = present


class FolderLock:
    """One writer for one folder, in all processes; held until ``release`` or the end of the process.

    Raises:
        StoreUnavailable: another holder, with its process id.
    """

    def __init__(self, folder: Path, what: str) -> None:
        self._path = folder / LOCK_FILE
        self._file = self._path.open("a+", encoding="utf-8")
        try:
            self._take()
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreUnavailable(
                f"{folder}: process {holder} is writing to {what}; stop it first, or open it for reading only"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def _take(self) -> None:
        """Take the lock; what ``is_locked`` takes for a moment, to see whether it is free, refuses nobody."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(BlockingIOError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(_BETWEEN_ATTEMPTS_SECONDS)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def fileno(self) -> int:
        """The descriptor of the lock: a process that inherits it holds the folder too, and until it ends."""
        return self._file.fileno()

    def release(self) -> None:
        """Let another process write. Safe to repeat."""
        self._file.close()


def is_locked(folder: Path) -> bool:
    """True if some process holds the ``FolderLock`` of a folder.

    Raises:
        StoreUnavailable: it cannot be seen.
    """
    try:
        descriptor = os.open(folder / LOCK_FILE, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError as error:
        reason = (error.strerror or "it cannot be used").lower()
        raise StoreUnavailable(f"{folder}: {reason}; correct the folder, or its rights") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait until no other thread or process is inside with the same file, which is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _files(folder: Path) -> set[str]:
    return {os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names}


def sync_path(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk; one that is gone is no error."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # a version that was cleaned up meanwhile
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
