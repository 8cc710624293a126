"""What goes on beside a scenario ends with it, and its failures are heard."""

import threading
import time

import pytest

from evaluation.faults.background import Background, Sampling
from mneme.errors import StoreUnavailable


def sampled(memory: list[int], at: list[float]) -> Sampling:
    sampling = Sampling(lambda: 0, lambda: 0, lambda: 0, 1.0)
    sampling.memory, sampling.at = memory, at
    return sampling


def test_the_slope_is_that_of_the_line_through_the_samples_after_the_warm_up() -> None:
    at = [float(second) for second in range(0, 3600, 60)]
    memory = [500_000_000 if second < 600 else 100_000_000 + int(second / 3600 * 12_000_000) for second in at]
    assert sampled(memory, at).slope_mb_per_hour(since=600) == pytest.approx(12, abs=0.1)
    assert sampled(memory, at).slope_mb_per_hour() < -100


def test_while_nothing_runs_nothing_is_counted() -> None:
    assert sampled([100_000_000, 0, 100_000_000, 100_000_000], [0.0, 1.0, 2.0, 3.0]).slope_mb_per_hour() == 0
    assert sampled([1_000_000, 9_000_000, 2_000_000], [0.0, 1.0, 2.0]).peak_mb(since=1.5) == 2


def test_samples_are_taken_until_the_end_of_the_block() -> None:
    with Sampling(lambda: 7, lambda: 3, lambda: 5, 0.01) as sampling:
        time.sleep(0.3)
    assert len(sampling.at) == len(sampling.memory) == len(sampling.lag) == len(sampling.store) > 1
    assert sampling.is_done


def test_a_publisher_that_fails_is_heard_at_the_end_of_the_block() -> None:
    def fails(stop: threading.Event) -> int:
        raise StoreUnavailable("no broker")

    with pytest.raises(StoreUnavailable, match="no broker"), Background(fails, ends_by_itself=True):
        pass


def test_a_publisher_is_told_to_stop_when_the_block_fails() -> None:
    def publishes(stop: threading.Event) -> int:
        stop.wait(60)
        return 5

    publishing = Background(publishes, ends_by_itself=True)
    with pytest.raises(ValueError, match="the scenario"), publishing:
        raise ValueError("the scenario")
    assert publishing.result() == 5
