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
from evaluation.bench_query import METHODS, run_query
from evaluation.made_memories import MadeMemories
from evaluation.stopwatch import Stopwatch, Watched
from mneme.rows import Collection
from mneme.settings import Settings


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_report_tells_of_every_method_cold_and_warm(tmp_path: Path) -> None:
    settings = Settings(_env_file=None)
    hashed = settings.embedder.model_copy(update={"provider": "hash"})
    shown = io.StringIO()
    out = tmp_path / "results" / "query.json"
    report = run_query(100, 3, 10, settings.model_copy(update={"embedder": hashed}), out, Console(file=shown, width=200))
    written = json.loads(out.read_text())
    assert [(row["method"], row["state"]) for row in written["rows"]] == [(m, s) for m in METHODS for s in ("cold", "warm")]
    for row in report.rows:
        assert 0 < row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"]
        assert 0 < row["outside_ms"] < row["p99_ms"]
        assert 0 < row["outside_share"] < 1
    assert written["settings"]["facts"] == 100
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert shown.getvalue().splitlines()[-1].startswith("BENCH query index=embedded facts=100 hybrid_p50_ms=")


def test_there_are_as_many_facts_as_asked_for_and_a_few_owners_have_most() -> None:
    made = MadeMemories(1000, 10, HashEmbedder().embed)
    rows = list(made.rows())
    facts = Counter(row.owner_id for row in rows if row.collection is Collection.FACTS)
    assert facts.total() == len(made) == 1000
    assert facts["p0"] > 2 * facts["p2"] > 2 * facts["p9"] > 0
    assert len({row.key for row in rows}) == len(rows)


def test_the_same_numbers_make_the_same_memories_and_questions() -> None:
    made, again = (MadeMemories(60, 2, HashEmbedder().embed) for _ in range(2))
    for one, other in zip(made.rows(), again.rows(), strict=True):
        assert one.body == other.body
        assert (one.vector is None) == (other.vector is None)
        if one.vector is not None and other.vector is not None:
            np.testing.assert_array_equal(one.vector, other.vector)
            assert np.linalg.norm(one.vector) == pytest.approx(1, abs=1e-5)
    assert made.questions(5) == again.questions(5) != made.questions(5, seed=2)


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
    watched = Watched([3, 1, 2], watch)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: watched.index(2), range(20))) == [2] * 20
    assert watch.take() > 0
