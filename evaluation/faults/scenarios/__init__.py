"""All scenarios, one file for each kind of harm."""

from collections.abc import Sequence

from evaluation.faults.scenario import Scenario
from evaluation.faults.scenarios.broker_killed import BrokerKilled
from evaluation.faults.scenarios.index_harmed import IndexFrozen, IndexKilled
from evaluation.faults.scenarios.killed import Killed, KilledInSnapshot
from evaluation.faults.scenarios.rescaled import ProcessKilled, Rescaled
from evaluation.faults.scenarios.soak import SOAK_WITH_KILLS, Soak

SCENARIOS: Sequence[Scenario] = (
    Killed(),
    KilledInSnapshot(),
    ProcessKilled(),
    Rescaled(),
    BrokerKilled(),
    IndexKilled(),
    IndexFrozen(),
    Soak(),
    SOAK_WITH_KILLS,
)
