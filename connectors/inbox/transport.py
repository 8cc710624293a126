"""The inbox as a ``Transport``."""

import re
from collections.abc import Sequence
from pathlib import Path

from connectors.batcher import Batcher, Sent
from connectors.inbox.segments import LANES, inbox_folder
from connectors.inbox.writer import InboxWriter
from mneme.ports import Lane

_MOST_EVENTS, _MOST_BYTES = 10_000, 4_000_000  # that wait in memory
_ERASES = re.compile(rb'"event"\s*:\s*"(?:forget|erase|forget_document)"')


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
