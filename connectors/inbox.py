"""The embedded way in: databases on the disk, to which many may add events, and which one flow reads.

``MNEME_DATA/inbox`` has one for each lane (``messages.sqlite``), with the events that the flow is not done with.

1. Whoever adds an event gives it the next place. No place is given twice, also after its event is gone.
2. The reader deletes what it is done with, and it is gone from the disk.
3. A database that is made anew begins at the present time, in microseconds: behind every place of any before it. So no place
   that somebody remembers can mean an event of another database.
"""

import logging
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import get_args

from connectors.batched_transport import BatchedTransport, Sent
from connectors.database import database_errors, empty_log, open_database, transaction
from mneme.ports import Incoming, Lane
from mneme.records import Position
from mneme.times import from_milliseconds

LANES: tuple[Lane, ...] = get_args(Lane)
_TOPICS = "inbox."  # in positions, before the lane
_MOST_BYTES_READ = 1_000_000  # in one poll; one event may be larger
_MOST_EVENTS, _MOST_BYTES = 10_000, 4_000_000  # that wait in memory to be written

_SCHEMA = """
    BEGIN;
    CREATE TABLE events (place INTEGER PRIMARY KEY AUTOINCREMENT, received_at INTEGER NOT NULL, event BLOB NOT NULL);
    INSERT INTO sqlite_sequence VALUES ('events', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000);
    COMMIT;
"""  # 2440587.5: 1970-01-01

_log = logging.getLogger(__name__)


def inbox_folder(data: Path) -> Path:
    """The folder of the inbox of ``MNEME_DATA``."""
    return data / "inbox"


def _file(data: Path, lane: Lane) -> Path:
    return inbox_folder(data) / f"{lane}.sqlite"


def _opened(file: Path) -> sqlite3.Connection:
    """The database of a lane, made if there is none."""
    return open_database(file, _SCHEMA)


def _bounds(database: sqlite3.Connection) -> tuple[int, int]:
    """The place of the first event that there is, and the next that will be given. All between are there."""
    (first,) = database.execute("SELECT min(place) FROM events").fetchone()
    (last,) = database.execute("SELECT seq FROM sqlite_sequence").fetchone()
    return last + 1 if first is None else first, last + 1


def is_of_an_inbox(topic: str) -> bool:
    """Return whether positions of this topic are places of an inbox: each has its own."""
    return topic.startswith(_TOPICS)


class InboxReader:
    """Reads one lane in order, beside those who add to it. For one thread at a time (``flows.running.feeds.EventReader``).

    Args:
        data: ``MNEME_DATA``.
        lane: of the events.
        offset: the place of the first event to read (what ``position`` was when reading stopped), or None for the earliest
            there is. All before it is done with, and is deleted.

    Raises:
        StoreUnavailable, StoreRejected: the database cannot be used. By every method.
    """

    def __init__(self, data: Path, lane: Lane, offset: int | None) -> None:
        self._path = _file(data, lane)
        self._topic = f"{_TOPICS}{lane}"
        with database_errors(self._path):
            self._database = _opened(self._path)
            first, following = _bounds(self._database)
        if offset is not None and offset > following:
            _log.warning("%s ends before %d, where reading stopped: reading all there is", self._path, offset)
            offset = None
        self._position = max(first, offset or 0)
        if offset is not None:
            self.commit(self._position)

    @property
    def position(self) -> int:
        """The place to go on from after everything that ``poll`` returned so far."""
        return self._position

    @property
    def place(self) -> int:
        """``position``: no two databases have the same."""
        return self._position

    def poll(self, limit: int) -> list[Incoming]:
        """Up to ``limit`` events that have arrived, without waiting for more."""
        events: list[Incoming] = []
        size = 0
        asked = "SELECT place, received_at, event FROM events WHERE place >= ? ORDER BY place LIMIT ?"
        with database_errors(self._path), closing(self._database.execute(asked, (self._position, limit))) as rows:
            for place, received_at, raw in rows:
                position = Position(topic=self._topic, partition=0, offset=place)
                events.append(Incoming(raw, position, from_milliseconds(received_at)))
                self._position = place + 1
                if (size := size + len(raw)) >= _MOST_BYTES_READ:
                    break
        return events

    def lag(self) -> int:
        """Count the events that are not read yet."""
        with database_errors(self._path):
            return max(0, _bounds(self._database)[1] - self._position)

    def commit(self, offset: int) -> None:
        """Everything before ``offset`` is done: delete it."""
        with database_errors(self._path):
            if self._database.execute("DELETE FROM events WHERE place < ?", (offset,)).rowcount:
                empty_log(self._database)  # else with the next

    def close(self) -> None:
        """Release the file."""
        self._database.close()


def unread(data: Path, lane: Lane) -> int:
    """Count the events of a lane that the flow is not done with.

    Raises:
        StoreUnavailable, StoreRejected: the database cannot be read.
    """
    file = _file(data, lane)
    with database_errors(file):
        try:
            file.stat()
        except FileNotFoundError:
            return 0
        with closing(_opened(file)) as database:
            first, following = _bounds(database)
    return following - first


class InboxTransport(BatchedTransport):
    """Adds to the inbox of ``MNEME_DATA``. Safe for several threads, whose events share one wait for the disk.

    Args:
        data: ``MNEME_DATA``.
    """

    def __init__(self, data: Path) -> None:
        super().__init__(_MOST_EVENTS, _MOST_BYTES)
        self._data = data
        self._databases: dict[Lane, sqlite3.Connection] = {}

    def _release(self) -> None:
        while self._databases:
            self._databases.popitem()[1].close()

    def _hand_on(self, events: Sequence[Sent]) -> None:
        now = time.time_ns() // 1_000_000
        for lane in dict.fromkeys(lane for lane, _ in events):
            file = _file(self._data, lane)
            with database_errors(file):
                database = self._databases.get(lane) or self._databases.setdefault(lane, _opened(file))
                with transaction(database):
                    added = ((now, value) for at, value in events if at == lane)
                    database.executemany("INSERT INTO events (received_at, event) VALUES (?, ?)", added)
