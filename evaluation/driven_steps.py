"""The steps of the flow driven by hand, in one thread, each with the time that the processor spent in it.

Items go from step to step as the engine takes them (flows/engine.py): what a source gives at once passes a step together, a
bucket of it at a time. Jobs run where they are handed to the pool, so that they count for their step.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from flows.decode import decode
from flows.embed import EmbedLane
from flows.extract import ExtractLane
from flows.items import OF_THE_WRITER, Erasure, Pause
from flows.lanes.services import Services
from flows.reconcile import ReconcileLane
from flows.segment import SegmentLane
from flows.write import Writer
from mneme.ids import stable_hash
from mneme.ports import Incoming

Result = TypeVar("Result")

STEPS = ("embed", "segment", "extract", "reconcile")
_EPOCH_MESSAGES = 1000  # messages between snapshots: a second of a flow that takes in as many


class Step(Protocol):
    """One bucket of a step: as much of flows/engine.py's ``Lane`` as is driven here."""

    def on_batch(self, items: Sequence[Any]) -> Iterable[Any]:
        """Take in items."""

    def poll(self) -> Iterable[Any]:
        """Do what is due."""

    def snapshot(self) -> bytes:
        """The state."""


def at_once(call: Callable[[], Result], /) -> "Future[Result]":
    """A pool that works at the moment of submission."""
    future: Future[Result] = Future()
    try:
        future.set_result(call())
    except Exception as error:  # noqa: BLE001  as a pool does
        future.set_exception(error)
    return future


class DrivenSteps:
    """All steps of one process. ``seconds`` of the processor by step; ``snapshots`` counts for all steps together."""

    def __init__(self, services: Services, writer: Writer) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.activations: Counter[str] = Counter()
        self._services, self._writer = services, writer
        self._buckets = services.settings.flow.buckets
        self._made: dict[str, Callable[[Services, None], Step]] = {
            "embed": EmbedLane,
            "segment": SegmentLane,
            "extract": ExtractLane,
            "reconcile": ReconcileLane,
        }
        self._steps: dict[str, dict[int, Step]] = {name: {} for name in STEPS}
        self._touched: dict[str, set[int]] = {name: set() for name in STEPS}
        self._since_snapshot = 0

    def feed(self, incoming: Sequence[Incoming]) -> None:
        """Take events through all steps into the writer."""
        with self._timed("decode"):
            items = [item for event in incoming for item in decode(event, self._buckets)]
        self._pass(items)
        self._since_snapshot += len(incoming)
        if self._since_snapshot >= _EPOCH_MESSAGES:
            self.snapshot()

    def end(self) -> None:
        """The end of all conversations, as a finite source tells it."""
        self._pass([Pause("", "end", bucket=bucket) for bucket in range(self._buckets)])
        self.snapshot()

    def snapshot(self) -> None:
        """The end of an epoch: the state of what was touched in it."""
        self._since_snapshot = 0
        with self._timed("snapshots"):
            for name, touched in self._touched.items():
                for bucket in touched:
                    self._steps[name][bucket].snapshot()
                touched.clear()

    def _pass(self, items: list[Any]) -> None:
        writes, lanes = _parted(items)
        for name in STEPS:
            grouped: dict[int, list[Any]] = {}
            for item in lanes:
                grouped.setdefault(self._bucket(name, item), []).append(item)
            given: list[Any] = []
            with self._timed(name):
                for bucket, batch in grouped.items():
                    step = self._steps[name].get(bucket)
                    if step is None:
                        step = self._steps[name][bucket] = self._made[name](self._services, None)
                    given += step.on_batch(batch)
                    self._touched[name].add(bucket)
            self.activations[name] += len(grouped)
            more, lanes = _parted(given)
            writes += more
        with self._timed("write"):
            self._writer.write(writes)

    def _bucket(self, name: str, item: Any) -> int:
        """The bucket of an item in a step."""
        if isinstance(item, Pause | Erasure) and not item.lane:
            return item.bucket
        if name != "reconcile":
            return stable_hash(item.lane) % self._buckets
        return stable_hash(item.owner_key if isinstance(item, Pause) else item.owner.key) % self._buckets

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.thread_time()
        yield
        self.seconds[name] += time.thread_time() - began


def _parted(items: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Separate what goes straight to the writer from what goes to the next step."""
    writes: list[Any] = []
    lanes: list[Any] = []
    for item in items:
        (writes if isinstance(item, OF_THE_WRITER) else lanes).append(item)
    return writes, lanes
