"""``mneme bench volume``: a long stream through ``mneme run``; memory and recovery store must not grow with it.

1. The flow runs as an operator runs it, from Kafka into OpenSearch, on topics and indices of its own, with ``hash`` vectors.
2. Made-up talks come as fast as the broker takes them, one after the other: each goes idle, is remembered, and rests.
3. Every conversation is flushed, and all flushes are awaited. Meanwhile the flow is sampled every second.
"""

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console

from evaluation.faults.background import Background
from evaluation.faults.deployment import Deployment
from evaluation.process_costs import bytes_of, processor_seconds
from evaluation.report import Report, plotted, print_table
from evaluation.synthetic_talks import talk
from mneme.events import Message
from mneme.rows import Collection
from mneme.settings import Settings
from mneme.times import utc_now

_TALK_MESSAGES = 20  # of a conversation, after which it goes idle
_OWNERS = 5000
_IDLE_SECONDS = 10.0  # so that conversations go idle all the time, not once
_SAMPLE_SECONDS = 1.0
_WARM_UP = 0.1  # the part of the run in which caches and what rests fill up


@dataclass(frozen=True, slots=True)
class Sample:
    """The progress of a run after so many ``seconds``; ``cpu_seconds`` of all its processes, sizes in megabytes."""

    seconds: float
    cpu_seconds: float
    messages: int
    episodes: int
    rss_mb: float
    store_mb: float


def run_volume(messages: int, settings: Settings, out: Path, console: Console | None = None) -> Report:
    """Measure and report.

    Args:
        messages: of the stream, at least; the last talk is told to its end.
        settings: where the servers are, and those of the flow.

    Raises:
        StoreError: a server does not answer, or the flow does not get on for five minutes.
    """
    console = console or Console()
    own = settings.replace(
        boundaries={"hold_back_seconds": 0.0, "idle_seconds": _IDLE_SECONDS},
        embedder={"provider": "hash"},
        models={"provider": "none"},
    )
    with (
        tempfile.TemporaryDirectory(prefix="mneme-volume-") as folder,
        console.status(f"{messages} messages"),
        Deployment(own, Path(folder)) as deployment,
    ):
        samples = stream(deployment, messages)
    report = report_of(samples, own)
    print_table(console, "A long stream", report.rows)
    return report.finish(console, out, partial(plot, samples))


def stream(deployment: Deployment, messages: int) -> list[Sample]:
    """Run the stream to its end, and look at the flow every second."""
    deployment.start()
    deployment.flow.until_reading()
    store = deployment.settings.data / "recovery"
    began, processor, samples = time.monotonic(), processor_seconds(deployment.flow.pid), list[Sample]()

    def sample() -> None:
        spent = time.monotonic() - began, processor_seconds(deployment.flow.pid) - processor
        count, episodes = deployment.stored(), deployment.stored(Collection.EPISODES)
        samples.append(Sample(*spent, count, episodes, deployment.flow.resident_bytes() / 1e6, bytes_of(store) / 1e6))

    def watch(stop: threading.Event) -> None:
        while not stop.wait(_SAMPLE_SECONDS):
            sample()

    with Background(watch, ends_by_itself=False):
        deployment.publish(_talks(messages))
        deployment.drain()
    sample()
    deployment.stop()
    return samples


def _talks(messages: int) -> Iterator[Message]:
    for number in range(-(-messages // _TALK_MESSAGES)):
        yield from talk(f"c{number:07d}", f"p{number % _OWNERS}", _TALK_MESSAGES, utc_now())


def report_of(samples: Sequence[Sample], settings: Settings) -> Report:
    """Report the samples: the second half of the messages against the first."""
    messages = samples[-1].messages
    busy = [each for each in samples if _WARM_UP * messages <= each.messages < messages] or list(samples)
    at_end = next(each for each in samples if each.messages == messages)
    halves = [
        [each for each in busy if each.messages < messages / 2] or busy[:1],
        [each for each in busy if each.messages >= messages / 2] or busy[-1:],
    ]
    growth = median(each.rss_mb for each in halves[1]) - median(each.rss_mb for each in halves[0])
    slope = float(np.polyfit([each.messages for each in busy], [each.rss_mb for each in busy], 1)[0]) if len(busy) > 2 else 0.0
    return Report(
        bench="volume",
        settings={
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "flow": settings.flow.model_dump(mode="json"),
            "messages_of_a_conversation": _TALK_MESSAGES,
        },
        rows=[
            {
                "part": name,
                "messages": half[-1].messages - half[0].messages,
                "cpu_us/message": 1e6
                * (half[-1].cpu_seconds - half[0].cpu_seconds)
                / max(1, half[-1].messages - half[0].messages),
                "rss_mb": median(each.rss_mb for each in half),
                "store_mb": median(each.store_mb for each in half),
                "largest_store_mb": max(each.store_mb for each in half),
            }
            for name, half in zip(("first half", "second half"), halves, strict=True)
        ],
        headline={
            "messages": messages,
            "episodes": samples[-1].episodes,
            "seconds": round(at_end.seconds, 1),
            "messages_per_second": round(messages / at_end.seconds),
            "cpu_us_per_message": round(1e6 * at_end.cpu_seconds / messages, 1),
            "rss_mb": round(samples[-1].rss_mb, 1),
            "rss_growth_mb": round(growth, 2),
            "rss_growth_mb_per_million": round(1e6 * slope, 2),
            "largest_store_mb": round(max(each.store_mb for each in samples), 1),
            "store_mb": round(samples[-1].store_mb, 1),
        },
        parts={"samples": [asdict(each) for each in samples]},
    )


def plot(samples: Sequence[Sample], out: Path) -> None:
    """Draw memory and recovery store over the messages."""
    messages = [each.messages for each in samples]
    title = "A long stream of conversations that come and go"
    with plotted(out, (7, 3.6), xlabel="messages", ylabel="MB", title=title, ylim=(0, None)) as axes:
        axes.plot(messages, [each.rss_mb for each in samples], label="memory")
        axes.plot(messages, [each.store_mb for each in samples], label="recovery store")
