"""An index filled with made-up memories (evaluation/made_memories.py)."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.made_memories import MadeMemories
from evaluation.own_index import fresh_index, kept_index
from flows.maintenance.backfill import MANY_ROWS
from mneme.errors import StoreRejected
from mneme.ports import Outcome, Put
from mneme.rows import Collection
from mneme.settings import Settings

_AT_A_TIME = 2000  # rows of one write
_FILLED = "made"  # in the metadata of the index: what it was filled with
_OWNERS_OF_A_TENANT = 20


@dataclass(frozen=True, slots=True)
class Filling:
    """What filling took, and merging, which a backfill of so many rows does too. ``rows`` is 0 where it was filled before."""

    rows: int
    seconds: float
    merge_seconds: float
    client_cpu_seconds: float


def owners_for(facts: int) -> int:
    """How many owners share so many facts: at least 20, and one for each 1,000."""
    return max(20, facts // 1000)


@contextmanager
def made_index(
    facts: int, owners: int, settings: Settings, keep: str | None = None
) -> Iterator[tuple[Settings, MadeMemories, Filling]]:
    """An index with so many facts of so many owners, 20 of them to a tenant; erased afterwards unless it has a name.

    Args:
        facts: of all owners together.
        owners: people.
        settings: ``index``, ``opensearch`` and ``embedder`` are used.
        keep: under this name the index stays, and is not filled again the next time. Facts and owners are part of the name.

    Raises:
        StoreRejected: an earlier run ended before the index of this name was full.
        MnemeError: whatever the index or the embedder raises.
    """
    if keep is None:
        with fresh_index(settings, "query") as own:
            yield own, *fill(facts, owners, own)
        return
    own = kept_index(settings, f"{keep}-{facts}-{owners}")
    with closing(open_embedder(own)) as embedder, closing(open_index(own)) as index:
        index.prepare(embedder.identity)
        filled = index.metadata().get(_FILLED)
        if filled:
            made = MadeMemories(facts, owners, embedder, _tenants(owners))
        elif index.count(Collection.FACTS):
            raise StoreRejected(
                f"the index {own.opensearch.index_prefix} is half filled; remove it, or choose another name for --keep"
            )
    if filled:
        yield own, made, Filling(0, 0.0, 0.0, 0.0)
    else:
        yield own, *fill(facts, owners, own)


def fill(facts: int, owners: int, settings: Settings) -> tuple[MadeMemories, Filling]:
    """Fill the index of the settings, which is empty.

    Raises:
        StoreRejected: it refuses a row, or does not show all of them.
    """
    began, worked, count = time.perf_counter(), time.process_time(), 0
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        made = MadeMemories(facts, owners, embedder, _tenants(owners))
        index.prepare(embedder.identity)
        rows = made.rows()
        with index.bulk():
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
        index.set_metadata({_FILLED: f"{facts} facts of {owners} owners"})
    return made, Filling(count, filled, merged, time.process_time() - worked)


def _tenants(owners: int) -> int:
    return max(1, owners // _OWNERS_OF_A_TENANT)
