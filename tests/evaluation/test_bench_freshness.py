"""The benchmark of freshness: how it counts, and a short run through real servers."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.bench_freshness import report_of, run_freshness
from mneme.settings import EmbedderSettings, Settings
from tests.conftest import RunningKafka, RunningOpenSearch

STAGES = [
    ("message", "acknowledged"),
    ("message", "in the index"),
    ("message", "searchable"),
    ("flush", "acknowledged"),
    ("flush", "answered"),
    ("flush", "episode and facts searchable"),
]


def test_the_headline_is_of_the_last_stage_of_each() -> None:
    singles = {"acknowledged": [1.0, 3.0], "searchable": [float(value) for value in range(1, 102)]}
    flushes = {"answered": [5.0], "episode and facts searchable": [7.0]}
    report = report_of(Settings(_env_file=None), 5.0, singles, flushes)
    assert report.headline == {
        "index": "opensearch",
        "message_p50_ms": 51.0,
        "message_p95_ms": 96.0,
        "message_p99_ms": 100.0,
        "flush_p50_ms": 7.0,
        "flush_p95_ms": 7.0,
    }
    assert report.rows[0] == {
        "method": "message",
        "stage": "acknowledged",
        "count": 2,
        "p50_ms": 2.0,
        "p95_ms": 2.9,
        "p99_ms": 2.98,
        "max_ms": 3.0,
    }


@pytest.mark.kafka
@pytest.mark.opensearch
@pytest.mark.slow
def test_everything_that_is_sent_is_found(
    tmp_path: Path, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch
) -> None:
    base = Settings(_env_file=None, embedder=EmbedderSettings(provider="hash"))
    settings = base.model_copy(
        update={
            "kafka": base.kafka.model_copy(update={"bootstrap_servers": kafka_server.bootstrap}),
            "opensearch": base.opensearch.model_copy(update={"url": opensearch_server.url}),
            "index": base.index.model_copy(update={"backend": "opensearch"}),
        }
    )
    shown, out = io.StringIO(), tmp_path / "results" / "freshness.json"
    console = Console(file=shown, width=200)
    report = run_freshness(settings, console, rate=4.0, seconds=1.0, talks=1).finish(console, out)
    assert [(row["method"], row["stage"]) for row in report.rows] == STAGES
    assert [row["count"] for row in report.rows] == [4, 4, 4, 1, 1, 1]
    for acknowledged, _, found in (report.rows[:3], report.rows[3:]):
        assert 0 < acknowledged["p50_ms"] < found["p50_ms"]
    assert json.loads(out.read_text())["settings"]["index"] == "opensearch, Kafka"
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert shown.getvalue().splitlines()[-1].startswith("BENCH freshness index=opensearch message_p50_ms=")
