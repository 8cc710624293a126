"""``mneme bench engines``: the same messages through Bytewax and through Flink, by processes and by slots.

1. Run the flow on topics of its own; how long until it reads is said apart. Some talks warm it up, which are not counted:
   servers and engines in Java compile what they do often.
2. Publish made-up talks, a message of each in turn, and a flush behind each, and wait until all flushes are answered. ``hot``
   is the share of one tenant.
3. Send single messages at a steady rate, and look how soon a search finds each.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from connectors.kafka.client import create_topics
from evaluation.bench_freshness import SEARCHABLE, SingleMessages
from evaluation.faults.deployment import BYTEWAX, Deployment, Engine, flink
from evaluation.options import JobManagerOption
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
    """The messages of one run: ``hot`` is the share of one tenant, ``rate`` and ``seconds`` are of the single ones behind.

    ``warm_up`` talks of the same length come before.
    """

    messages: int
    talks: int
    hot: float = 0.0
    warm_up: int = 0
    rate: float = 5.0
    seconds: float = 20.0

    def published(self, of: str, count: int) -> Iterator[Message]:
        """So many talks, a message of each in turn; their names begin with ``of``."""
        each = max(1, self.messages // self.talks)
        now = utc_now()
        hot = round(self.hot * count)
        tenants = [_HOT if number < hot else f"tenant{number % _OTHERS}" for number in range(count)]
        ends = [now - timedelta(seconds=number) for number in range(count)]
        talks = [talk(f"{of}{number}", f"{of}-user{number}", each, ends[number], tenants[number]) for number in range(count)]
        for together in zip(*talks, strict=True):
            yield from together


def engines(
    settings: Settings,
    console: Console,
    jobmanager: JobManagerOption = "127.0.0.1:8081",
    flink_python: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The interpreter with PyFlink; by default this one.")
    ] = None,
    number: Annotated[list[int] | None, typer.Option("--number", min=1, help="Of processes or slots; several.")] = None,
    messages: Annotated[int, typer.Option("--messages", min=1, help="Of each run.")] = 2000,
    talks: Annotated[int, typer.Option("--talks", min=1, help="That they belong to.")] = 100,
    hot: Annotated[float, typer.Option("--hot", min=0, max=1, help="The share of one tenant.")] = 0.0,
    warm_up: Annotated[int, typer.Option("--warm-up", min=0, help="Talks that come before, and are not counted.")] = 0,
    seconds: Annotated[float, typer.Option("--seconds", min=0, help="For which single messages come behind.")] = 20.0,
) -> Report:
    """The same messages through Bytewax and Flink, by processes and slots: messages a second, p50 and p95 until searchable.

    Raises:
        StoreError: a server does not answer, or nothing goes on for five minutes.
    """
    known = {"bytewax": BYTEWAX, "flink": flink(jobmanager, flink_python)}
    load = Load(messages, talks, hot, warm_up, seconds=seconds)
    rows = []
    for count in number or [1, 2]:
        for name in known:
            with console.status(f"{name}, {count}"):
                rows.append(_measured(settings, name, known[name], count, load))
    print_table(console, "Engines, from the first read to searchable", rows)
    return Report(
        bench="engines",
        settings={
            "embedder": embedder_of(settings),
            "extractor": settings.extraction.extractor,
            "messages": load.messages,
            "talks": load.talks,
            "hot": load.hot,
            "warm_up": load.warm_up,
            "rate": load.rate,
        },
        rows=rows,
        headline={f"{row['engine']}_{row['number']}_messages_per_second": row["messages/s"] for row in rows},
    )


def _measured(settings: Settings, name: str, engine: Engine, number: int, load: Load) -> Row:
    with tempfile.TemporaryDirectory(prefix="mneme-engines-") as folder, ExitStack() as stack:
        deployment = stack.enter_context(Deployment(settings, Path(folder), engine=engine))
        create_topics(deployment.settings.kafka)
        # 1.
        started = time.monotonic()
        deployment.start(number)
        deployment.flow.until_reading(_BEGINS_WITHIN_SECONDS)
        start_up = time.monotonic() - started
        _through(deployment, load.published("warm", load.warm_up))
        # 2.
        began = time.monotonic()
        count = _through(deployment, load.published("talk", load.talks))
        seconds = time.monotonic() - began
        # 3.
        delays = _delays(deployment, load, stack)
        deployment.stop()
    found = percentiles(delays)
    return {
        "engine": name,
        "number": number,
        "messages": count,
        "start-up s": round(start_up, 1),
        "seconds": round(seconds, 1),
        "messages/s": round(count / seconds, 1),
        "p50 ms": round(found["p50_ms"]),
        "p95 ms": round(found["p95_ms"]),
    }


def _through(deployment: Deployment, messages: Iterator[Message]) -> int:
    """Publish messages, flush their talks, and wait until all flushes are answered; the number of messages."""
    sent = list(messages)
    deployment.publish(sent)
    deployment.wait_for_markers(deployment.flush(dict.fromkeys((each.tenant_id, each.conversation_id) for each in sent)))
    return len(sent)


def _delays(deployment: Deployment, load: Load, stack: ExitStack) -> list[float]:
    """Milliseconds until each of the single messages was found."""
    if not load.seconds:
        return []
    running = Running(deployment.settings, (deployment.flow,))
    publisher = stack.enter_context(running.publisher())
    memories = stack.enter_context(running.memories())
    SingleMessages(running, publisher, memories, None).stream(load.rate, _WARM_UP_SECONDS)
    return SingleMessages(running, publisher, memories, None).stream(load.rate, load.seconds)[SEARCHABLE]
