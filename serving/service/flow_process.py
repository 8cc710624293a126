"""The flow of the embedded mode as a child of the service: a process of its own, so that no search waits for what comes in."""

import json
import logging
import os
import subprocess
import threading
import time
from contextlib import suppress

from connectors.durable import is_locked
from connectors.inbox import inbox_folder
from connectors.indices import embedded_folder
from connectors.telemetry.exposition import child_ended
from connectors.telemetry.logs import levels
from flows.running.child_process import start
from flows.running.member import Assignment
from mneme.errors import StoreUnavailable
from mneme.settings import Settings

_LOOK_SECONDS = 0.5  # between looks whether another process still holds what the flow needs
_STOP_SECONDS = 8.0  # the flow itself ends within 5 s of being told
_EARLY_SECONDS = 10.0  # of reading: what ends the flow at once will do so again
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger(__name__)


class FlowProcess:
    """Keeps one flow running on the inbox of ``MNEME_DATA``: here, unless another process does.

    1. While another process runs the flow, or writes to the index, wait.
    2. Start the flow, and hear what it tells until it ends.
    3. If it was not told to: go to 1, at once the first time, and with doubling pauses while it keeps ending early.

    Args:
        settings: where and how.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stopping = threading.Event()
        self._changing = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._reads = False
        self._failure: str | None = None
        self._thread = threading.Thread(target=self._keep, name="mneme-flow", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Tell whether a flow runs on this inbox, here or in another process."""
        return self.process_id is not None or self.runs_elsewhere

    @property
    def runs_elsewhere(self) -> bool:
        """Tell whether a process of another service runs the flow."""
        return self.process_id is None and is_locked(inbox_folder(self._settings.data))

    @property
    def is_starting(self) -> bool:
        """Tell whether the flow is about to read, with nothing in its way: it may have still to make the index."""
        return not self._reads and self._failure is None

    @property
    def failure(self) -> str | None:
        """Reason why the flow does not run; None while it reads."""
        return self._failure

    @property
    def process_id(self) -> int | None:
        """That of the flow, if it runs here."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def stop(self) -> None:
        """Stop the flow in order: what it has read is settled. Safe to repeat."""
        self._stopping.set()
        with self._changing:
            process = self._process
        if process is not None:
            process.terminate()
            self._thread.join(_STOP_SECONDS)
            if self._thread.is_alive():
                log.warning("the flow did not stop within %.0f s and is killed; nothing is lost", _STOP_SECONDS)
                process.kill()
        self._thread.join()

    def _keep(self) -> None:
        early = 0
        while not self._stopping.is_set():
            # 1.
            if self._must_wait():
                self._stopping.wait(_LOOK_SECONDS)
                continue
            # 2.
            lived = self._run()
            if self._stopping.is_set():
                return
            # 3.
            early = early + 1 if lived < _EARLY_SECONDS else 0
            if early > 1:
                self._stopping.wait(min(_FIRST_PAUSE_SECONDS * 2 ** (early - 2), _LONGEST_PAUSE_SECONDS))

    def _must_wait(self) -> bool:
        settings = self._settings
        try:
            if self.runs_elsewhere:
                self._failure = None
                return True
            is_written = settings.index.backend == "embedded" and is_locked(embedded_folder(settings))
            if is_written or is_locked(settings.data / "recovery" / "files"):
                self._failure = "another process writes to the index (`mneme ingest`?); what is sent waits until it ends"
                return True
        except StoreUnavailable as error:
            self._failure = str(error)
            return True
        return False

    def _run(self) -> float:
        """Run the flow until it ends; for how many seconds it read."""
        reports, report = os.pipe()
        began: float | None = None
        with self._changing:
            if self._stopping.is_set():
                os.close(reports)
                os.close(report)
                return 0.0
            try:
                assignment = Assignment(self._settings, report, levels())
                # What it prints goes to standard error: standard output is the protocol of `mneme mcp`.
                process = self._process = start("flows.running.member", assignment, (report,), stdout=2)
            except OSError as error:
                os.close(reports)
                os.close(report)
                self._failure = f"it cannot be started ({error.strerror or error}); look at the memory and the processes here"
                log.warning("the flow: %s", self._failure)
                return 0.0
        os.close(report)  # so that its end is the end of the pipe
        reported: str | None = None
        with os.fdopen(reports, "rb") as lines:
            for line in lines:
                message = json.loads(line)
                if message.get("reads"):
                    began, self._failure, self._reads = time.monotonic(), None, True
                reported = message.get("text", reported)
        self._reads = False
        lived = 0.0 if began is None else time.monotonic() - began
        assert process.stdin is not None, "it is a pipe"
        status = process.wait()
        child_ended(process.pid)
        with suppress(BrokenPipeError):
            process.stdin.close()
        if not self._stopping.is_set():
            self._failure = reported or f"the flow ended with status {status}; it is started again"
            log.warning("the flow ended (status %d): %s", status, self._failure)
        return lived
