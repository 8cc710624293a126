"""The endless flow, from the Kafka topics."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from connectors.kafka.client import create_topics, partitions_of, topics_of_lanes
from connectors.kafka.producer import partition_of
from connectors.kafka.reader import PartitionReader
from connectors.kafka.sinks import KafkaChangeFeed, KafkaDeadLetters
from flows.pending import Pending
from flows.running.live_sources import LiveLag, Partitions, live_sources
from flows.running.partition_range import range_of
from flows.running.process import Ends, Place, run_process
from flows.running.shared_sum import SharedSum
from mneme.ports import Lane, MemoryIndex
from mneme.settings import Kafka, Settings


def input_partitions(kafka: Kafka) -> Partitions:
    """The partitions of the topics that are read; topics that are missing are created.

    Raises:
        SettingsError, StoreError: the broker is out of reach, or refuses.
    """
    create_topics(kafka)
    if (chosen := range_of(kafka)) is not None:
        chosen.check(kafka)
        return dict.fromkeys(topics_of_lanes(kafka.topics), tuple(range(chosen.first, chosen.last + 1)))
    return {lane: tuple(partitions_of(kafka, topic)) for lane, topic in topics_of_lanes(kafka.topics).items()}


def stream(
    settings: Settings,
    take_place: Callable[[MemoryIndex], Place],
    partitions: Partitions,
    stopping: threading.Event,
    on_ready: Callable[[], None],
    on_failure: Callable[[Exception], None] = lambda error: None,
    unfinished: SharedSum | None = None,
    live_lag: SharedSum | None = None,
) -> None:
    """Run the flow from Kafka, or the part of it of one of ``flow.processes``, until ``stopping``.

    Args:
        settings: where and how.
        take_place: gives this process its place, once the index is there.
        partitions: what is read, by all processes together.
        stopping: set when the flow is to end.
        on_ready: called when everything is there and reading begins.
        on_failure: called with what ends the flow, before anything is closed.
        unfinished: what all processes have not finished; None where there is one. Their limits are added as well.
        live_lag: what all processes have not read of the live topics; None where there is one.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    kafka, flow = settings.kafka, settings.flow
    pending, documents = Pending(unfinished), Pending()
    topics = topics_of_lanes(kafka.topics)

    def open_reader(lane: Lane, number: str, place: int | None) -> PartitionReader:
        return PartitionReader(kafka, topics[lane], int(number), place)

    sources = live_sources(flow, open_reader, partitions, pending, documents, LiveLag(live_lag), stopping)
    with ExitStack() as stack:
        letters = KafkaDeadLetters(kafka, lock=settings.data / "dead-letters.lock")
        stack.callback(letters.close)
        changes = KafkaChangeFeed(kafka) if flow.change_feed else None
        if changes is not None:
            stack.callback(changes.close)
        run_process(
            settings,
            take_place,
            Ends(
                sources,
                letters,
                changes,
                documents_at_work=documents,
                partition_of_tenant=None if range_of(kafka) is None else partial(partition_of, partitions=kafka.partitions),
            ),
            pending,
            stopping,
            on_ready,
            on_failure,
        )
