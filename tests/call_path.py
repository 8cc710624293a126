"""The calls between files of ours while something happens, for the tests that hold the house to few of them."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import TypeVar

ROOT = f"{Path(__file__).parents[1]}/"

Calls = set[tuple[str, str]]
"""Files that call and are called, below the root; the caller is empty for a library."""

Given = TypeVar("Given")


def in_a_fresh_process(noted: Callable[[Given], Calls], given: Given) -> Calls:
    """The calls that are noted where nothing was asked for yet: what other tests asked for is remembered, and hides files."""
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        return fresh.submit(noted, given).result()


@contextmanager
def noted_calls(*rooms: str) -> Iterator[Calls]:
    """Note who calls a file of these rooms, in this thread and in those that begin meanwhile.

    A generator counts as called by whoever takes its values. A call from a library counts for the file that called that.
    """
    calls: Calls = set()

    def note(frame: FrameType, what: str, _: object) -> None:
        if what == "call" and (called := _file(frame)).startswith(rooms):
            caller = frame.f_back
            while caller is not None and not _file(caller):
                caller = caller.f_back
            calls.add((_file(caller) if caller is not None else "", called))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def files_of(calls: Calls) -> set[str]:
    """The files that were called."""
    return {called for _, called in calls}


def two_way_pairs(calls: Calls) -> list[tuple[str, str]]:
    """The files that call each other both ways."""
    return [pair for pair in combinations(sorted(files_of(calls)), 2) if calls.issuperset({pair, pair[::-1]})]


def _file(frame: FrameType) -> str:
    """The file of a frame below the root; empty for one of a library."""
    path = frame.f_code.co_filename
    return path.removeprefix(ROOT) if path.startswith(ROOT) and "site-packages" not in path else ""
