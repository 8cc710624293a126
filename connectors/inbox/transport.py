"""The inbox as a ``Transport``: events wait in memory until somebody flushes, and go to the disk together."""

import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

from connectors.inbox.segments import LANES, inbox_folder
from connectors.inbox.writer import InboxWriter
from mneme.errors import StoreError
from mneme.ports import Lane

_LARGEST_GROUP_BYTES = 4_000_000  # in memory; more is written without being told to
_ERASES = re.compile(rb'"event"\s*:\s*"(?:forget|erase|forget_document)"')


@dataclass(slots=True, eq=False)
class _Group:
    """Events that are written together, and what became of them."""

    lanes: dict[Lane, list[bytes]] = field(default_factory=dict)
    size: int = 0
    erases: bool = False
    is_written: bool = False
    error: StoreError | None = None


class InboxTransport:
    """Appends to the inbox of ``MNEME_DATA``. Safe for several threads, whose events share one wait for the disk.

    What could not be written is told to whoever waits for it: the thread that sent it at its next ``flush``, and the next
    ``flush`` of any thread.

    Args:
        data: ``MNEME_DATA``.
    """

    def __init__(self, data: Path) -> None:
        self._writers = {lane: InboxWriter(inbox_folder(data) / lane) for lane in LANES}
        self._filling = threading.Lock()
        self._writing = threading.Lock()
        self._group = _Group()
        self._untold: StoreError | None = None
        self._of_this_thread = threading.local()

    def send(self, lane: Lane, key: str, value: bytes) -> None:
        """See ``Transport``. The key is not kept: a lane of the inbox keeps all in order."""
        with self._filling:
            group = self._group
            group.lanes.setdefault(lane, []).append(value)
            group.size += len(value)
            group.erases = group.erases or _ERASES.search(value) is not None
            is_full = group.size >= _LARGEST_GROUP_BYTES
        mine = self._sent()
        if group not in mine:
            mine[:] = [each for each in mine if not each.is_written or each.error is not None]
            mine.append(group)
        if is_full:
            self._write(group)

    def flush(self, timeout: float | None = None) -> None:
        """See ``Transport``. The disk takes what time it takes."""
        with self._filling:
            current = self._group
        groups = [*self._sent(), current]
        self._sent().clear()
        for group in groups:
            self._write(group)
        with self._filling:
            untold, self._untold = self._untold, None
        error = next((group.error for group in groups if group.error is not None), untold)
        if error is not None:
            raise type(error)(str(error)) from error

    def close(self) -> None:
        """See ``Transport``."""
        self.flush()

    def _sent(self) -> list[_Group]:
        """The groups into which this thread sent since its last flush."""
        groups: list[_Group] = self._of_this_thread.__dict__.setdefault("groups", [])
        return groups

    def _write(self, group: _Group) -> None:
        """Write a group, or wait until another thread has."""
        with self._writing:
            if group.is_written:
                return
            with self._filling:  # what is sent from here on is of the next group
                if self._group is group:
                    self._group = _Group()
            try:
                for lane, writer in self._writers.items():
                    if lane in group.lanes or group.erases:
                        writer.append(group.lanes.get(lane, ()), close_segment=group.erases)
            except StoreError as error:
                group.error = error
                with self._filling:
                    self._untold = error
            group.is_written = True
            group.lanes.clear()
