"""`mneme admin backfill` of files into the embedded index: the result is that of `mneme ingest`."""

from pathlib import Path

import pytest

from connectors.indices import open_index
from flows import ingest
from flows.maintenance import backfill as backfills
from flows.maintenance.backfill import backfill
from mneme.errors import SettingsError
from mneme.settings import EmbedderSettings, Settings
from tests.flows.river import contents

pytestmark = pytest.mark.slow

TEAM = Path(__file__).parents[3] / "examples" / "team.jsonl"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    base = Settings(_env_file=None)
    return base.model_copy(update={"data": tmp_path / "bulk", "embedder": EmbedderSettings(provider="hash")})


def told(settings: Settings) -> dict[str, object]:
    index = open_index(settings)
    found = contents(index)
    index.close()
    return {name: {key: value for key, value in body.items() if key != "created_at"} for name, body in found.items()}


def test_files_are_taken_in_as_by_ingest_and_merged_if_there_is_much(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfills, "MANY_ROWS", 20)
    report = backfill([TEAM], settings)
    assert report.rows["message"] == 83
    assert report.is_merged
    assert not backfill([TEAM], settings).rows, "a second run finds nothing new"
    one_by_one = settings.model_copy(update={"data": tmp_path / "ingested"})
    ingest([TEAM], one_by_one)
    assert told(settings) == told(one_by_one)


def test_without_kafka_there_is_nothing_that_waits(settings: Settings) -> None:
    with pytest.raises(SettingsError, match="mneme admin backfill FILE"):
        backfill([], settings)
