"""``mneme bench ingest``: from Kafka to searchable, and the same ids as from files.

1. Publish a file's events to topics of their own, as many copies of its conversations as are asked for, with a flush for every
   conversation.
2. Run ``mneme run`` from Kafka into OpenSearch until all flushes are answered: everything is searchable then. It is counted
   from when the flow begins to read; what it took to come that far is said apart.
3. Ingest the same events from a file into an embedded index, undisturbed by any transport.
4. Compare the ids of all records.

The processor time of this machine's processes stands beside: the flow's, OpenSearch's, Kafka's.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from connectors.files.files import read_file
from connectors.indices import open_index
from evaluation.faults.deployment import Deployment, engine_of
from evaluation.options import EngineOption, FlinkPythonOption, JobManagerOption
from evaluation.process_costs import Costs, measured_costs
from evaluation.report import Report, Row, embedder_of, print_table
from evaluation.synthetic_talks import copied
from flows import ingest
from mneme.errors import InputError
from mneme.events import parse_event
from mneme.rows import Collection, Key
from mneme.settings import Settings
from mneme.times import utc_now

KAFKA, FILES = "kafka -> opensearch", "files -> embedded"

_KINDS = (Collection.EPISODES.value, Collection.FACTS.value, Collection.GRAPH.value, Collection.MEMORIES.value)


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: ``seconds`` from the first read to the last searchable, after ``start_seconds``; ``calls`` and ``tokens`` of
    chat models, None where they are not counted."""

    events: int
    start_seconds: float
    seconds: float
    costs: Costs
    ids: frozenset[str]
    calls: int | None = None
    tokens: int | None = None


def run_ingest(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of conversations.", show_default=False)],
    settings: Settings,
    console: Console,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Of the whole; figures are medians.")] = 1,
    copies: Annotated[int, typer.Option("--copies", min=1, help="Of each conversation, each with an owner of its own.")] = 1,
    processes: Annotated[int, typer.Option("--processes", min=1, help="Or slots, that share the work from Kafka.")] = 1,
    engine: EngineOption = "bytewax",
    jobmanager: JobManagerOption = "127.0.0.1:8081",
    flink_python: FlinkPythonOption = None,
) -> Report:
    """Kafka to OpenSearch against files to the embedded index: messages a second until searchable, costs, and equal ids.

    Raises:
        InputError: the file cannot be read.
        StoreError: a server does not answer, or nothing goes on for five minutes.
    """
    measured: dict[str, list[Measured]] = {KAFKA: [], FILES: []}
    publish_seconds = 0.0
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        file = copied_file(path, copies, Path(folder))
        for number in range(repeats):
            own = Path(folder) / str(number)
            with Deployment(settings, own, engine=engine_of(engine, jobmanager, flink_python)) as deployment:
                # 1.
                with console.status(f"publishing, {number + 1} of {repeats}"):
                    started = time.monotonic()
                    published, markers = _publish(file, deployment)
                    publish_seconds = time.monotonic() - started
                # 2.
                with console.status(f"Kafka to OpenSearch, {number + 1} of {repeats}"):
                    measured[KAFKA].append(_through_kafka(deployment, published, markers, processes))
            # 3.
            with console.status(f"files to the embedded index, {number + 1} of {repeats}"):
                measured[FILES].append(_from_files(settings.replace(data=own), file))
    # 4.
    different = max(len(one.ids ^ other.ids) for one, other in zip(measured[KAFKA], measured[FILES], strict=True))
    rows = [row_of(way, runs) for way, runs in measured.items()]
    kafka, files = rows
    print_table(console, "Ingest, from the first poll to searchable", rows)
    return Report(
        bench="ingest",
        settings={
            "embedder": embedder_of(settings),
            "extractor": settings.extraction.extractor,
            "repeats": repeats,
            "copies": copies,
            "processes": processes,
            "engine": engine,
        },
        rows=rows,
        headline={
            "messages": kafka["messages"],
            "kafka_opensearch_messages_per_second": kafka["messages/s"],
            "files_embedded_messages_per_second": files["messages/s"],
            "kafka_opensearch_seconds": kafka["seconds"],
            "files_embedded_seconds": files["seconds"],
            "publish_seconds": round(publish_seconds, 1),
            "records": len(measured[KAFKA][-1].ids),
            "different_ids": different,
        },
    )


def copied_file(path: Path, copies: int, folder: Path) -> Path:
    """The events of a file, as often as is asked for: one copy after the other."""
    if copies == 1:
        return path
    events = [json.loads(incoming.raw) for incoming in read_file(path)]
    file = folder / "copies.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(copies):
            lines.writelines(json.dumps(copied(event, number), ensure_ascii=False) + "\n" for event in events)
    return file


def _publish(path: Path, deployment: Deployment) -> tuple[int, list[Key]]:
    """Send all events, and a flush for every conversation: the number of events, and the markers of the flushes."""
    count = deployment.publish(parse_event(incoming.raw, utc_now()) for incoming in read_file(path))
    if not (markers := deployment.flush_all()):
        raise InputError(f"{path}: it has no messages of a conversation; give a file of conversations")
    return count, markers


def _through_kafka(deployment: Deployment, events: int, markers: list[Key], processes: int) -> Measured:
    """Until the flow has answered every flush."""
    settings = deployment.settings
    servers = {"opensearch": settings.opensearch.url, "kafka": settings.kafka.bootstrap_servers}
    started = time.monotonic()
    deployment.start(processes)
    with measured_costs(servers, deployment.flow.pid) as costs:
        deployment.flow.until_reading()
        began = time.monotonic()
        seconds = deployment.wait_for_markers(markers)
    deployment.stop()
    return Measured(events, began - started, seconds, costs, _ids(settings))


def _from_files(settings: Settings, file: Path) -> Measured:
    embedded = settings.replace(data=settings.data / "embedded", index={"backend": "embedded"}, flow={"processes": 1})
    first: list[float] = []

    def on_progress(done: int, total: int) -> None:
        if done and not first:
            first.append(time.monotonic())

    started = time.monotonic()
    with measured_costs({}) as costs:
        report = ingest([file], embedded, on_progress=on_progress)
    ended = time.monotonic()
    began = first[0] if first else started
    calls = sum(used.calls for used in report.usage.values())
    tokens = sum(used.input_tokens + used.output_tokens for used in report.usage.values())
    return Measured(report.messages, began - started, ended - began, costs, _ids(embedded), calls, tokens)


def _ids(settings: Settings) -> frozenset[str]:
    with closing(open_index(settings, read_only=True)) as index:
        wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
        return frozenset(f"{collection}:{row.id}" for collection in wanted for row in index.scan(collection))


def row_of(way: str, runs: Sequence[Measured]) -> Row:
    """Medians of all runs; of the records the number, of the rate also the least and the most."""
    last = runs[-1]
    rates = [each.events / each.seconds for each in runs]
    counted = {kind: sum(identity.startswith(f"{kind}:") for identity in last.ids) for kind in _KINDS}
    return {
        "way": way,
        "messages": last.events,
        "start-up s": round(statistics.median(each.start_seconds for each in runs), 1),
        "seconds": round(statistics.median(each.seconds for each in runs), 1),
        "messages/s": round(statistics.median(rates), 1),
        "from": round(min(rates), 1),
        "to": round(max(rates), 1),
        "own cpu s": round(statistics.median(each.costs.own_seconds for each in runs), 1),
        "opensearch cpu s": _known([each.costs.server_seconds.get("opensearch") for each in runs]),
        "kafka cpu s": _known([each.costs.server_seconds.get("kafka") for each in runs]),
        "peak MB": round(max(each.costs.peak_megabytes for each in runs)),
        "calls/m": _known([None if each.calls is None else each.calls / each.events for each in runs], 4),
        "tokens/m": _known([None if each.tokens is None else each.tokens / each.events for each in runs]),
        **counted,
    }


def _known(values: Sequence[float | None], digits: int = 1) -> float | str:
    """The median of what is known; a stroke where nothing is."""
    known = [value for value in values if value is not None]
    return round(statistics.median(known), digits) if known else "-"
