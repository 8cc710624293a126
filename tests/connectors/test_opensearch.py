import pytest

from connectors.opensearch import OpenSearchIndex
from tests.contracts.memory_index import MemoryIndexContract
from tests.contracts.rows import EMBEDDER


@pytest.fixture
def opensearch(opensearch_settings):
    """Settings with requests so small that every larger write is split."""
    return opensearch_settings.model_copy(update={"bulk_bytes": 10_000, "retry_seconds": 5.0})


@pytest.fixture
def remove_indices(opensearch):
    yield
    index = OpenSearchIndex(opensearch)
    index._client.indices.delete(index=",".join(name for name, _ in index._indices().values()))
    index.close()


@pytest.mark.opensearch
class TestOpenSearchIndex(MemoryIndexContract):
    @pytest.fixture
    def index(self, opensearch, remove_indices):
        index = OpenSearchIndex(opensearch)
        index.prepare(EMBEDDER)
        yield index
        index.close()

    @pytest.fixture
    def reopen(self, opensearch):
        return lambda: OpenSearchIndex(opensearch)
