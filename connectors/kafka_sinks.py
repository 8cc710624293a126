"""What Mneme itself writes to Kafka: dead letters, and the feed of changes."""

import json
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from threading import Lock

from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import KafkaTimeoutError

from connectors.dead_letters import safe_reason
from connectors.kafka import connection_arguments, kafka_errors, partitions_of
from connectors.kafka_producer import DELIVERY_SECONDS, Record, ReliableProducer
from mneme.ports import Change, DeadLetter
from mneme.records import Position
from mneme.rows import Key, Row
from mneme.settings import Kafka
from mneme.times import from_milliseconds

_SILENCE_SECONDS = 30.0  # before reading dead letters gives up on a broker


class _Sink:
    """Writes batches that are durable on return. One batch is written at a time, so that each caller hears of its own."""

    def __init__(self, settings: Kafka, delivery_seconds: float = DELIVERY_SECONDS) -> None:
        self._settings = settings
        self._lock = Lock()
        self._producer = ReliableProducer(settings, delivery_seconds)

    def close(self) -> None:
        """Release the connection."""
        self._producer.close()

    def _write(self, records: Iterator[Record]) -> None:
        with self._lock:
            try:
                for record in records:
                    self._producer.send(record)
            finally:
                self._producer.flush()


class KafkaDeadLetters(_Sink):
    """Keeps dead letters on their topic (``DeadLetters``).

    The value of a record is the event's own bytes, so that replaying it is copying it; what explains it is in the
    headers ``mneme-stage``, ``-reason``, ``-at`` and, for what came from Kafka or a file, ``-topic``, ``-partition``
    and ``-offset``.
    """

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Keep letters; they are durable on return.

        Raises:
            StoreUnavailable, StoreRejected: some of them are not kept.
        """
        topic = self._settings.topics.dead_letters
        self._write(Record(topic, _letter_key(letter), letter.raw, _headers(letter)) for letter in letters)


class KafkaChangeFeed(_Sink):
    """Publishes what was written and erased (``ChangeFeed``).

    A record is JSON ``{change, collection, id, owner, version, record}``; ``record`` has no vector, and is null where
    nothing is known but the key. Its key is the owner's, so that the changes of one owner stay in order.
    """

    def send(self, changes: Sequence[tuple[Change, Key, Row | None]]) -> None:
        """Publish changes in order; they are durable on return.

        Raises:
            StoreUnavailable, StoreRejected: some of them are not published.
        """
        topic = self._settings.topics.memories
        self._write(Record(topic, key.owner_key, _change(change, key, row)) for change, key, row in changes)


def read_dead_letters(settings: Kafka) -> Iterator[DeadLetter]:
    """Every dead letter on the topic now, partition by partition, each in the order they came.

    A record that something else wrote there is given with the stage ``unknown``.

    Raises:
        StoreUnavailable, StoreRejected
    """
    topic = settings.topics.dead_letters
    partitions = [TopicPartition(topic, partition) for partition in partitions_of(settings, topic)]
    with kafka_errors(settings, f"reading {topic}"):
        consumer = KafkaConsumer(
            **connection_arguments(settings),
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            allow_auto_create_topics=False,
        )
        try:
            for partition in partitions:
                yield from _letters_of(consumer, partition)
        finally:
            consumer.close(autocommit=False)


def _letters_of(consumer: KafkaConsumer, partition: TopicPartition) -> Iterator[DeadLetter]:
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    end = consumer.end_offsets([partition])[partition]
    heard = time.monotonic()
    while consumer.position(partition) < end:
        records = consumer.poll(timeout_ms=500).get(partition, ())
        yield from (_letter(record) for record in records if record.offset < end)
        now = time.monotonic()
        heard = now if records else heard
        if now - heard > _SILENCE_SECONDS:
            raise KafkaTimeoutError(f"{partition.topic}/{partition.partition}: nothing came for {_SILENCE_SECONDS} s")


def _letter_key(letter: DeadLetter) -> str | None:
    return f"{letter.position.topic}/{letter.position.partition}" if letter.position else None


def _headers(letter: DeadLetter) -> tuple[tuple[str, str], ...]:
    headers = {"stage": letter.stage, "reason": safe_reason(letter.reason), "at": letter.at.isoformat()}
    if letter.position:
        headers |= {name: str(value) for name, value in letter.position.model_dump().items()}
    return tuple((f"mneme-{name}", value) for name, value in headers.items())


def _letter(record: ConsumerRecord) -> DeadLetter:
    headers = {name: value.decode(errors="replace") for name, value in record.headers if value is not None}
    try:
        position = None
        if "mneme-topic" in headers:
            position = Position(
                topic=headers["mneme-topic"],
                partition=int(headers["mneme-partition"]),
                offset=int(headers["mneme-offset"]),
            )
        return DeadLetter(
            stage=headers["mneme-stage"],
            reason=headers["mneme-reason"],
            raw=record.value or b"",
            position=position,
            at=datetime.fromisoformat(headers["mneme-at"]),
        )
    except (KeyError, ValueError):
        at = from_milliseconds(max(0, record.timestamp))
        return DeadLetter(stage="unknown", reason="not written by Mneme", raw=record.value or b"", position=None, at=at)


def _change(change: Change, key: Key, row: Row | None) -> bytes:
    content = {
        "change": change,
        "collection": key.collection,
        "id": key.id,
        "owner": key.owner_key,
        "version": row.version if row else None,
        "record": row.body if row else None,
    }
    return json.dumps(content, ensure_ascii=False).encode()
