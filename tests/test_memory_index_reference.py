"""The reference index keeps the contract that the real ones are held to."""

import pytest

from tests.contracts.isolation import IsolationContract
from tests.contracts.labels import LabelsContract
from tests.contracts.memory_index import MemoryIndexContract
from tests.contracts.rows import EMBEDDER
from tests.memory_index_reference import ReferenceIndex, ReferenceStore


class TestReferenceIndex(MemoryIndexContract):
    @pytest.fixture
    def store(self):
        return ReferenceStore()

    @pytest.fixture
    def index(self, store):
        index = ReferenceIndex(store)
        index.prepare(EMBEDDER)
        return index

    @pytest.fixture
    def reopen(self, store):
        return lambda: ReferenceIndex(store)


class TestReferenceIsolation(IsolationContract):
    @pytest.fixture
    def index(self):
        index = ReferenceIndex()
        index.prepare(EMBEDDER)
        return index


class TestReferenceLabels(LabelsContract):
    @pytest.fixture
    def index(self):
        index = ReferenceIndex()
        index.prepare(EMBEDDER)
        return index
