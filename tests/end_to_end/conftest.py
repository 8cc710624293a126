"""A deployment on the shared servers, and its index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from mneme.ports import MemoryIndex
from mneme.settings import EmbedderSettings, Kafka, OpenSearch, Settings
from tests.end_to_end.flow_process import settings_for


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> Settings:
    """Those of a deployment of the test's own, with vectors of hashed tokens."""
    create_topics(kafka_settings)
    return settings_for(tmp_path / "kafka", kafka_settings, opensearch_settings, embedder=EmbedderSettings(provider="hash"))


@pytest.fixture
def index(settings: Settings) -> Iterator[MemoryIndex]:
    """The index of that deployment."""
    index = open_index(settings)
    yield index
    index.close()
