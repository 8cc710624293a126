"""The flow as benchmarks of volume run it, in a process of its own: made-up messages and vectors, nothing extracted."""

import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psutil

from evaluation.driven_steps import at_once
from evaluation.synthetic_talks import vectors_of_texts
from flows.boundaries.semantic import SemanticDetector
from flows.cuts import Cut, Extraction, Extractor
from flows.decode import decode
from flows.engines.bytewax import build, execute
from flows.engines.dataflow import Dataflow
from flows.engines.port import Source
from flows.lanes.epochs import Versions
from flows.lanes.pending import Pending
from flows.lanes.services import Services, Submit
from flows.running.feeds import Fed
from flows.write import Writer
from mneme.ports import DeadLetter, Incoming, MemoryIndex, Scope
from mneme.rows import Embedding
from mneme.settings import Settings
from mneme.times import utc_now

Given = TypeVar("Given")
Returned = TypeVar("Returned")


def in_a_process(work: Callable[[Given, float], Returned], task: Given) -> Returned:
    """The result of ``work`` in a new process; it is told when that was started (``time.time``)."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(work, task, time.time()).result()


@contextmanager
def every(seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Act at the beginning of the block and again and again while it runs."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            act()

    act()
    thread = threading.Thread(target=repeat, name="every", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def size_of(folder: Path) -> int:
    """Bytes of a folder's files, some of which may be gone while they are counted."""
    total = 0
    for path in folder.glob("**/*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def resident_megabytes() -> float:
    """The memory of this process."""
    return float(psutil.Process().memory_info().rss) / 1e6


@dataclass(frozen=True, slots=True)
class Task:
    """The task of a process."""

    folder: Path
    settings: Settings
    conversations: int
    messages: int


def flow_services(
    settings: Settings,
    index: MemoryIndex,
    embed: Callable[[list[str]], "Future[Sequence[Embedding]]"],
    submit: Submit,
    extractor: Extractor,
    pending: Pending | None = None,
) -> Services:
    """Return everything outside the steps, without a model."""
    detector = SemanticDetector(settings.boundaries)
    return Services(
        settings=settings,
        index=index,
        embed=embed,
        submit=submit,
        clock=utc_now,
        versions=Versions(int(time.time())),
        pending=pending or Pending(),
        detector=detector,
        fallback_detector=detector,
        extractor=extractor,
        fallback_extractor=extractor,
        judge=None,
        skill_writer=None,
        tally=Counter(),
    )


def services_of(task: Task, index: MemoryIndex) -> Services:
    """Return everything outside the steps, with synthetic vectors and no extraction."""
    pool = ThreadPoolExecutor(task.settings.flow.threads)

    def embed(texts: list[str]) -> "Future[Sequence[Embedding]]":
        return at_once(lambda: list(map(Embedding, vectors_of_texts(texts))))

    return flow_services(task.settings, index, embed, pool.submit, NoExtractor())


class NoExtractor:
    """An extractor that takes nothing from a cut."""

    name = "none"
    calls_a_model = False

    def extract(self, cut: Cut) -> Extraction:
        """An episode without content."""
        return Extraction(subject="", summary="", narrative="", facts=())


class NoDeadLetters:
    """Dead letters are an error here."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Refuse them."""
        raise AssertionError(f"{letters[0].stage}: {letters[0].reason}")

    def erase(self, scope: Scope) -> int:
        """There are none."""
        return 0

    def remove(self, unwanted: Callable[[DeadLetter], bool]) -> int:
        """There are none."""
        return 0

    def close(self) -> None:
        """Nothing is held open."""


class Stream:
    """A feed of the messages up to ``last``; it ends when for ``linger`` seconds nothing was unfinished."""

    def __init__(
        self,
        incoming: Callable[[int], Incoming],
        first: int,
        last: int,
        services: Services,
        linger: float,
    ) -> None:
        self._incoming, self._next, self._last = incoming, first, last
        self._services, self._linger = services, linger
        self._quiet_since: float | None = None

    def next_batch(self) -> list[Fed]:
        """The next messages."""
        unfinished, flow = self._services.pending.total, self._services.settings.flow
        if self._next == self._last:
            if unfinished:
                self._quiet_since = None
                return []
            self._quiet_since = self._quiet_since or time.monotonic()
            if time.monotonic() - self._quiet_since >= self._linger:
                raise StopIteration
            return []
        if unfinished >= flow.pending_limit:
            return []
        end = min(self._next + flow.source_batch, self._last)
        batch: list[Fed] = [self._incoming(index) for index in range(self._next, end)]
        self._next = end
        self._services.pending.enter(len(batch))
        return batch

    def resume_state(self) -> int:
        """The index of the next message."""
        return self._next

    def close(self) -> None:
        """Nothing is held open."""


def run_stream(task: Task, services: Services, index: MemoryIndex, open_feed: Callable[[str, Any], Stream]) -> None:
    """Run the whole flow over a feed, with its engine and the recovery store of the task's folder."""
    flow = task.settings.flow
    writer = Writer(index, NoDeadLetters(), None, utc_now, threading.Event())
    source = Source("volume", ("volume",), open_feed)
    dataflow = Dataflow([source], partial(decode, buckets=flow.buckets), services, writer)
    execute(build(dataflow), task.folder / "epochs", flow.epoch_seconds, flow.recovery_partitions)
