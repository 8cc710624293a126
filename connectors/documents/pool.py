"""A pool of processes that parse documents, each with limits, so that a bad file never hurts the stream."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

import psutil

from connectors.documents.local import short_name, spent_memory
from connectors.documents.worker import ANSWERS, FOLDER_PREFIX, LENGTH, REQUESTS, Answer, Request, framed
from mneme.errors import InputError, StoreUnavailable
from mneme.ports import ParsedDocument
from mneme.settings import Documents

_TICK = 0.5  # seconds between looks at the memory
_START_SECONDS = 120.0
_LAST_WORDS = 1.0  # seconds in which a process that broke off is gone, and says of what
_LARGEST_ANSWER = 64_000_000  # bytes, beside the text
_BYTES_PER_CHARACTER = 6  # of JSON
_PASSED_ON = (
    *("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("FONTCONFIG_PATH", "FONTCONFIG_FILE", "SYSTEMROOT", "COVERAGE_PROCESS_START"),
)
_SET = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONIOENCODING": "utf-8",
}


class _Broken(Exception):
    """The worker was ended, or said nothing that can be understood, or nothing more. Its text is the reason, for people."""


class WorkerProcess:
    """A worker for one document at a time, started with the first.

    It is a session of its own, so that what it starts (tesseract, soffice) ends with it; it has an environment without secrets,
    and a folder for temporary files that is removed with it.

    Args:
        parser: ``module:factory`` of what it parses with.
        settings: limits.
    """

    def __init__(self, parser: str, settings: Documents) -> None:
        self._parser = parser
        self._settings = settings
        self._ending = threading.Lock()
        self._has_ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._seen: dict[int, psutil.Process] = {}
        self._verdict = ""  # why it was ended by whoever watched it
        self.resident = 0
        self._folder = ""

    @property
    def is_alive(self) -> bool:
        """True if it can be asked."""
        return not self._has_ended and (self._process is None or self._process.poll() is None)

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        """The document. When a limit is reached, or the process fails, it is ended: look at ``is_alive``.

        Raises:
            InputError: see ``DocumentParser.parse``.
            StoreUnavailable: it does not start.
        """
        process = self._process or self._started()
        self._seen.clear()
        frame = framed(REQUESTS.dump_json(Request(name, media_type, len(content))))
        try:
            answer = self._exchange(process, [frame, content], self._settings.seconds)
            if answer.document is None and answer.error is None:
                raise _Broken(_reason(None, self._settings))
        except _Broken as error:
            self.end()
            raise InputError(f"{short_name(name)}: {error}") from None
        self.resident = answer.resident
        if answer.error is not None or answer.document is None:
            raise InputError(answer.error or "")
        return answer.document

    def _started(self) -> "subprocess.Popen[bytes]":
        try:
            with self._ending:
                if self._has_ended:
                    raise _Broken("the pool was closed")
                self._folder = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
                self._process = process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "connectors.documents.worker", self._parser],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=self._folder,
                    env=_environment(self._folder),
                    start_new_session=True,
                )
            without_places = self._settings.model_copy(update={"roots": (), "store": ""})  # no business of a parser
            self._exchange(process, [framed(without_places.model_dump_json().encode())], _START_SECONDS)
        except OSError as error:
            self.end()
            raise StoreUnavailable(
                f"no process to parse documents can be started ({error.strerror}); look at the limits"
            ) from error
        except _Broken as error:
            self.end()
            raise StoreUnavailable(
                "the process that parses documents ends as soon as it is started; `mneme doctor` says what is missing"
            ) from error
        return process

    def kill(self) -> None:
        """End it now, with everything that it started. Whoever waits for its answer is told, and ends the rest."""
        with self._ending:
            if self._has_ended:
                return  # its number may be another's by now
            if self._process is None:
                self._has_ended = True
                return
            for process in [*self._family(), *self._seen.values()]:
                with suppress(psutil.Error):
                    process.kill()
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it, and release its pipes and files. For the thread that asked it, or when none does."""
        self.kill()
        with self._ending:
            self._has_ended = True
        if self._process is not None:
            self._process.wait()
            for pipe in _pipes(self._process):
                with suppress(OSError):
                    pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _exchange(self, process: "subprocess.Popen[bytes]", request: Sequence[bytes], seconds: float) -> Answer:
        """Write a request and read its answer, while somebody else looks at the time and the memory.

        Raises:
            _Broken: there is no answer, or none in time.
        """
        to, back = _pipes(process)
        is_over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(is_over, time.monotonic() + seconds), daemon=True)
        watcher.start()
        try:
            to.writelines(request)
            to.flush()
            size = int.from_bytes(back.read(LENGTH), "big")
            if size > _LARGEST_ANSWER + _BYTES_PER_CHARACTER * self._settings.largest_text:
                raise ValueError("no answer of a parser is so long")
            return ANSWERS.validate_json(back.read(size))
        except (OSError, ValueError) as error:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LAST_WORDS)
            raise _Broken(self._verdict or _reason(process.returncode, self._settings)) from error
        finally:
            is_over.set()
            watcher.join()

    def _watch(self, is_over: threading.Event, deadline: float) -> None:
        """End the process if it takes too long or grows too large; whoever waits for its answer sees the end of the pipe."""
        while not is_over.wait(max(0.0, min(_TICK, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                self._verdict = _spent_time(self._settings)
            elif self._memory() > self._settings.megabytes * 1_000_000:
                self._verdict = spent_memory(self._settings)
            if self._verdict:
                self.kill()
                return

    def _memory(self) -> int:
        used = 0
        for process in self._family():
            with suppress(psutil.Error):
                used += process.memory_info().rss
        return used

    def _family(self) -> list[psutil.Process]:
        """The process and all that it started; whose parent ended is a child of the worker (a subreaper), and found too."""
        if self._process is None:
            return []
        try:
            worker = psutil.Process(self._process.pid)
            family = [worker, *worker.children(recursive=True)]
        except (psutil.Error, OSError):
            return []
        self._seen.update((process.pid, process) for process in family[1:])
        return family


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _spent_time(settings: Documents) -> str:
    return f"reading it took more than {settings.seconds:g} s (MNEME_DOCUMENTS__SECONDS); split it, or raise the setting"


def _reason(returncode: int | None, settings: Documents) -> str:
    """Why a process that ended by itself may have done so, and what helps."""
    ended_by = -(returncode or 0)
    if ended_by == signal.SIGXCPU:
        return _spent_time(settings)
    if ended_by > 0:
        name = signal.Signals(ended_by).name if ended_by in set(signal.Signals) else ended_by
        return (
            f"the process that read it was ended ({name}); it may be damaged, or need more than {settings.megabytes} MB"
            " (MNEME_DOCUMENTS__MEGABYTES): split it, or raise the setting"
        )
    return "the process that read it broke off; it may be damaged: open it, and save it again"


def _environment(folder: str) -> dict[str, str]:
    """The environment of a parser, with nothing that it does not need: no keys, no passwords, no home."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    return {**passed_on, **_SET, "PYTHONPATH": path, "TMPDIR": folder, "HOME": folder}


_KILLED_SECONDS = 10.0  # in which threads whose process was killed have noticed
_MOST_RESIDENT = 0.5  # of the memory that is allowed; a process that kept more, as libraries leak, begins anew

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
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._busy, grace_seconds)
            free, self._free = self._free, []
            for worker in self._busy:
                worker.kill()
            self._changed.wait_for(lambda: not self._busy, _KILLED_SECONDS)
        for worker in free:
            worker.end()

    def _taken(self) -> WorkerProcess:
        with self._changed:
            while not self._closed:
                if not self._free and len(self._busy) == self._most:
                    self._changed.wait()
                    continue
                # The last that worked: its memory is warm.
                worker = self._free.pop() if self._free else WorkerProcess(self._parser, self._settings)
                if worker.is_alive:
                    self._busy.add(worker)
                    return worker
                worker.end()
            raise _closed()

    def _give_back(self, worker: WorkerProcess) -> None:
        grown = worker.resident > _MOST_RESIDENT * self._settings.megabytes * 1_000_000
        with self._changed:
            self._busy.discard(worker)
            keep = worker.is_alive and not grown and not self._closed
            if keep:
                self._free.append(worker)
            self._changed.notify()
        if not keep:
            worker.end()


def processes_of(settings: Documents) -> int:
    """The number of documents that are parsed at a time."""
    return settings.processes or max(1, (os.cpu_count() or 2) // 2)


def _closed() -> StoreUnavailable:
    return StoreUnavailable("the program ends, and parses no more documents")
