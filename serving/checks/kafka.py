"""Kafka: whether it is there, with the topics, and keeps what was not read yet."""

from collections.abc import Iterator

from mneme.errors import StoreError
from mneme.settings import Settings
from serving.checks.check import Check

_SHORTEST_RETENTION_HOURS = 24.0  # a weekend would be better: what is deleted before it was read is lost


def kafka(settings: Settings) -> Iterator[Check]:
    """Broker, topics, retention and group; one line where events do not come by Kafka."""
    if settings.intake != "kafka":
        yield Check("kafka", "not used", "events come by files and the inbox (MNEME_SERVICE__INTAKE)", "ready")
        return
    from connectors.kafka.state import read_state

    servers = settings.kafka.bootstrap_servers
    try:
        state = read_state(settings.kafka)
    except StoreError as error:
        yield Check("kafka", "broker", servers, "missing", str(error), needed=True)
        return
    brokers = f"{servers}, {state.brokers} broker{'s' * (state.brokers != 1)}"
    yield Check("kafka", "broker", brokers, "ready")
    for topic in state.topics:
        if topic.partitions == 0:
            remedy = f"{topic.name} is not there yet: `mneme run` makes it, or `mneme admin topics create`"
            yield Check("kafka", topic.name, "", "missing", remedy)
            continue
        what = f"{topic.partitions} partitions"
        remedies = []
        if topic.retention_hours is not None:
            what += f", kept {topic.retention_hours:g} h"
            if topic.is_input and topic.retention_hours < _SHORTEST_RETENTION_HOURS:
                remedies.append(
                    f"{topic.name} keeps events for {topic.retention_hours:g} h: if the flow rests for longer they are lost; "
                    "raise retention.ms"
                )
        if topic.replicas < min(2, state.brokers):
            remedies.append(f"{topic.name} lies on one broker; raise its replication factor")
        if topic.is_input and not topic.by_broker_time:
            remedies.append(f"{topic.name}: set message.timestamp.type=LogAppendTime, so that times of senders can be judged")
        yield Check("kafka", topic.name, what, "partly" if remedies else "ready", "; ".join(remedies))
    yield _group(settings.kafka.group_id, sum(state.unread.values()) if state.begun else None, state.lost)


def _group(name: str, unread: int | None, lost: tuple[str, ...]) -> Check:
    if lost:
        remedy = f"retention deleted what the flow had not read in {', '.join(lost)}; see docs/operations.md"
        return Check("kafka", f"group {name}", "", "missing", remedy, needed=True)
    if unread is None:
        return Check("kafka", f"group {name}", "nothing committed yet", "ready")
    return Check("kafka", f"group {name}", f"{unread:,} events not read", "ready")
