"""``mneme bench state``: what very many conversations cost, open or closed, and how soon a restart goes on.

Each run has a process of its own. Texts and vectors are synthetic (evaluation/synthetic_talks.py) and nothing is extracted, so
that only the flow is measured: decoding, state, timers, the boundary detector, the engine and its recovery store.

1. Segment alone: the lanes driven by hand, under a clock of the benchmark that runs at the pace of the messages, with the
   settings' hold-back and a snapshot of what was touched after each second of that clock.
2. The whole engine with a real recovery store: all conversations are opened, then go on.
3. A restart on that store, from the start of the process to the first message that is written.
4. The whole engine, with ever new conversations that go idle; and a restart on what they left.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from connectors.models import open_embedder
from evaluation.report import Report, print_table
from evaluation.stand_in_indices import AcknowledgingIndex
from evaluation.synthetic_talks import START, Talks, vectors_of_texts
from evaluation.volume_flow import Stream, Task, every, in_a_process, resident_megabytes, run_stream, services_of, size_of
from flows.cuts import Cut, Utterance, embedding_text
from flows.items import Embedded
from flows.segment import SegmentLane
from mneme.ids import stable_hash
from mneme.ports import Create, Write, WriteResult
from mneme.rows import Collection
from mneme.settings import Settings
from mneme.times import utc_now

_IDLE_SECONDS = 2.0  # after which the conversations of the last run are shown and rest
_CLOSED_MESSAGES = 1  # of each of them
_LONGEST = 64  # messages of a conversation, at most
_EARLIER = 8  # messages of each conversation before the measured ones
_PER_VIRTUAL_SECOND = 5000  # messages, when segment is driven by hand

Figures = dict[str, str | float | int]


def run_state(
    conversations: int, messages: int, closed: int, settings: Settings, out: Path, console: Console | None = None
) -> Report:
    """Measure and report.

    Args:
        conversations: how many are open at a time.
        messages: how many are measured, spread over all of them.
        closed: how many are opened and closed.
        settings: of the boundaries and the flow.
    """
    console = console or Console()
    rows: list[Figures] = []
    with tempfile.TemporaryDirectory(prefix="mneme-state-") as name:
        task = Task(Path(name) / "open", settings, conversations, messages)
        ended = Task(Path(name) / "closed", settings, closed, _CLOSED_MESSAGES * closed)
        for title, work, of in (
            ("segment alone", segment_alone, task),
            ("engine, all open", engine_open, task),
            ("restart, all open", restart, task),
            ("engine, opened and closed", engine_closed, ended),
            ("restart, all closed", restart, ended),
        ):
            with console.status(title):
                rows.append({"run": title, "conversations": of.conversations, **in_a_process(work, of)})
    by_name = {str(row["run"]): row for row in rows}
    report = Report(
        bench="state",
        settings={
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "flow": settings.flow.model_dump(mode="json"),
            "earlier_messages": _EARLIER,
        },
        rows=rows,
        headline={
            "segment_per_second": by_name["segment alone"]["messages/s"],
            "engine_per_second": by_name["engine, all open"]["messages/s"],
            "open_store_mb": by_name["engine, all open"]["store_mb"],
            "open_restart_seconds": by_name["restart, all open"]["seconds"],
            "closed_store_mb": by_name["engine, opened and closed"]["store_mb"],
            "closed_restart_seconds": by_name["restart, all closed"]["seconds"],
        },
    )
    figures = dict.fromkeys(column for row in rows for column in row if column != "run")
    table = [{"figure": figure, **{str(row["run"]): row.get(figure, "") for row in rows}} for figure in figures]
    print_table(console, "Conversations in number", table, list(table[0]))
    return report.finish(console, out)


# --- segment alone ---------------------------------------------------------------------------------------------------


def segment_alone(task: Task, started: float) -> Figures:
    """The lanes of all buckets, driven as the engine would drive them."""
    now = START
    services = services_of(task, AcknowledgingIndex(Talks(1), 1, _made(task.folder) / "unused"), Counter(), lambda: now)
    buckets = services.settings.flow.buckets
    lanes = [SegmentLane(services, None) for _ in range(buckets)]
    due: list[datetime | None] = [None] * buckets
    talks, cuts = Talks(task.conversations), 0
    earlier = _EARLIER * task.conversations
    spent, snapshots, largest = 0.0, 0.0, 0
    for indices in (*_epochs(0, earlier), *_epochs(earlier, earlier + task.messages)):
        by_bucket: dict[int, list[Embedded]] = {}
        for index in indices:
            item = _embedded(talks, index)
            by_bucket.setdefault(stable_hash(item.lane) % buckets, []).append(item)
        now += timedelta(seconds=1)
        before = time.thread_time()
        for bucket, items in by_bucket.items():
            cuts += sum(isinstance(out, Cut) for out in lanes[bucket].on_batch(items))
            due[bucket] = lanes[bucket].wake_at()
        for bucket, at in enumerate(due):
            if at is not None and at <= now:
                cuts += sum(isinstance(out, Cut) for out in lanes[bucket].poll())
                due[bucket] = lanes[bucket].wake_at()
        between = time.thread_time()
        states = sum(len(lanes[bucket].snapshot()) for bucket in by_bucket)
        if indices.start >= earlier:
            spent += time.thread_time() - before
            snapshots += time.thread_time() - between
            largest = max(largest, states)
    return {
        "messages": task.messages,
        "seconds": spent,
        "messages/s": task.messages / spent,
        "snapshot_ms/epoch": 1000 * snapshots / len(_epochs(0, task.messages)),
        "snapshot_mb/epoch": largest / 1e6,
        "cuts": cuts,
        "rss_mb": resident_megabytes(),
    }


def _epochs(first: int, last: int) -> list[range]:
    """The messages of each second."""
    return [range(at, min(at + _PER_VIRTUAL_SECOND, last)) for at in range(first, last, _PER_VIRTUAL_SECOND)]


def _embedded(talks: Talks, index: int) -> Embedded:
    message = talks.message(*talks.place(index))
    return Embedded(Utterance(message, vectors_of_texts([embedding_text(message)])[0]))


# --- the whole engine ------------------------------------------------------------------------------------------------


class FirstWrite(AcknowledgingIndex):
    """Tells when the first message was written."""

    at: float | None = None
    processor: float = 0.0

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Remember the moment."""
        if self.at is None and any(isinstance(write, Create) and write.row.kind == "message" for write in writes):
            self.at, self.processor = time.time(), time.process_time()
        return super().write(writes)


def engine_open(task: Task, started: float) -> Figures:
    """Open all conversations, then measure how they go on."""
    earlier = _EARLIER * task.conversations
    task = _with_boundaries(task, hold_back_seconds=0.0)
    return _measured(task, Talks(task.conversations), earlier, earlier + task.messages, 0.0)


def engine_closed(task: Task, started: float) -> Figures:
    """Ever new conversations, that go idle."""
    task = _with_boundaries(task, hold_back_seconds=0.0, idle_seconds=_IDLE_SECONDS)
    return _measured(task, Talks(task.conversations, at_once=_CLOSED_MESSAGES), 0, task.messages, 2 * _IDLE_SECONDS)


def restart(task: Task, started: float) -> Figures:
    """Go on where a run left off: one more message of every hundredth conversation."""
    embedder = open_embedder(task.settings)  # what a runner waits for as well, though made-up vectors serve here
    with_models = time.time()
    talks = Talks(task.conversations)
    index = FirstWrite(talks, _LONGEST, task.folder / "messages")
    services = services_of(task, index, Counter(), utc_now)
    messages = task.conversations // 100
    stream: list[Stream] = []

    def open_feed(name: str, place: Any) -> Stream:
        stream.append(Stream(lambda at: talks.event(100 * (at - place), _LONGEST - 1), place, place + messages, services))
        return stream[0]

    run_stream(task, services, index, open_feed)
    index.close()
    embedder.close()
    assert index.at is not None, "a message was written"
    return {
        "messages": messages,
        "seconds": index.at - started,
        "cpu_seconds": index.processor,
        "seconds for models": with_models - started,
        "store_mb": size_of(task.folder / "epochs") / 1e6,
        "rss_mb": resident_megabytes(),
    }


def _measured(task: Task, talks: Talks, first: int, last: int, linger: float) -> Figures:
    index = AcknowledgingIndex(talks, _LONGEST, _made(task.folder) / "messages")
    services = services_of(task, index, Counter(), utc_now)
    streams: list[Stream] = []
    sizes: list[int] = []
    resident: list[float] = []

    def sample() -> None:
        sizes.append(size_of(task.folder / "epochs"))
        resident.append(resident_megabytes())

    def open_feed(name: str, place: Any) -> Stream:
        streams.append(Stream(talks.incoming, place or 0, last, services, first, linger))
        return streams[0]

    with every(1.0, sample):
        run_stream(task, services, index, open_feed)
    before, after = streams[0].before, streams[0].after
    assert before is not None, "all messages were fed"
    assert after is not None, "all messages were fed"
    seconds, count = after.at - before.at, last - first
    epochs = max(1.0, seconds / task.settings.flow.epoch_seconds)
    index.close()
    return {
        "messages": count,
        "seconds": seconds,
        "messages/s": count / seconds,
        "cpu_us/message": 1e6 * (after.processor - before.processor) / count,
        "snapshot_ms/epoch": (after.snapshot_microseconds - before.snapshot_microseconds) / 1000 / epochs,
        "snapshot_mb/epoch": (after.snapshot_bytes - before.snapshot_bytes) / 1e6 / epochs,
        "store_mb": size_of(task.folder / "epochs") / 1e6,
        "largest_store_mb": max(sizes) / 1e6,
        "episodes": index.written[Collection.EPISODES],
        "rss_mb": resident[-1],
        "rss_mb in its second half": resident[-1] - resident[len(resident) // 2],
    }


# --- what all runs need ----------------------------------------------------------------------------------------------


def _with_boundaries(task: Task, **changed: float) -> Task:
    return replace(task, settings=task.settings.replace(boundaries=changed))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
