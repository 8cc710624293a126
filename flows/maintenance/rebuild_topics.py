"""Everything is made again from the topics, as if the index had been lost.

1. No flow runs (flows/running/recovery.py). Count the messages of the index that no topic has any more: they would be lost.
2. Note in the index that a rebuild has begun; then no flow starts on it. Remove everything but the tombstones and receipts of
   erasures and the markers of flushes, and forget what the recovery stores know.
3. Take back the note and run the flow from Kafka from the earliest offsets to where the topics reach now. From here on it is
   the usual flow: where it is killed, `mneme run` goes on.
"""

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from itertools import islice

from connectors.indices import open_index
from connectors.kafka.client import Bounds, bounds_of, create_topics, input_topic_ids
from connectors.models import open_embedder
from flows.maintenance.bulk import TOPICS, OnProgress, rows_in
from flows.maintenance.rebuild import KEPT, RebuildReport, StoreContents, start_run
from flows.runner import recovery_store, stopped_by_signals
from flows.running.kafka import bounded_stream
from flows.running.recovery import REBUILD, flows_stopped, refuse_flink, refuse_unfinished
from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex, Outcome, Remove
from mneme.records import Position
from mneme.rows import Collection, Row
from mneme.settings import Settings

_AT_A_TIME = 20_000  # keys in memory: some 6 MB
_BULK = 1000


def clear(index: MemoryIndex, collection: Collection, goes: Callable[[Row], bool] = lambda row: True) -> Counter[str]:
    """Remove the rows of a collection that are to go, of all tenants; how many of each kind. Nobody else may write.

    Raises:
        StoreError: the index refuses, or is out of reach; what is left is removed when it is repeated.
    """
    removed: Counter[str] = Counter()
    while True:
        index.refresh()
        # A scan of its own for each part: one that lasts must not see its rows removed under it.
        rows = list(islice(filter(goes, index.scan(collection)), _AT_A_TIME))
        if not rows:
            return removed
        for start in range(0, len(rows), _BULK):
            part = rows[start : start + _BULK]
            results = index.write([Remove(row.key, row.version) for row in part])
            refused = [(row, result) for row, result in zip(part, results, strict=True) if result.outcome is not Outcome.DONE]
            if refused:
                row, result = refused[0]
                raise StoreRejected(
                    f"{row.id} cannot be removed ({result.outcome} {result.reason}); is a flow running elsewhere?"
                )
        removed.update(row.kind for row in rows)


Topics = Mapping[str, tuple[str, Bounds]]  # by name, with the id: one that was made anew has nothing of the one before


def rebuild_from_topics(
    settings: Settings,
    force: bool = False,
    agree: Callable[[StoreContents], None] = lambda found: None,
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
        StoreRejected: a flow runs, or ran on Flink, or messages would be lost.
        SettingsError, StoreError: the index or the topics cannot be used.
    """
    refuse_flink(settings)
    started = time.monotonic()
    kafka = settings.kafka
    create_topics(kafka)
    topics = {topic: (topic_id, bounds_of(kafka, topic)) for topic, topic_id in input_topic_ids(kafka).items()}
    # 1. and 2.
    with flows_stopped(settings):
        removed = _begin(settings, topics, force, agree)
    # 3.
    stopping, refused = threading.Event(), set[str]()

    def wrote(kind: str, identity: str) -> None:
        if kind == "dead_letter":
            refused.add(identity)

    with recovery_store(settings, "kafka") as store, stopped_by_signals(stopping):
        bounded_stream(settings, partial(start_run, store), stopping, on_progress, wrote)
    if stopping.is_set():
        raise KeyboardInterrupt
    with closing(open_index(settings, read_only=True)) as index:
        made = rows_in(index)
    return RebuildReport(made, len(refused), time.monotonic() - started, removed)


def _begin(settings: Settings, topics: Topics, force: bool, agree: Callable[[StoreContents], None]) -> dict[Collection, int]:
    """Empty the index and the recovery stores; what was removed."""
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        index.prepare(embedder.identity)
        refuse_unfinished(index.metadata(), but=REBUILD)
        index.refresh()
        contents = StoreContents(rows_in(index))
        # 1.
        if (lost := _lost(index, topics)) and not force:
            raise StoreRejected(
                f"{lost} of {contents.rows[Collection.MESSAGES]} messages are not in the topics any more: their retention "
                "deleted them, or they came from files or an import. `mneme admin rebuild --from messages` keeps them, "
                "--force loses them"
            )
        agree(contents)
        # 2.
        index.set_metadata({REBUILD: TOPICS})
        for folder in settings.data.glob("recovery/*/"):
            shutil.rmtree(folder / "epochs", ignore_errors=True)
            (folder / "mneme.json").unlink(missing_ok=True)
        kept = {Collection.CONTROL: lambda row: row.kind not in KEPT}
        return {each: clear(index, each, kept.get(each, lambda row: True)).total() for each in Collection}


def _lost(index: MemoryIndex, topics: Topics) -> int:
    """Count the messages that the topics no longer have."""
    lost = 0
    for row in index.scan(Collection.MESSAGES):
        position = Position.model_validate(row.body["position"])
        topic_id, bounds = topics.get(position.topic, ("", {}))
        first, end = bounds.get(position.partition, (0, 0))
        is_there = position.is_beside(position.model_copy(update={"topic_id": topic_id})) and first <= position.offset < end
        lost += row.kind == "message" and not is_there
    return lost
