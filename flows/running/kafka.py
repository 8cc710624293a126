"""The flow from the Kafka topics: endless, or up to where they reach when it begins."""

import threading
from collections.abc import Callable
from functools import partial

from connectors.kafka.client import bounds_of, create_topics, partitions_of, topics_of_lanes
from connectors.kafka.reader import PartitionReader, Place
from flows.engines.port import Source
from flows.lanes.pending import Backlogs
from flows.running.feeds import BoundedFeed, EndOffsets, FeedLimits
from flows.running.live import Partitions, live_sources
from flows.running.open_services import with_kafka_sinks
from flows.running.process import RunContext, run_process
from mneme.ports import Lane, MemoryIndex
from mneme.settings import Kafka, Settings

OnProgress = Callable[[int, int], None]


def input_partitions(kafka: Kafka) -> Partitions:
    """The partitions of the topics that are read; topics that are missing are created.

    Raises:
        SettingsError, StoreError: the broker is out of reach, or refuses.
    """
    create_topics(kafka)
    return {lane: tuple(partitions_of(kafka, topic)) for lane, topic in topics_of_lanes(kafka.topics).items()}


def stream(
    settings: Settings,
    start_run: Callable[[MemoryIndex], RunContext],
    partitions: Partitions,
    stopping: threading.Event,
    on_ready: Callable[[], None],
    on_failure: Callable[[Exception], None] = lambda error: None,
    backlogs: Backlogs | None = None,
) -> None:
    """Run the flow from Kafka, or the part of it of one of ``flow.processes``, until ``stopping``.

    Args:
        settings: where and how.
        start_run: gives this process its place, once the index is there.
        partitions: what is read, by all processes together.
        stopping: set when the flow is to end.
        on_ready: called when everything is there and reading begins.
        on_failure: called with what ends the flow, before anything is closed.
        backlogs: of all processes; None where there is one. Their limits are added as well.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    kafka, flow = settings.kafka, settings.flow
    backlogs = backlogs or Backlogs()
    topics = topics_of_lanes(kafka.topics)

    def open_reader(lane: Lane, number: str, place: Place | int | None) -> PartitionReader:
        return PartitionReader(kafka, topics[lane], int(number), place, flow.adopt_index)

    sources = live_sources(flow, open_reader, partitions, backlogs, stopping)
    with with_kafka_sinks(settings, sources, backlogs) as sources_and_sinks:
        run_process(settings, start_run, sources_and_sinks, stopping, on_ready, on_failure)


def bounded_stream(
    settings: Settings,
    start_run: Callable[[MemoryIndex], RunContext],
    stopping: threading.Event,
    on_progress: OnProgress = lambda done, total: None,
    wrote: Callable[[str, str], None] = lambda kind, identity: None,
) -> None:
    """Read what the topics have: messages and documents, and behind them the backfill.

    Args:
        settings: where and how; one process does it, whatever ``flow.processes`` says.
        start_run: gives this process its place, once the index is there.
        stopping: set when it is to end earlier.
        on_progress: called with events finished and events in all.
        wrote: called as ``Writer`` says.

    Raises:
        SettingsError, StoreError: the index or the topics cannot be used.
    """
    kafka, flow, backlogs = settings.kafka, settings.flow, Backlogs()
    named, chosen = topics_of_lanes(kafka.topics), input_partitions(kafka)
    bounds = {f"{topic}/{number}": found for topic in named.values() for number, found in bounds_of(kafka, topic).items()}
    end_offsets = EndOffsets(bounds)
    live = [name for name in bounds if not name.startswith(f"{kafka.topics.backfill}/")]

    def open_feed(topic: str, number: str, place: Place | int | None) -> BoundedFeed:
        reader, name = PartitionReader(kafka, topic, int(number), place, flow.adopt_index), f"{topic}/{number}"

        def may_read() -> bool:
            done, total = end_offsets.progress
            on_progress(max(0, done - backlogs.unfinished.total), total)
            return name in live or end_offsets.are_reached(live)

        limits = FeedLimits(backlogs.unfinished, flow.pending_limit, flow.source_batch, stopping, flow.buckets)
        return BoundedFeed(reader, limits, name, end_offsets, may_read)

    sources = [Source(lane, tuple(map(str, sorted(chosen[lane]))), partial(open_feed, topic)) for lane, topic in named.items()]
    with with_kafka_sinks(settings, sources, backlogs, wrote=wrote) as sources_and_sinks:
        run_process(settings, start_run, sources_and_sinks, stopping)
