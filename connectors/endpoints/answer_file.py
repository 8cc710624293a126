"""The file in which answers of models are kept, by the scope they belong to and a hash of what was asked.

An answer is on disk before it is used (DESIGN section 5, point 5): what the flow has written on the strength of
an answer can always be made again from the same answer. Hence WAL with ``synchronous=FULL``: with ``NORMAL`` the last
answers are lost when the machine loses power, and a model asked again answers differently. One fsync costs
milliseconds, the call it protects seconds and money.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from mneme.errors import InputError, StoreRejected, StoreUnavailable
from mneme.ids import lasting_name

_WAIT_SECONDS = 30.0  # for another process that writes
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS answers (
        scope TEXT NOT NULL,
        key BLOB NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (scope, key)
    ) WITHOUT ROWID
"""
_FIND = "SELECT answer FROM answers WHERE scope = ? AND key = ?"
_ADD = "INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class AnswerFile:
    """The answers of a file. Safe for several threads and processes; of two with one scope and key the first holds.

    Raises:
        StoreUnavailable: the file cannot be read or written. By every method.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; it is made if there is none.

        Raises:
            StoreRejected: it is no file of answers.
        """
        self._path = path
        self._lock = threading.Lock()
        with _sqlite_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(path)

    def find(self, scope: str, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The answers of a scope, by key; keys without one are left out."""
        with self._lock, _sqlite_errors(self._path):
            return self._found(lasting_name(scope), keys)

    def add(self, scope: str, answers: Mapping[bytes, str]) -> dict[bytes, str]:
        """Keep answers by key, durably on return; those that now stand: of two, the one that was kept first."""
        with self._lock, _sqlite_errors(self._path), self._transaction():
            name = lasting_name(scope)
            self._connection.executemany(_ADD, [(name, key, answer) for key, answer in answers.items()])
            return self._found(name, answers)

    def drop(self, scope: str, key: bytes) -> None:
        """Forget one answer."""
        with self._lock, _sqlite_errors(self._path):
            self._connection.execute("DELETE FROM answers WHERE scope = ? AND key = ?", (lasting_name(scope), key))

    def erase(self, scope_prefix: str) -> int:
        """Erase the answers of a scope and of all below it; see ``erase_answers``."""
        with self._lock, _sqlite_errors(self._path):
            return _erase(self._connection, self._path, scope_prefix, ())

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _found(self, scope: str, keys: Iterable[bytes]) -> dict[bytes, str]:
        rows = ((key, self._connection.execute(_FIND, (scope, key)).fetchone()) for key in keys)
        return {key: str(row[0]) for key, row in rows if row is not None}

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def erase_answers(path: Path, scope_prefix: str | None, also: Iterable[str] = ()) -> int:
    """Erase the answers of a scope and of all below it from a file that may be in use; the number erased.

    ``tenant/user/anna`` erases ``tenant/user/anna/chat-1`` and not ``tenant/user/anna-maria``; of the scopes in ``also``
    only what is directly in them. A conversation is such a scope: its name may hold any ``/``, and ``chat`` must not take
    ``chat/1`` with it. The bytes are gone from the disk on return: freed pages are overwritten, the log is emptied. Where
    there is no file there is nothing to erase.

    Raises:
        InputError: no prefix.
        StoreUnavailable: another process reads the log still, so that the bytes may be there; repeat it.
        StoreRejected: the file is no file of answers.
    """
    if not path.exists():
        return 0
    with _sqlite_errors(path), closing(_connect(path)) as connection:
        return _erase(connection, path, scope_prefix, also)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(_SCHEMA)
    return connection


def _erase(connection: sqlite3.Connection, path: Path, scope_prefix: str | None, also: Iterable[str]) -> int:
    erased = 0
    if scope_prefix is not None:
        prefix = lasting_name(scope_prefix.rstrip("/"))
        if not prefix:
            raise InputError("scope_prefix is empty; name the tenant or the owner to erase")
        erased = connection.execute(
            "DELETE FROM answers WHERE scope = ? OR (scope >= ? AND scope < ?)", (prefix, f"{prefix}/", f"{prefix}0")
        ).rowcount  # '0' is the character after '/'
    for scope in also:
        erased += connection.execute("DELETE FROM answers WHERE scope = ?", (lasting_name(scope),)).rowcount
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise StoreUnavailable(f"{path}: answers were erased, but another process holds the log; erase them again")
    return erased


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreUnavailable(f"{path}: {error}; check that the disk has room and MNEME_DATA is writable") from error
    except OSError as error:
        raise StoreUnavailable(f"{path}: {error.strerror}; check that MNEME_DATA is writable") from error
    except sqlite3.DatabaseError as error:
        raise StoreRejected(f"{path}: {error}; move the file away, a new cache is made") from error
