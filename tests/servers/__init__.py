"""The real Kafka and OpenSearch that tests run against. ``python -m tests.servers start`` runs them by hand."""

from tests.servers.kafka_server import KafkaServer
from tests.servers.opensearch_server import OpenSearchServer

__all__ = ["KafkaServer", "OpenSearchServer"]
