"""Reading one lane of the inbox, from an offset that the caller keeps."""

import json
import logging
import os
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from connectors.durable import replace_json
from connectors.inbox.segments import disk_errors, first_offsets, inbox_folder, lines_from, segment, topic_of
from mneme.ports import Incoming, Lane
from mneme.records import Position
from mneme.times import from_milliseconds

_BLOCK = 1 << 20  # bytes looked at in one poll; a longer line is read whole
_COMMITTED = "committed.json"

_log = logging.getLogger(__name__)


class InboxReader:
    """Reads one log in order, beside those who append. For one thread at a time (``flows.running.feeds.Reader``).

    Args:
        data: ``MNEME_DATA``.
        lane: which log.
        offset: that of the first event to read (what ``position`` was when reading stopped), or None for the earliest
            there is. All before it is done with, and is deleted.

    Raises:
        StoreUnavailable, StoreRejected: the folder cannot be used.
    """

    def __init__(self, data: Path, lane: Lane, offset: int | None) -> None:
        self._folder = inbox_folder(data) / lane
        self._topic = topic_of(lane)
        self._file: int | None = None
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        self._committed = committed(data, lane)
        self._first = self._position = self._start(offset)
        if offset is not None:
            self.commit(self._position)

    @property
    def position(self) -> int:
        """The offset to go on from after everything that ``poll`` returned so far."""
        return self._position

    def poll(self, limit: int) -> list[Incoming]:
        """Up to ``limit`` events that have arrived, without waiting for more.

        A line is returned once it is whole and on the disk: were it lost in a power cut after it was read, the log would
        be shorter than the place to go on from.

        Raises:
            StoreUnavailable: the file cannot be read.
        """
        with disk_errors(self._folder):
            lines = self._lines(limit)
        events = []
        for line in lines:
            position = Position(topic=self._topic, partition=0, offset=self._position)
            self._position += len(line)
            received_at, raw = _parted(line)
            events.append(Incoming(raw, position, received_at))
        return events

    def lag(self) -> int:
        """Count the events that are not read yet."""
        with disk_errors(self._folder):
            if not self._is_open():
                return 0
            assert self._file is not None, "just opened"
            if os.fstat(self._file).st_size <= self._position - self._first and not self._next().exists():
                return 0
            return lines_from(self._folder, self._position)

    def commit(self, offset: int) -> None:
        """Everything before ``offset`` is done: say so to lag monitors, and delete the segments that hold nothing else.

        A segment may end after all of it was done: an erasure in another lane ends it.
        """
        with disk_errors(self._folder):
            if offset != self._committed:
                replace_json(self._folder / _COMMITTED, {"offset": offset})
                self._committed = offset
            for first, following in pairwise(first_offsets(self._folder)):
                if following <= offset:
                    segment(self._folder, first).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _start(self, offset: int | None) -> int:
        """The first offset to read: ``offset`` if the log has it or ends there, else the earliest there is."""
        firsts = first_offsets(self._folder)
        if not firsts:
            return offset or 0  # of a log that begins later
        end = firsts[-1] + segment(self._folder, firsts[-1]).stat().st_size
        if offset is not None and firsts[0] <= offset <= end:
            return offset
        if offset:
            _log.warning(
                "%s has %d to %d, and reading stopped at %d: reading all there is", self._folder, firsts[0], end, offset
            )
        return firsts[0]

    def _lines(self, limit: int) -> list[bytes]:
        if not self._is_open():
            return []
        assert self._file is not None, "just opened"
        start = self._position - self._first
        block = os.pread(self._file, _BLOCK, start)
        while block and b"\n" not in block and (more := os.pread(self._file, _BLOCK, start + len(block))):
            block += more
        end = block.rfind(b"\n") + 1
        if end:
            os.fsync(self._file)
        elif not block and (following := self._next()).exists():
            self.close()
            self._first = self._position
            return self._lines(limit) if following.stat().st_size else []
        return [line + b"\n" for line in block[:end].split(b"\n")[:-1][:limit]]

    def _is_open(self) -> bool:
        """Open the segment that holds the position; False where there is none yet."""
        if self._file is not None:
            return True
        firsts = first_offsets(self._folder)
        if not firsts:
            return False
        if self._position < firsts[0]:  # the log was made after this reader
            self._position = firsts[0]
        self._first = max(first for first in firsts if first <= self._position)
        self._file = os.open(segment(self._folder, self._first), os.O_RDONLY)
        return True

    def _next(self) -> Path:
        """The segment that follows when this one is read to its end."""
        assert self._file is not None, "asked of an open segment"
        return segment(self._folder, self._first + os.fstat(self._file).st_size)


def committed(data: Path, lane: Lane) -> int:
    """The offset before which the flow is done with everything; 0 before it has said so."""
    with suppress(FileNotFoundError, ValueError, KeyError):
        return int(json.loads((inbox_folder(data) / lane / _COMMITTED).read_text())["offset"])
    return 0


def unread(data: Path, lane: Lane) -> int:
    """Count the events of a lane that the flow is not done with.

    Raises:
        StoreUnavailable, StoreRejected: the folder cannot be read.
    """
    folder = inbox_folder(data) / lane
    with disk_errors(folder):
        return lines_from(folder, committed(data, lane))


def _parted(line: bytes) -> tuple[datetime | None, bytes]:
    """The time of receipt, and the event."""
    received, _, raw = line[:-1].partition(b" ")
    try:
        return from_milliseconds(int(received)), raw
    except (ValueError, OverflowError):  # nobody of ours wrote it: the flow says what is wrong with it
        return None, line[:-1]
