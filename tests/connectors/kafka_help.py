"""What tests of the Kafka connectors share."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kafka import KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient

from connectors.kafka.client import connection_arguments, create_topics, partitions_of
from connectors.kafka.reader import PartitionReader
from mneme.events import Message
from mneme.ports import Incoming
from mneme.settings import Kafka


def message(number: int, conversation: str = "standup", content: str = "") -> Message:
    """A message whose id counts."""
    return Message(
        conversation_id=conversation, user_id="ana", message_id=f"m{number:05d}", content=content or f"number {number}"
    )


def write_raw(
    settings: Kafka, topic: str, values: Sequence[bytes | None], partition: int = 0, timestamp_ms: int | None = None
) -> None:
    """Write values as a client that is not ours would."""
    producer = KafkaProducer(**connection_arguments(settings))
    for value in values:
        producer.send(topic, key=b"key", value=value, partition=partition, timestamp_ms=timestamp_ms)
    producer.flush()
    producer.close()


@contextmanager
def reading(settings: Kafka, topic: str, partition: int = 0, offset: int | None = None) -> Iterator[PartitionReader]:
    """A reader, closed at the end."""
    reader = PartitionReader(settings, topic, partition, offset)
    try:
        yield reader
    finally:
        reader.close()


def read(reader: PartitionReader, count: int, limit: int = 500, seconds: float = 30.0) -> list[Incoming]:
    """The next ``count`` events; fewer when they do not come in time."""
    deadline = time.monotonic() + seconds
    found: list[Incoming] = []
    while len(found) < count and time.monotonic() < deadline:
        arrived = reader.poll(min(limit, count - len(found)))
        found += arrived
        if not arrived:
            time.sleep(0.005)
    return found


def read_topic(settings: Kafka, topic: str, count: int) -> list[Incoming]:
    """``count`` events of all partitions of a topic, partition by partition."""
    found: list[Incoming] = []
    for partition in partitions_of(settings, topic):
        with reading(settings, topic, partition) as reader:
            found += read(reader, reader.lag())
    assert len(found) == count
    return found


def delete_records(settings: Kafka, topic: str, before: int, partition: int = 0) -> None:
    """Do what retention does: delete everything before an offset."""
    with KafkaAdminClient(**connection_arguments(settings)) as admin:
        admin.delete_records({TopicPartition(topic, partition): before})


def make_anew(settings: Kafka, topic: str) -> None:
    """Delete a topic, and make it again."""
    with KafkaAdminClient(**connection_arguments(settings)) as admin:
        admin.delete_topics([topic])
        deadline = time.monotonic() + 120
        while topic in admin.list_topics() and time.monotonic() < deadline:
            time.sleep(0.05)
    create_topics(settings)
