"""``mneme bench stages``: what each step of the flow costs the processor for one message, without embedder and index server.

1. A first round, which does not count, makes the vectors of all texts.
2. Five rounds through the real engine with its recovery store, into an index in memory whose writes are encoded as OpenSearch
   gets them. Jobs run where they are handed to the pool, so that they count for their step. What no step takes is the engine's.
3. What it costs without any message, to make the store and to start and end all buckets, is told by itself: it is the same for
   a million messages.

Figures are medians of the rounds. A message costs so many microseconds of one processor; a million of them is a second.
"""

import json
import statistics
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, cast

import numpy as np
import typer
from rich.console import Console

from connectors.files.files import read_file
from connectors.models import open_embedder
from connectors.opensearch.bulk import BulkWriter
from evaluation.pools import at_once
from evaluation.process_costs import Watched
from evaluation.report import Report, embedder_of, plotted, print_table
from evaluation.report import Row as Figures
from evaluation.synthetic_talks import talk
from flows.decode import decode
from flows.engines.bytewax import build, execute
from flows.engines.dataflow import Dataflow, Step
from flows.engines.port import HostedLane, Source
from flows.lanes.pending import Backlogs
from flows.lanes.services import Services
from flows.lanes.state import Versions
from flows.running.feeds import Fed, FeedLimits, FileFeed
from flows.running.open_services import open_services, with_file_sinks
from flows.write import Writer
from mneme.ports import (
    Create,
    Embedder,
    EmbedderIdentity,
    Filter,
    Hit,
    Incoming,
    MemoryIndex,
    Outcome,
    Remove,
    TextLeg,
    VectorLeg,
    Write,
    WriteResult,
)
from mneme.records import Position
from mneme.rows import Collection, Embedding, Key, Row, Vector
from mneme.settings import OpenSearch, Settings
from mneme.times import utc_now

STAGES = ("decode", "embed", "segment", "extract", "reconcile", "write", "snapshots", "engine")
_TALKS, _TALK_MESSAGES = 60, 40  # that are made up where there is no file


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of the processor by stage in one round, and what came of the messages."""

    seconds: dict[str, float]
    records: Counter[str]


def run_stages(
    settings: Settings,
    console: Console,
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A file of conversations; without it made-up talks.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of each measurement; figures are medians.")] = 5,
) -> Report:
    """Processor time of each step of ingestion for one message, without embedder and index server.

    Raises:
        InputError: the file cannot be read.
        SettingsError, ModelError: the embedder cannot be opened, or does not answer.
    """
    without_model = {"boundaries": {"hold_back_seconds": 0.0, "detector": "semantic"}, "extraction": {"extractor": "local"}}
    settings = settings.replace(**without_model, reconcile={"judge": "rule"}, models={"provider": "none"})
    events = list(read_file(path)) if path is not None else synthetic_events()
    with closing(open_embedder(settings)) as embedder, console.status("measuring"):
        known = Remembering(embedder)
        through_the_engine(events, settings, known)
        measured = [through_the_engine(events, settings, known) for _ in range(rounds)]
        empty = [through_the_engine([], settings, known) for _ in range(rounds)]
    start_and_end = statistics.median(sum(each.seconds.values()) for each in empty)
    report = _report(measured, start_and_end, len(events), settings)
    print_table(console, "Processor time of each stage, for one message", report.rows)
    return replace(report, plot=partial(_plot, report.rows))


def synthetic_events() -> list[Incoming]:
    """Made-up talks, one after the other, as a source gives them."""
    ends_at = utc_now() - timedelta(days=30)
    messages = [each for number in range(_TALKS) for each in talk(f"talk-{number}", f"p{number % 9}", _TALK_MESSAGES, ends_at)]
    return [
        Incoming(message.to_bytes(), Position(topic="made", partition=0, offset=at), ends_at)
        for at, message in enumerate(messages)
    ]


# --- what is measured ------------------------------------------------------------------------------------------------


class Clock:
    """Seconds of the processor by stage, of the thread that works in it."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Count for a stage while inside."""
        began = time.thread_time()
        yield
        self.seconds[stage] += time.thread_time() - began


@dataclass(frozen=True)
class ClockedDataflow(Dataflow):
    """A dataflow whose stages are clocked."""

    clock: Clock = field(default_factory=Clock)

    def decoded(self, batch: list[Fed]) -> list[Any]:
        """As of ``Dataflow``."""
        with self.clock("decode"):
            return super().decoded(batch)

    def hosting(self, step: Step) -> Callable[[bytes | None], HostedLane]:
        """As of ``Dataflow``."""
        hosted, own = super().hosting(step), {"snapshot": "snapshots", "epoch_done": "snapshots"}  # of all stages together
        return lambda state: cast(HostedLane, Watched(hosted(state), lambda name: self.clock(own.get(name, step.name))))

    def write(self, items: list[Any]) -> None:
        """As of ``Dataflow``."""
        with self.clock("write"):
            super().write(items)


def through_the_engine(events: Sequence[Incoming], settings: Settings, embedder: Embedder) -> Measured:
    """The whole flow, with its engine, queue and recovery store, over all events."""
    flow, index, backlogs = settings.flow, RowsInMemory(settings.opensearch), Backlogs()

    def read(path: Path, start: int, source: str | None) -> Iterator[Incoming]:
        return iter(events[start:])

    def open_feed(name: str, place: object) -> FileFeed:
        assert place is None, "the recovery store is new"
        limits = FeedLimits(backlogs.unfinished, flow.pending_limit, flow.source_batch, threading.Event(), flow.buckets)
        return FileFeed([Path("stages")], read, lambda path: [("stages", None)], None, limits)

    with opened(settings, index, embedder, backlogs) as (services, writer):
        source = Source("stages", ("stages",), open_feed)
        dataflow = ClockedDataflow([source], partial(decode, buckets=flow.buckets), by_hand(services, embedder), writer)
        began = time.process_time()
        execute(build(dataflow), services.settings.data / "epochs", flow.epoch_seconds, flow.recovery_partitions)
        whole = time.process_time() - began - index.acknowledged
    seconds = {stage: dataflow.clock.seconds[stage] for stage in STAGES[:-1]}
    seconds["write"] -= index.acknowledged
    seconds["engine"] = whole - sum(seconds.values())
    return Measured(seconds, Counter(key.collection.value for key in index.rows))


# --- stand-ins --------------------------------------------------------------------------------------------------------


class Remembering:
    """An embedder that makes each vector once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}
        self.identity = EmbedderIdentity("remembering", "remembering", embedder.identity.dimension)

    def embed(self, texts: Sequence[str]) -> Vector:
        """The vectors of texts."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors |= zip(new, self._embedder.embed(new), strict=True)
        return np.stack([self._vectors[text] for text in texts])

    def close(self) -> None:
        """Nothing is held open."""


class RowsInMemory:
    """The rows by key. ``acknowledged`` is how many seconds of the writing threads stood for a server."""

    def __init__(self, settings: OpenSearch) -> None:
        self.rows: dict[Key, Row] = {}
        self.acknowledged = 0.0
        self._lock = Lock()
        self._bulk = BulkWriter(self._acknowledge, settings)

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Encode the writes as for OpenSearch, then keep the rows."""
        with self._lock:
            self._bulk.write(writes)
            began = time.thread_time()
            for write in writes:
                if isinstance(write, Remove):
                    self.rows.pop(write.key, None)
                elif not (isinstance(write, Create) and write.row.key in self.rows):
                    self.rows[write.row.key] = write.row
            self.acknowledged += time.thread_time() - began
        return [WriteResult(Outcome.DONE)] * len(writes)

    def _acknowledge(self, body: bytes) -> Mapping[str, Any]:
        """Answer as a server that takes everything."""
        began = time.thread_time()
        lines = iter(body.splitlines())
        items = []
        for line in lines:
            (action,) = json.loads(line)
            if action != "delete":
                next(lines)  # the document
            items.append({action: {"status": 200}})
        self.acknowledged += time.thread_time() - began
        return {"items": items}

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The rows that there are."""
        with self._lock:
            return {key: self.rows[key] for key in keys if key in self.rows}

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """All rows of a collection."""
        return iter([row for key, row in self.rows.items() if key.collection is collection])

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """Count the rows of a collection."""
        return sum(key.collection is collection for key in self.rows)

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Nothing is found."""
        return [[] for _ in legs]

    def refresh(self) -> None:
        """Everything is there at once."""

    def purge(self) -> None:
        """Nothing is kept of what was removed."""


def by_hand(services: Services, embedder: Embedder) -> Services:
    """The services, of which nothing runs in another thread."""

    def embed(texts: list[str]) -> "Future[Sequence[Embedding]]":
        return at_once(lambda: list(map(Embedding, embedder.embed(texts))))

    return replace(services, embed=embed, embed_last=None, submit=at_once, reading=None, tally=Counter())


@contextmanager
def opened(
    settings: Settings, index: RowsInMemory, embedder: Embedder, backlogs: Backlogs
) -> Iterator[tuple[Services, Writer]]:
    """The services of a flow that writes into an index in memory, and its writer."""
    with tempfile.TemporaryDirectory(prefix="mneme-stages-") as folder, ExitStack() as stack:
        own, stopping = settings.replace(data=Path(folder)), threading.Event()
        sources_and_sinks = stack.enter_context(with_file_sinks(own, (), backlogs, wrote=lambda kind, identity: None))
        held = cast(MemoryIndex, index)  # nobody searches a flow that calls no model
        services, writer, _ = open_services(own, held, embedder, Versions(int(time.time())), sources_and_sinks, stopping, stack)
        yield services, writer


# --- figures ---------------------------------------------------------------------------------------------------------


def _report(measured: Sequence[Measured], start_and_end: float, messages: int, settings: Settings) -> Report:
    seconds = {stage: [each.seconds[stage] for each in measured] for stage in STAGES}
    seconds["engine"] = [max(0.0, each - start_and_end) for each in seconds["engine"]]
    rows: list[Figures] = [_row(stage, some, messages) for stage, some in seconds.items()]
    total = sum(float(row["us/message"]) for row in rows)
    rows.append({"stage": "all", "us/message": total, "least": "", "most": "", "messages/s": 1e6 / total})
    return Report(
        bench="stages",
        settings={
            "embedder": embedder_of(settings),
            "flow": settings.flow.model_dump(mode="json"),
            "messages": messages,
            "rounds": len(measured),
        },
        rows=rows,
        headline={
            "messages": messages,
            **{f"{row['stage']}_us": round(float(row["us/message"]), 1) for row in rows},
            "messages_per_second": round(1e6 / total),
            "start_and_end_ms": round(1e3 * start_and_end),
            "rows": sum(measured[-1].records.values()),
            "facts": measured[-1].records[Collection.FACTS.value],
        },
    )


def _row(stage: str, seconds: Sequence[float], messages: int) -> Figures:
    microseconds = [1e6 * each / messages for each in seconds]
    median = statistics.median(microseconds)
    return {
        "stage": stage,
        "us/message": median,
        "least": min(microseconds),
        "most": max(microseconds),
        "messages/s": 1e6 / median if median else float("inf"),
    }


def _plot(rows: Sequence[Figures], out: Path) -> None:
    """Draw one bar of the cost of a message, in the parts of its stages."""
    left = 0.0
    with plotted(out, (9, 2.6), xlabel="microseconds of the processor for a message", title="Stages of ingestion") as axes:
        for row in rows[:-1]:
            width = float(row["us/message"])
            axes.barh([""], [width], left=left, label=f"{row['stage']} {width:.0f}")
            left += width
