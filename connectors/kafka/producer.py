"""Writing to Kafka so that nothing vanishes: idempotent, acknowledged by all replicas, bounded in memory."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Condition, local
from typing import Any

from kafka import KafkaProducer
from kafka.errors import KafkaTimeoutError

from connectors.kafka.client import (
    LARGEST_OUTPUT_BYTES,
    connection_arguments,
    create_topics,
    kafka_errors,
    store_error,
    topics_of_lanes,
)
from mneme.errors import StoreError
from mneme.ports import Lane
from mneme.settings import Kafka

DELIVERY_SECONDS = 120.0  # how long a record is tried; a broker is back long before
BATCH_BYTES = 256 * 1024  # of records that go together; a larger one goes alone
_MOST_UNACKNOWLEDGED_BYTES = 32 * 1024 * 1024  # kafka-python has no limit of its own
_RECORD_OVERHEAD_BYTES = 500  # of a small record in the client: a future, its callbacks, its place in a batch


@dataclass(frozen=True, slots=True)
class Record:
    """One record to write. Records with the same key keep their order; None lets the client choose a partition."""

    topic: str
    key: str | None
    value: bytes
    headers: Sequence[tuple[str, str]] = ()


@dataclass(slots=True)
class _Sender:
    """A thread that sends, and the first failure that it was not told of."""

    failure: StoreError | None = None


class ReliableProducer:
    """A producer whose failures are told at ``flush`` and ``close``. Safe for several threads.

    A failure is told at the next ``flush`` of any thread, and at that of the thread that sent the record. ``send`` waits
    while too much is not acknowledged yet; that is the back-pressure. A record that is not acknowledged within
    ``delivery_seconds`` has failed.
    """

    def __init__(self, settings: Kafka, delivery_seconds: float = DELIVERY_SECONDS) -> None:
        self._settings = settings
        self._changed = Condition()
        self._unacknowledged = 0
        self._unacknowledged_bytes = 0
        self._failures = 0
        self._first_failure: StoreError | None = None
        self._of_this_thread = local()
        delivery_ms = int(delivery_seconds * 1000)
        arguments: dict[str, Any] = {
            **connection_arguments(settings),
            "acks": "all",
            "enable_idempotence": True,
            "delivery_timeout_ms": delivery_ms,
            "request_timeout_ms": min(30_000, delivery_ms * 3 // 4),
            "max_block_ms": min(60_000, delivery_ms),
            "max_request_size": LARGEST_OUTPUT_BYTES,
            "batch_size": BATCH_BYTES,
            "linger_ms": 5,
            "allow_auto_create_topics": False,
        }
        with kafka_errors(settings, "connecting to publish"):
            self._producer = KafkaProducer(**arguments)

    def send(self, record: Record) -> None:
        """Hand over one record; it is durable after the next ``flush``.

        Raises:
            StoreUnavailable, StoreRejected: it could not be handed over and will not be written.
        """
        size = len(record.value) + _RECORD_OVERHEAD_BYTES
        with self._changed:
            self._changed.wait_for(
                lambda: self._unacknowledged_bytes + size <= _MOST_UNACKNOWLEDGED_BYTES or not self._unacknowledged
            )
            self._unacknowledged += 1
            self._unacknowledged_bytes += size
        place, sender = f"publishing to {record.topic}", self._sender()
        try:
            with kafka_errors(self._settings, place):
                future = self._producer.send(
                    record.topic,
                    key=None if record.key is None else record.key.encode(),
                    value=record.value,
                    headers=[(name, value.encode()) for name, value in record.headers],
                )
        except BaseException:
            self._done(size, sender, None)
            raise
        future.add_callback(lambda _: self._done(size, sender, None))
        future.add_errback(lambda error: self._done(size, sender, store_error(self._settings, place, error)))

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything sent so far is durable. Without a timeout that ends within the delivery time.

        Raises:
            StoreUnavailable: the timeout passed, or records were not acknowledged in time.
            StoreRejected: the broker refused records.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with kafka_errors(self._settings, "waiting for acknowledgements"):
            self._producer.flush(timeout)
        # A batch is done a moment before the callbacks of its records have run.
        with self._changed:
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not self._changed.wait_for(lambda: not self._unacknowledged, remaining):
                raise store_error(self._settings, "waiting for acknowledgements", KafkaTimeoutError(f"{timeout} s"))
            failures, first = self._failures, self._first_failure
            self._failures, self._first_failure = 0, None
            sender = self._sender()
            own, sender.failure = sender.failure, None
        if first is None and own is not None:  # another thread was told of it, and of how many
            raise type(own)(f"what this thread sent was not all written, because: {own}") from own
        if first is not None:
            raise type(first)(f"{failures} of the records sent were not written, the first because: {first}") from first

    def close(self) -> None:
        """Flush, then release the connection.

        Raises:
            StoreUnavailable, StoreRejected: as ``flush``.
        """
        try:
            self.flush()
        finally:
            self._producer.close()

    def _sender(self) -> _Sender:
        """This thread."""
        sender: _Sender = self._of_this_thread.__dict__.setdefault("sender", _Sender())
        return sender

    def _done(self, size: int, sender: _Sender, failure: StoreError | None) -> None:
        with self._changed:
            self._unacknowledged -= 1
            self._unacknowledged_bytes -= size
            if failure is not None:
                self._failures += 1
                self._first_failure = self._first_failure or failure
                sender.failure = sender.failure or failure
            self._changed.notify_all()


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
