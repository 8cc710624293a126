"""Scenarios for a flow on Flink: kills of a TaskManager and of the JobManager, other slots, broker and index killed."""

import random
import time
from collections.abc import Sequence

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Need, Scenario, ScenarioResult, Size, judged
from evaluation.faults.scenarios import PROBES, Plan, Planned, broker_killed, index_killed, rescaled
from evaluation.faults.texts import Volume

_BEGINS_WITHIN_SECONDS = 300.0
_GOES_ON_WITHIN_SECONDS = 20.0
_PATIENCE_SECONDS = 300.0


def _taskmanager_killed(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill a TaskManager, and start it again."""
    return _killed(Need.TASKMANAGER, deployment, plan, rng, seed, size)


def _jobmanager_killed(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill the JobManager: the one that is started in its place knows no job."""
    return _killed(Need.JOBMANAGER, deployment, plan, rng, seed, size)


def _killed(need: Need, deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill a server of the cluster: what was sent afterwards is answered, in the long form within 20 seconds."""
    server = getattr(deployment.servers, need.value)
    assert server is not None, "it is needed"
    went_on = []
    with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
        deployment.start(plan.processes[0])
        deployment.flow.until_reading(_BEGINS_WITHIN_SECONDS)
        for number in range(plan.times):
            deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
            time.sleep(rng.uniform(0, 2))
            server.kill()
            killed_at = time.monotonic()
            server.start()
            deployment.wait_for_markers(deployment.flush_some(PROBES, rng), _PATIENCE_SECONDS)
            went_on.append(time.monotonic() - killed_at)
    verification = judged(deployment, against_undisturbed=True)
    slowest = round(max(went_on), 1)
    late = (f"it went on after {slowest} s; {_GOES_ON_WITHIN_SECONDS:.0f} is the most",)
    figures = {"kills": plan.times, "slowest_seconds": slowest}
    return ScenarioResult(verification, figures, late if size is Size.LONG and slowest > _GOES_ON_WITHIN_SECONDS else ())


_SHORT, _LONG = Volume(240, 8, flushes=5), Volume(4000, 80, flushes=20)

FLINK_SCENARIOS: Sequence[Scenario] = (
    Planned(
        "taskmanager-killed",
        _taskmanager_killed,
        {Size.SHORT: Plan(_SHORT, 1, rate=20, processes=(2,)), Size.LONG: Plan(_LONG, 5, rate=40, processes=(2,))},
        frozenset({Need.TASKMANAGER}),
    ),
    Planned(
        "jobmanager-killed",
        _jobmanager_killed,
        {Size.SHORT: Plan(_SHORT, 1, rate=20, processes=(2,)), Size.LONG: Plan(_LONG, 1, rate=40, processes=(2,))},
        frozenset({Need.JOBMANAGER}),
    ),
    Planned(
        "rescaled",
        rescaled,
        {
            Size.SHORT: Plan(_SHORT, rate=20, processes=(2, 4, 2)),
            Size.LONG: Plan(_LONG, rate=40, processes=(2, 4, 2)),
        },
    ),
    Planned(
        "broker-killed",
        broker_killed,
        {Size.SHORT: Plan(Volume(240, 8), 1, rate=20), Size.LONG: Plan(Volume(4000, 80), 3, rate=40)},
        frozenset({Need.BROKER}),
    ),
    Planned(
        "index-killed",
        index_killed,
        {Size.SHORT: Plan(_SHORT, 1, rate=20), Size.LONG: Plan(_LONG, 3, rate=40)},
        frozenset({Need.INDEX}),
    ),
)
