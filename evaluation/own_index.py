"""An index of a benchmark's own: empty, or filled with made-up memories, and gone afterwards unless it is to be kept."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.synthetic_memories import SyntheticMemories
from flows.runner import MANY_ROWS
from mneme.errors import StoreRejected
from mneme.ids import short_hash
from mneme.ports import Outcome, Put
from mneme.rows import Collection
from mneme.settings import Kafka, Settings, Topics
from mneme.times import utc_now


@contextmanager
def fresh_index(settings: Settings, bench: str) -> Iterator[Settings]:
    """Settings of an empty index that is erased afterwards.

    The embedded one lies in a temporary folder, in OpenSearch its indices have a prefix of their own.
    """
    with tempfile.TemporaryDirectory(prefix=f"mneme-{bench}-") as folder:
        own = _placed(settings, Path(folder), short_hash(f"{folder} {utc_now()}"))
        try:
            yield own
        finally:
            if own.index.backend == "opensearch":
                from evaluation.servers import drop_indices

                drop_indices(own.opensearch)


def own_topics(kafka: Kafka, name: str, **changes: Any) -> Kafka:
    """Return the settings of topics and of a consumer group that nobody else has, named so.

    Args:
        kafka: the broker.
        name: where all names begin.
        changes: of other settings.
    """
    topics = Topics(**{field: f"{name}.{field.replace('_', '-')}" for field in Topics.model_fields})
    return kafka.model_copy(update={"topics": topics, "group_id": name, **changes})


def kept_index(settings: Settings, name: str) -> Settings:
    """Settings of an index that stays: what an earlier run left under this name, or nothing yet.

    The embedded one lies in ``bench/NAME`` of the data folder; in OpenSearch the names of its indices begin with the prefix of
    the settings and ``bench-NAME``.
    """
    return _placed(settings, settings.data / "bench" / name, name)


def _placed(settings: Settings, folder: Path, name: str) -> Settings:
    prefix = f"{settings.opensearch.index_prefix}-bench-{name}"
    return settings.replace(data=folder, opensearch={"index_prefix": prefix})


_AT_A_TIME = 2000  # rows of one write
_FILLED = "made"  # in the metadata of the index: what it was filled with
_OWNERS_OF_A_TENANT = 20


@dataclass(frozen=True, slots=True)
class Filling:
    """The cost of filling and merging, as of a backfill of so many rows. ``rows`` is 0 where it was filled before."""

    rows: int
    seconds: float
    merge_seconds: float
    client_cpu_seconds: float


@contextmanager
def synthetic_index(
    facts: int, owners: int, settings: Settings, keep: str | None = None
) -> Iterator[tuple[Settings, SyntheticMemories, Filling]]:
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
            made = SyntheticMemories(facts, owners, embedder, _tenants(owners))
        elif index.count(Collection.FACTS):
            raise StoreRejected(
                f"the index {own.opensearch.index_prefix} is half filled; remove it, or choose another name for --keep"
            )
    if filled:
        yield own, made, Filling(0, 0.0, 0.0, 0.0)
    else:
        yield own, *fill(facts, owners, own)


def fill(facts: int, owners: int, settings: Settings) -> tuple[SyntheticMemories, Filling]:
    """Fill the index of the settings, which is empty.

    Raises:
        StoreRejected: it refuses a row, or does not show all of them.
    """
    began, worked, count = time.perf_counter(), time.process_time(), 0
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        made = SyntheticMemories(facts, owners, embedder, _tenants(owners))
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
        index.set_metadata({_FILLED: f"{facts} facts of {owners} owners"})
    return made, Filling(count, filled, merged, time.process_time() - worked)


def _tenants(owners: int) -> int:
    return max(1, owners // _OWNERS_OF_A_TENANT)
