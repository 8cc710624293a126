"""SQLite for the small stores of this machine: files that outlive a power cut, with their errors as Mneme's."""

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from connectors.durable import disk_errors, sync_path
from mneme.errors import DiskFull, StoreRejected, StoreUnavailable

_WAIT_SECONDS, _POLL_SECONDS = 30.0, 0.01  # for another process
_RIGHTS, _DISK = "correct the rights of MNEME_DATA", "check the disk of MNEME_DATA"


def open_database(path: Path, schema: str) -> sqlite3.Connection:
    """Open a database for several threads and processes; made by the SQL of ``schema``, for its user alone, if it is missing.

    What was written is on the disk when its transaction ends. What was deleted is overwritten, and leaves the disk with
    ``empty_log``; the file shrinks.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
            draft = Path(folder, path.name)
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            with closing(_connected(draft, "auto_vacuum=FULL", "journal_mode=WAL")) as connection:
                connection.executescript(schema)
            with suppress(FileExistsError):  # another process was faster; its database may be in use
                os.link(draft, path)
        sync_path(path.parent)
    return _connected(path)


def _connected(path: Path, *first: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    # With synchronous=NORMAL the last transactions are lost when the machine loses power.
    for pragma in (*first, "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of the block is done, on the disk behind it, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def empty_log(connection: sqlite3.Connection) -> bool:
    """Take what was deleted out of the log as well; False while another process reads it."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)  # SQLite waits for readers and writers, but not for another process that empties the log
    return True


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the file system as those of Mneme."""
    try:
        with disk_errors(str(path), _RIGHTS, _DISK):
            yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise DiskFull(f"{path}: {error}; make room there, then try again") from error
        if error.sqlite_errorcode == sqlite3.SQLITE_READONLY:
            raise StoreRejected(f"{path}: {error}; {_RIGHTS}") from error
        raise StoreUnavailable(f"{path}: {error}; {_DISK}") from error
    except sqlite3.ProgrammingError:  # a defect of ours, such as the use of a closed connection: the file is sound
        raise
    except sqlite3.DatabaseError as error:
        raise StoreRejected(
            f"{path}: {error}; it is damaged, or another's file: move it away, and a new one is made"
        ) from error
