"""The short form of every scenario, on a broker and a node of its own that are started once for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.faults.deployment import Deployment, Servers
from evaluation.faults.scenario import Scenario, Size
from evaluation.faults.scenarios import SCENARIOS
from mneme.settings import Settings
from tests.faults.harmed import fault_settings, own_servers

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

_SEED = 1
_LONGER = ("soak", "soak-with-kills")  # hours of what "killed" does; tests/evaluation/faults/test_scenarios.py plays both


@pytest.fixture(scope="module")
def harmed() -> Iterator[tuple[Settings, Servers]]:
    with own_servers() as (kafka, opensearch, servers):
        yield fault_settings(kafka.bootstrap, opensearch.url), servers


@pytest.mark.parametrize(
    "scenario", [each for each in SCENARIOS if each.name not in _LONGER], ids=lambda scenario: scenario.name
)
def test_everything_is_there_once_and_nothing_else(
    scenario: Scenario, harmed: tuple[Settings, Servers], tmp_path: Path
) -> None:
    settings, servers = harmed
    if scenario.name == "rescaled":  # what waits to be put in order has to survive every stop, too
        settings = settings.replace(boundaries={"hold_back_seconds": 20.0})
    with Deployment(settings, tmp_path, servers) as deployment:
        result = scenario.run(deployment, _SEED, Size.SHORT)
    assert result.verification.examples == {}
    assert result.missed == ()
    assert result.verification.messages > 0
    assert result.passed
