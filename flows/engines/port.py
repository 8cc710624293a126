"""The port between the lanes and an engine. No lane knows which engine drives it.

An engine takes a ``Dataflow`` (flows/engines/dataflow.py), and promises:

1. It opens each partition of a ``Source`` at the position that was restored, and snapshots positions and states together.
2. It keys items anew before each step, and drives one lane a key: with items in order, at the time of ``wake_at``, from its
   state, which is bytes. Wake-ups may come too early, or twice; one that was lost is made up for after a restart.
3. What a step hands over for the writer is written before the epoch in which it came ends, in the order of its lane.
4. At the end of an epoch it calls ``epoch_done`` of each lane that was at work in it. ``snapshot`` says nothing about
   epochs: an engine may ask for the state as often as it likes.
5. Each start has a higher run, and so higher versions (flows/lanes/state.py): late writes of a start that died lose.
6. A stop ends the sources; a failure of a step, a source or the writer ends the flow and is told as ``Failures.first``.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Protocol

from connectors.telemetry.meters import StepMeter
from flows.lanes.services import Services
from flows.running.feeds import Feed

REST = timedelta(milliseconds=5)  # between polls of a source that had nothing: quick enough, and no busy loop


class Lane(Protocol):
    """One key of a step: what an engine drives."""

    @property
    def unfinished(self) -> int:
        """Messages at work in it."""

    def on_batch(self, items: Sequence[Any]) -> Iterable[Any]:
        """Take in items."""

    def poll(self) -> Iterable[Any]:
        """Do what is due."""

    def wake_at(self) -> datetime | None:
        """The time of the next poll."""

    def snapshot(self) -> bytes:
        """The state. Changes nothing."""

    def epoch_done(self) -> None:
        """An epoch in which it was at work is over, and the snapshot of its end was taken (flows/lanes/state.py)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Partitions of a source; names must stay the same for a recovery store. ``open`` takes the place to resume from.

    ``idle_rest`` is the time between polls when nothing has come for a second or so. A client that fetches in the background
    while it is polled, as Kafka's, must not rest longer: raw messages were searchable half a second later with 40 ms.
    """

    name: str
    partitions: tuple[str, ...]
    open: Callable[[str, Any], Feed]
    idle_rest: timedelta = REST


class EngineFailed(Exception):
    """The engine gave up, and no step, source or sink of this process had raised anything."""


class Failures:
    """Notes the first error that passes it: where several processes run the flow, the engine itself does not tell it."""

    def __init__(self) -> None:
        self.first: Exception | None = None

    def __enter__(self) -> None:
        """Nothing is noted yet."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Exception) and not isinstance(error, StopIteration) and self.first is None:
            self.first = error


class HostedLane:
    """A lane with its place in the backlog and its meters: what every engine does around it.

    Args:
        name: of this lane in the backlog, unlike that of all others in the process.
        lane: what is driven.
        services: its own.
        failures: notes what it raises.
        meter: of its step.
    """

    def __init__(self, name: str, lane: Lane, services: Services, failures: Failures, meter: StepMeter) -> None:
        self._name = name
        self._lane = lane
        self._pending = services.pending
        self._failures = failures
        self._meter = meter
        self._pending.jobs(name, lane.unfinished)

    def on_batch(self, items: list[Any]) -> list[Any]:
        """Give items to the lane; what it hands on."""
        began = time.perf_counter_ns()
        with self._failures:
            out = list(self._lane.on_batch(items))
        self._account(len(out) - len(items))
        self._meter.worked(began, len(items), len(out))
        return out

    def poll(self) -> list[Any]:
        """Let the lane do what is due; what it hands on."""
        began = time.perf_counter_ns()
        with self._failures:
            out = list(self._lane.poll())
        self._account(len(out))
        self._meter.worked(began, 0, len(out))
        return out

    def wake_at(self) -> datetime | None:
        """The time of the next poll."""
        return self._lane.wake_at()

    def snapshot(self) -> bytes:
        """The state of the lane."""
        with self._failures:
            return self._lane.snapshot()

    def epoch_done(self) -> None:
        """An epoch is over, as of ``Lane``."""
        with self._failures:
            self._lane.epoch_done()

    def _account(self, moving: int) -> None:
        self._pending.jobs(self._name, self._lane.unfinished)  # first: the total must not touch zero in between
        self._pending.enter(moving)
