"""What a benchmark left on servers is dropped, and nothing else."""

import time

import pytest

from connectors.kafka.client import create_topics, partitions_of
from connectors.opensearch.client import open_client
from connectors.opensearch.index import OpenSearchIndex
from evaluation.own_index import delete_topics, drop_indices
from mneme.errors import StoreRejected
from mneme.settings import Kafka
from tests.contracts.rows import EMBEDDER


@pytest.mark.kafka
def test_topics_are_deleted_and_what_is_not_there_is_no_error(kafka_settings: Kafka):
    create_topics(kafka_settings)
    topic = kafka_settings.topics.messages
    delete_topics(kafka_settings, [topic, "never-made"])
    until = time.monotonic() + 120  # the broker tells of it when it has done it
    while not is_gone(kafka_settings, topic):
        assert time.monotonic() < until


def is_gone(settings: Kafka, topic: str) -> bool:
    try:
        return not partitions_of(settings, topic)
    except StoreRejected:
        return True


@pytest.mark.opensearch
def test_all_indices_of_a_prefix_are_dropped_and_no_others(opensearch_settings):
    kept = opensearch_settings.model_copy(update={"index_prefix": f"{opensearch_settings.index_prefix}x"})
    for settings in (opensearch_settings, kept):
        index = OpenSearchIndex(settings)
        index.prepare(EMBEDDER)
        index.close()
    client = open_client(opensearch_settings)
    drop_indices(opensearch_settings)
    drop_indices(opensearch_settings)  # of which there are none any more
    assert not client.indices.get(index=f"{opensearch_settings.index_prefix}-*")
    assert client.indices.get(index=f"{kept.index_prefix}-*")
    drop_indices(kept)
    client.close()
