"""Documents are parsed in processes of their own, each with limits, so that a bad file never hurts the stream."""

import os
import threading
import time

from connectors.documents.worker_process import WorkerProcess
from mneme.errors import StoreUnavailable
from mneme.ports import ParsedDocument
from mneme.settings import Documents

_MOST_DOCUMENTS = 500  # that one process reads: whatever libraries leak is gone with it
_KILLED_SECONDS = 10.0  # in which threads whose process was killed have noticed
_MOST_RESIDENT = 0.5  # of the memory that is allowed; a process that kept more begins anew

LOCAL_PARSER = "connectors.documents.local:LocalParser"


class ParserPool:
    """A ``DocumentParser`` in processes. Safe for several threads; ``parse`` blocks until a process is free.

    1. A process is started when none is free and fewer run than are allowed; it reads one document at a time, and many.
    2. A document that takes more than its seconds or megabytes, or breaks its process, is refused; the process is ended with
       everything that it started, and another takes its place when one is needed. The others go on.
    3. When the program ends, however it does, the processes end too.

    Args:
        settings: limits, and how many processes.
        parser: ``module:factory`` of what parses; the factory takes the settings.
    """

    def __init__(self, settings: Documents, parser: str = LOCAL_PARSER) -> None:
        self._settings = settings
        self._parser = parser
        self._most = processes_of(settings)
        self._changed = threading.Condition()
        self._free: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._starting = 0
        self._closed = False

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        """See ``DocumentParser``.

        Raises:
            InputError: see ``DocumentParser.parse``.
            StoreUnavailable: no process can be started, or the pool is closed.
        """
        worker = self._taken()
        try:
            return worker.parse(content, name, media_type)
        except BaseException:
            if self._closed and not worker.is_alive:
                raise _closed() from None  # the document is not to blame
            raise
        finally:
            self._give_back(worker)

    def close(self, grace_seconds: float | None = None) -> None:
        """End the processes; what they read now has so many seconds (None: all it needs)."""
        deadline = None if grace_seconds is None else time.monotonic() + grace_seconds
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            while self._busy or self._starting:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._changed.wait(left)
            free, self._free = self._free, []
            for worker in self._busy:
                worker.kill()
            self._changed.wait_for(lambda: not self._busy, _KILLED_SECONDS)
        for worker in free:
            worker.end()

    def _taken(self) -> WorkerProcess:
        with self._changed:
            while True:
                if self._closed:
                    raise _closed()
                while self._free:
                    worker = self._free.pop()  # the last that worked: its memory is warm
                    if worker.is_alive:
                        self._busy.add(worker)
                        return worker
                    worker.end()
                if len(self._busy) + self._starting < self._most:
                    self._starting += 1
                    break
                self._changed.wait()
        return self._started()

    def _started(self) -> WorkerProcess:
        started: WorkerProcess | None = None
        try:
            started = WorkerProcess(self._parser, self._settings)
        finally:
            with self._changed:
                self._starting -= 1
                is_late = self._closed
                if started is not None and not is_late:
                    self._busy.add(started)
                self._changed.notify_all()
        if is_late:
            started.end()
            raise _closed()
        return started

    def _give_back(self, worker: WorkerProcess) -> None:
        grown = worker.resident > _MOST_RESIDENT * self._settings.megabytes * 1_000_000
        usable = worker.is_alive and worker.documents < _MOST_DOCUMENTS and not grown
        with self._changed:
            self._busy.discard(worker)
            keep = usable and not self._closed
            if keep:
                self._free.append(worker)
            self._changed.notify()
        if not keep:
            worker.end()


def processes_of(settings: Documents) -> int:
    """How many documents are parsed at a time."""
    return settings.processes or max(1, (os.cpu_count() or 2) // 2)


def _closed() -> StoreUnavailable:
    return StoreUnavailable("the program ends, and parses no more documents")
