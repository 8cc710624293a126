"""The embedded index: the contract of every index, and what is LanceDB's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from connectors.lancedb import LanceIndex
from tests.contracts.memory_index import MemoryIndexContract
from tests.contracts.rows import EMBEDDER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def writer(folder: Path) -> Iterator[LanceIndex]:
    index = LanceIndex(folder)
    index.prepare(EMBEDDER)
    yield index
    index.close()


class TestLanceIndex(MemoryIndexContract):
    @pytest.fixture
    def index(self, writer: LanceIndex) -> LanceIndex:
        return writer

    @pytest.fixture
    def reopen(self, folder: Path) -> Callable[[], LanceIndex]:
        return lambda: LanceIndex(folder, read_only=True)
