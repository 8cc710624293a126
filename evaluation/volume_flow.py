"""The flow as benchmarks of volume run it: made-up messages and vectors, nothing extracted."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evaluation.many_talks import vectors_of_texts
from flows.boundaries.semantic import SemanticDetector
from flows.cuts import Cut, Extraction
from flows.lanes.epochs import Versions
from flows.lanes.pending import Pending
from flows.lanes.services import Services
from flows.running.feeds import Fed
from mneme.ports import DeadLetter, Incoming, MemoryIndex, Scope
from mneme.rows import Embedding
from mneme.settings import Settings


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is to run."""

    folder: Path
    settings: Settings
    conversations: int
    messages: int


def services_of(task: Task, index: MemoryIndex, tally: Counter[str], clock: Callable[[], datetime]) -> Services:
    """Everything outside the steps, with made-up vectors and no extraction."""
    pool = ThreadPoolExecutor(task.settings.flow.threads)
    detector, extractor = SemanticDetector(task.settings.boundaries), NoExtractor()
    return Services(
        settings=task.settings,
        index=index,
        embed=_embedded_at_once,
        submit=pool.submit,
        clock=clock,
        versions=Versions(int(time.time())),
        pending=Pending(),
        detector=detector,
        fallback_detector=detector,
        extractor=extractor,
        fallback_extractor=extractor,
        judge=None,
        skill_writer=None,
        tally=tally,
    )


def _embedded_at_once(texts: list[str]) -> "Future[Sequence[Embedding]]":
    future: Future[Sequence[Embedding]] = Future()
    future.set_result(list(map(Embedding, vectors_of_texts(texts))))
    return future


class NoExtractor:
    """An extractor that takes nothing from a cut."""

    name = "none"
    calls_a_model = False

    def extract(self, cut: Cut) -> Extraction:
        """An episode without content."""
        return Extraction(subject="", summary="", narrative="", facts=())


class NoLetters:
    """Dead letters are an error here."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Refuse them."""
        raise AssertionError(f"{letters[0].stage}: {letters[0].reason}")

    def erase(self, scope: Scope) -> int:
        """There are none."""
        return 0

    def close(self) -> None:
        """Nothing is held open."""


class Stream:
    """A feed of the messages up to ``last``; it ends when for ``linger`` seconds nothing was unfinished.

    ``measured_from`` is the message from which on time is taken.
    """

    def __init__(
        self,
        incoming: Callable[[int], Incoming],
        first: int,
        last: int,
        services: Services,
        measured_from: int = 0,
        linger: float = 0.0,
    ) -> None:
        self._incoming, self._next, self._last = incoming, first, last
        self._services, self._measured_from, self._linger = services, measured_from, linger
        self._quiet_since: float | None = None
        self.before: Moment | None = None
        self.after: Moment | None = None

    def next_batch(self) -> list[Fed]:
        """The next messages."""
        unfinished, flow = self._services.pending.total, self._services.settings.flow
        if self._next == self._last:
            if unfinished:
                self._quiet_since = self.after = None
                return []
            self._quiet_since = self._quiet_since or time.monotonic()
            self.after = self.after or Moment.now(self._services)
            if time.monotonic() - self._quiet_since >= self._linger:
                raise StopIteration
            return []
        if unfinished >= flow.pending_limit:
            return []
        if self._next == self._measured_from:
            self.before = Moment.now(self._services)
        until = self._measured_from if self._next < self._measured_from else self._last
        end = min(self._next + flow.source_batch, until)
        batch: list[Fed] = [self._incoming(index) for index in range(self._next, end)]
        self._next = end
        self._services.pending.enter(len(batch))
        return batch

    def resume_state(self) -> int:
        """The index of the next message."""
        return self._next

    def close(self) -> None:
        """Nothing is held open."""


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a flow was when."""

    at: float
    processor: float
    snapshot_microseconds: int
    snapshot_bytes: int

    @classmethod
    def now(cls, services: Services) -> "Moment":
        """The present."""
        tally = services.tally
        return cls(time.monotonic(), time.process_time(), tally["snapshot_microseconds"], tally["snapshot_bytes"])
