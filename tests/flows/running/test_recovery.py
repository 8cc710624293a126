"""The recovery store: one runner, one index, and runs that only grow; and what is said when a part of it is gone."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Literal
from unittest.mock import Mock

import pytest

from flows.engines.bytewax import make_store
from flows.runner import recovery_store
from flows.running import recovery
from flows.running.recovery import RecoveryStore, WriteMark
from mneme.errors import DiskFull, StoreRejected, StoreUnavailable
from mneme.ports import Put
from mneme.rows import Embedding, row_of
from mneme.settings import Index, Settings
from tests.flows.river import IDENTITY, START, embed, message
from tests.memory_index_reference import ReferenceIndex


@pytest.fixture
def index() -> ReferenceIndex:
    index = ReferenceIndex()
    index.prepare(IDENTITY)
    return index


def test_a_second_runner_on_the_same_store_is_refused(tmp_path: Path) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2), pytest.raises(StoreRejected, match="another Mneme runs"):
        RecoveryStore(tmp_path, "kafka", 256, 2)
    RecoveryStore(tmp_path, "kafka", 256, 2).__exit__(None, None, None)


def test_runs_grow_with_every_start_also_over_different_stores(tmp_path: Path, index: ReferenceIndex) -> None:
    runs = []
    for name in ("kafka", "kafka", "files", "kafka"):
        with RecoveryStore(tmp_path / name, name, 256, 2) as store:
            runs.append(store.begin_run(index, adopt=False))
    assert runs == [1, 2, 3, 4]


def test_a_populated_index_of_another_store_is_refused_unless_told(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path / "old", "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    index.write([Put(row_of(message(0, "hello").message, Embedding(embed(["hello"])[0])))])
    index.refresh()
    with RecoveryStore(tmp_path / "new", "kafka", 256, 2) as store:
        with pytest.raises(StoreRejected, match="MNEME_FLOW__ADOPT_INDEX"):
            store.begin_run(index, adopt=False)
        assert store.begin_run(index, adopt=True) == 2


@pytest.mark.parametrize(
    ("backend", "name", "files"),
    [("embedded", "files", 1), ("embedded", "kafka", 1), ("opensearch", "files", 1), ("opensearch", "kafka", 16)],
)
def test_where_one_process_writes_the_state_is_one_file(
    tmp_path: Path, index: ReferenceIndex, backend: Literal["embedded", "opensearch"], name: str, files: int
) -> None:
    settings = Settings(_env_file=None).model_copy(update={"data": tmp_path, "index": Index(backend=backend)})
    with recovery_store(settings, name) as store:
        store.begin_run(index, adopt=False)
        assert len(list(store.epochs.glob("part-*.sqlite3"))) == files


def test_an_empty_index_may_be_taken_over(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path / "old", "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    with RecoveryStore(tmp_path / "new", "kafka", 256, 2) as store:
        assert store.begin_run(index, adopt=False) == 2


def test_of_two_flows_that_take_over_an_empty_index_at_once_the_first_is_refused_with_its_first_write(
    tmp_path: Path, index: ReferenceIndex
) -> None:
    with RecoveryStore(tmp_path / "one", "kafka", 256, 2) as one, RecoveryStore(tmp_path / "two", "kafka", 256, 2) as two:
        one.begin_run(index, adopt=False)
        two.begin_run(index, adopt=False)
        WriteMark(index, tmp_path / "two", 0).wrote()
        with pytest.raises(StoreRejected, match=r"another flow has begun on this index.*ADOPT_INDEX"):
            WriteMark(index, tmp_path / "one", 0).wrote()


def test_a_flow_is_refused_as_soon_as_another_one_has_taken_over_its_index(
    tmp_path: Path, index: ReferenceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_BETWEEN_MARKS_SECONDS", 0.0)
    with RecoveryStore(tmp_path / "one", "kafka", 256, 2) as one, RecoveryStore(tmp_path / "two", "kafka", 256, 2) as two:
        one.begin_run(index, adopt=False)
        mark = WriteMark(index, tmp_path / "one", 0)
        mark.wrote()
        two.begin_run(index, adopt=True)
        with pytest.raises(StoreRejected, match="another flow has begun on this index"):
            mark.wrote()


def test_an_index_that_is_older_than_its_store_is_refused_unless_told(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    backup = index.metadata()
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    index.set_metadata(backup)
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        with pytest.raises(StoreRejected, match=r"has not seen run 2.*rebuild --from topics.*MNEME_FLOW__ADOPT_INDEX"):
            store.begin_run(index, adopt=False)
        assert store.begin_run(index, adopt=True) == 3


def test_an_index_from_an_earlier_moment_of_the_same_run_is_refused_unless_told(
    tmp_path: Path, index: ReferenceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(START + timedelta(minutes=number) for number in range(9))
    monkeypatch.setattr(recovery, "utc_now", lambda: next(moments))
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    mark = WriteMark(index, tmp_path, 0)
    mark.wrote()
    mark.set()
    backup = index.metadata()
    mark.set()
    assert index.metadata() == backup, "nothing was written since"
    monkeypatch.setattr(recovery, "_BETWEEN_MARKS_SECONDS", 0.0)
    mark.wrote()
    index.set_metadata(backup)
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        with pytest.raises(StoreRejected, match=r"has not seen what was written until 2026-03-02T09:01.*rebuild --from topics"):
            store.begin_run(index, adopt=False)
        assert store.begin_run(index, adopt=True) == 2
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        assert store.begin_run(index, adopt=False) == 3, "it is said once"


def test_a_flow_that_writes_while_the_doctor_looks_is_no_older_index(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        run = store.begin_run(index, adopt=False)
    mark = WriteMark(index, tmp_path, 0)

    def metadata() -> dict[str, str]:
        mark.wrote()
        mark.set()
        return index.metadata()

    assert recovery.why_index_is_older(tmp_path, run, metadata) is None
    assert recovery.why_index_is_older(tmp_path, run, metadata) is None


def test_a_mark_that_the_index_does_not_take_is_set_later(
    tmp_path: Path, index: ReferenceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    mark = WriteMark(index, tmp_path, 0)
    for call in ("metadata", "set_metadata"):
        with monkeypatch.context() as away:
            away.setattr(index, call, Mock(side_effect=StoreUnavailable("no node answers")))
            mark.wrote()
            mark.set()
    assert not list(tmp_path.glob("*.written")), "the index learns of it first"
    mark.set()
    assert {file.read_text() for file in tmp_path.glob("*.written")} < {*index.metadata().values()}


def test_an_empty_index_in_place_of_the_one_that_was_filled_is_refused(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    with (
        RecoveryStore(tmp_path, "kafka", 256, 2) as store,
        pytest.raises(StoreRejected, match="what the flow read since is missing"),
    ):
        store.begin_run(ReferenceIndex(), adopt=False)


def test_a_start_that_was_killed_halfway_is_repeated(
    tmp_path: Path, index: ReferenceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    with monkeypatch.context() as killed:
        killed.setattr(index, "set_metadata", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt), RecoveryStore(tmp_path, "kafka", 256, 2) as store:
            store.begin_run(index, adopt=False)
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        assert store.begin_run(index, adopt=False) == 2


def test_a_damaged_store_says_so(tmp_path: Path) -> None:
    (tmp_path / "mneme.json").write_text("{")
    with pytest.raises(StoreRejected, match="damaged"):
        RecoveryStore(tmp_path, "kafka", 256, 2)


def test_states_keyed_into_another_number_of_buckets_are_refused(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
    with pytest.raises(StoreRejected, match=r"keyed into 256 buckets.*has 128.*rebuild"):
        RecoveryStore(tmp_path, "kafka", 128, 2)


def test_whoever_inherits_the_lock_holds_the_store_until_it_ends(tmp_path: Path) -> None:
    store = RecoveryStore(tmp_path, "kafka", 256, 2)
    heir = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=(store.lock,)
    )
    store.__exit__(None, None, None)
    with pytest.raises(StoreRejected, match="another Mneme runs"):
        RecoveryStore(tmp_path, "kafka", 256, 2)
    heir.send_signal(signal.SIGKILL)
    heir.communicate()
    RecoveryStore(tmp_path, "kafka", 256, 2).__exit__(None, None, None)


@pytest.fixture
def begun(tmp_path: Path, index: ReferenceIndex) -> Path:
    """A store on which a flow has begun."""
    with RecoveryStore(tmp_path / "store", "kafka", 256, 2) as store:
        store.begin_run(index, adopt=False)
        execution = "INSERT INTO exs (ex_num, worker_count, resume_epoch) VALUES (0, 1, 1)"
        with closing(sqlite3.connect(store.epochs / "part-0.sqlite3")) as connection, connection:
            connection.execute(execution)
    return tmp_path / "store"


@pytest.mark.parametrize("part", ["mneme.json", "epochs"])
def test_a_store_without_its_number_or_its_states_is_refused_with_the_remedy(begun: Path, part: str) -> None:
    (begun / part).rename(begun / "away")
    with pytest.raises(StoreRejected, match=rf"{part} is missing.*restore .*MNEME_FLOW__ADOPT_INDEX=true"):
        RecoveryStore(begun, "kafka", 256, 2)


def test_a_store_whose_files_were_made_when_its_process_died_is_used(tmp_path: Path, index: ReferenceIndex) -> None:
    make_store(tmp_path / "epochs", 2)  # and mneme.json would have been next
    with RecoveryStore(tmp_path, "kafka", 256, 2) as store:
        assert store.begin_run(index, adopt=False) == 1


def test_a_refused_store_is_not_held(begun: Path) -> None:
    (begun / "epochs" / "part-1.sqlite3").rename(begun / "away")
    with pytest.raises(StoreRejected, match=r"part-1\.sqlite3"):
        RecoveryStore(begun, "kafka", 256, 2)
    (begun / "away").rename(begun / "epochs" / "part-1.sqlite3")
    RecoveryStore(begun, "kafka", 256, 2).__exit__(None, None, None)


def test_no_room_for_the_number_of_the_run_is_said(begun: Path, index: ReferenceIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with RecoveryStore(begun, "kafka", 256, 2) as store:
        monkeypatch.setattr("flows.running.recovery.replace_json", no_room)
        with pytest.raises(DiskFull, match=r"no space left.*make room there"):
            store.begin_run(index, adopt=False)
