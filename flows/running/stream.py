"""The endless flow, from the Kafka topics: their partitions as sources, and the live lag that a backfill gives way to."""

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

from connectors.kafka.client import create_topics, partitions_of
from connectors.kafka.reader import PartitionReader
from connectors.kafka.sinks import KafkaChangeFeed, KafkaDeadLetters
from flows.engine import Source
from flows.feeds import PartitionFeed
from flows.pending import Pending
from flows.running.process import Ends, Place, run_process
from flows.running.shared_sum import SharedSum
from mneme.ports import MemoryIndex
from mneme.settings import Kafka, Settings

# A backfill may have a quarter of the limit unfinished: live traffic always finds room, and little before it. Measured with an
# embedder of 400 texts/s: the first live message waits 10 s instead of 24, and the backfill is as fast.
_BACKFILL_PART = 4
_DOCUMENTS_AT_WORK = 16  # of one process: what waits to be read is held in memory, and may be large

Partitions = Mapping[str, tuple[int, ...]]  # of each source


class LiveLag:
    """How much of the live topics is not read yet, by any process.

    Args:
        shared: the sum over all processes; None where there is one.
    """

    def __init__(self, shared: SharedSum | None = None) -> None:
        self._shared = shared or SharedSum()
        self._lags: dict[str, int] = {}

    def tell(self, partition: str, lag: int) -> None:
        """A live partition was looked at."""
        self._lags[partition] = lag
        self._shared.put(sum(self._lags.values()))

    def is_none(self) -> bool:
        """Whether all live partitions are read to their ends."""
        return self._shared.total == 0


def input_partitions(kafka: Kafka) -> Partitions:
    """The partitions of the topics that are read; topics that are missing are created.

    Raises:
        SettingsError, StoreError: the broker is out of reach, or refuses.
    """
    create_topics(kafka)
    topics = kafka.topics
    named = {"messages": topics.messages, "documents": topics.documents, "backfill": topics.backfill}
    return {name: tuple(partitions_of(kafka, topic)) for name, topic in named.items()}


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
    pending, lag, limit = Pending(unfinished), LiveLag(live_lag), flow.pending_limit * flow.processes

    def open_live(topic: str, number: str, place: int | None) -> PartitionFeed:
        reader, name = PartitionReader(kafka, topic, int(number), place), f"{topic}/{number}"
        lag.tell(name, reader.lag())
        return PartitionFeed(reader, pending, limit, flow.source_batch, stopping, polled=lambda: lag.tell(name, reader.lag()))

    def open_backfill(topic: str, number: str, place: int | None) -> PartitionFeed:
        reader = PartitionReader(kafka, topic, int(number), place)
        little = max(1, limit // _BACKFILL_PART)
        return PartitionFeed(reader, pending, little, flow.source_batch, stopping, may_read=lag.is_none)

    documents = Pending()

    def open_documents(topic: str, number: str, place: int | None) -> PartitionFeed:
        reader = PartitionReader(kafka, topic, int(number), place)
        is_free = lambda: documents.total < _DOCUMENTS_AT_WORK  # noqa: E731
        return PartitionFeed(reader, pending, limit, _DOCUMENTS_AT_WORK, stopping, may_read=is_free)

    openings = {
        "messages": partial(open_live, kafka.topics.messages),
        "documents": partial(open_documents, kafka.topics.documents),
        "backfill": partial(open_backfill, kafka.topics.backfill),
    }
    sources = [Source(name, tuple(map(str, partitions[name])), opening) for name, opening in openings.items()]
    with ExitStack() as stack:
        letters = KafkaDeadLetters(kafka, lock=settings.data / "dead-letters.lock")
        stack.callback(letters.close)
        changes = KafkaChangeFeed(kafka) if flow.change_feed else None
        if changes is not None:
            stack.callback(changes.close)
        run_process(
            settings,
            take_place,
            Ends(sources, letters, changes, documents_at_work=documents),
            pending,
            stopping,
            on_ready,
            on_failure,
        )
