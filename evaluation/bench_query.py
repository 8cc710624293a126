"""``mneme bench query``: how long a search takes, in an index of made-up memories (evaluation/made_memories.py).

1. Fill an index of the benchmark's own.
2. Cold: of each owner the first question, by each method; the very first of all with opening the index and the embedder.
3. Warm: as many other questions unmeasured, then every question measured, by each method.

Times are of the whole search, the embedder included. On a machine with other work the clock tells of that work as well:
``cpu`` is the time of the processor that this process took. ``outside`` is the time in which neither the index nor the
embedder was waited for: what Mneme itself adds.
"""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np
from rich.console import Console

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.made_memories import TENANT, Asked, MadeMemories
from evaluation.own_index import fresh_index
from evaluation.report import Report, Row, print_table
from evaluation.stopwatch import Stopwatch, Watched
from mneme.errors import StoreRejected
from mneme.ports import Embedder, MemoryIndex, Outcome, Put
from mneme.rows import Collection
from mneme.settings import Settings
from queries import Memories

METHODS = ("keyword", "vector", "hybrid")
_AT_A_TIME = 2000  # rows of one write
_COLUMNS = ["method", "state", "questions", "p50_ms", "p95_ms", "p99_ms", "cpu_ms", "outside_ms", "outside_share"]


@dataclass(frozen=True, slots=True)
class Timed:
    """What one search took, in milliseconds."""

    wall: float
    cpu: float
    outside: float


def run_query(facts: int, owners: int, questions: int, settings: Settings, out: Path, console: Console | None = None) -> Report:
    """Measure, print, and write ``out`` (JSON) and the plot beside it (PNG).

    Args:
        facts: in the index, of all owners together; there are as many messages beside them.
        owners: people, a few of whom have most of it.
        questions: that are measured with each method.
        settings: ``index``, ``embedder`` and ``retrieval`` are used.
        out: where the JSON goes.
        console: where tables and progress go; None is standard output.

    Raises:
        InputError: ``out`` cannot be written.
        MnemeError: whatever the index or the embedder raises.
    """
    console = console or Console()
    with fresh_index(settings, "query") as own:
        # 1.
        with console.status("filling the index"):
            made, rows = fill(facts, owners, own)
        console.print(f"{facts} facts of {owners} owners, {rows} rows, the largest owner {made.sizes.max()} facts")
        asked, others = made.questions(questions), made.questions(questions, seed=2)
        first_of_each = list({each.user_id: each for each in asked}.values())
        timed: dict[tuple[str, str], list[Timed]] = {}
        opening: list[float] = []
        for method in METHODS:
            with console.status(f"asking, {method}"):
                began = time.perf_counter()
                watch = Stopwatch()
                with _memories(own, watch) as memories:
                    # 2.
                    timed[method, "cold"] = ask(memories, method, first_of_each, watch)
                    opening.append(1000 * (time.perf_counter() - began) - sum(each.wall for each in timed[method, "cold"][1:]))
                    # 3.
                    ask(memories, method, others, watch)
                    timed[method, "warm"] = ask(memories, method, asked, watch)
    report = _report(own, made, rows, timed, opening[0])
    print_table(console, f"Searches among {facts} facts, {own.index.backend} index", report.rows, _COLUMNS)
    report.write(out)
    _plot({method: timed[method, "warm"] for method in METHODS}, out.with_suffix(".png"), f"{facts} facts, {own.index.backend}")
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def fill(facts: int, owners: int, settings: Settings) -> tuple[MadeMemories, int]:
    """Fill the index of the settings, which is empty; what is in it, and how many rows."""
    count = 0
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings)) as index:
        made = MadeMemories(facts, owners, embedder.embed)
        index.prepare(embedder.identity)
        rows = made.rows()
        while batch := [Put(row) for row in islice(rows, _AT_A_TIME)]:
            refused = [result.reason for result in index.write(batch) if result.outcome is not Outcome.DONE]
            if refused:
                raise StoreRejected(f"the index refused {len(refused)} of the made-up rows ({refused[0]}); it was not empty")
            count += len(batch)
        index.refresh()
        held = index.count(Collection.FACTS)
    if held != len(made):
        raise StoreRejected(f"the index shows {held} of {len(made)} facts that it took; look at its log")
    return made, count


def ask(memories: Memories, method: str, questions: Sequence[Asked], watch: Stopwatch) -> list[Timed]:
    """Every question, one after the other. ``watch`` runs while the index or the embedder is waited for."""
    timed = []
    for each in questions:
        watch.take()
        began, worked = time.perf_counter(), time.process_time()
        memories.search(each.question, method, {"user_id": each.user_id, "tenant_id": TENANT})
        wall, cpu = time.perf_counter() - began, time.process_time() - worked
        timed.append(Timed(1000 * wall, 1000 * cpu, 1000 * (wall - watch.take())))
    return timed


def _memories(settings: Settings, watch: Stopwatch) -> Memories:
    embedder = open_embedder(settings)
    index = open_index(settings, read_only=True)
    index.prepare(embedder.identity)
    return Memories(cast(MemoryIndex, Watched(index, watch)), cast(Embedder, Watched(embedder, watch)), settings)


def _report(
    settings: Settings, made: MadeMemories, written: int, timed: dict[tuple[str, str], list[Timed]], opening: float
) -> Report:
    rows = [_row(method, state, searches) for (method, state), searches in timed.items()]
    hybrid = next(row for row in rows if (row["method"], row["state"]) == ("hybrid", "warm"))
    cold = next(row for row in rows if (row["method"], row["state"]) == ("hybrid", "cold"))
    return Report(
        bench="query",
        settings={
            "index": settings.index.model_dump(mode="json"),
            "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model"}),
            "retrieval": settings.retrieval.model_dump(mode="json"),
            "facts": len(made),
            "rows": written,
            "owners": len(made.sizes),
            "largest_owner": int(made.sizes.max()),
        },
        rows=rows,
        headline={
            "index": settings.index.backend,
            "facts": len(made),
            **{f"hybrid_{name}": hybrid[name] for name in ("p50_ms", "p95_ms", "p99_ms", "cpu_ms", "outside_ms")},
            "hybrid_cold_p50_ms": cold["p50_ms"],
            "first_keyword_search_ms": opening,
        },
    )


def _row(method: str, state: str, searches: Sequence[Timed]) -> Row:
    wall = np.array([each.wall for each in searches])
    outside = np.array([each.outside for each in searches])
    p50, p95, p99 = (float(value) for value in np.percentile(wall, [50, 95, 99]))
    return {
        "method": method,
        "state": state,
        "questions": len(searches),
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "cpu_ms": float(np.median([each.cpu for each in searches])),
        "outside_ms": float(np.median(outside)),
        "outside_share": float(outside.sum() / wall.sum()),
    }


def _plot(timed: dict[str, list[Timed]], out: Path, title: str) -> None:
    """The share of searches that were answered within a time, for each method, as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for method, searches in timed.items():
        axes.ecdf([each.wall for each in searches], label=method)
    axes.set(xscale="log", xlabel="milliseconds", ylabel="share of searches answered", title=f"Warm searches, {title}")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(out, dpi=130)
