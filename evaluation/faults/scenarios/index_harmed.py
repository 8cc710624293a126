"""The index dies in the middle of a bulk, or freezes for minutes, while messages come in."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from connectors.opensearch.client import bulks_at_work
from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Need, ScenarioResult, Size, judged
from evaluation.faults.scenarios.rescaled import Harm
from evaluation.faults.texts import Volume
from mneme.errors import StoreError

_WATCH_SECONDS = 20.0  # for a bulk that is under way
_MEMORY_GROWTH = 1.1


@dataclass(frozen=True, slots=True)
class IndexKilled:
    """The index is killed while it writes a bulk, and comes back."""

    plans: Mapping[Size, Harm] = field(
        default_factory=lambda: {
            Size.SHORT: Harm(Volume(240, 8), 40, 1),
            Size.LONG: Harm(Volume(20_000, 400), 100, 10),
        }
    )
    name: str = "index-killed"
    needs: frozenset[Need] = frozenset({Need.INDEX})

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Everything once, and the flow goes on by itself."""
        plan, index = self.plans[size], deployment.servers.index
        assert index is not None, "it is needed"
        in_bulk = 0
        with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
            deployment.start()
            for number in range(plan.times):
                deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
                in_bulk += _bulk_is_at_work(deployment)
                index.kill()
                index.start()
        verification = judged(deployment, against_undisturbed=size is Size.LONG)
        return ScenarioResult(verification, {"kills": plan.times, "in_bulk": in_bulk})


def _bulk_is_at_work(deployment: Deployment) -> bool:
    """Wait until the index works at a bulk; False if none was seen for a while."""
    until = time.monotonic() + _WATCH_SECONDS
    while time.monotonic() < until:
        try:
            if bulks_at_work(deployment.settings.opensearch):
                return True
        except StoreError:  # it is busy with its start
            time.sleep(0.1)
    return False


@dataclass(frozen=True, slots=True)
class Frost:
    """How much comes in, how fast (events a second), and how long the index is frozen."""

    volume: Volume
    rate: float
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexFrozen:
    """The index stops answering, with all connections open, and thaws.

    Memory is judged in the long form only: in the first seconds it grows by itself.
    """

    plans: Mapping[Size, Frost] = field(
        default_factory=lambda: {
            Size.SHORT: Frost(Volume(240, 8), 40, 3.0),
            Size.LONG: Frost(Volume(60_000, 1200), 100, 300.0),
        }
    )
    name: str = "index-frozen"
    needs: frozenset[Need] = frozenset({Need.INDEX})

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Everything once, no restart, and memory stays what it was: the sources wait."""
        plan, index = self.plans[size], deployment.servers.index
        assert index is not None, "it is needed"
        with deployment.sampling(0.5) as seen, deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
            deployment.start()
            deployment.until_stored(plan.volume.messages // 3)
            frozen = seen.seconds()
            index.pause()
            try:
                time.sleep(plan.seconds)
            finally:
                index.resume()
            thawed = seen.seconds()
        verification = judged(deployment, against_undisturbed=size is Size.LONG)
        before, during = seen.peak_mb(until=frozen), seen.peak_mb(since=frozen, until=thawed)
        figures = {"frozen_seconds": plan.seconds, "mb_before": round(before, 1), "mb_frozen": round(during, 1)}
        grown = f"memory grew from {before:.0f} to {during:.0f} MB while the index was frozen; 10 % is the most"
        has_grown = size is Size.LONG and during > _MEMORY_GROWTH * before
        return ScenarioResult(verification, figures, (grown,) if has_grown else ())
