"""Sources of the flow that never end: messages, documents, and a backfill that gives way to messages.

They are the partitions of Kafka topics, or the lanes of the inbox.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from connectors.durable import FolderLock, disk_errors
from connectors.inbox import InboxReader, inbox_folder
from flows.engines.port import Source
from flows.lanes.pending import Backlogs
from flows.running.feeds import EventReader, FeedLimits, PartitionFeed
from flows.running.open_services import with_file_sinks
from flows.running.process import INTERRUPTED, RunContext, run_process
from mneme.ports import Lane, MemoryIndex
from mneme.settings import Flow, Settings

# A backfill may have a quarter of the limit unfinished: live traffic always finds room, and little before it. Measured with an
# embedder of 400 texts/s: the first live message waits 10 s instead of 24, and the backfill is as fast.
_BACKFILL_PART = 4
_DOCUMENTS_AT_WORK = 16  # of one process: what waits to be read is held in memory, and may be large

Partitions = Mapping[Lane, tuple[int, ...]]  # of each source
# Opens a partition of a lane, by its number, at the place to resume from (None: the earliest).
OpenReader = Callable[[Lane, str, Any], EventReader]


def live_sources(
    flow: Flow,
    open_reader: OpenReader,
    partitions: Partitions,
    backlogs: Backlogs,
    stopping: threading.Event,
) -> list[Source]:
    """The sources of the flow.

    Args:
        flow: its limits.
        open_reader: opens a partition.
        partitions: what is read, by all processes together.
        backlogs: what holds the sources up; told of the messages that are not read yet, which the backfill gives way to.
        stopping: set when the flow is to end.
    """
    live_lag, documents = backlogs.live_lag, backlogs.documents
    limits = FeedLimits(backlogs.unfinished, flow.pending_limit * flow.processes, flow.source_batch, stopping)

    def open_messages(number: str, place: Any) -> PartitionFeed:
        reader = open_reader("messages", number, place)
        live_lag.jobs(number, reader.lag())
        return PartitionFeed(reader, limits, polled=lambda: live_lag.jobs(number, reader.lag()))

    def open_backfill(number: str, place: Any) -> PartitionFeed:
        little = replace(limits, most=max(1, limits.most // _BACKFILL_PART))
        return PartitionFeed(open_reader("backfill", number, place), little, may_read=lambda: live_lag.total == 0)

    def open_documents(number: str, place: Any) -> PartitionFeed:
        few = replace(limits, batch=_DOCUMENTS_AT_WORK)
        reader = open_reader("documents", number, place)
        return PartitionFeed(reader, few, may_read=lambda: documents.total < _DOCUMENTS_AT_WORK * flow.processes)

    openings: dict[Lane, Callable[[str, Any], PartitionFeed]] = {
        "messages": open_messages,
        "documents": open_documents,
        "backfill": open_backfill,
    }
    return [Source(lane, tuple(map(str, partitions[lane])), opening) for lane, opening in openings.items()]


_PARTITIONS: Partitions = {"messages": (0,), "documents": (0,), "backfill": (0,)}
# One look says all: an idle flow of a laptop takes 6 % of a processor with this rest, and 11 % with that of busy ones.
_IDLE_REST = timedelta(milliseconds=40)


def stream_inbox(
    settings: Settings,
    start_run: Callable[[MemoryIndex], RunContext],
    stopping: threading.Event,
    on_ready: Callable[[], None],
    named_files: Sequence[Path] = (),
) -> None:
    """Run the flow from the inbox of ``MNEME_DATA`` until ``stopping``. Nothing is told to the outside but dead letters.

    Args:
        settings: where and how.
        start_run: gives this process its place, once the index is there.
        stopping: set when the flow is to end.
        on_ready: called when everything is there and reading begins.
        named_files: may be read by reference: an ingestion that was broken off has left them to be read.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    backlogs = Backlogs()
    readers: dict[Lane, InboxReader] = {}

    def open_reader(lane: Lane, number: str, place: int | None) -> InboxReader:
        readers[lane] = InboxReader(settings.data, lane, place)
        return readers[lane]

    live = live_sources(settings.flow, open_reader, _PARTITIONS, backlogs, stopping)
    sources = [replace(source, idle_rest=_IDLE_REST) for source in live]
    with ExitStack() as stack:
        folder = inbox_folder(settings.data)
        with disk_errors(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
        stack.callback(FolderLock(folder, "the inbox").release)  # so that others know who reads it
        sources_and_sinks = stack.enter_context(with_file_sinks(settings, sources, backlogs, named_files=named_files))
        tally, _ = run_process(settings, start_run, sources_and_sinks, stopping, on_ready)
        if not tally[INTERRUPTED]:
            # All that was read is settled: what was erased in it leaves the disk now, not at a next start. The engine has
            # closed the readers; one that goes on behind what was read deletes it.
            for lane, reader in readers.items():
                InboxReader(settings.data, lane, reader.position).close()
