"""The contract of engines, by one that is nothing else."""

import pytest

from flows.engines.dataflow import Dataflow
from tests.contracts.engine import EngineContract
from tests.flows.engines.in_memory import InMemoryEngine


class Died(Exception):
    """The process dies."""


class TestInMemory(EngineContract):
    dies = Died

    @pytest.fixture(autouse=True)
    def new_store(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.engine = InMemoryEngine()

    def drive(self, flow: Dataflow) -> None:
        self.engine.run(flow)
