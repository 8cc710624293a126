"""The flow from the Kafka topics, which never ends."""

import threading
from collections.abc import Callable

from connectors.kafka.client import create_topics, partitions_of, topics_of_lanes
from connectors.kafka.reader import PartitionReader, Place
from flows.lanes.pending import Backlogs
from flows.running.live import Partitions, live_sources
from flows.running.open_services import kafka_endpoints
from flows.running.process import RunContext, run_process
from mneme.ports import Lane, MemoryIndex
from mneme.settings import Kafka, Settings


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
    with kafka_endpoints(settings, sources, backlogs) as endpoints:
        run_process(settings, start_run, endpoints, stopping, on_ready, on_failure)
