"""The benchmark of searches, with few memories."""

import io
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from connectors.embedders.hash_embedder import HashEmbedder
from evaluation.bench_query import METHODS, STATES, Stopwatch, fill, neighbour_recall, run_query
from evaluation.own_index import fresh_index
from evaluation.process_costs import Watched
from evaluation.synthetic_memories import SyntheticMemories
from mneme.rows import Collection
from mneme.settings import Settings

pytestmark = pytest.mark.slow


def hashed(folder: Path) -> Settings:
    settings = Settings(_env_file=None, data=folder)
    return settings.model_copy(update={"embedder": settings.embedder.model_copy(update={"provider": "hash"})})


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_report_tells_of_every_method_in_every_state(tmp_path: Path) -> None:
    out = tmp_path / "results" / "query.json"
    shown = io.StringIO()
    console = Console(file=shown, width=300)
    run_query(hashed(tmp_path), console, 200, owners=3, questions=3, rounds=2).finish(console, out)
    written = json.loads(out.read_text())
    assert [(row["method"], row["state"]) for row in written["rows"]] == [(m, s) for m in METHODS for s in STATES]
    for row in written["rows"]:
        assert 0 < row["low_ms"] <= row["p50_ms"] <= row["high_ms"]
        assert row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"]
        assert 0 < row["outside_ms"] < row["p99_ms"]
        assert 0 < row["outside_share"] < 1
        assert row.get("recall@10", 1.0) == 1.0  # so few are compared one by one
    assert {row["method"] for row in written["rows"] if "recall@10" in row} == {"vector", "hybrid"}
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    last = shown.getvalue().splitlines()[-1]
    assert last.startswith("BENCH query index=embedded facts=200 hybrid_p50_ms=")


def test_recall_counts_which_of_the_exact_neighbours_are_found(tmp_path: Path) -> None:
    with fresh_index(hashed(tmp_path), "query") as own:
        made, _ = fill(600, 3, own)
        assert neighbour_recall(made, made.questions(4), own, 10) == 1.0
        assert neighbour_recall(made, made.questions(4), own, 5) == 0.5  # of ten


def test_there_are_as_many_facts_as_asked_for_and_a_few_owners_have_most() -> None:
    made = SyntheticMemories(1000, 10, HashEmbedder())
    rows = list(made.rows())
    facts = Counter(row.owner_id for row in rows if row.collection is Collection.FACTS)
    assert facts.total() == len(made) == 1000
    assert facts["p0"] > 2 * facts["p2"] > 2 * facts["p9"] > 0
    assert len({row.key for row in rows}) == len(rows)


def test_the_same_numbers_make_the_same_memories_and_questions() -> None:
    made, again = (SyntheticMemories(60, 2, HashEmbedder()) for _ in range(2))
    for one, other in zip(made.rows(), again.rows(), strict=True):
        assert one.body == other.body
        assert (one.vector is None) == (other.vector is None)
        if one.vector is not None and other.vector is not None:
            np.testing.assert_array_equal(one.vector, other.vector)
            assert np.linalg.norm(one.vector) == pytest.approx(1, abs=1e-5)
    assert made.questions(5) == again.questions(5) != made.questions(5, seed=2)


def test_owners_are_dealt_out_among_tenants_and_tell_side_by_side() -> None:
    made = SyntheticMemories(400, 4, HashEmbedder(), tenants=2)
    rows = list(made.rows())
    assert {(row.tenant_id, row.owner_id) for row in rows if row.owner_type == "user"} == {
        ("made", "p0"), ("made-1", "p1"), ("made", "p2"), ("made-1", "p3"),
    }  # fmt: skip
    assert {row.tenant_id for row in rows if row.owner_type == "tenant"} == {"made", "made-1"}
    for owner in ("p0", "p3"):
        places = [place for place, row in enumerate(rows) if row.owner_id == owner]
        assert places[0] < len(rows) / 4
        assert places[-1] > len(rows) * 3 / 4
    alone = [row.key for number in range(6) for row in made.rows_of(number)]
    assert Counter(alone) == Counter(row.key for row in rows)
    assert {each.tenant_id for each in made.questions(30) if each.user_id in ("p1", "p3")} == {"made-1"}


def test_a_stopwatch_counts_time_that_several_share_once() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    with watch.running():
        clock.now = 1.0
        with watch.running():
            clock.now = 3.0
        clock.now = 4.0
    clock.now = 10.0
    with watch.running():
        clock.now = 11.0
    assert (watch.take(), watch.take()) == (5.0, 0.0)


def test_what_is_watched_answers_as_before_from_every_thread() -> None:
    watch = Stopwatch()
    watched = Watched([3, 1, 2], lambda name: watch.running())
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: watched.index(2), range(20))) == [2] * 20
    assert watch.take() > 0
