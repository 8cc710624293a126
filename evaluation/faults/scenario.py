"""The interface of a scenario, and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from evaluation.faults.checks import KINDS
from evaluation.faults.deployment import Deployment
from evaluation.faults.verifier import Verification, verify

Figure = str | float | int


class Size(StrEnum):
    """The length of a scenario: seconds, in every run of the tests; or as long as its bar asks."""

    SHORT = "short"
    LONG = "long"


class Need(StrEnum):
    """The servers that a scenario harms: it runs only where that is handed over (``Deployment.servers``)."""

    BROKER = "broker"
    INDEX = "index"
    JOBMANAGER = "jobmanager"
    TASKMANAGER = "taskmanager"


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


def judged(deployment: Deployment, against_undisturbed: bool) -> Verification:
    """The end of a scenario: settle, stop the flow in order, verify; also against an undisturbed run, if so wanted.

    Raises:
        StoreError: the flow did not settle or did not stop.
    """
    deployment.drain()
    deployment.stop()
    return verify(deployment.settings, deployment.run_undisturbed() if against_undisturbed else None)


class Scenario(Protocol):
    """Something bad that happens to a running flow.

    The deployment is new and empty, its flow is not running. The scenario publishes, starts the flow, does harm, settles
    (``Deployment.drain``), stops the flow, and verifies. All random choices come from ``seed``.
    """

    @property
    def name(self) -> str:
        """Names it in reports and for ``--only``."""

    @property
    def needs(self) -> frozenset[Need]:
        """The servers that it harms beside the flow itself."""

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """Play it.

        Raises:
            StoreError: the flow did not get through; with the end of its log.
        """
