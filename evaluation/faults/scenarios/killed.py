"""SIGKILL of the flow: at random moments, and while its recovery store is being written."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Need, ScenarioResult, Size, judged
from evaluation.faults.texts import Volume

_LONGEST_AFTER_SECONDS = 2.5  # an epoch takes one: a kill falls anywhere between two snapshots
_IN_RESUME = 0.25  # of the kills come while the flow resumes from the one before
_WATCH_SECONDS = 0.0005
_RESUMES_WITHIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Kills:
    """How much comes in, how fast (events a second; 0: as fast as it goes), and how often it is killed meanwhile."""

    volume: Volume
    kills: int
    rate: float = 0.0


@dataclass(frozen=True, slots=True)
class Killed:
    """The flow is killed at random moments of its progress, some of them while it resumes from the kill before."""

    plans: Mapping[Size, Kills] = field(
        default_factory=lambda: {
            Size.SHORT: Kills(Volume(240, 10, flushes=5), 2, rate=30),
            Size.LONG: Kills(Volume(100_000, 2000, flushes=500), 20),
        }
    )
    name: str = "killed"
    needs: frozenset[Need] = frozenset()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Everything once, as in an undisturbed run."""
        plan, luck = self.plans[size], random.Random(seed)
        moments = sorted(luck.sample(range(plan.volume.messages), plan.kills))
        started = time.monotonic()
        with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
            deployment.start()
            for moment in moments:
                deployment.until_stored(moment)
                if luck.random() > _IN_RESUME:
                    deployment.flow.until_reading()
                time.sleep(luck.uniform(0, _LONGEST_AFTER_SECONDS))
                deployment.flow.kill()
                deployment.start()
        verification = judged(deployment, against_undisturbed=True)
        return ScenarioResult(verification, {"kills": plan.kills, "stream_seconds": round(time.monotonic() - started, 1)})


@dataclass(frozen=True, slots=True)
class KilledInSnapshot:
    """The flow is killed the moment its recovery store grows: with a snapshot half written."""

    plans: Mapping[Size, Kills] = field(
        default_factory=lambda: {
            Size.SHORT: Kills(Volume(160, 8), 2),
            Size.LONG: Kills(Volume(20_000, 400), 20),
        }
    )
    name: str = "killed-in-snapshot"
    needs: frozenset[Need] = frozenset()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """It resumes every time, and nothing is lost or doubled."""
        plan, luck = self.plans[size], random.Random(seed)
        resumed = []
        with deployment.publishing(deployment.traffic(plan.volume, seed)):
            deployment.start()
            _until_it_grows(deployment)
            for _ in range(plan.kills):
                time.sleep(luck.uniform(0, 1))
                _until_it_grows(deployment)
                time.sleep(luck.uniform(0, 0.01))
                deployment.flow.kill()
                restarted = time.monotonic()
                deployment.start()
                _until_it_grows(deployment)
                resumed.append(time.monotonic() - restarted)
        verification = judged(deployment, against_undisturbed=size is Size.LONG)
        figures = {"kills": plan.kills, "resumed": len(resumed), "slowest_resume_seconds": round(max(resumed), 1)}
        return ScenarioResult(verification, figures)


def _until_it_grows(deployment: Deployment) -> None:
    """Wait until the next write to the recovery store.

    Raises:
        StoreError: the flow ended, or wrote nothing.
    """
    epochs = deployment.settings.data / "recovery" / "kafka" / "epochs"
    before = _written(epochs)
    deployment.flow.until(lambda: _written(epochs) != before, _RESUMES_WITHIN_SECONDS, poll=_WATCH_SECONDS)


def _written(epochs: Path) -> dict[str, tuple[int, int]]:
    """Size and time of the files that SQLite writes first."""
    found = {}
    for log in epochs.glob("*-wal"):
        try:
            status = log.stat()
        except FileNotFoundError:  # checkpointed away meanwhile
            continue
        found[log.name] = status.st_size, status.st_mtime_ns
    return found
