"""The flow from the Kafka topics up to where they reach when it begins; what is open then is shown, and it ends."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from connectors.kafka.client import bounds_of, topics_of_lanes
from connectors.kafka.producer import partition_of
from connectors.kafka.reader import PartitionReader
from connectors.kafka.sinks import KafkaChangeFeed, KafkaDeadLetters
from flows.engine import Source
from flows.feeds import PartitionFeed
from flows.pending import Pending
from flows.running.bounded_feed import BoundedFeed, Horizon
from flows.running.partition_range import range_of
from flows.running.process import Ends, Place, run_process
from flows.running.stream import input_partitions
from mneme.ports import MemoryIndex
from mneme.settings import Settings

OnProgress = Callable[[int, int], None]


def bounded_stream(
    settings: Settings,
    take_place: Callable[[MemoryIndex], Place],
    stopping: threading.Event,
    on_progress: OnProgress = lambda done, total: None,
    wrote: Callable[[str, str], None] = lambda kind, identity: None,
    in_bulk: bool = False,
) -> None:
    """Read what the topics have: messages and documents, and behind them the backfill.

    Args:
        settings: where and how; one process does it, whatever ``flow.processes`` says.
        take_place: gives this process its place, once the index is there.
        stopping: set when it is to end earlier.
        on_progress: called with events finished and events in all.
        wrote: called as ``Writer`` says.
        in_bulk: whether the index is set for very many writes meanwhile.

    Raises:
        SettingsError, StoreError: the index or the topics cannot be used.
    """
    kafka, flow, pending = settings.kafka, settings.flow, Pending()
    named, chosen = topics_of_lanes(kafka.topics), input_partitions(kafka)
    bounds = {
        f"{topic}/{number}": found
        for lane, topic in named.items()
        for number, found in bounds_of(kafka, topic).items()
        if number in chosen[lane]
    }
    horizon = Horizon({name: end for name, (_, end) in bounds.items()}, {name: first for name, (first, _) in bounds.items()})
    live = [name for name in bounds if not name.startswith(f"{kafka.topics.backfill}/")]

    def open_feed(topic: str, number: str, place: int | None) -> BoundedFeed:
        reader, name = PartitionReader(kafka, topic, int(number), place), f"{topic}/{number}"

        def may_read() -> bool:
            done, total = horizon.progress
            on_progress(max(0, done - pending.total), total)
            return name in live or horizon.are_reached(live)

        feed = PartitionFeed(reader, pending, flow.pending_limit, flow.source_batch, stopping, may_read)
        return BoundedFeed(feed, reader, name, horizon, pending, stopping, flow.buckets)

    sources = [Source(lane, tuple(map(str, sorted(chosen[lane]))), partial(open_feed, topic)) for lane, topic in named.items()]
    with ExitStack() as stack:
        letters = KafkaDeadLetters(kafka, lock=settings.data / "dead-letters.lock")
        stack.callback(letters.close)
        changes = KafkaChangeFeed(kafka) if flow.change_feed else None
        if changes is not None:
            stack.callback(changes.close)
        by_tenant = None if range_of(kafka) is None else partial(partition_of, partitions=kafka.partitions)
        ends = Ends(sources, letters, changes, wrote, partition_of_tenant=by_tenant)
        run_process(settings, take_place, ends, pending, stopping, in_bulk=in_bulk)
