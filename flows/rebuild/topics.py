"""Everything is made again from the topics, as if the index had been lost.

1. No flow runs (flows/running/standstill.py). Count the messages of the index that no topic has any more: they would be lost.
2. Note in the index that a rebuild has begun; then no flow starts on it. Remove everything but the tombstones and receipts of
   erasures and the markers of flushes, and forget what the recovery stores know.
3. Take back the note and run the flow from Kafka from the earliest offsets to where the topics reach now. From here on it is
   the usual flow: where it is killed, `mneme run` goes on.
"""

import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial

from connectors.indices import open_index
from connectors.kafka.client import Bounds, bounds_of, create_topics, topics_of_lanes
from connectors.models import open_embedder
from flows.rebuild.clearing import clear
from flows.rebuild.report import TOPICS, Found, OnProgress, RebuildReport, rows_in
from flows.runner import stopped_by_signals
from flows.running.bounded_stream import bounded_stream
from flows.running.process import Place
from flows.running.recovery import REBUILD, RecoveryStore, flows_by_range, refuse_unfinished
from flows.running.standstill import flows_at_rest
from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Settings

_KEPT = ("erased", "erasure", "flush")  # kinds of rows of the control collection

Topics = Mapping[str, Bounds]


def rebuild_from_topics(
    settings: Settings,
    force: bool = False,
    agree: Callable[[Found], None] = lambda found: None,
    on_progress: OnProgress = lambda done, total: None,
) -> RebuildReport:
    """Empty the index and fill it from the topics.

    Args:
        settings: where and how.
        force: also if messages of the index are not in the topics any more; they are lost then.
        agree: called before anything is removed; raises to stop.
        on_progress: called with events finished and events in all.

    Raises:
        KeyboardInterrupt: stopped by SIGINT or SIGTERM; `mneme run` goes on from there.
        StoreRejected: a flow runs, or messages would be lost.
        SettingsError, StoreError: the index or the topics cannot be used.
    """
    started = time.monotonic()
    kafka, flow = settings.kafka, settings.flow
    create_topics(kafka)
    named = topics_of_lanes(kafka.topics)
    topics = {topic: bounds_of(kafka, topic) for topic in named.values()}
    # 1. and 2.
    with flows_at_rest(settings):
        removed = _begin(settings, topics, force, agree)
    # 3.
    stopping, refused = threading.Event(), set[str]()

    def wrote(kind: str, identity: str) -> None:
        if kind == "dead_letter":
            refused.add(identity)

    folder = settings.data / "recovery" / "kafka"
    with (
        RecoveryStore(folder, "kafka", flow.buckets, flow.recovery_partitions) as store,
        stopped_by_signals(stopping),
    ):
        bounded_stream(settings, partial(_take_place, store), stopping, on_progress, wrote)
    if stopping.is_set():
        raise KeyboardInterrupt
    with closing(open_index(settings, read_only=True)) as index:
        made = {collection: index.count(collection) for collection in Collection}
    return RebuildReport(made, len(refused), time.monotonic() - started, removed)


def _begin(settings: Settings, topics: Topics, force: bool, agree: Callable[[Found], None]) -> dict[Collection, int]:
    """Empty the index and the recovery stores; what was removed."""
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        index.prepare(embedder.identity)
        refuse_unfinished(index.metadata(), but=REBUILD)
        if settings.kafka.partitions_read or flows_by_range(index.metadata()):
            raise StoreRejected(
                "flows by partition range write the index, and a rebuild from topics makes the state of one flow for all "
                "of it: use `mneme rebuild`, or a new index (docs/scaling.md)"
            )
        index.refresh()
        found = Found(rows_in(index))
        # 1.
        if (lost := _lost(index, topics)) and not force:
            raise StoreRejected(
                f"{lost} of {found.rows[Collection.MESSAGES]} messages are not in the topics any more: their retention "
                "deleted them, or they came from files or an import. `mneme rebuild --from messages` keeps them, "
                "--force loses them"
            )
        agree(found)
        # 2.
        index.set_metadata({REBUILD: TOPICS})
        for folder in settings.data.glob("recovery/*/"):
            shutil.rmtree(folder / "epochs", ignore_errors=True)
            (folder / "mneme.json").unlink(missing_ok=True)
        kept = {Collection.CONTROL: lambda row: row.kind not in _KEPT}
        return {each: clear(index, each, kept.get(each, lambda row: True)).total() for each in Collection}


def _lost(index: MemoryIndex, topics: Topics) -> int:
    """How many messages the topics no longer have."""
    lost = 0
    for row in index.scan(Collection.MESSAGES):
        position = row.body["position"]
        first, end = topics.get(position["topic"], {}).get(position["partition"], (0, 0))
        lost += row.kind == "message" and not first <= position["offset"] < end
    return lost


def _take_place(store: RecoveryStore, index: MemoryIndex) -> Place:
    index.set_metadata({REBUILD: ""})
    return Place(store.begin_run(index, adopt=True), store.epochs)
