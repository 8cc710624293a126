"""Kafka as a sink: dead letters, and the feed of changes.

A record that is too large for the client or for its topic is written in a shorter form, which says so: what one event is made
of must not end the flow.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Lock

from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import KafkaTimeoutError

from connectors.clients import encoded
from connectors.dead_letters import is_about, safe_reason
from connectors.durable import disk_errors, exclusive
from connectors.kafka.client import RecordTooLarge, administering, connection_arguments, kafka_errors, partitions_of, time_of
from connectors.kafka.producer import BATCH_BYTES, Record, ReliableProducer
from mneme.ports import Change, DeadLetter, Scope
from mneme.records import Position
from mneme.rows import Key, Row
from mneme.settings import Kafka
from mneme.times import from_milliseconds

_SILENCE_SECONDS = 30.0  # before reading dead letters gives up on a broker
_CUT_BYTES = 200_000  # of a letter that is too large: with its headers it fits where a batch does

log = logging.getLogger(__name__)


class _Sink:
    """Writes batches that are durable on return. One batch is written at a time, so that each caller hears of its own.

    ``shorten`` gives the form of a record that takes its place if it is too large.
    """

    def __init__(self, settings: Kafka, shorten: Callable[[Record], Record]) -> None:
        self._settings = settings
        self._shorten = shorten
        self._lock = Lock()
        self._producer = ReliableProducer(settings)
        self._is_spent = False

    def close(self) -> None:
        """Release the connection."""
        self._producer.close()

    def _write(self, records: Iterator[Record]) -> None:
        with self._lock:
            if self._is_spent:
                self._renew()
            try:
                for record in records:
                    if len(record.value) < BATCH_BYTES:
                        self._producer.send(record)
                    else:
                        self._write_large(record)
            finally:
                self._producer.flush()

    def _write_large(self, record: Record) -> None:
        """Alone, behind what was sent before: its size is then known to fit or not, and the order stays."""
        self._producer.flush()
        try:
            self._producer.send(record)
            self._producer.flush()
        except RecordTooLarge as error:
            log.warning("a record of %d bytes is shortened: %s", len(record.value), error)
            self._renew()
            self._producer.send(self._shorten(record))

    def _renew(self) -> None:
        """Connect anew, or else with the next batch: the client writes nothing any more once a broker refused a record."""
        self._is_spent = True
        refused, self._producer = self._producer, ReliableProducer(self._settings)
        self._is_spent = False
        refused.close()


class KafkaDeadLetters(_Sink):
    """Keeps dead letters on their topic (``DeadLetters``).

    The value of a record is the event's own bytes, so that replaying it is copying it; what explains it is in the
    headers ``mneme-stage``, ``-reason``, ``-at`` and, for what came from Kafka or a file, ``-topic``, ``-partition``
    and ``-offset``. Of a letter that is too large the beginning stays, and its reason says so.

    Args:
        settings: the broker and the topic.
        lock: a file that the threads and processes of this machine share, so that one at a time takes letters away: of two at
            once, one could bring back what the other took.
    """

    def __init__(self, settings: Kafka, lock: Path) -> None:
        super().__init__(settings, _cut)
        self._taking_away = lock

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Keep letters; they are durable on return.

        Raises:
            StoreUnavailable, StoreRejected: some of them are not kept.
        """
        topic = self._settings.topics.dead_letters
        self._write(Record(topic, _letter_key(letter), letter.raw, _headers(letter)) for letter in letters)

    def erase(self, scope: Scope) -> int:
        """See ``DeadLetters``. The broker frees the disk when it next deletes a segment; nobody can read it from now on.

        Raises:
            StoreUnavailable, StoreRejected: some may still be there; nothing is lost by asking again.
        """
        return self.remove(lambda letter: is_about(letter, scope))

    def remove(self, unwanted: Callable[[DeadLetter], bool]) -> int:
        """Take letters away; how many.

        1. Read up to the present end, and stop if no letter is unwanted.
        2. Send those that stay again, as they are, behind the end. A crash leaves them there twice, which harms nobody.
        3. Delete everything before that end.
        """
        topic = self._settings.topics.dead_letters
        with disk_errors(str(self._taking_away)), exclusive(self._taking_away):
            # Step 1.
            with _reading(self._settings) as (consumer, ends):
                count = sum(unwanted(_letter(record)) for record in _records(consumer, ends))
            if not count:
                return 0
            # Step 2.
            with _reading(self._settings) as (consumer, _):
                kept = (record for record in _records(consumer, ends) if not unwanted(_letter(record)))
                self._write(_again(record) for record in kept)
            # Step 3.
            with administering(self._settings, f"deleting from {topic}") as admin:
                admin.delete_records({partition: end for partition, end in ends.items() if end > 0})
        return count


class KafkaChangeFeed(_Sink):
    """Publishes what was written and erased (``ChangeFeed``).

    A record is JSON ``{change, collection, id, owner, version, record}``; ``record`` has no vector, and is null where
    nothing is known but the key, or where it is too large. Its key is the owner's, so that the changes of one owner stay in
    order.
    """

    def __init__(self, settings: Kafka) -> None:
        super().__init__(settings, _without_content)

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
    with _reading(settings) as (consumer, ends):
        for record in _records(consumer, ends):
            yield _letter(record)


@contextmanager
def _reading(settings: Kafka) -> Iterator[tuple[KafkaConsumer, Mapping[TopicPartition, int]]]:
    """A consumer of the dead letters, and where each partition ends now."""
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
            yield consumer, consumer.end_offsets(partitions)
        finally:
            consumer.close(autocommit=False)


def _records(consumer: KafkaConsumer, ends: Mapping[TopicPartition, int]) -> Iterator[ConsumerRecord]:
    """Every record before the ends, partition by partition."""
    for partition, end in ends.items():
        consumer.assign([partition])
        consumer.seek_to_beginning(partition)
        heard = time.monotonic()
        while consumer.position(partition) < end:
            records = consumer.poll(timeout_ms=500).get(partition, ())
            yield from (record for record in records if record.offset < end)
            now = time.monotonic()
            heard = now if records else heard
            if now - heard > _SILENCE_SECONDS:
                raise KafkaTimeoutError(f"{partition.topic}/{partition.partition}: nothing came for {_SILENCE_SECONDS} s")


def _again(record: ConsumerRecord) -> Record:
    """A record as it was written, to be written once more."""
    headers = [(name, value.decode(errors="replace")) for name, value in record.headers if value is not None]
    key = record.key.decode(errors="replace") if record.key is not None else None
    return Record(record.topic, key, record.value or b"", headers)


def _without_content(change: Record) -> Record:
    """A change that names its record and does not show it."""
    return replace(change, value=encoded({**json.loads(change.value), "record": None}))


def _cut(letter: Record) -> Record:
    """A letter with the beginning of its bytes.

    An erasure finds a letter by the ids that it holds. So the small fields of an object come first, and of bytes that are no
    object nothing stays. What is cut is no JSON any more, so nobody sends it again by mistake.
    """
    try:
        content = json.loads(letter.value)
    except (ValueError, RecursionError):
        content = None
    kept = b""
    if isinstance(content, dict):
        fields = sorted(content.items(), key=lambda field: len(json.dumps(field)))
        kept = json.dumps(dict(fields)).encode()[:_CUT_BYTES]
    note = f"too large for the topic, cut from {len(letter.value)} to {len(kept)} bytes"
    headers = [(name, safe_reason(f"{note}; {value}") if name == "mneme-reason" else value) for name, value in letter.headers]
    return replace(letter, value=kept, headers=headers)


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
                topic_id=headers.get("mneme-topic_id", ""),
            )
        return DeadLetter(
            stage=headers["mneme-stage"],
            reason=headers["mneme-reason"],
            raw=record.value or b"",
            position=position,
            at=datetime.fromisoformat(headers["mneme-at"]),
        )
    except (KeyError, ValueError):
        at = time_of(record) or from_milliseconds(0)
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
    return encoded(content)
