"""The Kafka topics as a ``Transport``."""

from connectors.kafka.client import create_topics, topics_of_lanes
from connectors.kafka.producer import DELIVERY_SECONDS, Record, ReliableProducer
from mneme.ports import Lane
from mneme.settings import Kafka


class KafkaTransport:
    """Sends to the topics of the settings, which it creates if they are missing. Safe for several threads.

    Args:
        settings: the broker and its topics.
        delivery_seconds: how long a record is tried.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected, SettingsError: a setting of ``MNEME_KAFKA__*`` is wrong.
    """

    def __init__(self, settings: Kafka, delivery_seconds: float = DELIVERY_SECONDS) -> None:
        self._topics = topics_of_lanes(settings.topics)
        create_topics(settings)
        self._producer = ReliableProducer(settings, delivery_seconds)

    def send(self, lane: Lane, key: str, value: bytes) -> None:
        """See ``Transport``: the key chooses the partition."""
        self._producer.send(Record(self._topics[lane], key, value))

    def flush(self, timeout: float | None = None) -> None:
        """See ``Transport``."""
        self._producer.flush(timeout)

    def close(self) -> None:
        """See ``Transport``."""
        self._producer.close()
