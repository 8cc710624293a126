"""The doctor and the status at real servers: what is set up is ready, what is not is named."""

from pathlib import Path

import pytest
from kafka.admin import ConfigResource, ConfigResourceType

from connectors.kafka.client import administering, create_topics
from mneme.settings import Kafka, OpenSearch, Settings
from serving.checks import is_fit
from serving.checks.servers import index, kafka
from serving.status import local_status
from tests.waiting import wait_until


@pytest.mark.kafka
def test_topics_are_missing_until_they_are_made(kafka_settings: Kafka):
    settings = Settings.model_validate({"index": {"backend": "opensearch"}, "kafka": kafka_settings})
    before = {check.name: check for check in kafka(settings)}
    assert before["broker"].state == "ready"
    assert "`mneme run` makes it" in before[kafka_settings.topics.messages].remedy
    create_topics(kafka_settings)
    wait_until(lambda: is_fit(list(kafka(settings))))  # a broker tells of a new topic a moment later
    assert {check.state for check in kafka(settings)} == {"ready"}


@pytest.mark.kafka
def test_a_topic_of_which_kafka_keeps_only_the_last_event_of_each_key_is_named(kafka_settings: Kafka):
    create_topics(kafka_settings)
    topic = kafka_settings.topics.messages
    with administering(kafka_settings, "letting it compact") as admin:
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"cleanup.policy": "compact"})])
    settings = Settings.model_validate({"index": {"backend": "opensearch"}, "kafka": kafka_settings})
    (check,) = (check for check in kafka(settings) if check.name == topic)
    assert check.state == "partly"
    assert "cleanup.policy=delete" in check.remedy


@pytest.mark.opensearch
def test_a_cluster_without_memories_is_fit_and_told(opensearch_settings: OpenSearch, tmp_path: Path):
    values = {"data": tmp_path, "index": {"backend": "opensearch"}, "opensearch": opensearch_settings}
    settings = Settings.model_validate(values | {"service": {"intake": "none"}})
    found = {check.name: check for check in index(settings)}
    assert [found[name].state for name in ("OpenSearch", "k-NN plugin", "indices")] == ["ready"] * 3
    assert found["memories"].state == "partly"
    assert is_fit(found.values())
    status = local_status(settings)
    assert status.index_bytes == 0
    assert status.health == "red"
