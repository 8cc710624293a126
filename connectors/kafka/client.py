"""Shared by every Kafka connector: the arguments of a connection, the client's errors in our words, and the topics."""

import logging
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from kafka import TopicPartition, errors
from kafka.admin import KafkaAdminClient, OffsetSpec
from kafka.consumer.fetcher import ConsumerRecord

from connectors.clients import silence
from mneme.errors import SettingsError, StoreError, StoreRejected, StoreUnavailable
from mneme.events import LARGEST_EVENT_BYTES
from mneme.ports import Lane
from mneme.settings import Kafka, Topics
from mneme.times import from_milliseconds

LARGEST_INPUT_BYTES = LARGEST_EVENT_BYTES + 64 * 1024  # with key, headers and framing
LARGEST_OUTPUT_BYTES = LARGEST_INPUT_BYTES + 1024 * 1024  # a dead letter is an input with headers that explain it

silence("kafka.protocol.parser", "kafka.net.connection", below=logging.INFO)  # every request as it is, that of a login too

# The client's own limit is 30 s: after a broker's restart a stream would stand still for that long.
_LONGEST_RECONNECT_MS = 1_000
_BOOTSTRAP_MS = 10_000  # without any broker, say so soon
_TOPICS_MS = 60_000  # a busy broker takes more than the ten seconds of the client until it knows topics that it made


class RecordTooLarge(StoreRejected):
    """The client or the broker refuses a record for its size."""


class _Password(str):
    """A password that shows itself to nobody: kafka-python logs its arguments at debug level."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'**********'"


def connection_arguments(settings: Kafka) -> dict[str, Any]:
    """The keyword arguments that connect any kafka-python client.

    Raises:
        SettingsError: a file of the settings is missing, or SASL is asked for without mechanism or credentials.
    """
    arguments: dict[str, Any] = {
        "bootstrap_servers": [server.strip() for server in settings.bootstrap_servers.split(",")],
        "client_id": "mneme",
        "security_protocol": settings.security_protocol,
        "bootstrap_timeout_ms": _BOOTSTRAP_MS,
        "reconnect_backoff_max_ms": _LONGEST_RECONNECT_MS,
    }
    if settings.security_protocol.endswith("SSL"):
        for name in ("ssl_cafile", "ssl_certfile", "ssl_keyfile"):
            path = getattr(settings, name)
            if path is not None and not Path(path).is_file():
                raise SettingsError(f"MNEME_KAFKA__{name.upper()}: there is no file {path}; give the path of a PEM file")
            arguments[name] = path
    if settings.security_protocol.startswith("SASL"):
        for name in ("sasl_mechanism", "sasl_username", "sasl_password"):
            if getattr(settings, name) is None:
                raise SettingsError(f"MNEME_KAFKA__{name.upper()} is needed with {settings.security_protocol}; set it")
        assert settings.sasl_password is not None
        arguments["sasl_mechanism"] = settings.sasl_mechanism
        arguments["sasl_plain_username"] = settings.sasl_username
        arguments["sasl_plain_password"] = _Password(settings.sasl_password.get_secret_value())
    return arguments


@contextmanager
def kafka_errors(settings: Kafka, doing: str) -> Iterator[None]:
    """Raise the client's errors as ``StoreError``; ``doing`` says what was tried."""
    try:
        yield
    except (errors.KafkaError, OSError) as error:
        raise store_error(settings, doing, error) from error


@contextmanager
def administering(settings: Kafka, doing: str) -> Iterator[KafkaAdminClient]:
    """A client that sees to topics and groups; its errors as ``StoreError``."""
    with kafka_errors(settings, doing), KafkaAdminClient(**connection_arguments(settings)) as admin:
        yield admin


def store_error(settings: Kafka, doing: str, error: BaseException) -> StoreError:
    """An error of the client in our words, with what to do about it."""
    text = str(error).removeprefix(f"{type(error).__name__}: ")
    what = f"Kafka at {settings.bootstrap_servers}, {doing}: {type(error).__name__}: {text}"
    for kinds, kind, remedy in _REMEDIES:
        if isinstance(error, kinds):
            if kind is StoreUnavailable and settings.security_protocol != "PLAINTEXT":
                # a broker that refuses a login hangs up, and the client sees no more than that
                remedy += "; wrong credentials or certificates look like this too (MNEME_KAFKA__SASL_*, MNEME_KAFKA__SSL_*)"
            return kind(f"{what}; {remedy}")
    return StoreRejected(f"{what}; see the broker's log")


_REMEDIES: tuple[tuple[tuple[type[BaseException], ...], type[StoreError], str], ...] = (
    (
        (errors.SaslAuthenticationFailedError, errors.UnsupportedSaslMechanismError, errors.IllegalSaslStateError),
        StoreRejected,
        "check MNEME_KAFKA__SECURITY_PROTOCOL and MNEME_KAFKA__SASL_*",
    ),
    ((errors.AuthorizationError,), StoreRejected, "grant MNEME_KAFKA__SASL_USERNAME the right to it"),
    (
        (errors.MessageSizeTooLargeError, errors.RecordListTooLargeError),
        RecordTooLarge,
        f"raise max.message.bytes of the topic to {LARGEST_OUTPUT_BYTES}",
    ),
    (
        (errors.InvalidReplicationFactorError,),
        StoreRejected,
        "MNEME_KAFKA__REPLICATION_FACTOR is more than there are brokers; lower it",
    ),
    (
        (errors.InvalidTopicError,),
        StoreRejected,
        "a name in MNEME_KAFKA__TOPICS__* is no topic name; use a-z, 0-9, '.', '_', '-'",
    ),
    (
        (errors.UnsupportedCodecError,),
        StoreRejected,
        "a producer compresses with what is not installed here; install kafka-python[lz4,snappy,zstd]",
    ),
    (
        (errors.RetriableError, errors.BrokerNotAvailableError, OSError),
        StoreUnavailable,
        "check that MNEME_KAFKA__BOOTSTRAP_SERVERS names running brokers, then try again",
    ),
)


def topics_of_lanes(topics: Topics) -> dict[Lane, str]:
    """The topic of each lane of the way in."""
    return {"messages": topics.messages, "documents": topics.documents, "backfill": topics.backfill}


def topic_id_of(told: UUID | None) -> str:
    """The id of a topic as Kafka's own tools print it; "" where the broker tells none."""
    return urlsafe_b64encode(told.bytes).decode().rstrip("=") if told and told.int else ""


def time_of(record: ConsumerRecord) -> datetime | None:
    """The time at which Kafka received a record, or its sender's clock where the topic keeps that; None of what is no time."""
    try:
        return from_milliseconds(record.timestamp) if record.timestamp >= 0 else None
    except OverflowError:
        return None


def create_topics(settings: Kafka) -> list[str]:
    """Create the topics of the settings that are missing, and return their names; safe to repeat.

    Messages get the broker's time (``LogAppendTime``): a sender's clock can then be judged against it.

    Raises:
        SettingsError, StoreUnavailable, StoreRejected
    """
    topics = settings.topics
    sizes = dict.fromkeys(topics_of_lanes(topics).values(), LARGEST_INPUT_BYTES)
    sizes |= dict.fromkeys((topics.dead_letters, topics.memories), LARGEST_OUTPUT_BYTES)
    with administering(settings, "creating topics") as admin:
        present = {found["name"] for found in admin.describe_topics(list(sizes)) if found["error_code"] == 0}
        missing = {
            name: {
                "num_partitions": settings.partitions,
                "replication_factor": settings.replication_factor,
                "configs": {"max.message.bytes": str(size), "message.timestamp.type": "LogAppendTime"},
            }
            for name, size in sizes.items()
            if name not in present
        }
        if not missing:
            return []
        created = []
        for answer in admin.create_topics(missing, raise_errors=False)["topics"]:
            if answer["error_code"] == 0:
                created.append(answer["name"])
            elif answer["error_code"] != errors.TopicAlreadyExistsError.errno:  # someone else was faster
                raise errors.for_code(answer["error_code"])(f"{answer['name']}: {answer['error_message']}")
        admin.wait_for_topics(list(missing), timeout_ms=_TOPICS_MS)
        return created


def partitions_of(settings: Kafka, topic: str) -> list[int]:
    """The partitions of a topic, in order.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected: there is no such topic, or it may not be seen.
    """
    with administering(settings, f"looking for topic {topic}") as admin:
        return [place.partition for place in _places(admin, settings, topic)]


def input_topic_ids(settings: Kafka) -> dict[str, str]:
    """The id of each topic that is read, as of ``topic_id_of``, by its name; raises as ``partitions_of``."""
    topics = topics_of_lanes(settings.topics).values()
    with administering(settings, "looking for the topics that are read") as admin:
        told = {topic: _described(admin, settings, topic).get("topic_id") for topic in topics}
    return {topic: topic_id_of(UUID(identity) if identity else None) for topic, identity in told.items()}


def _places(admin: KafkaAdminClient, settings: Kafka, topic: str) -> list[TopicPartition]:
    """The partitions of a topic, in order."""
    partitions = _described(admin, settings, topic)["partitions"]
    return [TopicPartition(topic, number) for number in sorted(each["partition_index"] for each in partitions)]


def _described(admin: KafkaAdminClient, settings: Kafka, topic: str) -> Mapping[str, Any]:
    (found,) = admin.describe_topics([topic])
    if found["error_code"] == errors.UnknownTopicOrPartitionError.errno:
        raise StoreRejected(
            f"Kafka at {settings.bootstrap_servers} has no topic {topic}; create it, or correct MNEME_KAFKA__TOPICS__*"
        )
    if found["error_code"] != 0:
        raise errors.for_code(found["error_code"])(topic)
    described: Mapping[str, Any] = found
    return described


def unread(settings: Kafka, *topics: str) -> dict[str, int]:
    """The lag of topics: events behind the committed offsets of the group of the settings; raises as ``partitions_of``."""
    with administering(settings, f"looking for the lag of {', '.join(topics)}") as admin:
        places = {topic: _places(admin, settings, topic) for topic in topics}
        every = [place for of_topic in places.values() for place in of_topic]
        begins, ends = bounds_in(admin, every)
        group = admin.list_group_offsets({settings.group_id: every})[settings.group_id]
    # What is deleted waits for nobody; a group that has committed nothing has -1, or no entry.
    done = {each: max(begins[each], group[each].offset if each in group else 0) for each in every}
    return {topic: sum(max(0, ends[each] - done[each]) for each in of_topic) for topic, of_topic in places.items()}


Bounds = Mapping[int, tuple[int, int]]  # of each partition the earliest offset, and the one after the last


def bounds_of(settings: Kafka, topic: str) -> Bounds:
    """From where to where the partitions of a topic reach; raises as ``partitions_of``."""
    with administering(settings, f"looking for the offsets of {topic}") as admin:
        places = _places(admin, settings, topic)
        begins, ends = bounds_in(admin, places)
    return {each.partition: (begins[each], ends[each]) for each in places}


def bounds_in(
    admin: KafkaAdminClient, places: Sequence[TopicPartition]
) -> tuple[Mapping[TopicPartition, int], Mapping[TopicPartition, int]]:
    """The earliest offset of each of these partitions, and the one after its last."""
    first, end = (
        admin.list_partition_offsets(dict.fromkeys(places, spec)) for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST)
    )
    return {each: first[each].offset for each in places}, {each: end[each].offset for each in places}
