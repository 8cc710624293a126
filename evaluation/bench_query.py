"""``mneme bench query``: how long a search takes, in an index of made-up memories (evaluation/synthetic_memories.py).

1. Fill an index of the benchmark's own.
2. Cold: of each owner the first question, by each method; the very first of all with opening the index and the embedder.
3. Warm: as many other questions unmeasured, then every question measured, in several rounds, by each method.
4. One owner: the same with questions to the owner with about 500 facts, so that indices of different sizes can be compared.
5. Which share of the exact ten nearest neighbours the index finds for these questions.

Times are of the whole search, the embedder included. On a machine with other work the clock tells of that work as well:
``cpu`` is the time of the processor that this process took. ``outside`` is the time in which neither the index nor the
embedder was waited for: what Mneme itself adds. Of several rounds the medians are told, ``low`` and ``high`` are the least
and the largest p50.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from threading import Lock
from typing import Annotated, cast

import numpy as np
import typer
from rich.console import Console

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.own_index import fresh_index
from evaluation.process_costs import Watched
from evaluation.report import Report, Row, embedder_of, plot_distributions, print_table
from evaluation.synthetic_memories import Asked, SyntheticMemories
from flows.maintenance.backfill import MANY_ROWS
from mneme.errors import StoreRejected
from mneme.ids import owner_key
from mneme.ports import Embedder, Filter, MemoryIndex, Outcome, Put, VectorLeg
from mneme.rows import Collection, Vector, directions, whole_numbers
from mneme.rows import Row as StoredRow
from mneme.settings import Settings
from queries import Memories
from queries.fuse import HITS


class Stopwatch:
    """Seconds during which at least one call was under way."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._lock = Lock()
        self._running = 0
        self._began = self._seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts while inside."""
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._began = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._seconds += self._clock() - self._began

    def take(self) -> float:
        """The seconds since the last call of this."""
        with self._lock:
            seconds, self._seconds = self._seconds, 0.0
            return seconds


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


K = 10
_LEGS = (Collection.FACTS, Collection.EPISODES)


def neighbour_recall(made: SyntheticMemories, asked: Sequence[Asked], settings: Settings, limit: int) -> float:
    """Return the share of the exact ten nearest of facts and of episodes that an index finds.

    Args:
        made: what is in the index. Vectors of one owner and its tenant are known at a time.
        asked: the questions whose neighbours are to be found.
        settings: those of the index.
        limit: the rows that each search asks for; the first ten count.
    """
    by_owner: defaultdict[int, list[str]] = defaultdict(list)
    for each in asked:
        by_owner[int(each.user_id.removeprefix("p"))].append(each.question)
    shares = []
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings, read_only=True)) as index:
        index.prepare(embedder.identity)
        for owner, questions in sorted(by_owner.items()):
            tenant, vectors = made.tenant_of(owner), embedder.embed(questions)
            visible = Filter(tenant, (owner_key(tenant, "user", f"p{owner}"), owner_key(tenant, "tenant", tenant)))
            rows = [row for each in (owner, made.documents_of(owner)) for row in made.rows_of(each)]
            for leg in _LEGS:
                nearest = _nearest([row for row in rows if row.collection is leg], vectors)
                for vector, wanted in zip(vectors, nearest, strict=True):
                    (hits,) = index.recall([VectorLeg(leg, visible, vector, limit)])
                    if wanted:
                        shares.append(len(wanted & {hit.row.id for hit in hits[:K]}) / len(wanted))
    return float(np.mean(shares))


def _nearest(rows: Sequence[StoredRow], questions: Vector) -> list[frozenset[str]]:
    """The ids of the nearest rows of each question."""
    known = [(row.id, directions(whole_numbers(row.vector))) for row in rows if row.vector is not None]
    if not known:
        return [frozenset()] * len(questions)
    cosines = np.stack([directions(whole_numbers(each)) for each in questions]) @ np.stack([vector for _, vector in known]).T
    count = min(K, len(known))
    places = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    return [frozenset(known[place][0] for place in best) for best in places]


METHODS = ("keyword", "vector", "hybrid")
STATES = ("cold", "warm", "one owner")
ROUNDS = 5
_FACTS_OF_ONE_OWNER = 500
_NEIGHBOURHOODS = 60  # questions whose exact neighbours are computed
_COLUMNS = [
    *("facts", "method", "state", "questions", "p50_ms", "low_ms", "high_ms", "p95_ms", "p99_ms", "cpu_ms"),
    *("outside_ms", "outside_share", "per_second", "recall@10"),
]


@dataclass(frozen=True, slots=True)
class Timed:
    """The duration of one search, in milliseconds."""

    wall: float
    cpu: float
    outside: float


def run_query(
    settings: Settings,
    console: Console,
    facts: Annotated[int, typer.Option("--facts", min=100, help="In the index, of all owners together.")] = 10_000,
    owners: Annotated[
        int | None, typer.Option("--owners", min=1, help="A few of them have most of it; by default one for each 1,000 facts.")
    ] = None,
    questions: Annotated[int, typer.Option("--questions", min=10, help="That are measured with each method.")] = 200,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of all questions; the medians of them are told.")] = ROUNDS,
) -> Report:
    """Time of a search, cold and warm, among made-up memories: p50, p95, p99 of each method, embedder included.

    Raises:
        MnemeError: whatever the index or the embedder raises.
    """
    with console.status("filling the index") as status, fresh_index(settings, "query") as own:
        made, filling = fill(facts, owners or max(20, facts // 1000), own)
        status.update(f"asking, {facts} facts")
        rows, warm, opening_ms = _measure(made, questions, rounds, own)
    print_table(console, f"Searches, {settings.index.backend} index", rows, _COLUMNS)
    by_state = {(row["method"], row["state"]): row for row in rows}
    hybrid = by_state["hybrid", "warm"]
    return Report(
        bench="query",
        settings={
            "index": settings.index.model_dump(mode="json"),
            "embedder": embedder_of(settings),
            "retrieval": settings.retrieval.model_dump(mode="json"),
            "ef_search": settings.opensearch.ef_search,
            "shards": settings.opensearch.shards,
            "facts": facts,
        },
        rows=rows,
        headline={
            "index": settings.index.backend,
            "facts": facts,
            **{f"hybrid_{name}": hybrid[name] for name in ("p50_ms", "p95_ms", "p99_ms", "cpu_ms", "outside_ms")},
            "hybrid_cold_p50_ms": by_state["hybrid", "cold"]["p50_ms"],
            "keyword_p50_ms": by_state["keyword", "warm"]["p50_ms"],
            "recall@10": hybrid["recall@10"],
            "first_keyword_search_ms": opening_ms,
        },
        parts={"filling": [{"facts": facts, **asdict(filling), "largest_owner": int(made.sizes.max())}]},
        plot=partial(
            plot_distributions,
            warm,
            xscale="log",
            xlabel="milliseconds",
            ylabel="share of searches answered",
            title=f"Warm searches, {facts} facts, {settings.index.backend}",
        ),
    )


def _measure(
    made: SyntheticMemories, questions: int, rounds: int, settings: Settings
) -> tuple[list[Row], dict[str, list[float]], float]:
    """Steps 2 to 5: rows of the table, the milliseconds of warm searches by method, and of opening with the very first."""
    one_owner = int(np.argmin(np.abs(made.sizes - _FACTS_OF_ONE_OWNER)))
    asked, others = made.questions(questions), made.questions(questions, seed=2)
    of_one, others_of_one = made.questions(questions, owner=one_owner), made.questions(questions, seed=2, owner=one_owner)
    first_of_each = list({each.user_id: each for each in asked}.values())
    depth = max(HITS, 2 * settings.retrieval.top_k)
    recalled = {
        "warm": neighbour_recall(made, asked[:_NEIGHBOURHOODS], settings, depth),
        "one owner": neighbour_recall(made, of_one[:10], settings, depth),
    }
    rows: list[Row] = []
    warm: dict[str, list[float]] = {}
    opening = []
    for method in METHODS:
        began = time.perf_counter()
        watch = Stopwatch()
        with _memories(settings, watch) as memories:
            # 2.
            cold = ask(memories, method, first_of_each, watch)
            opening.append(1000 * (time.perf_counter() - began) - sum(each.wall for each in cold[1:]))
            rows.append({"facts": len(made), "method": method, "state": "cold", **_times([cold])})
            for state, first, then in (("warm", others, asked), ("one owner", others_of_one, of_one)):
                # 3., 4.
                ask(memories, method, first, watch)
                timed = [ask(memories, method, then, watch) for _ in range(rounds)]
                row = {"facts": len(made), "method": method, "state": state, **_times(timed)}
                rows.append(row | ({} if method == "keyword" else {"recall@10": recalled[state]}))
                if state == "warm":
                    warm[method] = [each.wall for one in timed for each in one]
    return rows, warm, opening[0]


def ask(memories: Memories, method: str, questions: Sequence[Asked], watch: Stopwatch) -> list[Timed]:
    """Every question, one after the other. ``watch`` runs while the index or the embedder is waited for."""
    timed = []
    for each in questions:
        watch.take()
        began, worked = time.perf_counter(), time.process_time()
        memories.search(each.question, method, each.filters)
        wall, cpu = time.perf_counter() - began, time.process_time() - worked
        timed.append(Timed(1000 * wall, 1000 * cpu, 1000 * (wall - watch.take())))
    return timed


def _memories(settings: Settings, watch: Stopwatch) -> Memories:
    embedder = open_embedder(settings)
    index = open_index(settings, read_only=True)
    index.prepare(embedder.identity)
    index_watched, embedder_watched = (Watched(each, lambda name: watch.running()) for each in (index, embedder))
    return Memories(cast(MemoryIndex, index_watched), cast(Embedder, embedder_watched), settings)


def _times(rounds: Sequence[Sequence[Timed]]) -> dict[str, float | int]:
    """Percentiles of each round, and of the rounds the medians."""
    wall = np.array([[each.wall for each in searches] for searches in rounds])
    outside = np.array([[each.outside for each in searches] for searches in rounds])
    p50, p95, p99 = np.percentile(wall, [50, 95, 99], axis=1)
    return {
        "questions": wall.shape[1],
        "p50_ms": float(np.median(p50)),
        "low_ms": float(p50.min()),
        "high_ms": float(p50.max()),
        "p95_ms": float(np.median(p95)),
        "p99_ms": float(np.median(p99)),
        "cpu_ms": float(np.median([each.cpu for searches in rounds for each in searches])),
        "outside_ms": float(np.median(outside)),
        "outside_share": float(outside.sum() / wall.sum()),
        "per_second": float(np.median(1000 * wall.shape[1] / wall.sum(axis=1))),
    }
