"""The benchmark of searching under load: how it counts, and a short run through a service of its own."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.bench_load import Phase, report_of, run_load
from mneme.settings import EmbedderSettings, Settings


def test_both_are_compared_with_each_alone() -> None:
    phases = {
        "messages": Phase(10.0, messages=200),
        "searches": Phase(10.0, [100.0] * 51, answered=50),
        "both": Phase(10.0, [300.0] * 20, Counter({"503: too many": 2}), 20, 80),
    }
    report = report_of(Settings(_env_file=None), 50, 1000, phases)
    assert report.headline == {
        "index": "embedded",
        "searchers": 50,
        "errors": 2,
        "alone_p95_ms": 100.0,
        "both_p95_ms": 300.0,
        "p95_times": 3.0,
        "alone_searches/s": 5.0,
        "both_searches/s": 2.0,
        "alone_messages/s": 20.0,
        "both_messages/s": 8.0,
    }
    assert [row["method"] for row in report.rows] == ["messages", "searches", "both"]
    assert report.rows[0]["p95_ms"] == 0.0


@pytest.mark.slow
def test_many_search_while_messages_come_in(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, embedder=EmbedderSettings(provider="hash"))
    shown, out = io.StringIO(), tmp_path / "load.json"
    console = Console(file=shown, width=200)
    report = run_load(settings, console, 3, 1.0, 100).finish(console, out)
    messages, searches, both = report.rows
    assert messages["searches"] == 0
    assert searches["messages/s"] == 0
    for row in (searches, both):
        assert row["errors"] == 0
        assert row["searches"] > 0
        assert 0 < row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"]
    assert json.loads(out.read_text())["headline"]["errors"] == 0
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert shown.getvalue().splitlines()[-1].startswith("BENCH load index=embedded searchers=3 errors=0 alone_p95_ms=")
