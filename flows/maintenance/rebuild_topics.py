"""Everything is to be made again from the topics, as if the index had been lost.

1. No flow runs (flows/running/recovery.py). Count the messages of the index that no topic has any more: they would be lost.
2. Note in the index what begins; then no flow starts on it. Begin the next generation, with nothing but the tombstones and
   receipts of erasures and the markers of flushes.
3. Forget what the recovery stores know, and let the next generation take the place of the one in use. The next start of the
   flow reads the topics from their beginning.

One that was killed is repeated, or given up (flows/maintenance/bulk.py).
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing

from connectors.indices import open_generations, open_index
from connectors.kafka.client import Bounds, bounds_of, create_topics, input_topic_ids
from connectors.models import open_embedder
from flows.maintenance.bulk import BATCH, TOPICS, batches, put_all, rows_in
from flows.maintenance.rebuild import KEPT, RebuildReport, StoreContents
from flows.running import recovery
from flows.running.recovery import REBUILD, flows_stopped, forget_store
from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex
from mneme.records import Position
from mneme.rows import Collection
from mneme.settings import Settings

Topics = Mapping[str, tuple[str, Bounds]]  # by name, with the id: one that was made anew has nothing of the one before


def rebuild_from_topics(
    settings: Settings,
    force: bool = False,
    agree: Callable[[StoreContents], None] = lambda found: None,
    drop_old: bool = False,
) -> RebuildReport:
    """Begin an index anew that the flow fills from the topics.

    Args:
        settings: where and how.
        force: also if messages of the index are not in the topics any more; the new one lacks them.
        agree: called before anything is made; raises to stop.
        drop_old: also remove the generations before; else they stay for those who still search them.

    Raises:
        StoreRejected: a flow runs, or messages would be lost.
        SettingsError, StoreError: the index or the topics cannot be used.
    """
    started = time.monotonic()
    create_topics(settings.kafka)
    ids = input_topic_ids(settings.kafka)
    topics = {topic: (topic_id, bounds_of(settings.kafka, topic)) for topic, topic_id in ids.items()}
    with ExitStack() as stack:
        # 1.
        stack.enter_context(flows_stopped(settings))
        identity = stack.enter_context(closing(open_embedder(settings))).identity
        generations = stack.enter_context(closing(open_generations(settings)))
        with closing(open_index(settings)) as index:
            index.prepare(identity)
            index.refresh()
            found = rows_in(index)
            if (lost := _lost(index, topics)) and not force:
                raise StoreRejected(
                    f"{lost} of {found[Collection.MESSAGES]} messages are not in the topics any more: their retention "
                    "deleted them, or they came from files or an import. `mneme admin rebuild --from messages` keeps them, "
                    "--force loses them"
                )
            agree(StoreContents(found, identity.fingerprint, identity.fingerprint))
        # 2.
        generations.abandon()  # what an earlier one has begun
        with closing(open_index(settings)) as index:
            index.set_metadata({REBUILD: TOPICS})
            kept = [row for row in index.scan(Collection.CONTROL) if row.kind in KEPT]
            run = index.metadata().get("run", "0")  # what the flow writes must be newer
        with closing(generations.begin(identity)) as index:
            for rows in batches(kept, BATCH):
                put_all(rows, index, "the new store refuses this row")
            index.set_metadata({"run": run})
            index.refresh()
            made = rows_in(index)
        # 3.
        for folder in settings.data.glob("recovery/*/"):
            forget_store(folder)
        generations.switch()
        dropped = generations.drop_old() if drop_old else 0
    return RebuildReport(made, 0, time.monotonic() - started, dropped=dropped, restarted=(recovery.TOPICS,))


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
