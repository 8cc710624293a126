"""Bytewax's files, made by the real Bytewax: what is tidied away, and what is said of files that cannot be used."""

import os
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import bytewax.operators as op
import pytest
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource

from flows.engines.bytewax import execute, make_store
from flows.running.store_files import is_used, store_error, tidy
from mneme.errors import DiskFull, StoreRejected, StoreUnavailable

PARTITIONS = 2


class Remembers(op.StatefulBatchLogic[str, str, bytes]):
    """A step whose state is the last word that it heard; the word "gone" discards it."""

    def __init__(self, state: bytes | None) -> None:
        self._state = state or b"nothing"

    def on_batch(self, values: list[str]) -> tuple[list[str], bool]:
        heard = [f"{self._state.decode()} {value}" for value in values]
        self._state = values[-1].encode()
        return heard, values[-1] == "gone"

    def snapshot(self) -> bytes:
        return self._state


def run(store: Path, events: list[Any], out: list[Any] | None = None) -> None:
    """A flow over all events; each is an epoch of its own."""
    flow = Dataflow("test")
    source = op.input("in", flow, TestingSource(events, batch_size=1))
    op.output("out", op.stateful_batch("remember", source, Remembers), TestingSink([] if out is None else out))
    execute(flow, store, epoch_seconds=0, partitions=PARTITIONS)


def snapshots(store: Path) -> list[tuple[str, int, bytes | None]]:
    """Key, epoch and value of every row of the step."""
    rows = []
    for file in sorted(store.glob("part-*.sqlite3")):
        with closing(sqlite3.connect(file)) as connection:
            query = "SELECT state_key, snap_epoch, ser_change FROM snaps WHERE step_id LIKE '%remember'"
            rows += connection.execute(query).fetchall()
    return sorted(rows)


def bytes_of(store: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(store.iterdir()))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "recovery" / "epochs"


def test_what_is_superseded_or_discarded_leaves_no_row_and_no_byte(store: Path) -> None:
    long = [("ann", "ZANZIBAR" * 2000), ("bob", "QUICKSILVER" * 2000), ("ann", "tea"), ("bob", "gone")]
    run(store, long)
    words = b"ZANZIBAR", b"QUICKSILVER"
    assert all(word in bytes_of(store) for word in words), "else this test would prove nothing"
    tidy(store)
    assert [key for key, _, _ in snapshots(store)] == ["ann"]
    assert not any(word in bytes_of(store) for word in words)
    assert not list(store.glob("*-wal")), "the write-ahead log is gone with them"
    out: list[str] = []
    run(store, [*long, ("ann", "x"), ("bob", "y")], out)
    assert out == [("ann", "tea x"), ("bob", "nothing y")], "nothing else is gone"


def test_what_was_written_of_an_epoch_that_did_not_end_is_taken_away(store: Path) -> None:
    run(store, [("ann", "one"), ("ann", "two")])
    before = snapshots(store)
    epoch = max(epoch for _, epoch, _ in before)
    for file in store.glob("part-*.sqlite3"):  # a process died after its state was written, and before the epoch had ended
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(
                "INSERT INTO snaps (step_id, state_key, snap_epoch, ser_change) "
                "SELECT step_id, state_key, ?, ser_change FROM snaps WHERE step_id LIKE '%remember'",
                (epoch + 50,),
            )
    assert snapshots(store) != before
    tidy(store)
    assert [(key, epoch) for key, epoch, _ in snapshots(store)] == [("ann", epoch)]


def test_a_store_that_a_killed_flow_left_is_tidied_and_goes_on(store: Path) -> None:
    events: list[Any] = [("ann", "one"), ("ann", "two"), TestingSource.ABORT(), ("ann", "three")]
    run(store, events)
    tidy(store)
    out: list[str] = []
    run(store, events, out)
    assert out[-1] == ("ann", "two three")


def test_a_tidied_store_is_small_whatever_it_has_seen(store: Path) -> None:
    run(store, [(f"conversation {number}", word) for number in range(300) for word in ("hello", "gone")])
    assert len(snapshots(store)) == 300
    tidy(store)
    assert snapshots(store) == []
    make_store(store.with_name("new"), PARTITIONS)
    assert len(bytes_of(store)) <= len(bytes_of(store.with_name("new")))


def test_files_are_used_once_a_flow_has_begun(store: Path) -> None:
    make_store(store, PARTITIONS)
    assert not is_used(store)
    tidy(store)
    run(store, [("ann", "one")])
    assert is_used(store)


@pytest.fixture
def damaged(store: Path) -> Path:
    run(store, [("ann", "one")])
    return store


@pytest.mark.parametrize("missing", ["part-1.sqlite3", "part-0.sqlite3, part-1.sqlite3"])
def test_a_file_that_is_missing_is_named_with_the_remedy(damaged: Path, missing: str) -> None:
    for name in missing.split(", "):
        (damaged / name).unlink()
    first = re.escape(missing.split(", ")[0])
    with pytest.raises(StoreRejected, match=rf"lacks {first}.*restore .*MNEME_FLOW__ADOPT_INDEX=true"):
        tidy(damaged)


@pytest.mark.parametrize("harm", ["cut off", "not a database", "empty", "overwritten in the middle"])
def test_a_damaged_file_is_named_with_the_remedy(damaged: Path, harm: str) -> None:
    file = damaged / "part-0.sqlite3"
    content = file.read_bytes()
    file.write_bytes(
        {
            "cut off": content[: len(content) // 2],
            "not a database": b"hello" * 4000,
            "empty": b"",
            "overwritten in the middle": content[:4096] + b"\xff" * 8192 + content[12288:],
        }[harm]
    )
    with pytest.raises(StoreRejected, match=r"part-0\.sqlite3.*restore .*remove"):
        tidy(damaged)


def test_what_the_engine_says_of_the_store_is_said_in_our_words(store: Path) -> None:
    make_store(store, PARTITIONS)
    full = RuntimeError(
        "called `Result::unwrap()` on an `Err` value: SqliteFailure(Error { code: DiskFull, extended_code: 13 })"
    )
    assert isinstance(store_error(store, full), DiskFull)
    unwritable = store_error(store, RuntimeError("SqliteFailure(Error { code: ReadOnly, extended_code: 8 })"))
    assert isinstance(unwritable, StoreUnavailable)
    assert not isinstance(unwritable, DiskFull)
    assert store_error(store, RuntimeError("something else")) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small volume")
def test_a_volume_without_room_is_said_and_with_room_again_nothing_is_lost(tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    volume.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", volume], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this machine does not let a volume be mounted")
    try:
        store = volume / "epochs"
        run(store, [("ann", "one")])
        filler = volume / "filler"
        with pytest.raises(OSError, match="No space"):
            filler.write_bytes(b"x" * 2_000_000)
        events = [("ann", "one"), *[(f"key {number}", "x" * 20_000) for number in range(40)], ("ann", "two")]
        with pytest.raises(Exception) as failure:  # noqa: PT011  it is whatever the engine makes of it
            run(store, events)
        assert isinstance(store_error(store, failure.value), DiskFull)
        filler.unlink()
        tidy(store)
        out: list[Any] = []
        run(store, [("ann", "one"), ("ann", "two")], out)
        assert out == [("ann", "one two")]
    finally:
        subprocess.run(["umount", volume], check=True)
