"""Settings whose topics, group and indices no other test has, so that tests share one server."""

import uuid

from mneme.settings import Kafka, OpenSearch, Topics


def isolated_kafka(bootstrap: str, partitions: int = 2) -> Kafka:
    """Settings for a broker with topics and a group of their own; nothing is created."""
    name = _name()
    topics = Topics(**{field: f"{name}.{field.replace('_', '-')}" for field in Topics.model_fields})
    return Kafka(bootstrap_servers=bootstrap, group_id=name, topics=topics, partitions=partitions)


def isolated_opensearch(url: str) -> OpenSearch:
    """Settings for a node with an index prefix of their own; nothing is created."""
    return OpenSearch(url=url, index_prefix=_name())


def _name() -> str:
    return f"test-{uuid.uuid4().hex[:12]}"
