"""Several processes: a random one is killed, and the flow goes on with another number of them."""

import random
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Figure, Need, ScenarioResult, Size, judged
from evaluation.faults.texts import Volume

_WHOLE_WITHIN_SECONDS = 15.0
_PATIENCE_SECONDS = 90.0
_PROBES = 12  # conversations, in buckets of both processes


@dataclass(frozen=True, slots=True)
class Harm:
    """How much comes in, how fast (events a second), and how often something happens meanwhile."""

    volume: Volume
    rate: float
    times: int


@dataclass(frozen=True, slots=True)
class ProcessKilled:
    """Of two processes a random one is killed: the unit must be whole again, and go on, in 15 seconds.

    The seconds are judged in the long form only: in the tests other things run beside it.
    """

    plans: Mapping[Size, Harm] = field(
        default_factory=lambda: {
            Size.SHORT: Harm(Volume(160, 8), 20, 1),
            Size.LONG: Harm(Volume(20_000, 400), 100, 10),
        }
    )
    name: str = "process-killed"
    needs: frozenset[Need] = frozenset()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Whole again in time, everything once."""
        plan, luck = self.plans[size], random.Random(seed)
        whole = []
        with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
            deployment.start(processes=2)
            deployment.flow.until_reading()
            for number in range(plan.times):
                deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
                time.sleep(luck.uniform(0, 2))
                whole.append(self._kill_one(deployment, luck))
        verification = judged(deployment, against_undisturbed=size is Size.LONG)
        slowest = round(max(whole), 1)
        late = (f"it was whole again after {slowest} s; {_WHOLE_WITHIN_SECONDS:.0f} is the most",)
        figures = {"kills": plan.times, "slowest_whole_seconds": slowest}
        return ScenarioResult(verification, figures, late if size is Size.LONG and slowest > _WHOLE_WITHIN_SECONDS else ())

    def _kill_one(self, deployment: Deployment, luck: random.Random) -> float:
        """Seconds from the kill until what was sent after it is answered, whichever process has to."""
        flow = deployment.flow
        flow.signal(signal.SIGKILL, luck.choice(flow.members()[1:]))  # the first one supervises the others
        killed_at = time.monotonic()
        deployment.settle_by(deployment.flush_some(_PROBES, luck), _PATIENCE_SECONDS)
        return time.monotonic() - killed_at


@dataclass(frozen=True, slots=True)
class Restarts:
    """How much comes in, how fast (events a second), and with how many processes the flow runs, one after the other."""

    volume: Volume
    rate: float
    processes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rescaled:
    """The flow is stopped and started with another number of processes while conversations are open."""

    plans: Mapping[Size, Restarts] = field(
        default_factory=lambda: {
            Size.SHORT: Restarts(Volume(160, 8), 20, (1, 2, 1)),
            Size.LONG: Restarts(Volume(20_000, 400), 100, (1, *(2, 4, 1) * 3, 2)),
        }
    )
    name: str = "rescaled"
    needs: frozenset[Need] = frozenset()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """No conversation is cut by it: the episodes are those of a run that never stopped."""
        plan = self.plans[size]
        with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
            deployment.start(plan.processes[0])
            deployment.flow.until_reading()
            for number, processes in enumerate(plan.processes[1:]):
                deployment.until_stored(plan.volume.messages * (number + 1) // (len(plan.processes) + 1))
                deployment.restart(processes)
                deployment.flow.until_reading()
        verification = judged(deployment, against_undisturbed=True)
        figures: dict[str, Figure] = {"restarts": len(plan.processes) - 1, "processes": "-".join(map(str, plan.processes))}
        return ScenarioResult(verification, figures)
