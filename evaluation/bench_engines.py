"""``mneme bench engines``: the same messages through Bytewax and through Flink, by processes and by slots.

1. Publish made-up talks to topics of their own, a message of each in turn, and a flush behind each. ``hot`` is the share of
   one tenant.
2. Run the flow until all flushes are answered. It is counted from when it begins to read; what it took to come that far is said
   apart.
3. Send single messages at a steady rate, and look how soon a search finds each.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from rich.console import Console

from connectors.kafka.client import create_topics
from evaluation.bench_freshness import SEARCHABLE, SingleMessages
from evaluation.faults.deployment import Deployment, Engine
from evaluation.report import Report, Row, embedder_of, percentiles, print_table
from evaluation.running import Running
from evaluation.synthetic_talks import talk
from mneme.events import Message
from mneme.settings import Settings
from mneme.times import utc_now

_BEGINS_WITHIN_SECONDS = 300.0
_HOT, _OTHERS = "hot", 20  # tenants
_WARM_UP_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Load:
    """The messages of one run: ``hot`` is the share of one tenant, ``rate`` and ``seconds`` are of the single ones behind."""

    messages: int
    talks: int
    hot: float = 0.0
    rate: float = 5.0
    seconds: float = 20.0

    def published(self) -> Iterator[Message]:
        """The talks, a message of each in turn."""
        each = max(1, self.messages // self.talks)
        now = utc_now()
        hot = round(self.hot * self.talks)
        tenants = [_HOT if number < hot else f"tenant{number % _OTHERS}" for number in range(self.talks)]
        ends = [now - timedelta(seconds=number) for number in range(self.talks)]
        talks = [talk(f"talk{number}", f"user{number}", each, ends[number], tenants[number]) for number in range(self.talks)]
        for together in zip(*talks, strict=True):
            yield from together


def run_engines(
    settings: Settings, engines: Sequence[tuple[str, Engine]], numbers: Sequence[int], load: Load, out: Path, console: Console
) -> Report:
    """Measure and report.

    Args:
        settings: where Kafka and OpenSearch are, and the embedder and extractor; topics and indices are the benchmark's own.
        engines: what runs the flow, by name.
        numbers: of processes or slots, one run for each.
        load: what is sent.
        out: where the results go.
        console: for tables and progress.

    Raises:
        StoreError: a server does not answer, or nothing goes on for five minutes.
    """
    rows = []
    for number in numbers:
        for name, engine in engines:
            with console.status(f"{name}, {number}"):
                rows.append(_measured(settings, name, engine, number, load))
    print_table(console, "Engines, from the first read to searchable", rows)
    report = Report(
        bench="engines",
        settings={
            "embedder": embedder_of(settings),
            "extractor": settings.extraction.extractor,
            "messages": load.messages,
            "talks": load.talks,
            "hot": load.hot,
            "rate": load.rate,
        },
        rows=rows,
        headline={f"{row['engine']}_{row['number']}_messages_per_second": row["messages/s"] for row in rows},
    )
    return report.finish(console, out)


def _measured(settings: Settings, name: str, engine: Engine, number: int, load: Load) -> Row:
    with tempfile.TemporaryDirectory(prefix="mneme-engines-") as folder, ExitStack() as stack:
        deployment = stack.enter_context(Deployment(settings, Path(folder), engine=engine))
        create_topics(deployment.settings.kafka)
        # 1.
        count = deployment.publish(load.published())
        markers = deployment.flush_all()
        # 2.
        started = time.monotonic()
        deployment.start(number)
        deployment.flow.until_reading(_BEGINS_WITHIN_SECONDS)
        began = time.monotonic()
        seconds = deployment.wait_for_markers(markers)
        # 3.
        delays = _delays(deployment, load, stack)
        deployment.stop()
    found = percentiles(delays)
    return {
        "engine": name,
        "number": number,
        "messages": count,
        "start-up s": round(began - started, 1),
        "seconds": round(seconds, 1),
        "messages/s": round(count / seconds, 1),
        "p50 ms": round(found["p50_ms"]),
        "p95 ms": round(found["p95_ms"]),
    }


def _delays(deployment: Deployment, load: Load, stack: ExitStack) -> list[float]:
    """Milliseconds until each of the single messages was found."""
    if not load.seconds:
        return []
    running = Running(deployment.settings, (deployment.flow,))
    publisher = stack.enter_context(running.publisher())
    memories = stack.enter_context(running.memories())
    SingleMessages(running, publisher, memories, None).stream(load.rate, _WARM_UP_SECONDS)
    return SingleMessages(running, publisher, memories, None).stream(load.rate, load.seconds)[SEARCHABLE]
