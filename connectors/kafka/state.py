"""How a Kafka is set up for Mneme, for a doctor: answered within seconds, or refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka import TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, OffsetSpec

from connectors.kafka.client import connection_arguments, kafka_errors
from mneme.settings import Kafka

_BOOTSTRAP_MS = 3_000
_REQUEST_MS = 4_000
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


@dataclass(frozen=True, slots=True)
class KafkaState:
    """What was found. ``unread`` is None where the group has committed nothing; ``lost`` names partitions of which events were
    deleted before they were read."""

    brokers: int
    topics: tuple[TopicState, ...]
    unread: int | None
    lost: tuple[str, ...]


def read_state(settings: Kafka) -> KafkaState:
    """The state of a broker's topics and of our group.

    Raises:
        SettingsError, StoreUnavailable, StoreRejected
    """
    quick = {"bootstrap_timeout_ms": _BOOTSTRAP_MS, "request_timeout_ms": _REQUEST_MS}
    inputs = (settings.topics.messages, settings.topics.documents, settings.topics.backfill)
    names = (*inputs, settings.topics.dead_letters, settings.topics.memories)
    with kafka_errors(settings, "looking at it"), KafkaAdminClient(**connection_arguments(settings) | quick) as admin:
        brokers = len(admin.describe_cluster()["brokers"])
        found = {topic["name"]: topic for topic in admin.describe_topics(list(names)) if topic["error_code"] == 0}
        configs = _configs(admin, list(found)) if found else {}
        topics = tuple(_topic(name, name in inputs, found.get(name), configs.get(name, {})) for name in names)
        partitions = [
            TopicPartition(each.name, number) for each in topics if each.is_input for number in range(each.partitions)
        ]
        if not partitions:
            return KafkaState(brokers, topics, None, ())
        group = admin.list_group_offsets({settings.group_id: partitions})[settings.group_id]
        done = {each: group[each].offset for each in partitions if each in group and group[each].offset >= 0}
        if not done:
            return KafkaState(brokers, topics, None, ())
        ends = admin.list_partition_offsets(dict.fromkeys(partitions, OffsetSpec.LATEST))
        begins = admin.list_partition_offsets(dict.fromkeys(done, OffsetSpec.EARLIEST))
    unread = sum(max(0, ends[each].offset - done.get(each, 0)) for each in partitions)
    lost = tuple(f"{each.topic}/{each.partition}" for each, offset in done.items() if begins[each].offset > offset)
    return KafkaState(brokers, topics, unread, lost)


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
    )


def _value(config: Mapping[str, Any], name: str) -> str | None:
    entry = config.get(name)
    return entry.get("value") if isinstance(entry, Mapping) else entry
