"""Queues: the simulation agrees with the formulas where they are exact, and lanes keep their order."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from evaluation.capacity.fit import Coefficient, Coefficients
from evaluation.capacity.points import Quantity
from evaluation.capacity.queueing import erlang_c, seconds_to_drain, waiting_many, waiting_one
from evaluation.capacity.scenarios import compare, scenarios
from evaluation.capacity.simulate import HOT, Arrival, Costs, burst, constant, exponential, poisson, simulate, spread

COSTS = Costs(constant(0.001), constant(0.0), constant(0.0), calls=4, episode=1)
FITTED = Coefficients("2026-11-22", {}, {Quantity.FLOW_MS: Coefficient(10.0, 0.0, None, 1, 1, 1)})


def test_waiting_before_one_server_is_that_of_textbooks() -> None:
    assert waiting_one(0.5, 1.0, variation=1.0) == pytest.approx(1.0)  # M/M/1: busy / (1 - busy) * service
    assert waiting_one(0.5, 1.0, variation=0.0) == pytest.approx(0.5)  # M/D/1: half of it
    assert waiting_one(1.0, 1.0, variation=1.0) == float("inf")


def test_waiting_before_several_servers_is_that_of_textbooks() -> None:
    assert erlang_c(2.0, 3) == pytest.approx(4 / 9)
    assert waiting_many(0.5, 1.0, 1, 1.0) == pytest.approx(waiting_one(0.5, 1.0, 1.0))
    assert waiting_many(3.0, 1.0, 3, 1.0) == float("inf")


def test_a_burst_drains_at_what_is_left_of_the_capacity() -> None:
    assert seconds_to_drain(100, rate=5, capacity=10) == 20
    assert seconds_to_drain(100, rate=10, capacity=10) == float("inf")


@pytest.mark.parametrize("busy", [0.5, 0.8])
def test_the_simulated_worker_waits_as_the_formula_says(busy: float) -> None:
    costs = replace(COSTS, worker=exponential(1.0), episode=1000)
    run = simulate(poisson(busy, 40_000, spread(50)), costs)
    assert fmean(run.worker_waits) == pytest.approx(waiting_one(busy, 1.0, 1.0), rel=0.12)


def test_a_conversation_has_one_call_at_a_time_and_others_pass_it() -> None:
    costs = replace(COSTS, extract=constant(1.0))
    endless = [Arrival(0.0, HOT, HOT) for _ in range(10)]
    alone = simulate(endless, costs)
    assert alone.ended == pytest.approx(10.0, rel=0.01)
    beside = simulate([*endless, *(Arrival(0.0, talk, talk) for talk in range(10))], costs)
    assert beside.ended < 14
    assert sorted(beside.delays)[9] < 5


def test_an_owner_has_one_job_at_a_time_of_many_episodes() -> None:
    costs = replace(COSTS, reconcile=constant(0.1))
    run = simulate([Arrival(0.0, talk, HOT) for talk in range(100)], costs)
    assert run.ended == pytest.approx(10.0, rel=0.01)
    assert len(run.hot_times) == 100
    assert simulate([Arrival(0.0, talk, talk) for talk in range(100)], costs).ended < 1.0


def test_every_episode_is_done() -> None:
    run = simulate(burst(1000, spread(10, hot_owner=0.5, endless_talk=0.2)), COSTS)
    assert len(run.delays) == 1000


def test_scenarios_are_predicted_within_a_third() -> None:
    outcomes = scenarios(FITTED, messages=20_000)
    assert len({outcome.scenario for outcome in outcomes}) == len(outcomes) >= 9
    steady = [outcome for outcome in outcomes if outcome.scenario.startswith(("steady, 5", "steady, 8", "burst", "endless"))]
    assert all(abs(float(outcome.row()["error"])) < 1 / 3 for outcome in steady)


def test_a_burst_is_predicted_from_the_other_bursts() -> None:
    rows = compare([("a.json", 1000, 10.0, 8.0), ("b.json", 2000, 16.0, 9.0)])
    assert [row["predicted"] for row in rows] == [pytest.approx(9.0), pytest.approx(16.0)]
    assert compare([("a.json", 1000, 10.0, 8.0)]) == []


def test_the_benchmark_writes_its_report_and_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluation.capacity import scenarios as module

    monkeypatch.setattr(module, "_MESSAGES", 2000)
    out = tmp_path / "queueing.json"
    report = module.run_queueing(out)
    assert report.headline["scenarios"] == len(report.rows)
    assert out.exists()
    assert out.with_suffix(".png").exists()
