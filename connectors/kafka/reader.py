"""Reading one partition of a topic, from an offset that the caller keeps."""

import logging
import time
from contextlib import suppress
from typing import Any
from uuid import UUID

from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord, Fetcher
from kafka.errors import KafkaError, LogTruncationError, NoOffsetForPartitionError, OffsetOutOfRangeError
from kafka.future import Future
from kafka.structs import OffsetAndMetadata

from connectors.kafka.client import connection_arguments, kafka_errors, time_of, topic_id_of
from mneme.errors import StoreRejected
from mneme.ports import Incoming
from mneme.records import Position, is_another_topic
from mneme.settings import Kafka
from mneme.times import utc_now

_log = logging.getLogger(__name__)
_LAST_COMMIT_SECONDS = 2.0
_BY_TOPIC_ID = 13  # the first version of a fetch that names its topic by the id (Kafka 3.1)

Place = tuple[int, str]  # the offset of the first event to read, and the id of the topic; "" where the broker tells none

_REMEDY = (
    "Keep the topic, and its retention longer than the longest stop. To go on now, start the flow once with "
    "MNEME_FLOW__ADOPT_INDEX=true: it reads from the earliest event that there is, and nothing is duplicated"
)


class _FetcherById(Fetcher):  # type: ignore[misc]
    """Fetches a topic by its id, and so never from another topic of the same name; kafka-python names it (3.0.12).

    The client learns of a topic that was made anew some time after the broker; a fetch by name is answered meanwhile.
    """

    identity: UUID

    def _create_fetch_requests(self) -> Any:
        requests = super()._create_fetch_requests()
        for request, _ in requests.values():
            request._max_version = _BY_TOPIC_ID  # of an older broker its own latest, which asks by name
            for topic in (*request.topics, *request.forgotten_topics_data):
                topic.topic_id = self.identity
        return requests

    def _handle_fetch_response(self, node_id: Any, fetch_offsets: Any, send_time: float, response: Any) -> None:
        (topic,) = {partition.topic for partition in fetch_offsets}
        for answer in response.responses:
            answer.topic = topic
        super()._handle_fetch_response(node_id, fetch_offsets, send_time, response)


class PartitionReader:
    """Reads one partition in order. For one thread at a time.

    ``place`` is where to go on (what ``place`` was when reading stopped; an older store kept only the offset), or None for
    the earliest there is. It is the caller's knowledge alone: the offset committed to the group is for lag monitors and
    never read back. With ``adopt``, a place that is no longer there is the earliest that is. Of transactional producers
    only what they committed is read.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected: the partition does not exist, or ``place`` is no longer in it.
    """

    def __init__(self, settings: Kafka, topic: str, partition: int, place: Place | int | None, adopt: bool = False) -> None:
        self._settings = settings
        self._partition = TopicPartition(topic, partition)
        self._commit: Future | None = None
        self._commits_fail = False
        self._end = self._partitions = 0
        with kafka_errors(settings, f"connecting to read {topic}/{partition}"):
            self._consumer = KafkaConsumer(
                **connection_arguments(settings),
                group_id=settings.group_id,
                enable_auto_commit=False,
                auto_offset_reset="none",  # never go on somewhere else in silence
                isolation_level="read_committed",
                allow_auto_create_topics=False,
            )
        try:
            with kafka_errors(settings, f"looking for {self._name}"):
                self._position = self._start((place, "") if isinstance(place, int) else place, adopt)
        except BaseException:
            self._consumer.close(autocommit=False)
            raise

    @property
    def position(self) -> int:
        """The offset to go on from after everything that ``poll`` returned so far."""
        return self._position

    @property
    def place(self) -> Place:
        """``position``, with the id of its topic."""
        return self._position, self._topic_id

    def poll(self, limit: int) -> list[Incoming]:
        """Up to ``limit`` events that have arrived, without waiting for more. A tombstone has no bytes.

        While no broker answers, nothing arrives; the client connects again by itself.

        Raises:
            StoreRejected: the events to read next were deleted, or may not be read, or the topic was made anew.
        """
        with kafka_errors(self._settings, f"reading {self._name}"):
            try:
                records = self._consumer.poll(timeout_ms=0, max_records=limit).get(self._partition, [])
                # not the last event's offset + 1: the markers of transactions have offsets too
                position = self._consumer.position(self._partition, timeout_ms=0)
            except (OffsetOutOfRangeError, LogTruncationError, NoOffsetForPartitionError) as error:
                raise self._lost(self._position) from error
            if self._is_anew(self._topic_id):
                raise self._lost(self._position)
            self._tell_of_added_partitions()
            self._position = position or self._position
        return [self._incoming(record) for record in records]

    def lag(self) -> int:
        """The offsets known to lie ahead of ``position``, as of the last fetch; does not wait."""
        highwater: int | None = self._consumer.highwater(self._partition)  # None before the first fetch
        self._end = max(self._end, highwater or 0)
        return max(0, self._end - self._position)

    def commit(self, offset: int) -> None:
        """Tell the group that everything before ``offset`` is done, and when that was. Does not wait; a failure is only logged.

        A flow commits at each epoch, also where nothing came: by the time `mneme admin status` knows that it runs.
        """
        done = OffsetAndMetadata(offset, utc_now().isoformat(), -1)
        try:
            self._commit = self._consumer.commit_async({self._partition: done}, self._committed)
        except KafkaError as error:
            self._committed({}, error)

    def close(self) -> None:
        """Give the last commit a moment to arrive, then release the connection."""
        deadline = time.monotonic() + _LAST_COMMIT_SECONDS
        self._consumer.pause(self._partition)
        with suppress(KafkaError):
            while self._commit is not None and not self._commit.is_done and time.monotonic() < deadline:
                self._consumer.poll(timeout_ms=20)
        self._consumer.close(autocommit=False)

    @property
    def _name(self) -> str:
        return f"{self._partition.topic}/{self._partition.partition}"

    def _tell_of_added_partitions(self) -> None:
        """Log once, from the first partition, that there are others that no reader was opened for."""
        if self._partition.partition == 0 and (now := self._partitions_there()) > self._partitions:
            self._partitions = now
            _log.warning(
                "%s has %d partitions now: start the flow again, it reads the new ones from then on", self._partition.topic, now
            )

    def _partitions_there(self) -> int:
        return len(self._consumer._cluster.partitions_for_topic(self._partition.topic) or ())

    def _is_anew(self, topic_id: str) -> bool:
        """Return whether the topic is another one than that of this id. One that is gone has no id."""
        return is_another_topic(topic_id, topic_id_of(self._consumer._cluster.topic_id(self._partition.topic)))

    def _start(self, place: Place | None, adopt: bool) -> int:
        if self._partition.partition not in self._consumer.partitions_for_topic(self._partition.topic):
            raise StoreRejected(f"Kafka has no partition {self._name}; create the topic, or correct MNEME_KAFKA__TOPICS__*")
        self._consumer.assign([self._partition])
        self._partitions = self._partitions_there()
        identity = self._consumer._cluster.topic_id(self._partition.topic)
        self._topic_id = topic_id_of(identity)
        if self._topic_id:
            fetcher = self._consumer._fetcher
            fetcher.__class__, fetcher.identity = _FetcherById, identity
        first, self._end = self._bounds()
        start, topic_id = place or (first, "")
        if self._is_anew(topic_id) or not first <= start <= self._end:
            lost = self._lost(start, topic_id)
            if not adopt:
                raise lost
            _log.warning("from %d on now: %s", start := first, lost)
        self._consumer.seek(self._partition, start)
        return start

    def _bounds(self) -> tuple[int, int]:
        """The earliest offset, and the one after the last."""
        first: int = self._consumer.beginning_offsets([self._partition])[self._partition]
        end: int = self._consumer.end_offsets([self._partition])[self._partition]
        return first, end

    def _lost(self, offset: int, topic_id: str = "") -> StoreRejected:
        first, end = self._bounds()
        why = "the topic lost its end" if offset > end else "its retention deleted what comes next"
        if self._is_anew(topic_id or self._topic_id):
            why = "the topic was made anew, and its offsets begin again"
        return StoreRejected(
            f"Kafka no longer has {self._name}/{offset}, where reading has to go on: it has {first} to {end}; {why}. {_REMEDY}"
        )

    def _incoming(self, record: ConsumerRecord) -> Incoming:
        return Incoming(
            raw=record.value or b"",
            position=Position(topic=record.topic, partition=record.partition, offset=record.offset, topic_id=self._topic_id),
            received_at=time_of(record),
        )

    def _committed(self, offsets: object, answer: object) -> None:
        failed = isinstance(answer, Exception)
        if failed and not self._commits_fail:
            _log.warning(
                "group %s: the offset of %s is not committed: %r; only lag monitors need it",
                self._settings.group_id,
                self._name,
                answer,
            )
        self._commits_fail = failed
