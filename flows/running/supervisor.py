"""Several processes run the flow as one unit: they begin together, and when one ends the others end and all begin again.

1. Hold the recovery store; every member inherits the lock, so that nobody else begins while one of them still runs.
2. Begin a run, and start the members with its number (flows/running/supervisor.py).
3. When one ends, end the others, for a dataflow goes on with all of its processes or not at all. Tidy the store and go
   to 2: at once, but with doubling pauses while they keep ending early. An error that would come again ends everything.
4. Told to stop, pass it on, and wait until all have settled.
"""

import json
import logging
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from connectors.telemetry.exposition import child_ended
from connectors.telemetry.logs import levels
from flows.lanes.pending import BACKLOGS, reset
from flows.running.child_process import start
from flows.running.kafka import input_partitions
from flows.running.live import Partitions
from flows.running.member import Assignment, Share
from flows.running.open_services import begin_run
from flows.running.process import RunContext
from flows.running.recovery import RecoveryStore
from mneme import errors
from mneme.errors import DiskFull, MnemeError, StoreUnavailable
from mneme.settings import Settings

_LISTEN_SECONDS = 0.1  # after which it is seen that everything is to stop
_DRAIN_SECONDS = 1.0  # for the others to tell why they end too: they notice within 0.2 s that one is gone
_STOP_SECONDS = 3.5  # for a stop in order; only a server that does not answer takes longer
_EARLY_SECONDS = 3.0  # of reading: an event or a store that ends a process at once will do so again
_LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger(__name__)


def supervise(settings: Settings, store: RecoveryStore, stopping: threading.Event, on_ready: Callable[[], None]) -> None:
    """Run the flow from Kafka in ``flow.processes`` processes, until ``stopping``.

    Args:
        settings: where and how.
        store: the recovery store, held by this process.
        stopping: set when the flow is to end.
        on_ready: called when all of them read for the first time.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    partitions = input_partitions(settings.kafka)
    was_whole, early = False, 0
    while not stopping.is_set():
        begun, lived = time.monotonic(), 0.0
        try:
            with Members(settings, begin_run(settings, store, stopping), store.epochs, partitions, store.lock) as members:
                while not (members.all_read or members.gone or stopping.is_set()):
                    members.listen(_LISTEN_SECONDS)
                whole_at = time.monotonic()
                if members.all_read and not was_whole:
                    was_whole = True
                    on_ready()
                elif members.all_read:
                    log.warning("whole again after %.1f s", whole_at - begun)
                while not (members.gone or stopping.is_set()):
                    members.listen(_LISTEN_SECONDS)
                lived = time.monotonic() - whole_at if members.all_read else 0.0
                if stopping.is_set():
                    if members.all_read:  # else there is nothing to settle
                        members.stop(_STOP_SECONDS)
                    return
                members.drain_reports(_DRAIN_SECONDS)
                if (error := members.error()) is not None:
                    raise error
                log.warning("%s; starting all %d again", members.exit_reasons(), settings.flow.processes)
        except StoreUnavailable as error:
            if stopping.is_set():
                return
            if not was_whole or isinstance(error, DiskFull):
                raise
            log.warning("starting all %d again: %s", settings.flow.processes, error)
        early = early + 1 if lived < _EARLY_SECONDS else 0
        stopping.wait(min(2.0 ** (early - 2), _LONGEST_PAUSE_SECONDS) if early > 1 else 0.0)
        store.tidy()


_LONGEST_REPORT = 65_536


@dataclass(slots=True, eq=False)
class _Member:
    """One process, and what it told of itself. ``gone`` when nothing will come any more."""

    number: int
    process: "subprocess.Popen[bytes]"
    unparsed: bytes = b""
    reads: bool = False
    error: MnemeError | None = None
    gone: bool = False

    def take_report(self, report: bytes) -> None:
        """Take in what it told; nothing means that it ended."""
        self.gone = not report
        *lines, self.unparsed = (self.unparsed + report).split(b"\n")
        for line in lines:
            said = json.loads(line)
            self.reads = self.reads or "reads" in said
            if said.get("error"):
                self.error = getattr(errors, said["error"])(said["text"])


class Members(AbstractContextManager["Members"]):
    """The processes of one start. Leaving the context kills those that still run, and returns when all are gone.

    Args:
        settings: theirs; ``flow.processes`` are started.
        run: the number of the run.
        epochs: where the engine keeps its state.
        partitions: what they read together.
        lock: a descriptor that each of them holds until it ends.
    """

    def __init__(self, settings: Settings, run: int, epochs: Path, partitions: Partitions, lock: int) -> None:
        self._members: list[_Member] = []
        with ExitStack() as stack:
            self._selector = stack.enter_context(selectors.DefaultSelector())
            count, addresses = settings.flow.processes, _free_addresses(settings.flow.processes)
            backlogs = tuple(stack.enter_context(tempfile.TemporaryFile()).fileno() for _ in range(BACKLOGS))
            for descriptor in backlogs:
                reset(descriptor, count)
            stack.callback(self._end_all)
            for number in range(count):
                place = RunContext(run, epochs, addresses, number)
                reports, report = os.pipe()
                stack.callback(os.close, reports)
                assignment = Assignment(settings, report, levels(), Share(place, partitions, backlogs))
                inherited = report, *backlogs, lock
                member = _Member(number, start("flows.running.member", assignment, inherited))
                os.close(report)  # so that its end is the end of the pipe
                self._members.append(member)
                self._selector.register(reports, selectors.EVENT_READ, member)
            self._stack = stack.pop_all()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    @property
    def all_read(self) -> bool:
        """Return whether all of them have begun to read."""
        return all(member.reads for member in self._members)

    @property
    def gone(self) -> int:
        """Count those that have ended."""
        return sum(member.gone for member in self._members)

    def listen(self, seconds: float) -> None:
        """Hear what they tell, for at most so long; returns as soon as there is something."""
        for key, _ in self._selector.select(seconds):
            key.data.take_report(os.read(key.fd, _LONGEST_REPORT))
            if key.data.gone:
                self._selector.unregister(key.fd)

    def drain_reports(self, seconds: float) -> None:
        """Hear the last that they have to tell, for at most so long, before they are ended."""
        deadline = time.monotonic() + seconds
        while self.gone < len(self._members) and (left := deadline - time.monotonic()) > 0:
            self.listen(left)

    def stop(self, seconds: float) -> None:
        """Tell them to stop in order, and give them so long."""
        for member in self._members:
            with suppress(BrokenPipeError):
                _standard_input(member).write(b"stop")
        self.drain_reports(seconds)
        if running := len(self._members) - self.gone:
            log.warning("%d processes did not stop within %.0f s and are killed; nothing is lost", running, seconds)

    def error(self) -> MnemeError | None:
        """The first error of ours that one of them told."""
        return next((member.error for member in self._members if member.error is not None), None)

    def exit_reasons(self) -> str:
        """Describe for people how each process ended."""
        said = []
        for member in self._members:
            if member.gone:
                status = member.process.wait()
                how = f"with status {status}" if status >= 0 else f"by {signal.Signals(-status).name}"
                said.append(f"process {member.number + 1} (id {member.process.pid}) ended {how}")
        return ", ".join(said)

    def _end_all(self) -> None:
        for member in self._members:
            member.process.kill()
        for member in self._members:
            member.process.wait()
            child_ended(member.process.pid)
            with suppress(BrokenPipeError):
                _standard_input(member).close()


def _standard_input(member: _Member) -> IO[bytes]:
    assert member.process.stdin is not None, "it is a pipe"
    return member.process.stdin


def _free_addresses(count: int) -> tuple[str, ...]:
    """Addresses on this machine that nobody uses. If one is taken before its process opens it, all are started again."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return tuple(f"127.0.0.1:{probe.getsockname()[1]}" for probe in probes)
