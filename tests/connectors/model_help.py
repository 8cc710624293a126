"""What the tests of model connectors share: a clock that is not waited for."""

from connectors.endpoints.backoff import Retries


class Clock:
    """Time that passes only by sleeping; ``slept`` has every wait."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def retries(
        self, count: int = 5, base_seconds: float = 2.0, deadline_seconds: float = 300.0, jitter: float = 1.0
    ) -> Retries:
        """Retries by this clock, whose jitter is always ``jitter`` (0 to 1)."""
        return Retries(count, base_seconds, deadline_seconds, lambda: self.now, self.sleep, lambda: jitter)
