"""Which events a topic has now, by the offsets of its partitions."""

from collections.abc import Mapping
from contextlib import closing

from kafka import KafkaConsumer, TopicPartition

from connectors.kafka.client import connection_arguments, kafka_errors, partitions_of
from mneme.settings import Kafka

Bounds = Mapping[int, tuple[int, int]]  # of each partition the earliest offset, and the one after the last


def bounds_of(settings: Kafka, topic: str) -> Bounds:
    """From where to where the partitions of a topic reach.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected: there is no such topic, or it may not be seen.
    """
    partitions = [TopicPartition(topic, number) for number in partitions_of(settings, topic)]
    with kafka_errors(settings, f"looking for the offsets of {topic}"):
        consumer = KafkaConsumer(**connection_arguments(settings), group_id=None, enable_auto_commit=False)
        with closing(consumer):
            first, end = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
    return {each.partition: (first[each], end[each]) for each in partitions}
