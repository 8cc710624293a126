"""History in bulk, with `mneme admin backfill`: files, or the topics.

1. Run the flow as `mneme ingest` or `mneme run` would, with their recovery stores, so that either goes on behind it. Epochs are
   longer.
2. Merge the files of the index to few, if it is asked for, or if very many rows were written.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from connectors.indices import open_index
from connectors.models import open_embedder
from flows.maintenance.bulk import OnProgress
from flows.runner import IngestReport, WrittenRows, ingest, recovery_store, single_process_run, stopped_by_signals
from flows.running.kafka import bounded_stream
from flows.running.recovery import TOPICS
from mneme.errors import SettingsError
from mneme.settings import Settings

MANY_ROWS = 50_000  # written at once: from here on a merge pays by itself
_EPOCH_SECONDS = 10.0  # at least


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """The result of a backfill: ``rows`` of each kind, dead letters among them; ``files`` is the report on files."""

    rows: Mapping[str, int]
    is_merged: bool
    seconds: float
    files: IngestReport | None = None


def backfill(
    paths: Sequence[Path],
    settings: Settings,
    merge: bool | None = None,
    on_progress: OnProgress = lambda done, total: None,
    defaults: Mapping[str, str] | None = None,
) -> BackfillReport:
    """Take history into the index.

    Args:
        paths: files and folders, as for ``ingest``; none: what the topics have now.
        settings: where and how; one process does it, whatever ``flow.processes`` says.
        merge: whether the index is merged to few files at the end; None: from ``MANY_ROWS`` rows on.
        on_progress: called with events finished and events in all.
        defaults: as for ``ingest``.

    Raises:
        KeyboardInterrupt: stopped by SIGINT or SIGTERM; the next run goes on from there.
        InputError: as for ``ingest``.
        SettingsError, StoreError: the flow cannot run; without paths also if events do not come by Kafka.
    """
    if not paths and settings.intake != "kafka":
        raise SettingsError(
            "MNEME_SERVICE__INTAKE: events do not come by Kafka here, so no topics wait; `mneme admin backfill FILE`"
        )
    started = time.monotonic()
    settings = settings.replace(flow={"epoch_seconds": max(settings.flow.epoch_seconds, _EPOCH_SECONDS)})
    wrote = WrittenRows()
    # Step 1.
    report = ingest(paths, settings, on_progress, defaults, wrote) if paths else None
    if report is None:
        _from_topics(settings, on_progress, wrote)
    # Step 2.
    rows = dict(sorted(wrote.rows().items()))
    is_merged = sum(rows.values()) >= MANY_ROWS if merge is None else merge
    if is_merged:
        with closing(open_index(settings)) as index, closing(open_embedder(settings)) as embedder:
            index.prepare(embedder.identity)
            index.merge()
    return BackfillReport(rows, is_merged, time.monotonic() - started, report)


def _from_topics(settings: Settings, on_progress: OnProgress, wrote: Callable[[str, str], None]) -> None:
    stopping = threading.Event()
    with recovery_store(settings, TOPICS) as store, stopped_by_signals(stopping):
        bounded_stream(settings, partial(single_process_run, settings, store), stopping, on_progress, wrote)
    if stopping.is_set():
        raise KeyboardInterrupt
