"""Meters of the flow: once for a batch, an epoch or a bulk, never for each message (flows/engines/, flows/write.py)."""

import time
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from connectors.telemetry import metrics, tracing
from mneme.ports import Create, DeadLetter, Outcome, Write, WriteResult

_OF_A_FILE = "file:"  # topics of files: what lies in one did not arrive just now
_FLUSHES = 10_000  # that are waited for at a time


class StepMeter:
    """The meter of the steps of one name: one for all buckets of a process."""

    def __init__(self, step: str) -> None:
        self._span = f"flow.{step}"
        self._seconds = metrics.STEP_SECONDS.labels(step)
        self._items = metrics.STEP_ITEMS.labels(step)

    def worked(self, began_ns: int, taken: int, given: int) -> None:
        """A step took in so many items, and gave out so many; ``began_ns`` of ``time.perf_counter_ns``.

        A look at its clock that brought nothing is not counted.
        """
        if taken:
            self._items.inc(taken)
        if taken or given:
            self._seconds.observe((time.perf_counter_ns() - began_ns) / 1e9)
            tracing.record_span(self._span, began_ns, items_in=taken, items_out=given)


class SourceMeter:
    """The meter of one partition of a source."""

    def __init__(self, lane: str, partition: str) -> None:
        self._events = metrics.EVENTS.labels(lane)
        self._lag = metrics.LAG.labels(lane, partition)

    def read(self, count: int) -> None:
        """So many events were read."""
        self._events.inc(count)

    def left(self, unread: int) -> None:
        """So many are not read yet."""
        self._lag.set(unread)


class EpochMeter:
    """The meter of epochs, by the snapshots of one partition: each has one an epoch."""

    def __init__(self) -> None:
        self._partition: object = None
        self._began = 0.0

    def snapshot(self, partition: object, pending: int) -> None:
        """The place of a partition was kept, while so much was not finished."""
        now = time.monotonic()
        if self._partition is None:
            self._partition = partition
        elif self._partition is partition:
            metrics.EPOCH_SECONDS.observe(now - self._began)
        else:
            return
        self._began = now
        metrics.PENDING.set(pending)


class Tally(Counter[str]):
    """The counts of a run (flows/lanes/services.py), exported as metrics while they grow."""

    def __setitem__(self, name: str, count: int) -> None:
        if known := _METRICS.get(name):
            metric, unit = known
            metric.inc(max(0, count - self[name]) * unit)
        super().__setitem__(name, count)


_METRICS = {
    "duplicate": (metrics.DUPLICATES, 1.0),
    "erased": (metrics.ERASED_LATE, 1.0),
    "without_vector": (metrics.WITHOUT_VECTOR, 1.0),
    "snapshot_microseconds": (metrics.SNAPSHOT_SECONDS, 1e-6),
    "snapshot_bytes": (metrics.SNAPSHOT_BYTES, 1.0),
}


class FlushClock:
    """The meter of flushes whose reading and whose marker are this process's own: all, where one process runs the flow."""

    def __init__(self) -> None:
        self._since: OrderedDict[tuple[str, str], float] = OrderedDict()

    def read(self, tenant_id: str, flush_id: str) -> None:
        """A flush was read."""
        self._since[tenant_id, flush_id] = time.monotonic()
        if len(self._since) > _FLUSHES:
            self._since.popitem(last=False)

    def marked(self, tenant_id: str, flush_id: str) -> None:
        """Its marker was written."""
        if (since := self._since.pop((tenant_id, flush_id), None)) is not None:
            metrics.FLUSH_SECONDS.observe(time.monotonic() - since)


FLUSHES = FlushClock()


def count_bulk(writes: Sequence[Write], results: Sequence[WriteResult], began_ns: int, now: datetime) -> None:
    """A bulk was written, at ``now``."""
    metrics.BULK_SECONDS.observe((time.perf_counter_ns() - began_ns) / 1e9)
    metrics.BULK_WRITES.observe(len(writes))
    written: Counter[str] = Counter()
    rejected = 0
    for write, result in zip(writes, results, strict=True):
        if result.outcome is Outcome.REJECTED:
            rejected += 1
        elif result.outcome is Outcome.DONE and (row := getattr(write, "row", None)) is not None:
            written[row.kind] += 1
            if isinstance(write, Create) and row.kind == "message" and row.document_id is None:
                _count_arrival(row.body, now)
    for kind, count in written.items():
        metrics.RECORDS.labels(kind).inc(count)
    if rejected:
        metrics.REJECTED.inc(rejected)
    tracing.record_span("flow.write", began_ns, writes=len(writes), rejected=rejected)


def _count_arrival(message: Mapping[str, Any], now: datetime) -> None:
    if not message["position"]["topic"].startswith(_OF_A_FILE):
        arrived = datetime.fromisoformat(message["created_at"])
        metrics.RAW_SECONDS.observe(max(0.0, (now - arrived).total_seconds()))


def count_dead_letters(letters: Sequence[DeadLetter]) -> None:
    """Dead letters were kept."""
    for letter in letters:
        metrics.DEAD_LETTERS.labels(letter.stage).inc()
