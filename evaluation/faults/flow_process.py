"""``mneme run`` as an operator runs it: a process of its own (or several), that can be killed, frozen and started again.

``mneme serve`` as well, by another ``command``. ``FlowThread`` is the flow in this process, where only what it makes counts.
"""

import json
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, SecretStr

from evaluation.faults.background import Background
from evaluation.faults.with_constants import VARIABLE, changed_constants
from evaluation.process_costs import family_of, resident_bytes
from flows import run
from mneme.errors import StoreError
from mneme.settings import PREFIX, Settings

_LOG_SHOWN = 6000  # characters of its end
_READS = b"Reading "  # what `mneme run` says when broker, index and models are there and reading begins


def environment(settings: Settings) -> dict[str, str]:
    """The environment that gives a process of ``command`` these settings, whatever this process has."""
    clean = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
    constants = {VARIABLE: json.dumps(changed)} if (changed := changed_constants(settings)) else {}
    return clean | constants | dict(_variables(settings, Settings(_env_file=None), PREFIX))


def command(settings: Settings, *words: str, python: str = sys.executable) -> list[str]:
    """The command line ``mneme``, also where constants beside the settings are others than those of the program."""
    module = "evaluation.faults.with_constants" if changed_constants(settings) else "serving"
    return [python, "-m", module, *words]


def _variables(group: BaseModel, default: BaseModel, prefix: str) -> Iterator[tuple[str, str]]:
    for name in type(group).model_fields:
        value, usual = getattr(group, name), getattr(default, name)
        if isinstance(value, BaseModel):
            yield from _variables(value, usual, f"{prefix}{name.upper()}__")
        elif value is not None:  # None cannot be said, and is what is meant where nothing is said
            yield f"{prefix}{name.upper()}", _written(value)


def _written(value: Any) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return json.dumps(value) if isinstance(value, tuple | dict | bool) else str(value)


class RunningFlow(ABC):
    """A flow that runs beside whoever waits for it."""

    @property
    @abstractmethod
    def is_running(self) -> bool:
        """True if it was started and has not ended."""

    @abstractmethod
    def status(self) -> str:
        """Describe its state, for errors."""

    @abstractmethod
    def log(self) -> str:
        """The end of what it printed."""

    def until(
        self,
        condition: Callable[[], bool],
        timeout: float = 90.0,
        poll: float = 0.1,
        progress: Callable[[], object] | None = None,
    ) -> None:
        """Wait for something that the flow does.

        Args:
            condition: what is waited for.
            timeout: how long; where ``progress`` is given, how long without any.
            poll: seconds between two looks.
            progress: its value changes while the flow gets on.

        Raises:
            StoreError: it ended or took too long; with the end of its log.
        """
        end, reached = time.monotonic() + timeout, None
        while not condition():
            if progress is not None and (now := progress()) != reached:
                end, reached = time.monotonic() + timeout, now
            if not self.is_running or time.monotonic() > end:
                raise StoreError(f"the flow ({self.status()}) did not get there in {timeout:.0f} s:\n{self.log()}")
            time.sleep(poll)


class FlowThread(Background, RunningFlow):
    """A flow in a thread of this process, for what it makes: a process of its own takes seconds of a processor to begin.

    Leaving the context stops it in order; what it failed with is raised there.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(partial(run, settings), ends_by_itself=False)

    @property
    def is_running(self) -> bool:
        """True until it has ended."""
        return not self.is_done

    def status(self) -> str:
        """Its failure, or whether it runs."""
        return f"failed: {self.failure!r}" if self.failure else "running" if self.is_running else "ended"

    def log(self) -> str:
        """Nothing: it logs as this process does."""
        return ""


class FlowProcess(RunningFlow):
    """A running flow; leaving the context kills it. What it prints goes to a file in its data folder.

    Args:
        settings: of the flow.
        processes: how many of them; they are one unit under the first.
        command: words after ``mneme``.
        log: the name of the file.
        python: the interpreter that runs it; None for that of this process.
    """

    def __init__(
        self,
        settings: Settings,
        processes: int = 1,
        command: Sequence[str] = ("run",),
        log: str = "run.log",
        python: Path | None = None,
    ) -> None:
        self.processes = processes
        self._settings = settings
        self._command = command
        self._python = str(python or sys.executable)
        self._log = settings.data / log
        self._process: subprocess.Popen[bytes] | None = None
        self._log_before = 0

    def start(self) -> Self:
        """Start it, or start it again after a kill."""
        self._settings.data.mkdir(parents=True, exist_ok=True)
        self._log_before = self._log.stat().st_size if self._log.exists() else 0
        words = (*self._command, *(("--processes", str(self.processes)) if self.processes > 1 else ()))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command(self._settings, *words, python=self._python),
                env=environment(self._settings),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    @property
    def pid(self) -> int:
        """The id of the first process."""
        assert self._process is not None, "start it first"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """True if it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def status(self) -> str:
        """Its exit status; None while it runs."""
        return f"exit status {None if self._process is None else self._process.poll()}"

    def members(self) -> list[int]:
        """The ids of its processes that live now, the first one first."""
        return family_of(self.pid)

    def resident_bytes(self) -> int:
        """Memory that all its processes hold now."""
        return resident_bytes(self.pid)

    def kill(self) -> None:
        """SIGKILL to all of it: no farewell."""
        assert self._process is not None, "start it first"
        for pid in self.members():
            self.signal(signal.SIGKILL, pid)
        self._process.wait()

    def signal(self, number: signal.Signals, pid: int | None = None) -> None:
        """Send a signal to one of its processes, the first if none is named; one that has ended gets none."""
        with suppress(ProcessLookupError):
            os.kill(self.pid if pid is None else pid, number)

    def terminate(self, timeout: float = 20.0) -> int:
        """SIGTERM to the first process, and the exit status."""
        assert self._process is not None, "start it first"
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout)

    def wait(self, timeout: float = 20.0) -> int:
        """Wait for its end; the exit status."""
        assert self._process is not None, "start it first"
        return self._process.wait(timeout)

    def until_reading(self, timeout: float = 180.0) -> None:
        """Wait until it has begun to read, in all its processes: before that a SIGTERM ends it without any order.

        Raises:
            StoreError: it ended or took too long; with the end of its log.
        """
        self.until(lambda: _READS in self._log.read_bytes()[self._log_before :], timeout)

    def log(self) -> str:
        """The end of what it printed."""
        return self._log.read_text(errors="replace")[-_LOG_SHOWN:] if self._log.exists() else ""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        if self.is_running:
            self.kill()
