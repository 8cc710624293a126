"""``mneme serve`` as a program of its own, as an attacker meets it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
_START_SECONDS = 90


@dataclass(frozen=True)
class Served:
    """A service that runs. ``data`` is its MNEME_DATA."""

    url: str
    data: Path
    process: int

    def memory(self) -> int:
        """Bytes that it holds."""
        held: int = psutil.Process(self.process).memory_info().rss
        return held


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """That of a process with its data in a folder, and settings without their prefix."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    own = {"MNEME_DATA": str(folder / "data"), "MNEME_CACHE": str(folder / "cache"), "MNEME_EMBEDDER__PROVIDER": "hash"}
    return kept | own | {"PYTHONPATH": str(ROOT)} | {f"MNEME_{name}": value for name, value in settings.items()}


@contextmanager
def serving(folder: Path, umask: int = -1, **settings: str) -> Iterator[Served]:
    """Serve on a free port until the block ends."""
    log = folder / "serve.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "serving", "serve", "--port", "0"],
            cwd=folder,
            env=environment(folder, **settings) | {"COLUMNS": "200"},
            stderr=out,
            umask=umask,
        )
    try:
        end = time.monotonic() + _START_SECONDS
        while not (found := re.search(r"Mneme listens on (\S+)", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.1)
        yield Served(found[1], folder / "data", process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
