"""The files in which Bytewax keeps its state: checked, tidied, and their errors in our words.

Each is an SQLite database with a part of the rows ``snaps``, one for each key and epoch, and some of the rows that tell
how far each worker of each execution had got. Bytewax goes on before the first epoch that some worker had not ended.

What Bytewax leaves behind is taken away while nothing runs:
- rows of that epoch and later, of an attempt that died while it wrote them: Bytewax loads them as soon as a later
  epoch has ended, although the sources begin before them (seen in src/recovery.rs of 0.21);
- rows that newer ones of their key supersede, and rows that say that a key is gone: they stay for ever, and
  200,000 of them took 41 s to resume from;
- their bytes, in free pages and in the write-ahead log: what is erased must not be found there.
"""

import os
import pickle
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from mneme.errors import DiskFull, StoreError, StoreRejected, StoreUnavailable

_OLDEST_SQLITE = (3, 37, 0)  # knows the STRICT tables of Bytewax
_FULL_BYTES = 1_000_000  # free on a volume that is as good as full


def is_used(epochs: Path) -> bool:
    """Return whether a flow has ever begun on these files.

    Raises:
        StoreRejected: a file is damaged.
    """
    return any(_rows(file, "SELECT ex_num FROM exs LIMIT 1") for file in _files(epochs))


def tidy(epochs: Path) -> None:
    """Check the files, and take away what is not needed any more, with its bytes. Nothing else may use them.

    Raises:
        StoreRejected: a file is missing or damaged; says what to do.
        DiskFull: there is no room to work in.
    """
    files = _files(epochs)
    _check(epochs, files)
    resume = _resume_epoch(files)
    for file in files:
        with _opened(file) as connection:
            connection.execute("BEGIN")
            connection.execute("DELETE FROM snaps WHERE snap_epoch >= ?", (resume,))
            connection.execute(
                "DELETE FROM snaps WHERE EXISTS (SELECT 1 FROM snaps AS newer WHERE newer.step_id = snaps.step_id "
                "AND newer.state_key = snaps.state_key AND newer.snap_epoch > snaps.snap_epoch)"
            )
            connection.execute("DELETE FROM snaps WHERE ser_change IS NULL")
            connection.execute("COMMIT")
            connection.execute("PRAGMA temp_store = MEMORY")  # no copies of the content on another volume
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def snapshots(epochs: Path) -> Iterator[tuple[str, str, Any]]:
    """Step, key and value of each state in files that were tidied: the place of a source, the bytes of a lane.

    Raises:
        StoreRejected: a file is damaged.
    """
    for file in _files(epochs):
        with _opened(file) as connection:
            for step, key, value in connection.execute("SELECT step_id, state_key, ser_change FROM snaps"):
                yield step.partition(".")[2], key, pickle.loads(value)  # noqa: S301  its own folder; Bytewax does so


def store_error(epochs: Path, error: BaseException) -> StoreError | None:
    """The engine's failure as an error of the store; None if it is not about the store."""
    text = str(error)
    if "DiskFull" in text or "disk is full" in text or _free_bytes(epochs) < _FULL_BYTES:
        return _disk_full(epochs)
    if "SqliteFailure" in text:
        return StoreUnavailable(
            f"the recovery store {epochs} cannot be written: {text}; check the volume and its rights, and start again; "
            "nothing is lost"
        )
    return None


def _disk_full(epochs: Path) -> DiskFull:
    return DiskFull(
        f"disk full: there is no room left for the recovery store {epochs}; make room on its volume, then start again; "
        "nothing is lost"
    )


def _free_bytes(path: Path) -> int:
    volume = os.statvfs(path)
    return volume.f_bavail * volume.f_frsize


def _files(epochs: Path) -> list[Path]:
    return sorted(epochs.glob("part-*.sqlite3"))


def _check(epochs: Path, files: Sequence[Path]) -> None:
    """Raise what is wrong with the files."""
    parts = {row[0]: row[1] for file in files for row in _rows(file, "SELECT part_index, part_count FROM parts")}
    count = max(parts.values(), default=1)
    missing = [f"part-{number}.sqlite3" for number in range(count) if number not in parts]
    if missing:
        raise StoreRejected(f"the recovery store {epochs} lacks {', '.join(missing)}; {remedy(epochs.parent)}")
    for file in files:
        with _opened(file) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise _damaged(file, verdict)


def _resume_epoch(files: Sequence[Path]) -> int:
    """The epoch from which Bytewax goes on: the first that not all workers of the last execution have ended."""
    executions = [row for file in files for row in _rows(file, "SELECT ex_num, worker_count, resume_epoch FROM exs")]
    if not executions:
        return 1
    last, workers, begun_at = max(executions)
    ended = dict.fromkeys(range(workers), begun_at)
    for file in files:
        for worker, frontier in _rows(file, "SELECT worker_index, worker_frontier FROM fronts WHERE ex_num = ?", last):
            ended[worker] = max(ended[worker], frontier)
    return min(ended.values())


def _rows(file: Path, query: str, *values: int) -> list[tuple[int, ...]]:
    with _opened(file) as connection:
        return connection.execute(query, values).fetchall()


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreRejected(
            f"the SQLite of this Python is {sqlite3.sqlite_version}, and the recovery store needs 3.37 or newer; "
            "use a Python that brings it"
        )
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=rw", uri=True, isolation_level=None)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise _disk_full(file.parent) from error
        raise _damaged(file, str(error)) from error


def _damaged(file: Path, why: object) -> StoreRejected:
    return StoreRejected(f"{file} is damaged ({why}); {remedy(file.parents[1])}")


def remedy(directory: Path) -> str:
    """The remedy for a store that cannot be used, for people."""
    return (
        f"restore {directory} from a backup; or remove it and set MNEME_FLOW__ADOPT_INDEX=true for one start, to read the "
        "topics from the beginning (nothing is duplicated: ids are positions in the source)"
    )
