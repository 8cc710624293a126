"""The recovery store: one runner, one index, and runs that only grow."""

from pathlib import Path

import pytest

from flows.recovery import RecoveryStore
from mneme.errors import StoreRejected
from mneme.ports import Put
from mneme.rows import row_of
from tests.flows.river import IDENTITY, embed, message
from tests.memory_index_reference import ReferenceIndex


@pytest.fixture
def index() -> ReferenceIndex:
    index = ReferenceIndex()
    index.prepare(IDENTITY)
    return index


def test_a_second_runner_on_the_same_store_is_refused(tmp_path: Path) -> None:
    with RecoveryStore(tmp_path, "kafka", 256), pytest.raises(StoreRejected, match="another Mneme runs"):
        RecoveryStore(tmp_path, "kafka", 256)
    RecoveryStore(tmp_path, "kafka", 256).__exit__(None, None, None)


def test_runs_grow_with_every_start_also_over_different_stores(tmp_path: Path, index: ReferenceIndex) -> None:
    runs = []
    for name in ("kafka", "kafka", "files", "kafka"):
        with RecoveryStore(tmp_path / name, name, 256) as store:
            runs.append(store.begin_run(index, adopt=False))
    assert runs == [1, 2, 3, 4]


def test_a_populated_index_of_another_store_is_refused_unless_told(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path / "old", "kafka", 256) as store:
        store.begin_run(index, adopt=False)
    index.write([Put(row_of(message(0, "hello").message, embed(["hello"])[0]))])
    index.refresh()
    with RecoveryStore(tmp_path / "new", "kafka", 256) as store:
        with pytest.raises(StoreRejected, match="MNEME_FLOW__ADOPT_INDEX"):
            store.begin_run(index, adopt=False)
        assert store.begin_run(index, adopt=True) == 2


def test_an_empty_index_may_be_taken_over(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path / "old", "kafka", 256) as store:
        store.begin_run(index, adopt=False)
    with RecoveryStore(tmp_path / "new", "kafka", 256) as store:
        assert store.begin_run(index, adopt=False) == 2


def test_a_damaged_store_says_so(tmp_path: Path) -> None:
    (tmp_path / "mneme.json").write_text("{")
    with pytest.raises(StoreRejected, match="damaged"):
        RecoveryStore(tmp_path, "kafka", 256)


def test_states_keyed_into_another_number_of_buckets_are_refused(tmp_path: Path, index: ReferenceIndex) -> None:
    with RecoveryStore(tmp_path, "kafka", 256) as store:
        store.begin_run(index, adopt=False)
    with pytest.raises(StoreRejected, match="MNEME_FLOW__BUCKETS=256"):
        RecoveryStore(tmp_path, "kafka", 128)
