"""``mneme serve`` as a process of its own, for tests of what it costs: its memory, and how soon it says that it lives."""

import os
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

_LISTENS = re.compile(rb"Mneme listens on (http://\S+)")


@dataclass(frozen=True)
class ServiceProcess:
    """A service that runs. ``url`` is where it listens."""

    url: str
    process: psutil.Process

    @property
    def memory(self) -> int:
        """The bytes that it has in memory now."""
        return int(self.process.memory_info().rss)

    @contextmanager
    def watched(self) -> Iterator["Watch"]:
        """Ask whether it lives, again and again, and look at its memory, until the block ends."""
        watch = Watch(self.memory)
        over = threading.Event()

        def ask() -> None:
            with httpx.Client(base_url=self.url, timeout=60) as client:
                while not over.is_set():
                    began = time.perf_counter()
                    assert client.get("/health/live").status_code == 200
                    watch.slowest = max(watch.slowest, time.perf_counter() - began)
                    over.wait(0.01)

        def look() -> None:
            while not over.wait(0.005):
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
    """What was seen: ``slowest`` answer of ``/health/live`` in seconds, bytes at first and at most."""

    first: int
    slowest: float = 0.0
    most: int = 0

    @property
    def grown(self) -> int:
        """By how many bytes the memory grew at most."""
        return max(0, self.most - self.first)


@contextmanager
def serving(folder: Path, **service: Any) -> Iterator[ServiceProcess]:
    """A service that answers and takes nothing in, with settings of the group ``service``, everything in one folder."""
    given = {"port": 0, "intake": "none", "requests_per_minute": 0, "console": "false"} | service
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    settings = {"MNEME_DATA": str(folder), "MNEME_EMBEDDER__PROVIDER": "hash"}
    settings |= {f"MNEME_SERVICE__{name.upper()}": str(value) for name, value in given.items()}
    process = subprocess.Popen([sys.executable, "-m", "serving", "serve"], env=kept | settings, stderr=subprocess.PIPE)
    assert process.stderr is not None, "it is a pipe"
    told = process.stderr
    drained = threading.Thread(target=lambda: deque(told, 0), daemon=True)
    try:
        found = next(filter(None, map(_LISTENS.search, told)))
        drained.start()  # so that it never waits for a reader
        yield ServiceProcess(found[1].decode(), psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait(120)
        drained.join()
        told.close()
