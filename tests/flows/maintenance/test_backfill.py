"""`mneme admin backfill` of files into the embedded index: the result is that of `mneme ingest`."""

from pathlib import Path

import pytest

from flows import ingest
from flows.maintenance import backfill as backfills
from flows.maintenance.backfill import backfill
from mneme.errors import SettingsError
from mneme.settings import Settings
from tests.flows.deployment import EXAMPLES, deployed_in, remembered

pytestmark = pytest.mark.slow

TEAM = EXAMPLES / "team.jsonl"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return deployed_in(tmp_path / "bulk")


def told(settings: Settings) -> dict[str, object]:
    return {
        name: {key: value for key, value in body.items() if key != "created_at"} for name, body in remembered(settings).items()
    }


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
