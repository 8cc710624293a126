"""The dataflow on Apache Flink: the only file that knows this engine. It is loaded only where a flow runs there.

    topics ─ decode ── read ── (embed, segment, extract) ── reconcile
                        │                 │                    │
                        └───── ticks ─────┴────────────────────┘

Each function is keyed by group of buckets, and holds the lanes of all its buckets; what goes to the index is written in it,
when a bundle of its groups ends.
Flink keeps offsets and states in its checkpoints and goes on from the last complete one; what was written after it is written
again, and converges (flows/lanes/state.py). A tick a second goes to every group: PyFlink 2.3 registers timers in the task's
own thread (FLINK-37084), so that a checkpoint misses those of its last bundle. A group whose timer is lost would stand still.
"""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyflink
from pyflink.common import Configuration, Types
from pyflink.datastream import DataStream, KeyedCoProcessFunction, RuntimeContext, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor
from pyflink.java_gateway import get_gateway
from pyflink.table import StreamTableEnvironment
from pyflink.util.java_utils import to_jarray

from connectors.kafka.client import connection_arguments
from flows.decode import decode
from flows.engines.dataflow import EMBED, EXTRACT, READ, RECONCILE, SEGMENT, Step, goes_to_the_writer
from flows.engines.flink_start import WORKERS_PYTHON
from flows.engines.flink_worker import MOVED, FlinkRun, GroupLanes, Unwritten, moved_states, packed, worker_of
from mneme.errors import SettingsError
from mneme.ports import Incoming
from mneme.records import Position
from mneme.settings import Kafka
from mneme.times import to_milliseconds, utc_now

CONNECTOR = "flink-sql-connector-kafka-5.0.0-2.2.jar"
_CONNECTOR_SHA256 = "5605c691d11a501382c383fecba37a7a552467da5ab7ba904ef5d6f3d62c5616"
_GROUPS = 32  # of buckets: the keys that Flink sees, and so the parallelism that a job can grow to
_LINGER = timedelta(milliseconds=20)  # until items of a group are worked on together
_MOST_TOGETHER = 200
_CHECKPOINT_SECONDS = 2.0  # at least, between two: each is work in all slots, also where nothing comes
_PICKLED = Types.PICKLED_BYTE_ARRAY()  # by PyFlink in Python's own words (cloudpickle), so that what is sent is packed before

Sent = tuple[str, bytes]  # a group, and an item for it


def submit(run: FlinkRun, parallelism: int, checkpoints: str, resume_from: str | None) -> str:
    """Hand the dataflow to a cluster.

    Args:
        run: what its workers need.
        parallelism: how many slots it takes.
        checkpoints: the URI of the folder for checkpoints, which all machines see; empty for that of the cluster.
        resume_from: the checkpoint or savepoint to go on from; None to begin.

    Returns:
        The id of the job.

    Raises:
        SettingsError: the connector of Kafka is missing or is another one.
    """
    check_connector(Path(pyflink.__path__[0]) / "lib" / CONNECTOR)
    env = _environment(run, _configuration(run, parallelism, checkpoints, resume_from))
    table = StreamTableEnvironment.create(env)
    buckets, groups = run.settings.flow.buckets, _groups()
    begin = "earliest-offset" if run.moved is None else "group-offsets"
    options = _kafka_properties(run.settings.kafka) | {"topic": ";".join(run.topic_ids), "scan.startup.mode": begin}
    table.execute_sql(
        "CREATE TABLE events (body BYTES, topic STRING METADATA, part INT METADATA FROM 'partition', "
        f"place BIGINT METADATA FROM 'offset', stamp TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ({_options(options)})"
    )
    rows = _stream(table, "events", "SELECT body, topic, part, place, CAST(stamp AS TIMESTAMP(3)) FROM events")
    decoded = partial(_decoded, _Sending(READ, buckets, groups), run.topic_ids)
    stream = rows.flat_map(decoded, output_type=_PICKLED).name("events").uid("events")
    table.execute_sql(
        "CREATE TABLE ticks (beat INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1', 'scan.parallelism' = '1')"
    )
    clock = _stream(table, "ticks", "SELECT beat FROM ticks")
    ticks = clock.flat_map(lambda beat: groups, output_type=Types.STRING()).name("ticks").uid("ticks").set_parallelism(1)
    for name, steps, next_step in (
        ("read", (READ,), EMBED),
        ("conversations", (EMBED, SEGMENT, EXTRACT), RECONCILE),
        ("owners", (RECONCILE,), RECONCILE),  # which hands on nothing
    ):
        keyed = stream.key_by(itemgetter(0), key_type=Types.STRING())
        timed = keyed.connect(ticks.key_by(str, key_type=Types.STRING()))
        stream = timed.process(LanesFunction(steps, next_step, run, groups), output_type=_PICKLED).name(name).uid(name)
    stream.print().name("nothing").uid("nothing")  # a job has a sink, and all is written before
    return str(env.execute_async(run.name).get_job_id())


def _stream(table: StreamTableEnvironment, name: str, query: str) -> DataStream:
    """The rows of a query. Its operators have names of ours: a checkpoint finds them again in another dataflow."""
    table.get_config().set("table.exec.uid.format", f"{name}_<type>_<transformation>")
    return table.to_data_stream(table.sql_query(query))


def _groups() -> tuple[str, ...]:
    """The keys of the groups, of which Flink gives each slot as many as any other: each lies in a key group of its own."""
    jvm = get_gateway().jvm
    found: dict[int, str] = {}
    for number in count():
        if len(found) == _GROUPS:
            break
        row = jvm.org.apache.flink.types.Row.of(to_jarray(jvm.Object, [str(number)]))
        found.setdefault(jvm.org.apache.flink.runtime.state.KeyGroupRangeAssignment.assignToKeyGroup(row, _GROUPS), str(number))
    return tuple(found[group] for group in range(_GROUPS))


def check_connector(jar: Path) -> None:
    """Make sure that the connector of Kafka is there.

    Raises:
        SettingsError: it is missing, or is another one; says where it comes from.
    """
    if not jar.is_file() or hashlib.sha256(jar.read_bytes()).hexdigest() != _CONNECTOR_SHA256:
        raise SettingsError(
            f"Flink has no connector for Kafka, or another one: put {CONNECTOR} (Maven Central, "
            f"org.apache.flink:flink-sql-connector-kafka, SHA-256 {_CONNECTOR_SHA256}) into {jar.parent}, on every machine"
        )


def _environment(run: FlinkRun, configuration: Configuration) -> StreamExecutionEnvironment:
    """The cluster. PyFlink's own factory would start one in its process. The client brings the jar that ``lib`` lacks."""
    gateway = get_gateway()
    host, _, port = run.jobmanager.rpartition(":")
    home = Path(pyflink.__path__[0])
    jars = [str(jar) for jar in (home / "opt").glob("flink-python-*.jar") if not (home / "lib" / jar.name).exists()]
    java = gateway.jvm.org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
    settings = configuration._j_configuration  # PyFlink has no public name for it
    return StreamExecutionEnvironment(
        java.createRemoteEnvironment(host, int(port), settings, to_jarray(gateway.jvm.String, jars))
    )


def _configuration(run: FlinkRun, parallelism: int, checkpoints: str, resume_from: str | None) -> Configuration:
    seconds = max(run.settings.flow.epoch_seconds, _CHECKPOINT_SECONDS)
    values = {
        "execution.attached": "false",
        "parallelism.default": str(parallelism),
        "pipeline.max-parallelism": str(_GROUPS),
        "table.exec.uid.generation": "ALWAYS",
        "table.local-time-zone": "UTC",
        "python.executable": str(Path(sys.executable).with_name(WORKERS_PYTHON)),
        "python.client.executable": sys.executable,
        "python.execution-mode": "process",  # a thread's tells neither its attempt nor ends with a job (2.3)
        "python.fn-execution.bundle.time": "50",
        "python.fn-execution.bundle.size": "500",
        "execution.checkpointing.interval": f"{int(1000 * seconds)} ms",
        "execution.checkpointing.min-pause": f"{int(500 * seconds)} ms",
        "execution.checkpointing.max-concurrent-checkpoints": "1",  # epochs are told by it (flows/engines/flink_worker.py)
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
        "execution.state-recovery.claim-mode": "CLAIM",  # what is superseded goes: it holds what may have been erased
        "restart-strategy.type": "exponential-delay",
        "restart-strategy.exponential-delay.initial-backoff": "500 ms",
        "restart-strategy.exponential-delay.max-backoff": "5 s",
    }
    if run.moved is not None:
        values["python.archives"] = f"{run.moved}#{MOVED}"
    if checkpoints:
        values["execution.checkpointing.dir"] = checkpoints
    if resume_from is not None:
        values["execution.state-recovery.path"] = resume_from
    configuration = Configuration()
    for name, value in values.items():
        configuration.set_string(name, value)
    return configuration


def _kafka_properties(kafka: Kafka) -> dict[str, str]:
    """The connector's options for a broker, as of ``connection_arguments``.

    Raises:
        SettingsError: as there; or a client certificate is set, which the connector takes in another form.
    """
    arguments = connection_arguments(kafka)
    if arguments.get("ssl_certfile") or arguments.get("ssl_keyfile"):
        raise SettingsError("MNEME_KAFKA__SSL_CERTFILE: Flink's connector needs another form of it; use SASL over SSL")
    values = {
        "connector": "kafka",
        "format": "raw",
        "properties.auto.offset.reset": "earliest",  # of a partition that nobody has read
        "properties.bootstrap.servers": kafka.bootstrap_servers,
        "properties.group.id": kafka.group_id,
        "properties.isolation.level": "read_committed",
        "properties.security.protocol": kafka.security_protocol,
    }
    if authority := arguments.get("ssl_cafile"):
        values |= {"properties.ssl.truststore.type": "PEM", "properties.ssl.truststore.location": str(authority)}
    if mechanism := arguments.get("sasl_mechanism"):
        module = "scram.ScramLoginModule" if mechanism.startswith("SCRAM") else "plain.PlainLoginModule"
        user, password = (_quoted(str(arguments[name])) for name in ("sasl_plain_username", "sasl_plain_password"))
        values["properties.sasl.mechanism"] = mechanism
        values["properties.sasl.jaas.config"] = (
            f"org.apache.flink.kafka.shaded.org.apache.kafka.common.security.{module} required "
            f"username={user} password={password};"
        )
    return values


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _options(values: Mapping[str, str]) -> str:
    quoted = {name: value.replace("'", "''") for name, value in values.items()}
    return ", ".join(f"'{name}' = '{value}'" for name, value in quoted.items())


@dataclass(frozen=True, slots=True)
class _Sending:
    """Makes of items what is sent to a step: the group of an item's bucket, and the item. The writer's have no bucket."""

    step: Step
    buckets: int
    groups: tuple[str, ...]

    def __call__(self, item: Any) -> Sent:
        bucket = 0 if goes_to_the_writer(item) else int(self.step.key(item, self.buckets))
        return self.groups[bucket % len(self.groups)], packed(item)


def _decoded(sending: _Sending, topic_ids: Mapping[str, str], row: Any) -> Iterator[Sent]:
    """The items of a row of the topics."""
    body, topic, partition, offset, stamp = row
    assert isinstance(stamp, datetime), "in process mode it is Python's"
    position = Position(topic=topic, partition=partition, offset=offset, topic_id=topic_ids[topic])
    return map(sending, decode(Incoming(bytes(body or b""), position, stamp.replace(tzinfo=UTC)), sending.buckets))


class LanesFunction(KeyedCoProcessFunction):  # type: ignore[misc]
    """Lanes of a group of buckets, as Flink drives them: with items, and ticks. State is made when a bundle ends."""

    def __init__(self, steps: tuple[Step, ...], next_step: Step, run: FlinkRun, groups: tuple[str, ...]) -> None:
        self._steps = steps
        self._sending = _Sending(next_step, run.settings.flow.buckets, groups)
        self._run = run
        self._keys = groups

    def open(self, runtime_context: RuntimeContext) -> None:
        """Begin on a slot."""
        self._worker = worker_of(self._run)
        self._unwritten = Unwritten(self._worker.writer)
        self._state = runtime_context.get_map_state(MapStateDescriptor("lanes", Types.STRING(), _PICKLED))
        self._moved = moved_states(self._steps) if self._run.moved is not None else {}
        self._groups: dict[str, GroupLanes] = {}
        self._timers: dict[str, int] = {}

    def process_element1(self, value: Sent, ctx: KeyedCoProcessFunction.Context) -> Iterator[Sent]:
        """Keep an item for a moment, so that those of a group are worked on together."""
        key, item = value
        group = self._of(key)
        group.add(item)
        if len(group) >= _MOST_TOGETHER:
            yield from map(self._sending, group.work())
        self._rest(key, group, ctx, _LINGER)

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[Sent]:
        """See to it, once in a while, that nothing stands still: a timer that ought to have come by now is lost."""
        key = ctx.get_current_key()
        if self._timers.get(key, 0) < to_milliseconds(utc_now()):
            self._timers.pop(key, None)
            yield from self._do_what_is_due(key, ctx)

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Iterator[Sent]:
        """Do what is due."""
        key = ctx.get_current_key()
        if self._timers.get(key) == timestamp:
            del self._timers[key]
        yield from self._do_what_is_due(key, ctx)

    def _of(self, key: str) -> GroupLanes:
        if key not in self._groups:
            moved = {bucket: state for bucket, state in self._moved.items() if self._keys[int(bucket) % len(self._keys)] == key}
            self._groups[key] = GroupLanes(self._steps, self._worker, self._unwritten, key, dict(self._state.items()), moved)
        return self._groups[key]

    def _do_what_is_due(self, key: str, ctx: Any) -> Iterator[Sent]:
        group = self._of(key)
        if group.is_due(utc_now()):
            yield from map(self._sending, group.work())
        self._rest(key, group, ctx)

    def _rest(self, key: str, group: GroupLanes, ctx: Any, soonest: timedelta | None = None) -> None:
        """Keep what is new of a group, and have it woken when something is due."""
        for name, value in group.changes().items():  # put_all of 2.3 takes no dictionary
            self._state.put(name, value)
        if (at := group.wake_at(utc_now(), soonest)) is None:
            return
        milliseconds = to_milliseconds(at)
        if (known := self._timers.get(key)) is None or milliseconds < known:
            self._timers[key] = milliseconds
            ctx.timer_service().register_processing_time_timer(milliseconds)
