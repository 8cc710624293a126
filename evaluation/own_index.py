"""An index of a benchmark's own: empty, or filled with made-up memories, and gone afterwards."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.synthetic_memories import SyntheticMemories
from flows.maintenance.backfill import MANY_ROWS
from mneme.errors import StoreRejected
from mneme.ids import short_hash
from mneme.ports import Outcome, Put
from mneme.rows import Collection
from mneme.settings import Settings
from mneme.times import utc_now


@contextmanager
def fresh_index(settings: Settings, bench: str) -> Iterator[Settings]:
    """Settings of an empty index that is erased afterwards.

    The embedded one lies in a temporary folder, in OpenSearch its indices have a prefix of their own.
    """
    with tempfile.TemporaryDirectory(prefix=f"mneme-{bench}-") as folder:
        prefix = f"{settings.opensearch.index_prefix}-bench-{short_hash(f'{folder} {utc_now()}')}"
        own = settings.replace(data=Path(folder), opensearch={"index_prefix": prefix})
        try:
            yield own
        finally:
            if own.index.backend == "opensearch":
                from evaluation.servers import drop_indices

                drop_indices(own.opensearch)


_AT_A_TIME = 2000  # rows of one write
_OWNERS_OF_A_TENANT = 20


@dataclass(frozen=True, slots=True)
class Filling:
    """The cost of filling and merging, as of a backfill of so many rows."""

    rows: int
    seconds: float
    merge_seconds: float
    client_cpu_seconds: float


def fill(facts: int, owners: int, settings: Settings) -> tuple[SyntheticMemories, Filling]:
    """Fill the index of the settings, which is empty, with so many facts of so many owners, 20 of them to a tenant.

    Raises:
        StoreRejected: it refuses a row, or does not show all of them.
    """
    began, worked, count = time.perf_counter(), time.process_time(), 0
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        made = SyntheticMemories(facts, owners, embedder, max(1, owners // _OWNERS_OF_A_TENANT))
        index.prepare(embedder.identity)
        rows = made.rows()
        while batch := [Put(row) for row in islice(rows, _AT_A_TIME)]:
            refused = [result.reason for result in index.write(batch) if result.outcome is not Outcome.DONE]
            if refused:
                raise StoreRejected(f"the index refused {len(refused)} of the made-up rows ({refused[0]}); was it empty?")
            count += len(batch)
        filled = time.perf_counter() - began
        if count >= MANY_ROWS:
            index.merge()
        merged = time.perf_counter() - began - filled
        index.refresh()
        held = index.count(Collection.FACTS)
        if held != len(made):
            raise StoreRejected(f"the index shows {held} of {len(made)} facts that it took; look at its log")
    return made, Filling(count, filled, merged, time.process_time() - worked)
