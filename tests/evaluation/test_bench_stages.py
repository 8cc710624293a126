"""The benchmark of the stages, with few messages."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from connectors.embedders.hash_embedder import HashEmbedder
from evaluation import bench_stages
from evaluation.bench_stages import STAGES, Remembering, RowsInMemory, run_stages, synthetic_events, through_the_engine
from mneme.ports import Create, Incoming, Put, Remove
from mneme.rows import Key, Row, row_of
from mneme.settings import Settings

MESSAGES = 60


@pytest.fixture
def settings() -> Settings:
    settings = Settings(_env_file=None)
    flow = settings.flow.model_copy(update={"buckets": 4, "source_batch": 25, "epoch_seconds": 0.1, "recovery_partitions": 2})
    boundaries = settings.boundaries.model_copy(update={"hold_back_seconds": 0.0})
    embedder = settings.embedder.model_copy(update={"provider": "hash"})
    return settings.model_copy(update={"flow": flow, "boundaries": boundaries, "embedder": embedder})


@pytest.fixture
def events() -> list[Incoming]:
    return synthetic_events()[:MESSAGES]


def test_every_step_takes_in_all_messages(settings: Settings, events: list[Incoming]) -> None:
    measured = through_the_engine(events, settings, Remembering(HashEmbedder()))
    assert measured.records["messages"] == MESSAGES
    assert measured.records["episodes"] > 0
    assert measured.records["facts"] > 0
    assert set(measured.seconds) == set(STAGES)
    assert min(measured.seconds.values()) > 0


def test_the_report_adds_up(
    settings: Settings, events: list[Incoming], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_stages, "synthetic_events", lambda: events)
    out = tmp_path / "stages.json"
    report = run_stages(settings, Console(quiet=True), rounds=1).finish(Console(quiet=True), out)
    stages = {str(row["stage"]): float(row["us/message"]) for row in report.rows}
    assert stages.pop("all") == pytest.approx(sum(stages.values()))
    assert report.headline["messages"] == MESSAGES
    assert json.loads(out.read_text())["bench"] == "stages"
    assert out.with_suffix(".png").exists()


def _row(events: list[Incoming]) -> Row:
    from flows.decode import decode
    from flows.items import Arrived

    (item,) = decode(events[0], buckets=1)
    assert isinstance(item, Arrived)
    return row_of(item.message)


def test_rows_are_encoded_and_kept(settings: Settings, events: list[Incoming]) -> None:
    index, row = RowsInMemory(settings.opensearch), _row(events)
    other = Key(row.collection, row.owner_key, "other")
    assert len(index.write([Create(row), Put(row), Remove(other, 1)])) == 3
    assert index.get([row.key, other]) == {row.key: row}
    index.write([Remove(row.key, 2)])
    assert index.get([row.key]) == {}
