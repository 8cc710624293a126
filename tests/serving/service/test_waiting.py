"""Many wait, one looks."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from mneme.errors import StoreRejected, StoreUnavailable
from mneme.receipts import flush_marker
from mneme.rows import Key, Row
from serving.service.waiting import RowWaiter

SECONDS = 120.0


class Index:
    """Rows that appear when they are told to, and who looks for them."""

    def __init__(self) -> None:
        self.rows: dict[Key, Row] = {}
        self.looks = 0
        self.at_once = 0
        self.error: Exception | None = None
        self.was_asked = threading.Event()

    def read(self, keys: Sequence[Key]) -> dict[Key, Row]:
        self.at_once += 1
        assert self.at_once == 1, "one looks at a time"
        try:
            self.looks += 1
            self.was_asked.set()
            if self.error is not None:
                raise self.error
            return {key: self.rows[key] for key in keys if key in self.rows}
        finally:
            self.at_once -= 1

    def write(self, name: str) -> Key:
        row = flush_marker("default", name, datetime.now(UTC))
        self.rows[row.key] = row
        return row.key


def key(name: str) -> Key:
    return flush_marker("default", name, datetime.now(UTC)).key


def test_what_is_there_is_returned_at_the_first_look():
    index = Index()
    there = index.write("f1")
    assert set(RowWaiter(index.read).wait([there], 0)) == {there}
    assert index.looks == 1


def test_what_is_not_there_in_time_is_left_out():
    index = Index()
    there = index.write("f1")
    assert set(RowWaiter(index.read).wait([there, key("f2")], 0.1)) == {there}


def test_everybody_gets_what_he_waits_for():
    index = Index()
    waiting = RowWaiter(index.read)
    with ThreadPoolExecutor(20) as pool:
        waits = [pool.submit(waiting.wait, [key(f"f{number}"), key("all")], SECONDS) for number in range(20)]
        for number in range(20):
            index.write(f"f{number}")
        index.write("all")
        assert [len(wait.result()) for wait in waits] == [2] * 20


def test_an_index_that_is_not_there_yet_is_waited_for():
    index = Index()
    index.error = StoreUnavailable("no index yet")
    waiting = RowWaiter(index.read)
    with ThreadPoolExecutor(1) as pool:
        wait = pool.submit(waiting.wait, [index.write("f1")], SECONDS)
        assert index.was_asked.wait(SECONDS)
        index.error = None
        assert wait.result()
    index.error = StoreUnavailable("out of reach")
    with pytest.raises(StoreUnavailable, match="out of reach"):
        waiting.wait([key("f2")], 0.05)


def test_what_cannot_be_looked_for_is_told_to_all():
    index = Index()
    index.error = StoreRejected("another embedder")
    waiting = RowWaiter(index.read)
    with ThreadPoolExecutor(3) as pool:
        waits = [pool.submit(waiting.wait, [key("f1")], SECONDS) for _ in range(3)]
        assert all(isinstance(wait.exception(), StoreRejected) for wait in waits)


def test_nobody_waits_any_longer_at_the_end():
    index = Index()
    waiting = RowWaiter(index.read)
    with ThreadPoolExecutor(4) as pool:
        waits = [pool.submit(waiting.wait, [key("never")], SECONDS * 100) for _ in range(4)]
        assert index.was_asked.wait(SECONDS)
        waiting.end()
        assert [wait.result(SECONDS) for wait in waits] == [{}] * 4
