"""``mneme bench scaling``: what a second process, and a second flow, add; and what a hot owner and an endless talk take away.

Every run has topics, indices and folders of its own, and is of `mneme run` as an operator starts it, on Kafka and OpenSearch:

1. Start the flow, or both flows, each with half of the partitions, and wait until they read.
2. Publish a load and a flush for each conversation; wait until all flushes are answered: everything is searchable then.
3. Messages a second by the clock; processor time of the flow's processes, and of OpenSearch as it tells itself.

The ways take turns, and figures are medians over the rounds. On a machine whose processors are busy with the servers too, the
clock says little of a second process: the processor's time says whether it costs more.
"""

import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import psutil
from rich.console import Console

from connectors.indices import open_index
from connectors.kafka.client import create_topics, delete_topics
from connectors.kafka.producer import partition_of
from connectors.opensearch.client import drop_indices, open_client
from connectors.publisher import Publisher
from evaluation.capacity.shapes import Load, Shape, load_of, sittings_in
from evaluation.faults.flow_process import FlowProcess
from evaluation.own_index import own_topics
from evaluation.report import Report, Row, embedder_of, plotted, print_table
from mneme.errors import StoreError
from mneme.events import Flush
from mneme.ports import MemoryIndex
from mneme.rows import Collection, Key, flush_marker
from mneme.settings import Settings
from mneme.times import utc_now

_PARTITIONS = 8
_LONGEST_SECONDS = 900.0
_POLL_SECONDS = 0.1
_COLUMNS = ["way", "shape", "messages/s", "slowest", "fastest", "flow_ms", "opensearch_ms", "kafka_ms", "busy", "memory_mb"]


@dataclass(frozen=True, slots=True)
class Way:
    """The layout of a run: how many flows, each with its share of the partitions, of how many processes."""

    name: str
    flows: int = 1
    processes: int = 1


WAYS = (Way("one process"), Way("two processes", processes=2), Way("two flows", flows=2))


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: ``seconds`` by the clock; ``flow``, ``opensearch`` and ``kafka`` in seconds of the processor; ``memory`` of the
    flow and ``store`` of all indices in bytes."""

    seconds: float
    flow: float
    opensearch: float
    kafka: float
    memory: int
    records: int
    facts: int
    store: int


def run_scaling(
    path: Path,
    settings: Settings,
    out: Path,
    messages: int = 2000,
    rounds: int = 5,
    shapes: Sequence[Shape] = (Shape.EVEN,),
    console: Console | None = None,
) -> Report:
    """Measure and report.

    Args:
        path: a file of conversations.
        settings: where the servers are, and the embedder.
        messages: of each run.
        rounds: of each way.
        shapes: of the load; all but the even one with one process only.

    Raises:
        InputError: the file cannot be read, or ``out`` not be written.
        StoreError: a server does not answer, or a run takes longer than 15 minutes.
    """
    console = console or Console()
    sittings = sittings_in(path)
    tenants = tenants_of(_PARTITIONS)
    plan = [(way, Shape.EVEN) for way in WAYS if Shape.EVEN in shapes]
    plan += [(WAYS[0], shape) for shape in shapes if shape is not Shape.EVEN]
    runs: dict[tuple[Way, Shape], list[Measured]] = {each: [] for each in plan}
    for number in range(rounds):
        for way, shape in plan:
            with console.status(f"round {number + 1} of {rounds}: {way.name}, {shape.value}"):
                runs[way, shape].append(measure(way, load_of(sittings, shape, messages, tenants), settings))
    rows = [row_of(way, shape, messages, measured) for (way, shape), measured in runs.items()]
    report = Report(
        bench="scaling",
        settings={
            "embedder": embedder_of(settings),
            "messages": messages,
            "rounds": rounds,
            "partitions": _PARTITIONS,
        },
        rows=rows,
        headline=_headline(rows),
    )
    print_table(console, "From publishing to searchable", rows, _COLUMNS)
    return report.finish(console, out, partial(_plot, rows))


def tenants_of(partitions: int) -> list[str]:
    """A tenant for each partition, so that each flow has the same to do."""
    found: dict[int, str] = {}
    number = 0
    while len(found) < partitions:
        found.setdefault(partition_of(f"tenant{number}", partitions), f"tenant{number}")
        number += 1
    return [found[partition] for partition in range(partitions)]


def measure(way: Way, load: Load, settings: Settings) -> Measured:
    """Run one load one way.

    Raises:
        StoreError: a server does not answer, a flow ended, or it took longer than 15 minutes.
    """
    with _own(settings) as own, ExitStack() as stack:
        flows = [stack.enter_context(FlowProcess(each, way.processes)) for each in _shares(own, way.flows)]
        for flow in flows:
            flow.until_reading(_LONGEST_SECONDS)
        index = open_index(own, read_only=True)
        stack.callback(index.close)
        before, opensearch, kafka = _processor_of(flows), _processor_of_opensearch(own), _processor_of_kafka(own)
        started = time.monotonic()
        with Publisher(own.kafka) as publisher:
            publisher.send_many(load.messages)
            flushes = [
                Flush(tenant_id=tenant, conversation_id=each, flush_id=uuid.uuid4().hex) for tenant, each in load.conversations
            ]
            publisher.send_many(flushes)
        _wait(index, [flush_marker(each.tenant_id, each.flush_id, utc_now()).key for each in flushes], flows)
        seconds = time.monotonic() - started
        index.refresh()
        return Measured(
            seconds=seconds,
            flow=_processor_of(flows) - before,
            opensearch=_processor_of_opensearch(own) - opensearch,
            kafka=_processor_of_kafka(own) - kafka,
            memory=sum(flow.resident_bytes() for flow in flows),
            records=sum(index.count(each) for each in Collection),
            facts=index.count(Collection.FACTS),
            store=_store_of(own),
        )


def row_of(way: Way, shape: Shape, messages: int, measured: Sequence[Measured]) -> Row:
    """The medians of some runs; milliseconds are of a processor, of one message; ``busy`` is how many the flow had."""
    rates = sorted(messages / each.seconds for each in measured)
    return {
        "way": way.name,
        "shape": shape.value,
        "messages": messages,
        "rounds": len(measured),
        "messages/s": median(rates),
        "slowest": rates[0],
        "fastest": rates[-1],
        "flow_ms": 1000 * median(each.flow for each in measured) / messages,
        "opensearch_ms": 1000 * median(each.opensearch for each in measured) / messages,
        "kafka_ms": 1000 * median(each.kafka for each in measured) / messages,
        "busy": median(each.flow / each.seconds for each in measured),
        "memory_mb": median(each.memory for each in measured) / 1e6,
        "records": int(median(each.records for each in measured)),
        "facts": int(median(each.facts for each in measured)),
        "store_mb": median(each.store for each in measured) / 1e6,
    }


def _plot(rows: Sequence[Row], out: Path) -> None:
    """Draw messages a second of each way and shape, from the slowest to the fastest round."""
    names = [f"{row['way']},\n{row['shape']}" for row in rows]
    middle, slowest, fastest = (np.array([float(row[name]) for row in rows]) for name in ("messages/s", "slowest", "fastest"))
    with plotted(out, (max(6.4, 1.4 * len(rows)), 4.4), ylabel="messages/s", title="From publishing to searchable") as axes:
        axes.bar(names, middle, yerr=[middle - slowest, fastest - middle], capsize=4)


def _headline(rows: Sequence[Row]) -> dict[str, float]:
    """Each row beside the first: how many times as fast, and how many times the processor time for a message."""
    first = rows[0]
    line = {"messages_per_second": float(first["messages/s"]), "flow_ms": float(first["flow_ms"])}
    for row in rows[1:]:
        name = str(row["way"] if row["shape"] == first["shape"] else row["shape"]).replace(" ", "_")
        line[f"{name}_speed"] = float(row["messages/s"]) / float(first["messages/s"])
        line[f"{name}_processor"] = float(row["flow_ms"]) / float(first["flow_ms"])
    return line


@contextmanager
def _own(settings: Settings) -> Iterator[Settings]:
    """Settings of empty topics and indices that are gone afterwards."""
    name = f"scaling-{uuid.uuid4().hex[:12]}"
    kafka = own_topics(settings.kafka, name, keyed_by="tenant", partitions=_PARTITIONS, partitions_read="")
    with tempfile.TemporaryDirectory(prefix="mneme-scaling-") as folder:
        own = settings.replace(
            data=Path(folder),
            kafka=kafka,
            opensearch={"index_prefix": name},
            index={"backend": "opensearch"},
            boundaries={"hold_back_seconds": 0.0},
        )
        create_topics(own.kafka)
        try:
            yield own
        finally:
            every = set(kafka.topics.model_dump().values())
            letters = {f"{kafka.topics.dead_letters}-{each.kafka.partitions_read}" for each in _shares(own, 2)}
            delete_topics(own.kafka, sorted(every | letters))
            drop_indices(own.opensearch)


def _shares(settings: Settings, flows: int) -> list[Settings]:
    """The settings of each of some flows, that read all partitions together."""
    if flows == 1:
        return [settings]
    size = _PARTITIONS // flows
    ranges = [f"{first}-{first + size - 1}" for first in range(0, _PARTITIONS, size)]
    return [settings.replace(data=settings.data / each, kafka={"partitions_read": each}) for each in ranges]


def _wait(index: MemoryIndex, markers: Sequence[Key], flows: Sequence[FlowProcess]) -> None:
    ends = time.monotonic() + _LONGEST_SECONDS
    missing = list(markers)
    while missing:
        found = index.get(missing)
        missing = [key for key in missing if key not in found]
        for flow in flows:
            if not flow.is_running or time.monotonic() > ends:
                raise StoreError(
                    f"{len(missing)} of {len(markers)} flushes are not answered; the flow's log ends:\n{flow.log()}"
                )
        time.sleep(_POLL_SECONDS)


def _processor_of(flows: Sequence[FlowProcess]) -> float:
    return sum(_seconds(psutil.Process(pid)) for flow in flows for pid in flow.members())


def _processor_of_kafka(settings: Settings) -> float:
    """Of a broker on this machine; 0 where there is none."""
    port = int(settings.kafka.bootstrap_servers.split(",")[0].rpartition(":")[2])
    brokers = {
        each.pid
        for each in psutil.net_connections("tcp")
        if each.pid is not None and each.status == psutil.CONN_LISTEN and each.laddr.port == port
    }
    return sum(_seconds(psutil.Process(pid)) for pid in brokers)


def _processor_of_opensearch(settings: Settings) -> float:
    """Of all its nodes together, as they tell themselves."""
    with closing(open_client(settings.opensearch)) as client:
        nodes = client.nodes.stats(metric="process")["nodes"].values()
    return float(sum(node["process"]["cpu"]["total_in_millis"] for node in nodes)) / 1000


def _store_of(settings: Settings) -> int:
    """Bytes of all indices, without their replicas."""
    with closing(open_client(settings.opensearch)) as client:
        stats = client.indices.stats(index=f"{settings.opensearch.index_prefix}-*", metric="store")
    return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
