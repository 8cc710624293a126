"""The benchmark of starts, with one short program."""

import sys
from pathlib import Path

import pytest
from rich.console import Console

from evaluation import bench_startup
from evaluation.bench_startup import startup
from mneme.errors import InputError
from mneme.settings import EmbedderSettings, Settings

ACME = Path(__file__).parents[2] / "examples" / "acme.jsonl"
HASHED = Settings(_env_file=None).model_copy(update={"embedder": EmbedderSettings(provider="hash")})


@pytest.fixture(autouse=True)
def few_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_startup, "example_files", lambda folder: [ACME])


def test_each_program_is_started_once_more_than_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "started"
    program = (sys.executable, "-c", f"open({str(started)!r}, 'a').write('x')")
    monkeypatch.setattr(bench_startup, "PROGRAMS", dict.fromkeys("abcd", program))
    report = startup(HASHED, Console(record=True), 2)
    assert started.read_text() == "x" * 12
    for row in report.rows:
        assert 0 < row["clock from"] <= row["clock ms"] <= row["clock to"]
    assert report.headline["search_ms"] == report.rows[-1]["clock ms"]


def test_a_program_that_fails_is_named_with_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_startup, "PROGRAMS", {"a": (sys.executable, "-c", "raise SystemExit('no such owner')")})
    with pytest.raises(InputError, match="no such owner"):
        startup(HASHED, Console(record=True))
