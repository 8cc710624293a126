"""What the flow looked like lately: counts of the index, its lag and what models cost, as often as somebody looks."""

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from mneme.errors import MnemeError
from mneme.rows import Collection
from serving.service.health import Health
from serving.service.service import Service

AT_MOST_EVERY = 1.5  # seconds: several who look share a sample
_KEPT = 240


@dataclass(frozen=True, slots=True)
class Sample:
    """One look. ``at`` is of the monotonic clock, in seconds; ``counts`` is None where the index did not answer.

    ``models`` are calls and tokens by model, of this process and of the flow that it started.
    """

    at: float
    health: Health
    counts: Mapping[Collection, int] | None
    models: Mapping[str, tuple[float, float]]


class Samples:
    """The latest samples of a service, the newest last. Safe for several threads."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._kept: deque[Sample] = deque(maxlen=_KEPT)

    def look(self) -> tuple[Sample, ...]:
        """All samples, with a new one if the last is old."""
        with self._lock:
            now = time.monotonic()
            if not self._kept or now - self._kept[-1].at >= AT_MOST_EVERY:
                self._kept.append(self._sample())
            return tuple(self._kept)

    def _sample(self) -> Sample:
        try:
            counts: Mapping[Collection, int] | None = self._service.counts()
        except MnemeError:
            counts = None  # the health says why
        return Sample(time.monotonic(), self._service.health(), counts, _models())


def rates(samples: tuple[Sample, ...]) -> list[tuple[float, float]]:
    """Messages that became searchable a second, between a sample and the next: (seconds before the last sample, rate)."""
    counted = [(each.at, each.counts[Collection.MESSAGES]) for each in samples if each.counts is not None]
    return [
        (counted[-1][0] - at, max(0.0, (count - before) / (at - earlier)))
        for (earlier, before), (at, count) in pairwise(counted)
        if at > earlier
    ]


def _models() -> dict[str, tuple[float, float]]:
    from prometheus_client.parser import text_string_to_metric_families

    from connectors.telemetry.exposition import exposition

    found: dict[str, tuple[float, float]] = {}
    for family in text_string_to_metric_families(exposition().decode()):
        if family.name in ("mneme_model_calls", "mneme_model_tokens"):
            for sample in family.samples:
                if sample.name.endswith("_total"):
                    name = f"{sample.labels.get('model', '')} for {sample.labels.get('role', '')}"
                    calls, tokens = found.get(name, (0.0, 0.0))
                    is_call = family.name == "mneme_model_calls"
                    found[name] = (calls + sample.value, tokens) if is_call else (calls, tokens + sample.value)
    return found
