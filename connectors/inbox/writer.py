"""Appending to one lane of the inbox."""

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from connectors.batcher import Batcher, Sent
from connectors.durable import cut_torn_line, exclusive, sync_path, write_all
from connectors.inbox.segments import LANES, disk_errors, first_offsets, inbox_folder, new_beginning, segment
from mneme.ports import Lane

SEGMENT_BYTES = 1_000_000  # above which the next segment begins
_LOCK = "append.lock"


class InboxWriter:
    """Appends to one log. Safe for several threads and processes: they wait for one another.

    Args:
        folder: that of the lane; made if it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, events: Sequence[bytes], close_segment: bool = False) -> None:
        """Append events; they are on the disk on return.

        1. What a writer that crashed left of a line is cut off.
        2. The events are written behind one another, and brought to the disk together.
        3. If the segment has grown large, or ``close_segment`` says so, the next one begins.

        Args:
            events: each as JSON; line breaks in it become spaces, which mean the same there.
            close_segment: after this the segment takes in nothing more, and so can be deleted as soon as it is read.

        Raises:
            StoreUnavailable, StoreRejected: they may not be written; to append them again is safe.
        """
        with disk_errors(self._folder):
            if not events and not first_offsets(self._folder):
                return
        with disk_errors(self._folder), exclusive(self._folder / _LOCK):
            firsts = first_offsets(self._folder)
            first = firsts[-1] if firsts else self._begin(new_beginning())
            descriptor = os.open(segment(self._folder, first), os.O_RDWR | os.O_APPEND)
            try:
                # 1.
                cut_torn_line(descriptor)
                # 2.
                if events:
                    now = b"%d " % (time.time_ns() // 1_000_000)
                    write_all(descriptor, b"".join(now + _one_line(event) + b"\n" for event in events))
                    os.fsync(descriptor)
                size = os.fstat(descriptor).st_size
            finally:
                os.close(descriptor)
            # 3.
            if size and (close_segment or size >= SEGMENT_BYTES):
                self._begin(first + size)

    def _begin(self, first: int) -> int:
        descriptor = os.open(segment(self._folder, first), os.O_WRONLY | os.O_CREAT, 0o600)
        os.close(descriptor)
        sync_path(self._folder)
        return first


def _one_line(event: bytes) -> bytes:
    if b"\n" in event or b"\r" in event:
        return event.replace(b"\r", b" ").replace(b"\n", b" ")
    return event


_MOST_EVENTS, _MOST_BYTES = 10_000, 4_000_000  # that wait in memory
_ERASES = re.compile(rb'"event"\s*:\s*"(?:forget|erase|forget_document|retract)"')


class InboxTransport:
    """Appends to the inbox of ``MNEME_DATA``. Safe for several threads, whose events share one wait for the disk.

    Args:
        data: ``MNEME_DATA``.
    """

    def __init__(self, data: Path) -> None:
        self._writers = {lane: InboxWriter(inbox_folder(data) / lane) for lane in LANES}
        self._batcher = Batcher(self._append, _MOST_EVENTS, _MOST_BYTES)

    def send(self, lane: Lane, key: str, value: bytes) -> None:
        """See ``Transport``. The key is not kept: a lane of the inbox keeps all in order."""
        self._batcher.add(lane, value)

    def flush(self, timeout: float | None = None) -> None:
        """See ``Transport``."""
        self._batcher.flush(timeout)

    def close(self) -> None:
        """See ``Transport``."""
        self._batcher.flush()

    def _append(self, events: Sequence[Sent]) -> None:
        """Append to each lane. With an erasure among them all lanes begin a new segment, so that the old ones can go."""
        erases = any(_ERASES.search(value) for _, value in events)
        for lane, writer in self._writers.items():
            writer.append([value for at, value in events if at == lane], close_segment=erases)
