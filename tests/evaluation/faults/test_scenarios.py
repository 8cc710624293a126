"""The soak kills the flow as often as it is to, and judges how its memory grows."""

import random
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.faults import scenario
from evaluation.faults.background import Sampling
from evaluation.faults.scenario import Play, Size
from evaluation.faults.scenarios import SCENARIOS
from evaluation.faults.verifier import Verification

HOUR = [float(second) for second in range(0, 3600, 60)]


class Flow:
    """A deployment that only counts what is done to it; its memory grows by so many MB an hour."""

    def __init__(self, growth: float) -> None:
        self.kills = self.starts = 0
        self.flow, self.settings, self._growth = self, None, growth

    def start(self) -> None:
        self.starts += 1

    def kill(self) -> None:
        self.kills += 1

    def traffic(self, *_: object) -> tuple[()]:
        return ()

    drain = stop = traffic

    @contextmanager
    def publishing(self, *_: object) -> Any:
        waits = iter((False, False, True))
        producer: Any = SimpleNamespace(is_done=False, wait=lambda seconds: setattr(producer, "is_done", next(waits)))
        yield producer

    @contextmanager
    def sampling(self, *_: object) -> Any:
        seen = Sampling(lambda: 0, lambda: 0, lambda: 0, 1.0)
        seen.at, seen.memory = HOUR, [100_000_000 + int(at / 3600 * self._growth * 1e6) for at in HOUR]
        seen.lag, seen.store = [1, 3], [4_000_000, 2_000_000]
        yield seen


@pytest.mark.parametrize(("name", "kills"), [("soak", 0), ("soak-with-kills", 2)])
@pytest.mark.parametrize(("growth", "is_steady"), [(5.0, True), (40.0, False)])
def test_a_soak_kills_as_often_as_it_is_to_and_without_kills_its_memory_is_steady(
    name: str, kills: int, growth: float, is_steady: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scenario, "verify", lambda settings, undisturbed: Verification(messages=9))
    [soak] = [each for each in SCENARIOS if each.name == name]
    flow: Any = Flow(growth)
    result = soak.play(Play(flow, soak.long, random.Random(1), 1, Size.LONG))
    assert (flow.kills, flow.starts, result.figures["kills"]) == (kills, kills + 1, kills)
    assert (result.figures["most_lag"], result.figures["largest_store_mb"]) == (3, 4.0)
    assert result.passed is (is_steady or kills > 0)
