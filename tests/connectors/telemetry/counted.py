"""What a metric counted while a block ran: other tests of the process count too."""

from collections.abc import Iterator
from contextlib import contextmanager

from connectors.telemetry.metrics import REGISTRY


class Grown:
    """How much samples grew since the block began."""

    def __init__(self) -> None:
        self._before = _samples()

    def __call__(self, name: str, **labels: str) -> float:
        return _samples().get(_key(name, labels), 0.0) - self._before.get(_key(name, labels), 0.0)


@contextmanager
def counted() -> Iterator[Grown]:
    yield Grown()


def _key(name: str, labels: dict[str, str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    return f"mneme_{name}", tuple(sorted(labels.items()))


def _samples() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
    }
