"""`mneme admin rebuild`: make the memory anew from its stored messages and documents, beside the store that is in use.

1. No flow runs (flows/running/recovery.py). Note what begins, and begin the next generation of the index. From here on
   nothing else writes to the one in use; it is searched as before and stays as it is.
2. Carry over what nothing else tells: the records of documents and conversations, tombstones, receipts of erasures and markers
   of flushes, then the messages, under the ids of now and with its tokens and vectors. All else is derived from them.
3. Run the flow over the messages, from segment on, with a recovery store of its own. Vectors are used again if they are of the
   same embedder. A store of an older format is read as far as these rows go; behind them come the events that it has at work.
4. Forget recovery stores of an older format: their flows read the topics from the beginning, where all is known by its id.
5. Carry over the metadata, and let the next generation take the place of the one in use.

A rebuild that was killed goes on when it is repeated; if something else wrote to the index meanwhile, it starts anew.
"""

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from connectors.durable import FolderLock, replace_json
from connectors.indices import index_place, open_generations, open_index
from connectors.models import open_embedder
from connectors.reading_order import Listed, ReadingOrder
from flows.cuts import embedding_text, lane_of_row
from flows.engines.port import Source
from flows.lanes.erasures import Said, is_erased, tombstone_keys
from flows.lanes.owners import conversation_key, origin_of, tenant_of
from flows.lanes.parked_events import PARKED, incoming_in
from flows.lanes.pending import Backlogs
from flows.maintenance.bulk import BATCH, MESSAGES, TOPICS, OnProgress, batches, put_all, rows_in
from flows.maintenance.reindex import Embed, embed_unless_refused
from flows.runner import stopped_by_signals
from flows.running.feeds import FeedLimits, StoredFeed
from flows.running.open_services import with_file_sinks
from flows.running.process import RunContext, run_process
from flows.running.recovery import REBUILD, REINDEX, RecoveryStore, flows_stopped, forget_older_stores, refuse_unfinished
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ids import chunk_id, conversation_path, document_key, message_id
from mneme.ports import Embedder, Generations, Incoming, MemoryIndex, embeddings_of
from mneme.records import StoredDocument, StoredMessage
from mneme.rows import Collection, Row, row_of
from mneme.settings import Settings
from mneme.store_format import as_texts, made_for, number_of, refuse_newer


@dataclass(frozen=True, slots=True)
class StoreContents:
    """The rows of a store before a rebuild, by collection. ``goes_on`` when one that was interrupted goes on."""

    rows: Mapping[Collection, int]
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """The result of a rebuild: rows that there are now, by collection, and rows that it removed to make them.

    ``dropped`` generations from before were removed, and ``restarted`` flows read their topics from the beginning.
    """

    made: Mapping[Collection, int]
    dead_letters: int
    seconds: float
    removed: Mapping[Collection, int] = field(default_factory=dict)
    dropped: int = 0
    restarted: tuple[str, ...] = ()


def _readable_rows_in(index: MemoryIndex) -> dict[Collection, int]:
    """Count the rows of each collection; one that is derived may be damaged, which a rebuild mends, and is left out.

    Raises:
        StoreError: the messages cannot be read, or what is known beside them.
    """
    counts = {collection: index.count(collection) for collection in (Collection.CONTROL, Collection.MESSAGES)}
    for collection in set(Collection) - counts.keys():
        with suppress(StoreUnavailable, StoreRejected):
            counts[collection] = index.count(collection)
    return counts


KEPT = ("erased", "erasure", "flush")  # their ids are lasting names: only the key of their tenant may be another
_REFUSES = "the new store refuses this row"


@dataclass(frozen=True, slots=True)
class _Begun:
    """The store that a rebuild reads, and the one that it makes. An interrupted rebuild goes on only if both are the same."""

    run: str
    before: Mapping[str, str]
    after: Mapping[str, str]

    @property
    def is_from_another_format(self) -> bool:
        return self.before["format"] != self.after["format"]


def rebuild_from_messages(
    settings: Settings,
    agree: Callable[[StoreContents], None] = lambda found: None,
    on_progress: OnProgress = lambda done, total: None,
    drop_old: bool = False,
) -> RebuildReport:
    """Make everything again that can be derived from the messages and documents of the index.

    Args:
        settings: where and how; the hold-back is 0, since the messages are in order.
        agree: called before anything is made; raises to stop.
        on_progress: called with messages finished and messages in all.
        drop_old: also remove the generations before, at the end; else they stay for those who still search them.

    Raises:
        KeyboardInterrupt: stopped by SIGINT or SIGTERM; a repetition goes on from there.
        StoreRejected: a flow runs, a rebuild from topics or a move has not ended, or a newer Mneme made the store.
        ModelError: a message needs a vector, and the embedder gives none.
        SettingsError, StoreError: the index cannot be used.
    """
    started = time.monotonic()
    settings = settings.replace(boundaries={"hold_back_seconds": 0.0})
    folder = settings.data / "rebuild"
    with ExitStack() as stack:
        # 1.
        stack.enter_context(flows_stopped(settings))
        embedder = stack.enter_context(closing(open_embedder(settings)))
        generations = stack.enter_context(closing(open_generations(settings)))
        old = stack.enter_context(closing(open_index(settings, read_only=True, any_format=True)))
        folder.mkdir(parents=True, exist_ok=True)
        stack.callback(FolderLock(folder, "a rebuild").release)
        begun = _begin(settings, old, embedder, generations, agree)
        index = generations.begin(embedder.identity)
        # 2.
        try:
            if not _list_in(folder).exists():
                index.set_metadata({"run": begun.run})
                _carry_over(old, index, embedder, begun)
                ReadingOrder.make(_list_in(folder), _messages(index))
        except BaseException:
            index.close()
            raise
        # 3.
        waiting = _parked_events(old) if begun.is_from_another_format else []
        refused = _derive(settings, index, waiting, on_progress)
        # 4.
        restarted = forget_older_stores(settings.data, old.metadata() if begun.is_from_another_format else {})
        # 5.
        with closing(generations.begin(embedder.identity)) as index:
            made = _complete(old, index, restarted)
        generations.switch()
        dropped = generations.drop_old() if drop_old else 0
    shutil.rmtree(folder)
    return RebuildReport(made, refused, time.monotonic() - started, dropped=dropped, restarted=restarted)


def _begin(
    settings: Settings, old: MemoryIndex, embedder: Embedder, generations: Generations, agree: Callable[[StoreContents], None]
) -> _Begun:
    """Note what begins, or find what was interrupted."""
    folder, metadata = settings.data / "rebuild", old.metadata()
    before = generations.made_for()
    after = as_texts(made_for(embedder.identity))
    begun = _Begun(metadata.get("run", "0"), before, after)
    refuse_newer(index_place(settings), number_of(before["format"]))
    if not begun.is_from_another_format:
        refuse_unfinished(metadata, but=REBUILD)
        if metadata.get(REBUILD) == TOPICS:  # some messages may be gone already
            refuse_unfinished(metadata)
    goes_on = generations.unfinished() == after and _read(folder / "begun.json") == asdict(begun)
    agree(StoreContents(_readable_rows_in(old), goes_on))
    if goes_on:
        return begun
    if generations.unfinished() is not None:
        generations.abandon()
    for name in ("begun.json", _list_in(folder).name):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / "store", ignore_errors=True)
    if not begun.is_from_another_format:  # in another no flow of this version starts anyway
        with closing(open_index(settings)) as index:
            index.refresh()
            index.set_metadata({REBUILD: MESSAGES})
    replace_json(folder / "begun.json", asdict(begun))
    return begun


def _carry_over(old: MemoryIndex, index: MemoryIndex, embedder: Embedder, begun: _Begun) -> None:
    """Write what is not derived. Rows that an interrupted attempt wrote are written again, and are the same."""
    with_parked = not begun.is_from_another_format
    keep_vectors = begun.before["embedder"] == begun.after["embedder"]
    for rows in batches(old.scan(Collection.CONTROL), BATCH):
        put_all(carried_notes(rows, with_parked), index, _REFUSES)
    for rows in batches(old.scan(Collection.MESSAGES, with_vectors=True), BATCH):
        put_all(carried_messages(rows, index, partial(embeddings_of, embedder), keep_vectors), index, _REFUSES)
    index.refresh()


def carried_notes(rows: Iterable[Row], with_parked: bool) -> list[Row]:
    """The rows of ``control`` that are carried over; ``with_parked``: with the events that a flow has at work."""
    return [carried for row in rows if (carried := _note(row, with_parked)) is not None]


def carried_messages(rows: Iterable[Row], made: MemoryIndex, embed: Embed, keep_vectors: bool) -> list[Row]:
    """The messages that are carried over: all but those that a tombstone covers, of an erasure that had not ended.

    Args:
        rows: of the collection of messages, with their vectors.
        made: the store that is being made; it has the tombstones already.
        embed: gives the vectors that are missing.
        keep_vectors: whether those that are there are of this embedder.

    Raises:
        ModelError: the embedder does not answer, or refuses everything.
        StoreError: the store does not answer.
    """
    messages = [(_renamed_message(record), row.embedding) for row in rows if isinstance(record := row.record(), StoredMessage)]
    keys = {key for each, _ in messages for key in tombstone_keys(each.owner, each.conversation_id, each.document_id)}
    tombstones = made.get(list(keys))
    living = ((message, kept) for message, kept in messages if not is_erased(Said.of(message), tombstones))
    staying = [(message, kept if keep_vectors else None) for message, kept in living]
    bare = [message for message, kept in staying if kept is None and not message.deleted]
    new = dict(zip([each.id for each in bare], embed_unless_refused(list(map(embedding_text, bare)), embed), strict=True))
    return [row_of(message, new.get(message.id, kept)) for message, kept in staying]


def _renamed_message(message: StoredMessage) -> StoredMessage:
    if message.document_id is not None:
        renamed = chunk_id(document_key(message.owner.key, message.document_id), message.message_id)
    else:
        assert message.conversation_id is not None, "a message is of a document or of a conversation"
        renamed = message_id(message.owner.tenant_id, message.conversation_id, message.message_id)
    return message.model_copy(update={"id": renamed})


def _note(row: Row, with_parked: bool) -> Row | None:
    tenant = tenant_of(row.tenant_id)
    if row.kind in KEPT:
        return replace(row, owner_key=tenant.key)
    if row.kind == "conversation":
        assert row.conversation_id is not None, "the row of a conversation names it"
        identity, origin = conversation_key(row.tenant_id, row.conversation_id).id, origin_of(row)
        return replace(row, owner_key=tenant.key, id=identity, parent_id=origin.owner.key if origin is not None else None)
    if row.kind == "document":
        record = row.record()
        assert isinstance(record, StoredDocument)
        return row_of(_renamed_document(record))
    return row if row.kind in PARKED and with_parked else None


def _renamed_document(document: StoredDocument) -> StoredDocument:
    """The record with its id and those of its chunks, or of the messages that are its speech."""
    assert document.document_id is not None, "the record of a document names it"
    key = document_key(document.owner.key, document.document_id)

    def renamed(ids: Iterable[str], speech: str | None) -> tuple[str, ...]:
        conversation = conversation_path(document.owner.tenant_id, speech or "")
        places = (identity.rpartition("/") for identity in ids)
        return tuple(f"{key if lane == document.id else conversation}/{name}" for lane, _, name in places)

    return document.model_copy(
        update={
            "id": key,
            "chunk_ids": renamed(document.chunk_ids, document.conversation_id),
            "replaced_ids": renamed(document.replaced_ids, document.replaced_speech),
        }
    )


def _derive(settings: Settings, index: MemoryIndex, waiting: list[Incoming], on_progress: OnProgress) -> int:
    """Run the flow over the messages of the list, and close the index; how many dead letters there were."""
    folder, flow = settings.data / "rebuild", settings.flow
    stopping, backlogs, refused = threading.Event(), Backlogs(), set[str]()
    with ExitStack() as stack:
        store = stack.enter_context(RecoveryStore(folder / "store", REBUILD, flow.buckets, partitions=1))
        stack.enter_context(stopped_by_signals(stopping))

        def open_feed(name: str, place: int | None) -> StoredFeed:
            order = ReadingOrder(_list_in(folder))
            total = len(order)

            def fed(count: int) -> None:
                on_progress(max(0, min(count, total) - backlogs.unfinished.total), total)

            read = partial(index.get, with_vectors=True)
            limits = FeedLimits(backlogs.unfinished, flow.pending_limit, flow.source_batch, stopping, flow.buckets)
            return StoredFeed(order, read, place, limits, fed, waiting)

        def wrote(kind: str, identity: str) -> None:
            if kind == "dead_letter":
                refused.add(identity)

        source = Source("stored", ("messages",), open_feed)
        sources_and_sinks = stack.enter_context(with_file_sinks(settings, [source], backlogs, wrote=wrote))
        run_process(settings, partial(start_run, store), sources_and_sinks, stopping, open_store=lambda: index)
    if stopping.is_set():
        raise KeyboardInterrupt
    return len(refused)


def _complete(old: MemoryIndex, index: MemoryIndex, restarted: Iterable[str]) -> dict[Collection, int]:
    """Everything is there, and the next generation says so of itself; how many rows it has."""
    index.refresh()
    # The number of the run is the new one: what a flow writes must be newer than what the rebuild wrote.
    gone = dict.fromkeys((REBUILD, REINDEX, *(f"recovery_{name}" for name in (REBUILD, *restarted))), "")
    index.set_metadata({**old.metadata(), **gone, "run": index.metadata()["run"]})
    return rows_in(index)


def _parked_events(old: MemoryIndex) -> list[Incoming]:
    """The events that flows had at work, in the order in which they came."""
    rows = [row for row in old.scan(Collection.CONTROL) if row.kind in PARKED]
    return [incoming_in(row) for row in sorted(rows, key=lambda row: (row.at, row.id))]


def _messages(index: MemoryIndex) -> Iterator[Listed]:
    for row in index.scan(Collection.MESSAGES):
        if row.kind == "message":
            yield Listed(lane_of_row(row), row.at, row.message_ids[0], row.key)


def start_run(store: RecoveryStore, index: MemoryIndex) -> RunContext:
    """The place of the process that fills an index anew."""
    index.set_metadata({REBUILD: ""})
    return RunContext(store.begin_run(index, adopt=True), store.epochs)  # nobody misses the store of an earlier rebuild


def _list_in(folder: Path) -> Path:
    return folder / "messages.sqlite"


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
