"""``mneme serve`` as a program of its own: as an attacker meets it, and what it costs."""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
_START_SECONDS, _END_SECONDS = 400, 400  # with 20 others beside it a start took more than two minutes


@dataclass(frozen=True)
class ServiceProcess:
    """A service that runs: where it listens, its MNEME_DATA, and the file that it logs to."""

    url: str
    data: Path
    log: Path
    process: psutil.Popen

    @property
    def memory(self) -> int:
        """The bytes that it has in memory now."""
        return int(self.process.memory_info().rss)

    def end(self, seconds: float = _END_SECONDS) -> int:
        """Ask it to end, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return int(self.process.wait(seconds))

    @contextmanager
    def watched(self) -> Iterator["Watch"]:
        """Ask whether it lives, again and again, and look at its memory, until the block ends."""
        watch = Watch(self.memory)
        over = threading.Event()

        def ask() -> None:
            with httpx.Client(base_url=self.url, timeout=60) as client:
                while not over.wait(0.1):
                    assert client.get("/health/live").status_code == 200

        def look() -> None:
            while not over.wait(0.01):
                watch.most = max(watch.most, self.memory)

        threads = [threading.Thread(target=each) for each in (ask, look)]
        for each in threads:
            each.start()
        try:
            yield watch
        finally:
            over.set()
            for each in threads:
                each.join()


@dataclass
class Watch:
    """What was seen: bytes at first and at most."""

    first: int
    most: int = 0

    @property
    def grown(self) -> int:
        """By how many bytes the memory grew at most."""
        return max(0, self.most - self.first)


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """That of a process with its data in a folder, and settings without their prefix."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    own = {"DATA": str(folder / "data"), "CACHE": str(folder / "cache"), "EMBEDDER__PROVIDER": "hash", **settings}
    return kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"} | {f"MNEME_{name}": value for name, value in own.items()}


@contextmanager
def serving(
    folder: Path, umask: int = -1, variables: Mapping[str, str] | None = None, **settings: str
) -> Iterator[ServiceProcess]:
    """Serve on a free port until the block ends, with settings without their prefix, and other variables."""
    log = folder / "serve.log"
    command = [sys.executable, "-m", "serving", "serve", "--port", "0"]
    own = environment(folder, **settings) | dict(variables or {})
    with log.open("wb") as out:
        process = psutil.Popen(command, cwd=folder, env=own, stderr=out, umask=umask)
    try:

        def address() -> str:
            assert process.poll() is None, log.read_text()
            found = re.search(r"Mneme listens on (\S+)", log.read_text())
            return found[1] if found else ""

        yield ServiceProcess(wait_until(address, _START_SECONDS, log.read_text), folder / "data", log, process)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(_END_SECONDS)
            except psutil.TimeoutExpired:
                process.kill()
                process.wait()
