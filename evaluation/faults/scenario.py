"""A scenario, one play of it, and its result."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum

from evaluation.faults.background import Background
from evaluation.faults.deployment import Deployment, Server
from evaluation.faults.texts import Volume
from evaluation.faults.verifier import KINDS, Verification, verify

Figure = str | float | int

_BEGINS_WITHIN_SECONDS = 300.0
_ANSWERED_WITHIN_SECONDS = 300.0  # without any progress
_PROBES = 12  # conversations, in buckets of all processes


class Size(StrEnum):
    """The length of a scenario: seconds, in every run of the tests; or as long as its bar asks."""

    SHORT = "short"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of a scenario.

    ``verification`` judges the memory at its end, ``figures`` are what was measured, ``missed`` names each bar of its own
    that was not reached.
    """

    verification: Verification
    figures: Mapping[str, Figure] = field(default_factory=dict)
    missed: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if nothing is wrong with the memory and every bar was reached."""
        return self.verification.sound and not self.missed

    def row(self, name: str) -> dict[str, Figure]:
        """The row of a report."""
        verification = self.verification
        counts = {"messages": verification.messages, "episodes": verification.episodes, "records": verification.records}
        wrong = {kind: getattr(verification, kind) for kind in KINDS}
        return {"method": name, **counts, **wrong, **self.figures, "passed": "yes" if self.passed else "no"}


@dataclass(frozen=True, slots=True)
class Plan:
    """Messages that come in, at ``rate`` events a second (0: as fast as it goes), and the harm meanwhile.

    ``times``: how often it happens; ``every_seconds``: or after how many seconds each. ``seconds``: how long it lasts, or for a
    soak how long all takes. ``processes``: of the flow, one number after the other.
    """

    volume: Volume
    times: int = 0
    rate: float = 0.0
    seconds: float = 0.0
    every_seconds: float = 0.0
    processes: tuple[int, ...] = (1,)


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a scenario. The deployment is new and empty, its flow is not running; ``rng`` makes all random choices."""

    deployment: Deployment
    plan: Plan
    rng: random.Random
    seed: int
    size: Size

    @property
    def is_long(self) -> bool:
        """True in the long form. Seconds and memory are judged there only: in the tests other things run beside it."""
        return self.size is Size.LONG

    def server(self, name: str) -> Server:
        """A server that may be harmed."""
        server: Server = getattr(self.deployment.servers, name)
        return server

    def traffic(self) -> AbstractContextManager[Background]:
        """Send the messages of the plan beside what the scenario does; leaving the context waits until all are sent."""
        return self.deployment.publishing(self.deployment.traffic(self.plan.volume, self.seed), self.plan.rate)

    def start(self) -> None:
        """Start the flow, and wait until it reads."""
        self.deployment.start(self.plan.processes[0])
        self.deployment.flow.until_reading(_BEGINS_WITHIN_SECONDS)

    def moments(self, count: int, most_seconds: float = 0.0) -> Iterator[int]:
        """Wait for each moment of harm: so many, spread over the messages that are stored, each up to so many seconds later."""
        for number in range(count):
            self.deployment.until_stored(self.plan.volume.messages * (number + 1) // (count + 2))
            if most_seconds:
                time.sleep(self.rng.uniform(0, most_seconds))
            yield number

    def seconds_until_answered(self) -> float:
        """Flush some conversations, of all processes, and wait for the answers to what was sent now."""
        started = time.monotonic()
        self.deployment.wait_for_markers(self.deployment.flush_some(_PROBES, self.rng), _ANSWERED_WITHIN_SECONDS)
        return time.monotonic() - started

    def judged(self, against_undisturbed: bool) -> Verification:
        """The end of a scenario: drain, stop the flow in order, verify; also against an undisturbed run, if so wanted.

        Raises:
            StoreError: the flow did not get to the end or did not stop.
        """
        self.deployment.drain()
        self.deployment.stop()
        return verify(self.deployment.settings, self.deployment.run_undisturbed() if against_undisturbed else None)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Something bad that happens to a running flow.

    ``play`` publishes, starts the flow, does harm, and judges, by the plan of a size. ``needs`` are the servers that it harms
    beside the flow itself: it runs only where they are handed over (``Deployment.servers``). ``name`` names it in reports and
    for ``--only``.
    """

    name: str
    play: Callable[[Play], ScenarioResult]
    short: Plan
    long: Plan
    needs: tuple[str, ...] = ()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Play it.

        Raises:
            StoreError: the flow did not get through; with the end of its log.
        """
        plan = self.long if size is Size.LONG else self.short
        return self.play(Play(deployment, plan, random.Random(seed), seed, size))
