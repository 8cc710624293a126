"""Everything that was derived is made again, from the messages in the index: they stay as they are, edits and deletes included.

1. No flow runs (flows/running/standstill.py). Their recovery stores stay: what is open in them fits what is made here, since an
   episode's id follows from its messages, and a flow that starts writes what is open again.
2. List the messages in order, and note in the index that a rebuild has begun; then no flow starts on it.
3. Remove what was derived: episodes, facts, graph, memories, clusters.
4. Run the flow over the list, from segment on, with a recovery store of its own. Vectors are used again.
5. Take back the note, and remove the store and the list.

A rebuild that was killed goes on when it is repeated; if something else wrote to the index meanwhile, it starts anew.
"""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from connectors.durable import FolderLock
from connectors.indices import open_index
from connectors.letters.dead_letters import FileDeadLetters
from connectors.models import open_embedder
from connectors.reading_order import Listed, ReadingOrder
from flows.engine import Source
from flows.lanes import lane_of_row
from flows.pending import Pending
from flows.rebuild.clearing import clear
from flows.rebuild.report import TOPICS, Found, OnProgress, RebuildReport, rows_in
from flows.rebuild.stored_feed import StoredFeed
from flows.runner import stopped_by_signals
from flows.running.process import Ends, Place, run_process
from flows.running.recovery import REBUILD, RecoveryStore, refuse_unfinished
from flows.running.standstill import flows_at_rest
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Settings

DERIVED = (Collection.EPISODES, Collection.FACTS, Collection.GRAPH, Collection.MEMORIES)


def rebuild_from_messages(
    settings: Settings,
    agree: Callable[[Found], None] = lambda found: None,
    on_progress: OnProgress = lambda done, total: None,
) -> RebuildReport:
    """Make everything again that was derived from the messages of the index.

    Args:
        settings: where and how; the hold-back is 0, since the messages are in order.
        agree: called before anything is removed; raises to stop.
        on_progress: called with messages finished and messages in all.

    Raises:
        KeyboardInterrupt: stopped by SIGINT or SIGTERM; a repetition goes on from there.
        StoreRejected: a flow runs, or a rebuild from topics has not ended.
        SettingsError, StoreError: the index cannot be used.
    """
    started = time.monotonic()
    settings = settings.model_copy(update={"boundaries": settings.boundaries.model_copy(update={"hold_back_seconds": 0.0})})
    folder, flow = settings.data / "rebuild", settings.flow
    stopping, pending, refused = threading.Event(), Pending(), set[str]()
    with ExitStack() as stack:
        # 1.
        stack.enter_context(flows_at_rest(settings))
        folder.mkdir(parents=True, exist_ok=True)
        stack.callback(FolderLock(folder, "a rebuild").release)
        # 2. and 3.
        removed = _begin(folder, settings, agree)
        # 4.
        store = stack.enter_context(RecoveryStore(folder / "store", REBUILD, flow.buckets, flow.recovery_partitions))
        letters = FileDeadLetters(settings.data / "dead-letters.jsonl")
        stack.callback(letters.close)
        reading = stack.enter_context(closing(open_index(settings, read_only=True)))
        stack.enter_context(stopped_by_signals(stopping))

        def open_feed(name: str, place: int | None) -> StoredFeed:
            order = ReadingOrder(_list_in(folder))
            total = len(order)

            def fed(count: int) -> None:
                on_progress(max(0, count - pending.total), total)

            read = partial(reading.get, with_vectors=True)
            return StoredFeed(order, read, place, pending, flow.pending_limit, flow.source_batch, stopping, fed)

        def wrote(kind: str, identity: str) -> None:
            if kind == "dead_letter":
                refused.add(identity)

        ends = Ends([Source("stored", ("messages",), open_feed)], letters, changes=None, wrote=wrote)
        run_process(settings, partial(_take_place, store), ends, pending, stopping)
    if stopping.is_set():
        raise KeyboardInterrupt
    # 5.
    with closing(open_index(settings)) as index:
        made = rows_in(index)
        index.set_metadata({REBUILD: ""})
    shutil.rmtree(folder)
    return RebuildReport(removed, made, len(refused), time.monotonic() - started)


def _begin(folder: Path, settings: Settings, agree: Callable[[Found], None]) -> dict[Collection, int]:
    """Get ready to read the list; what was removed."""
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        index.prepare(embedder.identity)
        metadata = index.metadata()
        refuse_unfinished(metadata, but=REBUILD)
        if metadata.get(REBUILD) == TOPICS:  # some messages may be gone already
            refuse_unfinished(metadata)
        nobody_wrote_since = metadata.get(REBUILD) == _begun(metadata.get("run", ""))
        found = Found(rows_in(index), goes_on=_list_in(folder).exists() and (folder / "store").exists() and nobody_wrote_since)
        agree(found)
        if found.goes_on:
            return {}
        # 2.
        shutil.rmtree(folder / "store", ignore_errors=True)
        _list_in(folder).unlink(missing_ok=True)
        ReadingOrder.make(_list_in(folder), _messages(index))
        index.set_metadata({REBUILD: _begun("")})
        # 3.
        removed = {collection: clear(index, collection).total() for collection in DERIVED}
        clusters = clear(index, Collection.CONTROL, lambda row: row.kind == "cluster")
        return {**removed, Collection.CONTROL: clusters.total()}


def _messages(index: MemoryIndex) -> Iterator[Listed]:
    for row in index.scan(Collection.MESSAGES):
        if row.kind == "message":
            lane = lane_of_row(row)
            yield Listed(lane, row.at, row.message_ids[0], row.key)


def _take_place(store: RecoveryStore, index: MemoryIndex) -> Place:
    run = store.begin_run(index, adopt=True)  # a store of an earlier rebuild is none that is missed
    index.set_metadata({REBUILD: _begun(str(run))})
    return Place(run, store.epochs)


def _begun(run: str) -> str:
    """The note in the index: what has begun, and with which run; none before all is removed that is to be made again."""
    return f"messages {run}".strip()


def _list_in(folder: Path) -> Path:
    return folder / "messages.sqlite"
