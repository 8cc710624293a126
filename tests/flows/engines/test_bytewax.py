"""The dataflow on the real Bytewax: what was settled is not done again, what was not is, and conversations go on."""

from collections import deque
from itertools import count
from pathlib import Path

import pytest
from bytewax._bytewax import AbortExecution

from flows.engines.bytewax import build, execute, make_store
from flows.engines.dataflow import Dataflow
from tests.contracts.engine import EngineContract, dataflow
from tests.flows.river import contents
from tests.memory_index_reference import ReferenceIndex


class TestBytewax(EngineContract):
    dies = AbortExecution

    @pytest.fixture(autouse=True)
    def new_store(self, tmp_path: Path) -> None:
        self.stores = (tmp_path / f"epochs{number}" for number in count())
        self.forget()

    def forget(self) -> None:
        self.store = next(self.stores)

    def drive(self, flow: Dataflow) -> None:
        execute(build(flow), self.store, epoch_seconds=0, partitions=2)


def test_a_store_that_was_half_made_when_the_process_died_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "epochs.draft").mkdir()
    (tmp_path / "epochs.draft" / "part-0.sqlite3").write_bytes(b"half")
    index = ReferenceIndex()
    make_store(tmp_path / "epochs", 2)
    execute(build(dataflow(index, 1, deque(), AbortExecution)), tmp_path / "epochs", epoch_seconds=0, partitions=2)
    assert len(contents(index)) > 5
