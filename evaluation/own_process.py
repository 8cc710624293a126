"""A measurement in a process of its own, which tells no other's memory, and what is looked at while it runs."""

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psutil

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_a_process(work: Callable[[Task, float], Result], task: Task) -> Result:
    """The result of ``work`` in a new process; it is told when that was started (``time.time``)."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(work, task, time.time()).result()


@contextmanager
def every(seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Act at the beginning of the block and again and again while it runs."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            act()

    act()
    thread = threading.Thread(target=repeat, name="every", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def size_of(folder: Path) -> int:
    """Bytes of a folder's files, some of which may be gone while they are counted."""
    total = 0
    for path in folder.glob("**/*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def resident_megabytes() -> float:
    """The memory of this process."""
    return float(psutil.Process().memory_info().rss) / 1e6
