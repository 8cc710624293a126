"""The Kafka topics keep what every transport keeps."""

import time
from collections.abc import Iterator

import pytest

from connectors.kafka.client import partitions_of
from connectors.kafka.producer import KafkaTransport
from connectors.kafka.reader import PartitionReader
from mneme.ports import Lane
from mneme.settings import Kafka
from tests.contracts.transport import Arrived, TransportContract

_QUIET_SECONDS = 1.0  # after which nothing more is expected of a topic


@pytest.mark.kafka
class TestTransport(TransportContract):
    @pytest.fixture
    def settings(self, kafka_settings: Kafka) -> Kafka:
        return kafka_settings.model_copy(update={"partitions": 2})

    @pytest.fixture
    def transport(self, settings: Kafka) -> Iterator[KafkaTransport]:
        transport = KafkaTransport(settings)
        yield transport
        transport.close()

    @pytest.fixture
    def arrived(self, settings: Kafka) -> Arrived:
        def events(lane: Lane) -> list[bytes]:
            topics = {"messages": settings.topics.messages, "backfill": settings.topics.backfill}
            found = list[bytes]()
            for partition in partitions_of(settings, topics[lane]):
                reader = PartitionReader(settings, topics[lane], partition, None)
                last = time.monotonic()
                while reader.lag() or time.monotonic() - last < _QUIET_SECONDS / 5:
                    if batch := reader.poll(500):
                        found += [event.raw for event in batch]
                        last = time.monotonic()
                reader.close()
            return found

        return events
