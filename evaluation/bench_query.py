"""``mneme bench query``: how long a search takes, in indices of made-up memories (evaluation/synthetic_memories.py).

For each number of facts:

1. Fill an index of the benchmark's own, or take the one that an earlier run kept.
2. Cold: of each owner the first question, by each method; the very first of all with opening the index and the embedder.
3. Warm: as many other questions unmeasured, then every question measured, in several rounds, by each method; then once more,
   by four searchers at a time.
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, cast

import numpy as np
import typer
from rich.console import Console

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.own_index import Filling, synthetic_index
from evaluation.report import Report, Row, embedder_of, plot_answered, plotted_views, print_table
from evaluation.synthetic_memories import Asked, SyntheticMemories
from mneme.ids import owner_key
from mneme.ports import Embedder, Filter, MemoryIndex, VectorLeg
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


class Watched:
    """Anything, with a stopwatch that runs during the calls of its methods."""

    def __init__(self, inner: object, stopwatch: Stopwatch) -> None:
        self._inner = inner
        self._stopwatch = stopwatch

    def __getattr__(self, name: str) -> Any:
        """An attribute; a method is watched."""
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def watched(*arguments: Any, **named: Any) -> Any:
            with self._stopwatch.running():
                return found(*arguments, **named)

        return watched


K = 10
_LEGS = (Collection.FACTS, Collection.EPISODES)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """A question's vector, whose rows it is asked of, and the ids of the exact ten nearest, by collection."""

    vector: Vector
    filter: Filter
    rows: int
    exact: dict[Collection, frozenset[str]]


def neighbourhoods(made: SyntheticMemories, asked: Sequence[Asked], settings: Settings) -> list[Neighbourhood]:
    """The exact neighbours of questions. Vectors of one owner and its tenant are known at a time."""
    with closing(open_embedder(settings)) as embedder:
        vectors = embedder.embed([each.question for each in asked])
    by_owner: defaultdict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(asked):
        by_owner[int(each.user_id.removeprefix("p"))].append(number)
    found: dict[int, Neighbourhood] = {}
    for owner, numbers in sorted(by_owner.items()):
        tenant = made.tenant_of(owner)
        visible = Filter(tenant, (owner_key(tenant, "user", f"p{owner}"), owner_key(tenant, "tenant", tenant)))
        rows = [row for each in (owner, made.documents_of(owner)) for row in made.rows_of(each)]
        nearest = {leg: _nearest([row for row in rows if row.collection is leg], vectors[numbers]) for leg in _LEGS}
        facts = sum(row.collection is Collection.FACTS for row in rows)
        for place, number in enumerate(numbers):
            exact = {leg: nearest[leg][place] for leg in _LEGS}
            found[number] = Neighbourhood(vectors[number], visible, facts, exact)
    return [found[number] for number in range(len(asked))]


def neighbour_recall(neighbourhoods: Sequence[Neighbourhood], settings: Settings, limit: int) -> float:
    """Return the share of the exact neighbours that an index finds.

    Args:
        neighbourhoods: the neighbours to find.
        settings: those of the index.
        limit: the rows that each search asks for; the first ten count.
    """
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings, read_only=True)) as index:
        index.prepare(embedder.identity)
        shares = []
        for each in neighbourhoods:
            for leg in _LEGS:
                (hits,) = index.recall([VectorLeg(leg, each.filter, each.vector, limit)])
                if wanted := each.exact[leg]:
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
_SEARCHERS = 4
_FACTS_OF_ONE_OWNER = 500
_NEIGHBOURHOODS = 60  # questions whose exact neighbours are computed
_COLUMNS = [
    *("facts", "method", "state", "questions", "p50_ms", "low_ms", "high_ms", "p95_ms", "p99_ms", "cpu_ms"),
    *("outside_ms", "outside_share", "per_second", "per_second_of_4", "recall@10"),
]


@dataclass(frozen=True, slots=True)
class Timed:
    """The duration of one search, in milliseconds."""

    wall: float
    cpu: float
    outside: float


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """One index: rows of the table, what filling took, what the very first search took."""

    rows: Sequence[Row]
    warm: dict[str, list[Timed]]
    filling: Filling
    largest_owner: int
    opening_ms: float


def run_query(
    settings: Settings,
    console: Console,
    facts: Annotated[
        list[int] | None,
        typer.Option("--facts", min=100, help="In the index, of all owners together; several: several indices."),
    ] = None,
    owners: Annotated[
        int | None, typer.Option("--owners", min=1, help="A few of them have most of it; by default one for each 1,000 facts.")
    ] = None,
    questions: Annotated[int, typer.Option("--questions", min=10, help="That are measured with each method.")] = 200,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of all questions; the medians of them are told.")] = ROUNDS,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="NAME", help="The indices stay under this name, and are filled but once.")
    ] = None,
) -> Report:
    """Time of a search, cold and warm, among made-up memories: p50, p95, p99 of each method, embedder included.

    Raises:
        MnemeError: whatever the index or the embedder raises.
    """
    measured = {}
    for size in facts or [10_000]:
        with console.status("filling the index") as status:
            index = synthetic_index(size, owners or max(20, size // 1000), settings, keep)
            with index as (own, made, filling):
                if filling.rows:
                    console.print(
                        f"{size} facts, {filling.rows} rows, filled in {filling.seconds:.0f} s and merged in "
                        f"{filling.merge_seconds:.0f} s ({filling.client_cpu_seconds:.0f} s of this process)"
                    )
                status.update(f"asking, {size} facts")
                measured[size] = _measure(made, filling, questions, rounds, own)
    report = _report(settings, measured)
    print_table(console, f"Searches, {settings.index.backend} index", report.rows, _COLUMNS)
    if len(measured) > 1:
        return replace(report, plot=partial(_plot_sizes, report.rows, title=f"{settings.index.backend} index"))
    ((size, one),) = measured.items()
    delays = {method: [each.wall for each in searches] for method, searches in one.warm.items()}
    title = f"Warm searches, {size} facts, {settings.index.backend}"
    return replace(report, plot=partial(plot_answered, delays, title=title))


def _measure(made: SyntheticMemories, filling: Filling, questions: int, rounds: int, settings: Settings) -> _Measured:
    """Steps 2 to 5, with one index."""
    one_owner = int(np.argmin(np.abs(made.sizes - _FACTS_OF_ONE_OWNER)))
    asked, others = made.questions(questions), made.questions(questions, seed=2)
    of_one, others_of_one = made.questions(questions, owner=one_owner), made.questions(questions, seed=2, owner=one_owner)
    first_of_each = list({each.user_id: each for each in asked}.values())
    exact = neighbourhoods(made, asked[:_NEIGHBOURHOODS], settings)
    depth = max(HITS, 2 * settings.retrieval.top_k)
    recalled = {
        "warm": neighbour_recall(exact, settings, depth),
        "one owner": neighbour_recall(neighbourhoods(made, of_one[:10], settings), settings, depth),
    }
    rows, warm, opening = [], {}, []
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
                row["per_second_of_4"] = _side_by_side(memories, method, then)
                rows.append(row | ({} if method == "keyword" else {"recall@10": recalled[state]}))
                if state == "warm":
                    warm[method] = [each for one in timed for each in one]
    return _Measured(rows, warm, filling, int(made.sizes.max()), opening[0])


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


def _side_by_side(memories: Memories, method: str, questions: Sequence[Asked]) -> float:
    """Searches a second of four searchers in this process."""
    with ThreadPoolExecutor(_SEARCHERS, "searcher") as pool:
        began = time.perf_counter()
        list(pool.map(lambda each: memories.search(each.question, method, each.filters), questions))
        return len(questions) / (time.perf_counter() - began)


def _memories(settings: Settings, watch: Stopwatch) -> Memories:
    embedder = open_embedder(settings)
    index = open_index(settings, read_only=True)
    index.prepare(embedder.identity)
    return Memories(cast(MemoryIndex, Watched(index, watch)), cast(Embedder, Watched(embedder, watch)), settings)


def _report(settings: Settings, measured: dict[int, _Measured]) -> Report:
    rows = [row for one in measured.values() for row in one.rows]
    smallest, largest = min(measured), max(measured)

    def row_of(facts: int, method: str, state: str) -> Row:
        return next(row for row in measured[facts].rows if (row["method"], row["state"]) == (method, state))

    hybrid = row_of(largest, "hybrid", "warm")
    growth = float(row_of(largest, "hybrid", "one owner")["p50_ms"]) / float(row_of(smallest, "hybrid", "one owner")["p50_ms"])
    return Report(
        bench="query",
        settings={
            "index": settings.index.model_dump(mode="json"),
            "embedder": embedder_of(settings),
            "retrieval": settings.retrieval.model_dump(mode="json"),
            "ef_search": settings.opensearch.ef_search,
            "shards": settings.opensearch.shards,
            "facts": largest,
        },
        rows=rows,
        headline={
            "index": settings.index.backend,
            "facts": largest,
            **{f"hybrid_{name}": hybrid[name] for name in ("p50_ms", "p95_ms", "p99_ms", "cpu_ms", "outside_ms")},
            "hybrid_cold_p50_ms": row_of(largest, "hybrid", "cold")["p50_ms"],
            "keyword_p50_ms": row_of(largest, "keyword", "warm")["p50_ms"],
            "recall@10": hybrid["recall@10"],
            **({f"growth_from_{smallest}": growth} if smallest < largest else {}),
            "first_keyword_search_ms": measured[largest].opening_ms,
        },
        parts={
            "filling": [
                {"facts": facts, **asdict(one.filling), "largest_owner": one.largest_owner} for facts, one in measured.items()
            ],
        },
    )


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


def _plot_sizes(rows: Sequence[Row], out: Path, title: str) -> None:
    """p50 (lines) and p95 (dashes) of warm searches by the number of facts, for each method, as a PNG."""
    with plotted_views(out, 1, 2, (9.6, 4.4), title, sharey=True) as views:
        for axes, state in zip(views, STATES[1:], strict=True):
            for number, method in enumerate(METHODS):
                mine = [row for row in rows if (row["method"], row["state"]) == (method, state)]
                mine.sort(key=lambda row: row["facts"])
                sizes = [float(row["facts"]) for row in mine]
                axes.plot(sizes, [float(row["p50_ms"]) for row in mine], marker="o", color=f"C{number}", label=method)
                axes.plot(sizes, [float(row["p95_ms"]) for row in mine], linestyle="--", color=f"C{number}")
            axes.set(xscale="log", yscale="log", xlabel="facts", ylabel="milliseconds, p50 and p95 (dashes)")
            axes.set_title("all owners" if state == "warm" else "an owner of 500 facts")
