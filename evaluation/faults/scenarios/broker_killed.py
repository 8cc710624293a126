"""SIGKILL of the broker while messages come in."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Need, ScenarioResult, Size, judged
from evaluation.faults.scenarios.rescaled import Harm
from evaluation.faults.texts import Volume


@dataclass(frozen=True, slots=True)
class BrokerKilled:
    """The broker dies and comes back under a live producer: what was acknowledged is remembered; the flow goes on by itself."""

    plans: Mapping[Size, Harm] = field(
        default_factory=lambda: {
            Size.SHORT: Harm(Volume(240, 8), 40, 1),
            Size.LONG: Harm(Volume(60_000, 1200), 200, 5),
        }
    )
    name: str = "broker-killed"
    needs: frozenset[Need] = frozenset({Need.BROKER})

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """As many messages as were acknowledged."""
        plan, luck = self.plans[size], random.Random(seed)
        broker = deployment.servers.broker
        assert broker is not None, "it is needed"
        with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate) as producer:
            deployment.start()
            for number in range(plan.times):
                deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
                time.sleep(luck.uniform(0, 1))
                broker.kill()
                time.sleep(luck.uniform(0, 2))
                broker.start()
        verification = judged(deployment, against_undisturbed=size is Size.LONG)
        fewer = f"{producer.sent} messages were acknowledged, and {verification.messages} are remembered"
        figures = {"kills": plan.times, "acknowledged": producer.sent}
        return ScenarioResult(verification, figures, (fewer,) if verification.messages != producer.sent else ())
