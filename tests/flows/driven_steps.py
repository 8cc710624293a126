"""The steps of the flow driven by hand, in one thread, without an engine.

Items go from step to step as the engine takes them (flows/engines/): what a source gives at once passes a step together, a
bucket of it at a time. Jobs run where they are handed to the pool.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from flows.decode import decode
from flows.engines.dataflow import EMBED, EXTRACT, RECONCILE, SEGMENT, goes_to_the_writer
from flows.engines.port import Lane
from flows.items import Pause
from flows.lanes.services import Services
from flows.write import Writer
from mneme.ports import Incoming

STEPS = {step.name: step for step in (EMBED, SEGMENT, EXTRACT, RECONCILE)}


class DrivenSteps:
    """All steps of one process."""

    def __init__(self, services: Services, writer: Writer) -> None:
        self._services, self._writer = services, writer
        self._buckets = services.settings.flow.buckets
        self._lanes: dict[str, dict[str, Lane]] = {name: {} for name in STEPS}

    def feed(self, incoming: Sequence[Incoming]) -> None:
        """Take events through all steps into the writer."""
        self._pass([item for event in incoming for item in decode(event, self._buckets)])

    def end(self) -> None:
        """The end of all conversations, as a finite source tells it, and of the epoch."""
        self._pass([Pause("", "end", bucket=bucket) for bucket in range(self._buckets)])
        for lanes in self._lanes.values():
            for lane in lanes.values():
                lane.snapshot()
                lane.epoch_done()

    def _pass(self, items: list[Any]) -> None:
        writes, lanes = _parted(items)
        for name, step in STEPS.items():
            grouped: dict[str, list[Any]] = {}
            for item in lanes:
                grouped.setdefault(step.key(item, self._buckets), []).append(item)
            given: list[Any] = []
            for bucket, batch in grouped.items():
                lane = self._lanes[name].get(bucket)
                if lane is None:
                    lane = self._lanes[name][bucket] = step.lane(self._services, None)
                given += lane.on_batch(batch)
            more, lanes = _parted(given)
            writes += more
        self._writer.write(writes)


def _parted(items: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Separate what goes straight to the writer from what goes to the next step."""
    writes: list[Any] = []
    lanes: list[Any] = []
    for item in items:
        (writes if goes_to_the_writer(item) else lanes).append(item)
    return writes, lanes
