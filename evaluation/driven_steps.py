"""The steps of the flow driven by hand, in one thread, each with the time that the processor spent in it.

Items go from step to step as the engine takes them (flows/engines/): what a source gives at once passes a step together, a
bucket of it at a time. Jobs run where they are handed to the pool, so that they count for their step.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from flows.decode import decode
from flows.engines.dataflow import EMBED, EXTRACT, RECONCILE, SEGMENT, goes_to_the_writer
from flows.engines.port import Lane
from flows.items import Pause
from flows.lanes.services import Services
from flows.write import Writer
from mneme.ports import Incoming

Result = TypeVar("Result")

STEPS = {step.name: step for step in (EMBED, SEGMENT, EXTRACT, RECONCILE)}
_EPOCH_MESSAGES = 1000  # messages between snapshots: a second of a flow that takes in as many


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
        self._services, self._writer = services, writer
        self._buckets = services.settings.flow.buckets
        self._lanes: dict[str, dict[str, Lane]] = {name: {} for name in STEPS}
        self._touched: dict[str, set[str]] = {name: set() for name in STEPS}
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
                    self._lanes[name][bucket].snapshot()
                    self._lanes[name][bucket].epoch_done()
                touched.clear()

    def _pass(self, items: list[Any]) -> None:
        writes, lanes = _parted(items)
        for name, step in STEPS.items():
            grouped: dict[str, list[Any]] = {}
            for item in lanes:
                grouped.setdefault(step.key(item, self._buckets), []).append(item)
            given: list[Any] = []
            with self._timed(name):
                for bucket, batch in grouped.items():
                    lane = self._lanes[name].get(bucket)
                    if lane is None:
                        lane = self._lanes[name][bucket] = step.lane(self._services, None)
                    given += lane.on_batch(batch)
                    self._touched[name].add(bucket)
            more, lanes = _parted(given)
            writes += more
        with self._timed("write"):
            self._writer.write(writes)

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
        (writes if goes_to_the_writer(item) else lanes).append(item)
    return writes, lanes
