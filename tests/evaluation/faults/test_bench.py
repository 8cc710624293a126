"""The bench plays what it may, says what it skips, and fails where something is wrong."""

import json
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.faults import bench
from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import ScenarioResult, Size
from evaluation.faults.verifier import Verification
from mneme.errors import InputError, StoreError
from mneme.settings import Kafka, OpenSearch, Settings

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch]


@dataclass(frozen=True)
class Played:
    name: str
    result: ScenarioResult | StoreError
    needs: tuple[str, ...] = ()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        if isinstance(self.result, StoreError):
            raise self.result
        return self.result


SOUND = Played("sound", ScenarioResult(Verification(messages=9), {"kills": 3}))
LOSSY = Played("lossy", ScenarioResult(Verification(messages=8, lost=1, examples={"lost": ("m1: is in no episode",)})))
SLOW = Played("slow", ScenarioResult(Verification(messages=9), missed=("it took 20 s; 15 is the most",)))
STUCK = Played("stuck", StoreError("the flow ended"))
HARMFUL = Played("harmful", ScenarioResult(Verification()), ("broker", "index"))


def printed(
    monkeypatch: pytest.MonkeyPatch,
    out: Path,
    kafka: Kafka,
    opensearch: OpenSearch,
    *scenarios: Played,
    only: tuple[str, ...] = (),
) -> str:
    monkeypatch.setattr(bench, "SCENARIOS", scenarios)
    settings = Settings(_env_file=None).model_copy(update={"kafka": kafka, "opensearch": opensearch})
    console = Console(file=StringIO(), width=200)
    bench.run_faults(settings, console, seed=4, only=list(only)).finish(console, out)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_everything_wrong_is_told_and_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch
) -> None:
    out = tmp_path / "faults.json"
    text = printed(monkeypatch, out, kafka_settings, opensearch_settings, SOUND, LOSSY, SLOW, STUCK, HARMFUL)
    assert "lossy: lost: m1: is in no episode" in text
    assert "slow: missed: it took 20 s; 15 is the most" in text
    assert "stuck: did not get through: the flow ended" in text
    assert "harmful: skipped, it harms the broker and the index" in text
    last = text.strip().splitlines()[-1]
    assert last.startswith("BENCH faults lost=1 duplicated=0 unexpected=0 orphans=0 different=0 scenarios=4 failed=3 skipped=1")
    content = json.loads(out.read_text())
    assert set(content) == {"bench", "command", "date", "machine", "settings", "rows", "headline"}
    assert [row["passed"] for row in content["rows"]] == ["yes", "no", "no", "no"]
    assert content["rows"][0]["kills"] == 3


def test_an_unknown_scenario_is_refused_with_the_names_there_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch
) -> None:
    with pytest.raises(InputError, match=r"no scenario nothing; there are sound, lossy"):
        printed(monkeypatch, tmp_path / "f", kafka_settings, opensearch_settings, SOUND, LOSSY, only=("nothing",))
