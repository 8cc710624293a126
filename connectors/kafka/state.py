"""The set-up of a Kafka for Mneme, for `mneme doctor`: answered within seconds, or refused."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kafka import TopicPartition, errors
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from connectors.kafka.client import bounds_in, connection_arguments, kafka_errors
from mneme.settings import Kafka

_BOOTSTRAP_MS = 3_000
_REQUEST_MS = 4_000
_COORDINATOR_SECONDS = 5.0
_HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class TopicState:
    """A topic. ``partitions`` is 0 where there is none; ``retention_hours`` None where it is kept for ever."""

    name: str
    is_input: bool
    partitions: int = 0
    replicas: int = 0
    retention_hours: float | None = None
    by_broker_time: bool = True
    is_compacted: bool = False


@dataclass(frozen=True, slots=True)
class KafkaState:
    """The state that was found.

    ``unread`` counts what our group has not committed, by input topic, and ``begun`` is whether it has committed anything;
    ``lost`` names partitions of which events were deleted before they were read. ``dead_letters`` is how many events are in
    that topic. ``committed_at`` is when a flow last committed, by its own clock; None where it did not tell.
    """

    brokers: int
    topics: tuple[TopicState, ...]
    unread: Mapping[str, int]
    begun: bool
    lost: tuple[str, ...]
    dead_letters: int
    committed_at: datetime | None = None


def read_state(settings: Kafka) -> KafkaState:
    """The state of a broker's topics and of our group.

    Raises:
        SettingsError, StoreUnavailable, StoreRejected
    """
    quick = {"bootstrap_timeout_ms": _BOOTSTRAP_MS, "request_timeout_ms": _REQUEST_MS}
    inputs = (settings.topics.messages, settings.topics.documents, settings.topics.backfill)
    letters = settings.topics.dead_letters
    names = (*inputs, letters, settings.topics.memories)
    with kafka_errors(settings, "looking at it"), KafkaAdminClient(**connection_arguments(settings) | quick) as admin:
        brokers = len(admin.describe_cluster()["brokers"])
        found = {topic["name"]: topic for topic in admin.describe_topics(list(names)) if topic["error_code"] == 0}
        configs = _configs(admin, list(found)) if found else {}
        topics = tuple(_topic(name, name in inputs, found.get(name), configs.get(name, {})) for name in names)
        kept = [each for each in topics if each.is_input or each.name == letters]
        places = {each.name: [TopicPartition(each.name, number) for number in range(each.partitions)] for each in kept}
        everywhere = [place for partitions in places.values() for place in partitions]
        if not everywhere:
            return KafkaState(brokers, topics, {}, False, (), 0)
        group = _committed(admin, settings.group_id, everywhere)
        begins, ends = bounds_in(admin, everywhere)
    done = {place: found.offset for place, found in group.items() if found.offset >= 0}
    unread = {
        name: sum(max(0, ends[place] - done.get(place, begins[place])) for place in places[name])
        for name in inputs
        if name in places
    }
    lost = tuple(f"{place.topic}/{place.partition}" for place, offset in done.items() if begins[place] > offset)
    dead = sum(ends[place] - begins[place] for place in places.get(letters, ()))
    times = [time for found in group.values() if (time := _time_of(found.metadata)) is not None]
    return KafkaState(brokers, topics, unread, bool(done), lost, dead, max(times, default=None))


def _time_of(metadata: str | None) -> datetime | None:
    """The time of a commit (``PartitionReader.commit``); None of a commit by another program."""
    try:
        time = datetime.fromisoformat(metadata or "")
    except ValueError:
        return None
    return time if time.tzinfo else None


def _committed(admin: KafkaAdminClient, group: str, places: list[TopicPartition]) -> Mapping[TopicPartition, Any]:
    """The committed offsets of a group; a new broker first makes the topic for them, which takes some seconds."""
    deadline = time.monotonic() + _COORDINATOR_SECONDS
    while True:
        try:
            committed: Mapping[TopicPartition, Any] = admin.list_group_offsets({group: places})[group]
            return committed
        except errors.CoordinatorNotAvailableError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_COORDINATOR_SECONDS / 50)


def _configs(admin: KafkaAdminClient, names: list[str]) -> Mapping[str, Mapping[str, Any]]:
    resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names]
    described: Mapping[str, Any] = next(iter(admin.describe_configs(resources, config_filter="all").values()))
    return described


def _topic(name: str, is_input: bool, found: Any, config: Mapping[str, Any]) -> TopicState:
    if found is None:
        return TopicState(name, is_input)
    retention = int(_value(config, "retention.ms") or -1)
    return TopicState(
        name,
        is_input,
        partitions=len(found["partitions"]),
        replicas=min((len(each["replica_nodes"]) for each in found["partitions"]), default=0),
        retention_hours=None if retention < 0 else round(retention / _HOUR_MS, 1),
        by_broker_time=_value(config, "message.timestamp.type") in (None, "LogAppendTime"),
        is_compacted="compact" in (_value(config, "cleanup.policy") or ""),
    )


def _value(config: Mapping[str, Any], name: str) -> str | None:
    entry = config.get(name)
    return entry.get("value") if isinstance(entry, Mapping) else entry
