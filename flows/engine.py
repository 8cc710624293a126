"""The dataflow on Bytewax: the only file that knows the engine.

    source ─ decode ─ read ─ embed ─ segment ─ extract ─ reconcile ─ write
                └──────┴───────┴────────┴─────────┴── what goes straight to the index ──┘

read, embed, segment and extract are keyed by bucket of conversations and documents, reconcile by bucket of owners; a
bucket's state is one value of bytes. Bytewax restores sources and states to the end of the last whole epoch; what the sink
wrote after it is written again, and converges (flows/lanes/epochs.py). Several processes may run it together: buckets and the
partitions of sources are spread over them, and each writes what its own steps hand over.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import bytewax.operators as op
from bytewax.dataflow import Dataflow, Stream
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.run import cli_main

from connectors.telemetry.flow import FLUSHES, EpochMeter, SourceMeter, StepMeter
from flows.embed import EmbedLane
from flows.extract import ExtractLane
from flows.items import (
    OF_THE_WRITER,
    Decoded,
    Erasure,
    Extracted,
    Pause,
    Read,
    Retraction,
    Unread,
)
from flows.lanes.pending import Pending
from flows.lanes.services import Services
from flows.read import ReadLane
from flows.reconcile import ReconcileLane
from flows.running.feeds import Fed, Feed
from flows.segment import SegmentLane
from flows.write import Writer
from mneme.ids import stable_hash
from mneme.ports import Incoming
from mneme.times import utc_now

_REST = timedelta(milliseconds=5)  # between polls of a source that had nothing: quick enough, and no busy loop
_KNOWN_BUCKETS = 8192  # of lanes and owners: each message asks for its own twice, and each batch has many of the same
_IDLE_POLLS = 200  # without anything, one after the other: a second or more


class Lane(Protocol):
    """A step of one bucket: what the engine drives."""

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
        """The state."""


@dataclass(frozen=True, slots=True)
class Source:
    """Partitions of a source; names must stay the same for a recovery store. ``open`` takes the place to resume from.

    ``idle_rest`` is the time between polls when nothing has come for a second or so. A client that fetches in the background
    while it is polled, as Kafka's, must not rest longer: raw messages were searchable half a second later with 40 ms.
    """

    name: str
    partitions: tuple[str, ...]
    open: Callable[[str, Any], Feed]
    idle_rest: timedelta = _REST


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


def build(
    sources: Sequence[Source],
    decode: Callable[[Any], Iterable[Decoded]],
    services: Services,
    writer: Writer,
    failures: Failures | None = None,
    on_built: Callable[[], None] = lambda: None,
) -> Dataflow:
    """The dataflow from sources to writer.

    ``failures`` notes what a step, a source or the writer raises. ``on_built`` is called when the engine has put the
    dataflow together, in all processes, and begins to read.
    """
    failures = failures or Failures()
    buckets = services.settings.flow.buckets
    pending = services.pending

    def decoded(batch: list[Fed]) -> list[Any]:
        with failures:
            items = [item for fed in batch for item in (decode(fed) if isinstance(fed, Incoming) else (fed,))]
        pending.enter(len(items) - len(batch))
        for item in items:
            if isinstance(item, Pause) and item.flush_id:
                FLUSHES.read(item.tenant_id, item.flush_id)
        return items

    flow = Dataflow("mneme")
    epochs = EpochMeter()
    inputs = [op.input(source.name, flow, _Source(source, failures, epochs, pending)) for source in sources]
    events = op.merge("sources", *inputs) if len(inputs) > 1 else inputs[0]
    arrived = op.branch("decoded", op.flat_map_batch("decode", events, decoded), _goes_to_the_writer)
    unread = op.map("document", arrived.falses, lambda item: (_conversation_bucket(item, buckets), item))
    read = op.branch(
        "read-writes", _step("read", unread, ReadLane, services, failures), lambda pair: _goes_to_the_writer(pair[1])
    )
    to_writer: list[Stream[Any]] = [arrived.trues, op.map("read-unkeyed", read.trues, _without_key)]
    # What is said in a document is a conversation, in a bucket of its own.
    lanes = op.map("conversation", read.falses, lambda pair: (_conversation_bucket(pair[1], buckets), pair[1]))
    steps: list[tuple[str, Callable[[Services, bytes | None], Lane]]] = [
        ("embed", EmbedLane),
        ("segment", SegmentLane),
        ("extract", ExtractLane),
    ]
    for name, lane in steps:
        out = op.branch(f"{name}ed", _step(name, lanes, lane, services, failures), lambda pair: _goes_to_the_writer(pair[1]))
        to_writer.append(op.map(f"{name}-writes", out.trues, _without_key))
        lanes = out.falses
    owners = op.map("owner", lanes, lambda pair: (_owner_bucket(pair[1], buckets), pair[1]))
    reconciled = _step("reconcile", owners, ReconcileLane, services, failures)
    to_writer.append(op.map("reconcile-writes", reconciled, _without_key))
    op.output("write", op.merge("writes", *to_writer), _Sink(writer, pending, failures, on_built))
    return flow


def make_store(store: Path, partitions: int) -> None:
    """Make the files in which the state of a dataflow is kept, unless they are there."""
    if store.exists():
        return
    draft = store.with_suffix(".draft")  # a kill while the store is made must not leave half of it
    for leftover in draft.glob("*") if draft.exists() else ():
        leftover.unlink()
    draft.mkdir(parents=True, exist_ok=True)
    init_db_dir(draft, partitions)  # type: ignore[no-untyped-call]
    draft.rename(store)


def execute(
    flow: Dataflow, store: Path, epoch_seconds: float, partitions: int, addresses: Sequence[str] = (), number: int = 0
) -> None:
    """Run a dataflow in this thread until its sources end; its state is kept in ``store``.

    Args:
        flow: what to run.
        store: the files of ``make_store``.
        epoch_seconds: between snapshots of the state.
        partitions: of a new store.
        addresses: ``host:port`` of each process that runs it; none where this one is alone.
        number: which of them this is.

    Raises:
        Exception: whatever a step raised, under the engine's own wrapping.
        EngineFailed: another process is gone, or the engine failed itself; of a step in a cluster ``Failures`` tells more.
    """
    make_store(store, partitions)
    try:
        cli_main(  # type: ignore[no-untyped-call]
            flow,
            workers_per_process=1,
            process_id=number if addresses else None,
            addresses=list(addresses) or None,
            epoch_interval=timedelta(seconds=epoch_seconds),
            recovery_config=RecoveryConfig(str(store), timedelta(0)),  # type: ignore[no-untyped-call]
        )
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust, and no Exception
            raise EngineFailed(f"the engine gave up: {error}") from error
        raise


def _goes_to_the_writer(item: object) -> bool:
    return isinstance(item, OF_THE_WRITER)


def _without_key(pair: tuple[str, Any]) -> Any:
    return pair[1]


def _conversation_bucket(item: Unread | Read, buckets: int) -> str:
    if not (lane := item.lane):
        assert isinstance(item, Pause | Erasure), "only what concerns a whole bucket has no lane"
        return f"{item.bucket:04d}"
    return _bucket(lane, buckets)


def _owner_bucket(item: Extracted | Retraction | Pause | Erasure, buckets: int) -> str:
    if isinstance(item, Pause):
        return _bucket(item.owner_key, buckets)
    assert item.owner is not None, "an erasure's owner is known behind embed"
    return _bucket(item.owner.key, buckets)


@lru_cache(_KNOWN_BUCKETS)
def _bucket(key: str, buckets: int) -> str:
    return f"{stable_hash(key) % buckets:04d}"


def _step(
    name: str, up: Stream[Any], lane: Callable[[Services, bytes | None], Lane], services: Services, failures: Failures
) -> Stream[tuple[str, Any]]:
    count = iter(range(1_000_000))
    meter = StepMeter(name)

    def logic(state: bytes | None) -> _Logic:
        with failures:
            return _Logic(f"{name}-{next(count)}", lane(services, state), services, failures, meter)

    return op.stateful_batch(name, up, logic)


class _Logic(op.StatefulBatchLogic[Any, Any, bytes]):
    """A lane as Bytewax drives it."""

    def __init__(self, name: str, lane: Lane, services: Services, failures: Failures, meter: StepMeter) -> None:
        self._name = name
        self._lane = lane
        self._pending = services.pending
        self._tally = services.tally
        self._failures = failures
        self._meter = meter
        self._pending.jobs(name, lane.unfinished)

    def on_batch(self, values: list[Any]) -> tuple[list[Any], bool]:
        began = time.perf_counter_ns()
        with self._failures:
            out = list(self._lane.on_batch(values))
        self._account(len(out) - len(values))
        self._meter.worked(began, len(values), len(out))
        return out, self.RETAIN

    def on_notify(self) -> tuple[list[Any], bool]:
        began = time.perf_counter_ns()
        with self._failures:
            out = list(self._lane.poll())
        self._account(len(out))
        self._meter.worked(began, 0, len(out))
        return out, self.RETAIN

    def notify_at(self) -> datetime | None:
        return self._lane.wake_at()

    def snapshot(self) -> bytes:
        began = time.perf_counter_ns()
        with self._failures:
            state = self._lane.snapshot()
        self._tally["snapshot_microseconds"] += (time.perf_counter_ns() - began) // 1000
        self._tally["snapshot_bytes"] += len(state)
        return state

    def _account(self, moving: int) -> None:
        self._pending.jobs(self._name, self._lane.unfinished)  # first: the total must not touch zero in between
        self._pending.enter(moving)


class _Source(FixedPartitionedSource[Fed, Any]):
    def __init__(self, source: Source, failures: Failures, epochs: EpochMeter, pending: Pending) -> None:
        self._source = source
        self._failures = failures
        self._epochs = epochs
        self._pending = pending

    def list_parts(self) -> list[str]:
        return list(self._source.partitions)

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> "_Partition":
        with self._failures:
            feed = self._source.open(for_part, resume_state)
        meter = SourceMeter(self._source.name, for_part)
        return _Partition(feed, self._source.idle_rest, self._failures, meter, self._epochs, self._pending)


class _Partition(StatefulSourcePartition[Fed, Any]):
    def __init__(
        self, feed: Feed, idle_rest: timedelta, failures: Failures, meter: SourceMeter, epochs: EpochMeter, pending: Pending
    ) -> None:
        self._feed = feed
        self._idle_rest = idle_rest
        self._failures = failures
        self._meter = meter
        self._epochs = epochs
        self._pending = pending
        self._had_nothing = 0  # polls in a row

    def next_batch(self) -> list[Fed]:
        with self._failures:
            batch = self._feed.next_batch()
        self._had_nothing = 0 if batch else self._had_nothing + 1
        if batch:
            self._meter.read(sum(isinstance(fed, Incoming) for fed in batch))
        return batch

    def next_awake(self) -> datetime | None:
        if not self._had_nothing:
            return None
        return utc_now() + (_REST if self._had_nothing < _IDLE_POLLS else self._idle_rest)

    def snapshot(self) -> Any:
        self._epochs.snapshot(self, self._pending.own)
        with self._failures:
            if (unread := getattr(self._feed, "unread", None)) is not None:  # a file is just read to its end
                self._meter.left(unread)
            return self._feed.resume_state()

    def close(self) -> None:
        self._feed.close()


class _Sink(DynamicSink[Any]):
    def __init__(self, writer: Writer, pending: Pending, failures: Failures, on_built: Callable[[], None]) -> None:
        self._writer = writer
        self._pending = pending
        self._failures = failures
        self._on_built = on_built

    def build(self, step_id: str, worker_index: int, worker_count: int) -> "_SinkPartition":
        self._on_built()
        return _SinkPartition(self._writer, self._pending, self._failures)


class _SinkPartition(StatelessSinkPartition[Any]):
    def __init__(self, writer: Writer, pending: Pending, failures: Failures) -> None:
        self._writer = writer
        self._pending = pending
        self._failures = failures

    def write_batch(self, items: list[Any]) -> None:
        with self._failures:
            self._writer.write(items)
        self._pending.leave(len(items))
