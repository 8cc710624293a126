"""Keys of records: what keeps its order on a topic, and which partition it is in."""

from functools import lru_cache

from kafka.partitioner.default import murmur2

from mneme.events import AnyEvent
from mneme.settings import Kafka


def record_key(settings: Kafka, event: AnyEvent) -> str:
    """The key under which an event is published: its conversation's (or document's, or owner's), or its tenant's."""
    return event.tenant_id if settings.keyed_by == "tenant" else event.key


@lru_cache(maxsize=65_536)  # the hash takes as long as the decoding of a short event
def partition_of(key: str, partitions: int) -> int:
    """Where every producer with Kafka's own partitioner puts a key: murmur2, as the clients in Java and in Python have it."""
    number: int = murmur2(key.encode())
    return (number & 0x7FFFFFFF) % partitions
