"""``mneme bench stages``: what each step of the flow costs the processor for one message, without embedder and index server.

1. First rounds that do not count, by hand and by the engine, make the vectors of all texts.
2. Five rounds: the steps are driven by hand (evaluation/driven_steps.py) over all messages, into an index in memory whose
   writes are encoded as OpenSearch gets them.
3. Five rounds through the real engine with its recovery store: what it costs beside the steps. What it costs without any
   message, to make the store and to start and end all buckets, is told by itself: it is the same for a million messages.

Figures are medians of the rounds. A message costs so many microseconds of one processor; a million of them is a second.
"""

import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from connectors.files.files import read_file
from connectors.models import open_embedder
from evaluation.driven_steps import DrivenSteps, RowsInMemory, by_hand, opened
from evaluation.report import Report, embedder_of, plotted, print_table
from evaluation.report import Row as Figures
from evaluation.synthetic_talks import talk
from flows.decode import decode
from flows.engines.bytewax import build, execute
from flows.engines.dataflow import Dataflow
from flows.engines.port import Source
from flows.lanes.pending import Backlogs
from flows.running.feeds import FeedLimits, FileFeed
from mneme.ports import Embedder, EmbedderIdentity, Incoming
from mneme.records import Position
from mneme.rows import Collection, Vector
from mneme.settings import Settings
from mneme.times import utc_now

STAGES = ("decode", "embed", "segment", "extract", "reconcile", "write", "snapshots", "engine")
_TALKS, _TALK_MESSAGES = 60, 40  # that are made up where there is no file


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of the processor by stage and round, and what came of the messages."""

    seconds: dict[str, list[float]]
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
    with closing(open_embedder(settings)) as embedder, console.status("embedding"):
        known = _Vectors(embedder)
        through_the_steps(events, settings, known, rounds=1)
        through_the_engine(events, settings, known)  # episodes may close earlier there, and have other texts
    with console.status("steps by hand"):
        measured = through_the_steps(events, settings, known, rounds)
    with console.status("the engine"):
        whole = [through_the_engine(events, settings, known) for _ in range(rounds)]
        start_and_end = statistics.median(through_the_engine([], settings, known) for _ in range(rounds))
    steps = sum(statistics.median(each) for each in measured.seconds.values())
    measured.seconds["engine"] = [max(0.0, each - start_and_end - steps) for each in whole]
    report = _report(measured, start_and_end, len(events), settings, rounds)
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


def through_the_steps(events: Sequence[Incoming], settings: Settings, known: dict[str, Vector], rounds: int) -> Measured:
    """The steps over all events, ``rounds`` times from the beginning."""
    seconds: dict[str, list[float]] = {}
    for _ in range(rounds):
        index = RowsInMemory(settings.opensearch)
        with opened(settings, index, embedder := _Known(known), Backlogs()) as (services, writer):
            steps = DrivenSteps(by_hand(services, embedder), writer)
            batch = settings.flow.source_batch
            for first in range(0, len(events), batch):
                steps.feed(events[first : first + batch])
            steps.end()
        steps.seconds["write"] -= index.acknowledged
        for stage in STAGES[:-1]:
            seconds.setdefault(stage, []).append(steps.seconds[stage])
    return Measured(seconds, Counter(key.collection.value for key in index.rows))


def through_the_engine(events: Sequence[Incoming], settings: Settings, known: dict[str, Vector]) -> float:
    """The seconds of all threads that the whole flow takes, with its engine, pool, queue and recovery store."""
    flow, index, backlogs, embedder = settings.flow, RowsInMemory(settings.opensearch), Backlogs(), _Known(known)

    def read(path: Path, start: int, source: str | None) -> Iterator[Incoming]:
        return iter(events[start:])

    def open_feed(name: str, place: object) -> FileFeed:
        assert place is None, "the recovery store is new"
        limits = FeedLimits(backlogs.unfinished, flow.pending_limit, flow.source_batch, threading.Event(), flow.buckets)
        return FileFeed([Path("stages")], read, lambda path: ["stages"], None, limits)

    with opened(settings, index, embedder, backlogs) as (services, writer):
        source = Source("stages", ("stages",), open_feed)
        dataflow = Dataflow([source], partial(decode, buckets=flow.buckets), services, writer)
        began = time.process_time()
        execute(build(dataflow), services.settings.data / "epochs", flow.epoch_seconds, flow.recovery_partitions)
        return time.process_time() - began - index.acknowledged - embedder.seconds


class _Vectors(dict[str, Vector]):
    """The vectors of texts, each made when it is asked for first."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def __missing__(self, text: str) -> Vector:
        self[text] = self._embedder.embed([text])[0]
        return self[text]


class _Known:
    """An embedder that looks its vectors up. ``seconds`` of the processor went into that."""

    def __init__(self, vectors: dict[str, Vector]) -> None:
        self._vectors = vectors
        self.seconds = 0.0
        self.identity = EmbedderIdentity("known", "known", len(vectors[""]))

    def embed(self, texts: Sequence[str]) -> Vector:
        """The vectors of texts."""
        began = time.thread_time()
        found: Vector = np.stack([self._vectors[text] for text in texts])
        self.seconds += time.thread_time() - began
        return found

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        return self._vectors[text]

    def close(self) -> None:
        """Nothing is held open."""


# --- figures ---------------------------------------------------------------------------------------------------------


def _report(measured: Measured, start_and_end: float, messages: int, settings: Settings, rounds: int) -> Report:
    rows: list[Figures] = [_row(stage, measured.seconds[stage], messages) for stage in STAGES]
    total = sum(float(row["us/message"]) for row in rows)
    rows.append({"stage": "all", "us/message": total, "least": "", "most": "", "messages/s": 1e6 / total})
    return Report(
        bench="stages",
        settings={
            "embedder": embedder_of(settings),
            "flow": settings.flow.model_dump(mode="json"),
            "messages": messages,
            "rounds": rounds,
        },
        rows=rows,
        headline={
            "messages": messages,
            **{f"{row['stage']}_us": round(float(row["us/message"]), 1) for row in rows},
            "messages_per_second": round(1e6 / total),
            "start_and_end_ms": round(1e3 * start_and_end),
            "rows": sum(measured.records.values()),
            "facts": measured.records[Collection.FACTS.value],
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
