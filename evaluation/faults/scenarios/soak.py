"""Steady traffic for an hour, with and without kills."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Need, ScenarioResult, Size, judged
from evaluation.faults.texts import Volume

_MOST_MB_PER_HOUR = 20.0
_WARM_UP = 0.25  # of the time: caches fill, the allocator finds its size


@dataclass(frozen=True, slots=True)
class Steady:
    """Events a second, for so many seconds, in so many conversations; killed each ``kill_every_seconds`` (0: never)."""

    rate: float
    seconds: float
    conversations: int
    kill_every_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Soak:
    """Steady traffic: nothing is lost or doubled, and without kills memory grows by less than 20 MB an hour after a warm-up.

    The slope is judged in the long form only; seconds tell nothing of hours.
    """

    plans: Mapping[Size, Steady] = field(
        default_factory=lambda: {Size.SHORT: Steady(40, 5, 8), Size.LONG: Steady(100, 3600, 4000)}
    )
    name: str = "soak"
    needs: frozenset[Need] = frozenset()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Everything once, at a flat memory."""
        plan, luck = self.plans[size], random.Random(seed)
        volume = Volume(int(plan.rate * plan.seconds), plan.conversations)
        kills = 0
        deployment.start()
        with deployment.sampling(1.0) as seen, deployment.publishing(deployment.traffic(volume, seed), plan.rate) as producer:
            while plan.kill_every_seconds and not producer.is_done:
                producer.wait(plan.kill_every_seconds * luck.uniform(0.8, 1.2))
                if not producer.is_done:
                    deployment.flow.kill()
                    deployment.start()
                    kills += 1
        verification = judged(deployment, against_undisturbed=False)
        slope = seen.slope_mb_per_hour(since=_WARM_UP * plan.seconds) if not plan.kill_every_seconds else 0.0
        figures = {
            "minutes": round(plan.seconds / 60, 1),
            "rate": plan.rate,
            "kills": kills,
            "most_lag": max(seen.lag, default=0),
            "peak_mb": round(seen.peak_mb(), 1),
            "mb_per_hour": round(slope, 1),
        }
        grows = f"memory grows by {slope:.0f} MB an hour; {_MOST_MB_PER_HOUR:.0f} is the most"
        return ScenarioResult(verification, figures, (grows,) if size is Size.LONG and slope > _MOST_MB_PER_HOUR else ())


SOAK_WITH_KILLS = Soak(
    {Size.SHORT: Steady(40, 6, 8, kill_every_seconds=4), Size.LONG: Steady(100, 3600, 4000, kill_every_seconds=300)},
    "soak-with-kills",
)
