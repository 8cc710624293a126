"""The segments of an inbox on the disk.

``MNEME_DATA/inbox`` has a folder for each lane. A lane is one log that only ever grows, in segments: files that are named by
the offset of their first byte in it. A line is the time of receipt (milliseconds since 1970), a space, and the event as one
line of JSON::

    inbox/messages/01795311539000000.log
        1795311540123 {"event":"message","conversation_id":"standup",...}
    inbox/messages/committed.json

1. Whoever appends writes to the last segment only, and begins the next when that has grown large, or holds an erasure.
2. The reader deletes segments that lie wholly before what it has done with, never the last one.
3. A log that is made anew begins at the present time, in microseconds: behind every offset that any log before it had. So
   no place that somebody remembers can mean an event of another log.
"""

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import get_args

from mneme.errors import DiskFull, StoreRejected, StoreUnavailable
from mneme.ports import Lane

LANES: tuple[Lane, ...] = get_args(Lane)
_SUFFIX = ".log"
_DIGITS = 20
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_BLOCK = 1 << 20


def inbox_folder(data: Path) -> Path:
    """The folder of the inbox of ``MNEME_DATA``."""
    return data / "inbox"


def topic_of(lane: Lane) -> str:
    """The topic in the positions of a lane's events."""
    return f"inbox.{lane}"


def segment(folder: Path, first: int) -> Path:
    """The file that begins at an offset."""
    return folder / f"{first:0{_DIGITS}d}{_SUFFIX}"


def first_offsets(folder: Path) -> list[int]:
    """The offsets at which the segments of a log begin, in order; none where there is no log yet."""
    try:
        names = [path.name.removesuffix(_SUFFIX) for path in folder.iterdir() if path.name.endswith(_SUFFIX)]
    except FileNotFoundError:
        return []
    return sorted(int(name) for name in names if name.isdigit())


def new_beginning() -> int:
    """The first offset of a log that is made now."""
    return time.time_ns() // 1000


def lines_from(folder: Path, offset: int) -> int:
    """Count the whole lines at or behind an offset, which must be that of a line or before the log."""
    firsts = first_offsets(folder)
    count = 0
    for first, following in zip_longest(firsts, firsts[1:]):
        if following is not None and following <= offset:
            continue
        path = segment(folder, first)
        if following is not None and first >= offset:
            count += _lines_of_whole(path)  # it does not change any more
        else:
            count += _lines(path, max(0, offset - first))
    return count


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Raise errors of the file system as ours."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "it cannot be used").lower()
        if error.errno in _NO_SPACE:
            raise DiskFull(f"the inbox in {folder}: {reason}; make room there, then send again") from error
        if isinstance(error, PermissionError):
            raise StoreRejected(f"the inbox in {folder}: {reason}; correct the rights of MNEME_DATA") from error
        raise StoreUnavailable(f"the inbox in {folder}: {reason}; check the disk of MNEME_DATA") from error


@lru_cache(maxsize=4096)
def _lines_of_whole(path: Path) -> int:
    return _lines(path, 0)


def _lines(path: Path, start: int) -> int:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
    except FileNotFoundError:  # the reader was done with it meanwhile
        return 0
