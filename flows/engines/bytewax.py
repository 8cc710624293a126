"""The dataflow on Bytewax: the only file that knows this engine.

Bytewax restores sources and states to the end of the last whole epoch; what the sink wrote after it is written again, and
converges (flows/lanes/state.py). It asks a lane for its state once, at the end of each epoch in which the lane was at work.
Several processes may run the dataflow together: buckets and the partitions of sources are spread over them, and each writes
what its own steps hand over.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import bytewax.operators as op
from bytewax.dataflow import Dataflow as BytewaxFlow
from bytewax.dataflow import Stream
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.run import cli_main

from connectors.telemetry.meters import SourceMeter
from connectors.telemetry.metrics import PENDING
from flows.engines.dataflow import EMBED, EXTRACT, READ, RECONCILE, SEGMENT, Dataflow, Step, goes_to_the_writer
from flows.engines.port import REST, EngineFailed, HostedLane, Source
from flows.running.feeds import Fed, Feed
from mneme.ports import Incoming
from mneme.times import utc_now

_IDLE_POLLS = 200  # without anything, one after the other: a second or more


def execute(
    flow: BytewaxFlow, store: Path, epoch_seconds: float, partitions: int, addresses: Sequence[str] = (), number: int = 0
) -> None:
    """Run a dataflow in this thread until its sources end; its state is kept in ``store``.

    Args:
        flow: made by ``build``.
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


def build(flow: Dataflow) -> BytewaxFlow:
    """The dataflow as Bytewax runs it."""
    built = BytewaxFlow("mneme")
    buckets = flow.buckets
    inputs = [op.input(source.name, built, _Source(source, flow)) for source in flow.sources]
    events = op.merge("sources", *inputs) if len(inputs) > 1 else inputs[0]
    arrived = op.branch("decoded", op.flat_map_batch("decode", events, flow.decoded), goes_to_the_writer)
    unread = op.map("document", arrived.falses, partial(_keyed, READ, buckets))
    read = op.branch("read-writes", _step(READ, unread, flow), _pair_goes_to_the_writer)
    to_writer: list[Stream[Any]] = [arrived.trues, op.map("read-unkeyed", read.trues, _without_key)]
    lanes = op.map("conversation", read.falses, lambda pair: _keyed(EMBED, buckets, pair[1]))
    for step in (EMBED, SEGMENT, EXTRACT):
        out = op.branch(f"{step.name}ed", _step(step, lanes, flow), _pair_goes_to_the_writer)
        to_writer.append(op.map(f"{step.name}-writes", out.trues, _without_key))
        lanes = out.falses
    owners = op.map("owner", lanes, lambda pair: _keyed(RECONCILE, buckets, pair[1]))
    to_writer.append(op.map("reconcile-writes", _step(RECONCILE, owners, flow), _without_key))
    op.output("write", op.merge("writes", *to_writer), _Sink(flow))
    return built


def _keyed(step: Step, buckets: int, item: Any) -> tuple[str, Any]:
    return step.key(item, buckets), item


def _without_key(pair: tuple[str, Any]) -> Any:
    return pair[1]


def _pair_goes_to_the_writer(pair: tuple[str, Any]) -> bool:
    return goes_to_the_writer(pair[1])


def _step(step: Step, up: Stream[Any], flow: Dataflow) -> Stream[tuple[str, Any]]:
    hosted: Callable[[bytes | None], HostedLane] = flow.hosting(step)
    return op.stateful_batch(step.name, up, lambda state: _Logic(hosted(state)))


class _Logic(op.StatefulBatchLogic[Any, Any, bytes]):
    """A lane as Bytewax drives it."""

    def __init__(self, lane: HostedLane) -> None:
        self._lane = lane

    def on_batch(self, values: list[Any]) -> tuple[list[Any], bool]:
        return self._lane.on_batch(values), self.RETAIN

    def on_notify(self) -> tuple[list[Any], bool]:
        return self._lane.poll(), self.RETAIN

    def notify_at(self) -> datetime | None:
        return self._lane.wake_at()

    def snapshot(self) -> bytes:
        state = self._lane.snapshot()
        self._lane.epoch_done()
        return state


class _Source(FixedPartitionedSource[Fed, Any]):
    def __init__(self, source: Source, flow: Dataflow) -> None:
        self._source = source
        self._flow = flow

    def list_parts(self) -> list[str]:
        return list(self._source.partitions)

    def build_part(self, step_id: str, for_part: str, resume_state: Any) -> "_Partition":
        with self._flow.failures:
            feed = self._source.open(for_part, resume_state)
        return _Partition(feed, self._source.idle_rest, SourceMeter(self._source.name, for_part), self._flow)


class _Partition(StatefulSourcePartition[Fed, Any]):
    def __init__(self, feed: Feed, idle_rest: timedelta, meter: SourceMeter, flow: Dataflow) -> None:
        self._feed = feed
        self._idle_rest = idle_rest
        self._meter = meter
        self._flow = flow
        self._had_nothing = 0  # polls in a row

    def next_batch(self) -> list[Fed]:
        with self._flow.failures:
            batch = self._feed.next_batch()
        self._had_nothing = 0 if batch else self._had_nothing + 1
        if batch:
            self._meter.read(sum(isinstance(fed, Incoming) for fed in batch))
        return batch

    def next_awake(self) -> datetime | None:
        if not self._had_nothing:
            return None
        return utc_now() + (REST if self._had_nothing < _IDLE_POLLS else self._idle_rest)

    def snapshot(self) -> Any:
        PENDING.set(self._flow.services.pending.own)
        with self._flow.failures:
            if (unread := getattr(self._feed, "unread", None)) is not None:  # a file is just read to its end
                self._meter.left(unread)
            return self._feed.resume_state()

    def close(self) -> None:
        self._feed.close()


class _Sink(DynamicSink[Any]):
    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow

    def build(self, step_id: str, worker_index: int, worker_count: int) -> "_SinkPartition":
        self._flow.on_built()
        return _SinkPartition(self._flow)


class _SinkPartition(StatelessSinkPartition[Any]):
    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow

    def write_batch(self, items: list[Any]) -> None:
        self._flow.write(items)
