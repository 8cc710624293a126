"""``mneme bench volume``: a long stream through the whole flow; memory and recovery store must not grow with it.

Synthetic conversations come and go (evaluation/synthetic_talks.py): each has some messages, goes idle, is shown, and rests.
They are cut by the default detector; nothing is extracted, vectors are synthetic, and the index only acknowledges. Engine,
steps and recovery store are those of a service. It runs in a process of its own, and is sampled every second.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Any

import numpy as np
from rich.console import Console

from evaluation.report import Report, plotted, print_table
from evaluation.stand_in_indices import AcknowledgingIndex
from evaluation.synthetic_talks import Talks
from evaluation.volume_flow import Stream, Task, every, in_a_process, resident_megabytes, run_stream, services_of, size_of
from mneme.rows import Collection
from mneme.settings import Settings

_TALK_MESSAGES = 20  # of a conversation, after which it goes idle
_IDLE_SECONDS = 10.0  # so that conversations go idle all the time, not once
_SAMPLE_SECONDS = 1.0
_WARM_UP = 0.1  # the part of the run in which caches and what rests fill up


@dataclass(frozen=True, slots=True)
class Sample:
    """The progress of a run after so many ``seconds``; ``cpu_seconds`` of all its threads, sizes in megabytes."""

    seconds: float
    cpu_seconds: float
    messages: int
    episodes: int
    rss_mb: float
    store_mb: float


def run_volume(messages: int, settings: Settings, out: Path, console: Console | None = None) -> Report:
    """Measure and report.

    Args:
        messages: of the stream.
        settings: of the boundaries and the flow.
    """
    console = console or Console()
    with TemporaryDirectory(prefix="mneme-volume-") as folder, console.status(f"{messages} messages"):
        settings = settings.replace(boundaries={"hold_back_seconds": 0.0, "idle_seconds": _IDLE_SECONDS})
        task = Task(Path(folder), settings, -(-messages // _TALK_MESSAGES), messages)
        samples = in_a_process(stream, task)
    report = report_of(samples, settings)
    print_table(console, "A long stream", report.rows)
    return report.finish(console, out, partial(plot, samples))


def stream(task: Task, started: float) -> list[Sample]:
    """Run the stream, and look at the process every second."""
    talks = Talks(task.conversations, _TALK_MESSAGES)
    index = AcknowledgingIndex(talks)
    services = services_of(task, index)
    began, processor, samples = monotonic(), process_time(), list[Sample]()

    def sample() -> None:
        count = min(task.messages, index.written[Collection.MESSAGES] // 2)  # each is stored on arrival and with its vector
        episodes = index.written[Collection.EPISODES]
        spent = monotonic() - began, process_time() - processor
        samples.append(Sample(*spent, count, episodes, resident_megabytes(), size_of(task.folder / "epochs") / 1e6))

    def open_feed(name: str, place: Any) -> Stream:
        return Stream(talks.incoming, place or 0, task.messages, services, linger=2 * _IDLE_SECONDS)

    with every(_SAMPLE_SECONDS, sample):
        run_stream(task, services, index, open_feed)
    sample()
    return samples


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
