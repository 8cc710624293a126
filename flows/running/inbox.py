"""The endless flow of the embedded mode, from the inbox on disk."""

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from connectors.dead_letters import FileDeadLetters
from connectors.durable import FolderLock
from connectors.inbox.reader import InboxReader
from connectors.inbox.segments import disk_errors, inbox_folder
from flows.pending import Pending
from flows.running.live_sources import LiveLag, Partitions, live_sources
from flows.running.process import BROKEN_OFF, Ends, Place, run_process
from mneme.ports import Lane, MemoryIndex
from mneme.settings import Settings

_PARTITIONS: Partitions = {"messages": (0,), "documents": (0,), "backfill": (0,)}
# One look says all: an idle flow of a laptop takes 6 % of a processor with this rest, and 11 % with that of busy ones.
_IDLE_REST = timedelta(milliseconds=40)


def stream_inbox(
    settings: Settings,
    take_place: Callable[[MemoryIndex], Place],
    stopping: threading.Event,
    on_ready: Callable[[], None],
    named_files: Sequence[Path] = (),
) -> None:
    """Run the flow from the inbox of ``MNEME_DATA`` until ``stopping``. Nothing is told to the outside but dead letters.

    Args:
        settings: where and how.
        take_place: gives this process its place, once the index is there.
        stopping: set when the flow is to end.
        on_ready: called when everything is there and reading begins.
        named_files: may be read by reference: an ingestion that was broken off has left them to be read.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    pending, documents = Pending(), Pending()
    readers = list[InboxReader]()

    def open_reader(lane: Lane, number: str, place: int | None) -> InboxReader:
        readers.append(InboxReader(settings.data, lane, place))
        return readers[-1]

    live = live_sources(settings.flow, open_reader, _PARTITIONS, pending, documents, LiveLag(), stopping)
    sources = [replace(source, idle_rest=_IDLE_REST) for source in live]
    with ExitStack() as stack:
        folder = inbox_folder(settings.data)
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        stack.callback(FolderLock(folder, "the inbox").release)  # so that others know who reads it
        letters = FileDeadLetters(settings.data / "dead-letters.jsonl")
        stack.callback(letters.close)
        ends = Ends(sources, letters, changes=None, documents_at_work=documents, named_files=named_files)
        tally, _ = run_process(settings, take_place, ends, pending, stopping, on_ready)
        if not tally[BROKEN_OFF]:
            # All that was read is settled: what was erased in it leaves the disk now, not at a next start.
            for reader in readers:
                reader.commit(reader.position)
