"""The backlog: how many items the flow has taken from its sources and not finished, summed over its processes."""

import mmap
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

_BYTES = 8  # of the part of a process: aligned, so that a reader sees the old or the new one


class Pending:
    """Counts items between the steps and jobs inside them.

    A source asks ``total`` before it reads on: above its limit it pauses, which is the back-pressure; a finite source
    ends only at zero, because after its end no timer of the engine fires any more.

    Where several processes run the flow, an item is counted in by the one that reads it and out by the one that finishes
    it: the part of one process means nothing, only the sum of all does.

    Args:
        descriptor: of a file that ``reset`` made, inherited from the process that made it; -1 where there is one process.
        processes: how many add a part.
        number: which of them this is, from 0.
    """

    def __init__(self, descriptor: int = -1, processes: int = 1, number: int = 0) -> None:
        self._lock = threading.Lock()
        self._parts = memoryview(mmap.mmap(descriptor, processes * _BYTES)).cast("q")
        self._number = number
        self._moving = 0
        self._jobs: dict[str, int] = {}
        self._jobs_total = 0

    def enter(self, count: int = 1) -> None:
        """Items were handed to the next step."""
        with self._lock:
            self._moving += count
            self._publish()

    def leave(self, count: int = 1) -> None:
        """Items were taken in by a step."""
        self.enter(-count)

    def jobs(self, holder: str, count: int) -> None:
        """Set the number of unfinished items that a step or a partition holds."""
        with self._lock:
            self._jobs_total += count - self._jobs.get(holder, 0)
            if count:
                self._jobs[holder] = count
            else:
                self._jobs.pop(holder, None)
            self._publish()

    @property
    def total(self) -> int:
        """Unfinished items of all processes."""
        return sum(self._parts)

    @property
    def own(self) -> int:
        """The part of this process, for the sum over all: by itself it means nothing where there are several."""
        return self._moving + self._jobs_total

    def _publish(self) -> None:
        self._parts[self._number] = self.own


@dataclass(frozen=True, slots=True)
class Backlogs:
    """Everything that all processes of a flow count together.

    Attributes:
        unfinished: what was taken from the sources and is not finished.
        live_lag: what is not read yet of the live topics.
        documents: what waits to be read of documents and attachments.
        chunks: of these on their way through the other steps.
    """

    unfinished: Pending = field(default_factory=Pending)
    live_lag: Pending = field(default_factory=Pending)
    documents: Pending = field(default_factory=Pending)
    chunks: Pending = field(default_factory=Pending)

    @classmethod
    def of(cls, descriptors: Sequence[int], processes: int, number: int) -> "Backlogs":
        """The backlogs of a process that inherited these files, one for each."""
        return cls(*(Pending(each, processes, number) for each in descriptors))


BACKLOGS = len(fields(Backlogs))


def reset(descriptor: int, processes: int) -> None:
    """Make a file hold one part for each process, all 0. Nobody may use it now."""
    os.ftruncate(descriptor, 0)
    os.ftruncate(descriptor, processes * _BYTES)
