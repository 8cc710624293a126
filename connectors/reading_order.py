"""All messages of an index in the order in which they were said, conversation by conversation: a list on the disk.

It is made once, from a scan in any order, and then read from any place; it holds keys and no texts. Where reading has got
is kept in it as well: what comes before that may have been read by a process that died.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from connectors.database import database_errors, transaction
from mneme.rows import Collection, Key

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Listed:
    """A message: in which conversation (or document), when it was said, and where it lies."""

    lane: str
    said_at: datetime
    message_id: str
    key: Key


class ReadingOrder:
    """A list that was made by ``make``. For one thread at a time.

    Raises, in all methods:
        StoreUnavailable, StoreRejected: the disk is full or broken.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with database_errors(path):
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._length: int = self._database.execute("SELECT count(*) FROM listed").fetchone()[0]

    @staticmethod
    def make(path: Path, messages: Iterable[Listed]) -> None:
        """Make a list; it is there when it is whole."""
        draft = path.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        with database_errors(path), closing(sqlite3.connect(draft, isolation_level=None)) as database, transaction(database):
            database.execute("CREATE TABLE found (lane, said_at, message_id, owner_key, id)")
            database.executemany("INSERT INTO found VALUES (?, ?, ?, ?, ?)", map(_values, messages))
            database.execute("CREATE TABLE listed (place INTEGER PRIMARY KEY, lane, owner_key, id)")
            database.execute(
                "INSERT INTO listed SELECT row_number() OVER (ORDER BY lane, said_at, message_id) - 1, lane, owner_key, id "
                "FROM found"
            )
            database.execute("DROP TABLE found")
            database.execute("CREATE TABLE reached (place INTEGER)")
            database.execute("INSERT INTO reached VALUES (0)")
        draft.rename(path)

    def __len__(self) -> int:
        return self._length

    def read(self, start: int, limit: int) -> Sequence[tuple[str, Key]]:
        """The lanes and keys from a place on."""
        with database_errors(self._path):
            found = self._database.execute(
                "SELECT lane, owner_key, id FROM listed WHERE place >= ? ORDER BY place LIMIT ?", (start, limit)
            ).fetchall()
        return [(lane, Key(Collection.MESSAGES, owner_key, identity)) for lane, owner_key, identity in found]

    @property
    def reached(self) -> int:
        """The first place that nobody has read."""
        place: int = self._database.execute("SELECT place FROM reached").fetchone()[0]
        return place

    def reach(self, place: int) -> None:
        """Everything before this place is read from now on, durably on return."""
        with database_errors(self._path):
            self._database.execute("UPDATE reached SET place = max(place, ?)", (place,))

    def close(self) -> None:
        """Release the file."""
        self._database.close()


def _values(message: Listed) -> tuple[str, int, str, str, str]:
    return message.lane, (message.said_at - _EPOCH) // _MICROSECOND, message.message_id, message.key.owner_key, message.key.id
