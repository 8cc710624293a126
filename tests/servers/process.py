"""A real server as a child process that tests can start, stop, kill, pause and start again on the same data."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

# Ends a server whose test run was killed: the pipe closes with the run, and `read` returns.
_WATCHDOG = 'read _; kill -9 "$1"; rm -rf "$2"'


def cache_directory() -> Path:
    """Downloads, and files that take seconds to make, once for a machine: ``$MNEME_TEST_CACHE`` or ``~/.cache/mneme-tests``."""
    return Path(os.environ.get("MNEME_TEST_CACHE") or Path.home() / ".cache" / "mneme-tests")


@contextmanager
def exclusive(directory: Path) -> Iterator[Path]:
    """Hold a directory's file lock, so that two runs do not fetch into it at once."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield directory


def fetch_jars(pom: Path, directory: Path) -> None:
    """Resolve the dependencies of a pom into a directory. ``$MVN_ARGS`` adds words to the command.

    Raises:
        RuntimeError: Maven or a JDK is missing.
    """
    if missing := [tool for tool in ("mvn", "java", "javac") if shutil.which(tool) is None]:
        raise RuntimeError(
            f"no {' and no '.join(missing)} on the PATH: install Maven and a JDK (17 or newer), "
            "or name running servers in MNEME_TEST_KAFKA and MNEME_TEST_OPENSEARCH"
        )
    command = ["mvn", "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    command += [f"-DoutputDirectory={directory}", *os.environ.get("MVN_ARGS", "").split()]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server(ABC):
    """One server on 127.0.0.1, a context manager. Port and data stay the same over restarts.

    Without ``data`` it has a temporary directory, removed at the end. A server that is not ``detached`` ends with
    the process that started it, however that ends.
    """

    name: str

    def __init__(
        self, port: int = 0, data: Path | None = None, java_options: Sequence[str] = (), detached: bool = False
    ) -> None:
        self.port = port or free_port()
        self.temporary = data is None
        self.data = (data or Path(tempfile.mkdtemp(prefix=f"mneme-{self.name}-"))).absolute()
        self.java_options = tuple(java_options)
        self.detached = detached
        self.process: subprocess.Popen[bytes] | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """Write the configuration into ``data`` and return the command that runs the server."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether it answers requests."""

    @property
    def compiler_options(self) -> list[str]:
        """For Java: a server that lives for some tests is not worth the optimising compiler, which takes half of its time."""
        return [] if self.detached else ["-XX:TieredStopAtLevel=1"]

    @property
    def log(self) -> Path:
        """What the server printed."""
        return self.data / "server.log"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self.process is not None, f"{self.name} is not started"
        return self.process.pid

    def start(self, timeout: float = 120.0) -> Self:
        """Start it and wait until it is ready.

        Raises:
            RuntimeError: it ended or was not ready in time; with the end of its log.
        """
        self.data.mkdir(parents=True, exist_ok=True)
        command = self.command()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.data, start_new_session=True
            )
        if not self.detached:
            doomed = str(self.data) if self.temporary else ""
            self._watchdog = subprocess.Popen(
                ["sh", "-c", _WATCHDOG, "sh", str(self.pid), doomed], stdin=subprocess.PIPE, start_new_session=True
            )
        deadline = time.monotonic() + timeout
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                tail = self.log.read_text(errors="replace")[-4000:]
                self.kill()
                raise RuntimeError(f"{self.name} did not start:\n{tail}")
            time.sleep(0.05)
        return self

    def stop(self, grace: float = 30.0) -> None:
        """End it in order; killed when that takes longer than ``grace`` seconds. Its data stays."""
        if self.process is not None and self.process.poll() is None:
            self._signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(grace)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._reap()

    def kill(self) -> None:
        """``kill -9``: a crash. Its data stays."""
        if self.process is not None:
            self.process.kill()
        self._reap()

    def pause(self) -> None:
        """SIGSTOP: connections stay open and nothing answers, once this returns."""
        self._signal(signal.SIGSTOP)
        assert self.process is not None
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def resume(self) -> None:
        """SIGCONT after ``pause``."""
        self._signal(signal.SIGCONT)

    def wipe(self) -> None:
        """Remove its data."""
        shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self.temporary:
            self.kill()
            self.wipe()
        else:
            self.stop()

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None, f"{self.name} is not started"
        self.process.send_signal(number)

    def _reap(self) -> None:
        if self.process is not None:
            self.process.wait()
        if self._watchdog is not None:
            self._watchdog.kill()
            self._watchdog.wait()
            assert self._watchdog.stdin is not None
            self._watchdog.stdin.close()
            self._watchdog = None
