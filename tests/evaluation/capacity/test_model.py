"""The capacity model: points from benchmarks, coefficients with their error, and what a load needs of them."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.capacity.fit import SHIPPED, Coefficients, Point, Quantity, fit, fit_folder, points_in, read, run_fit_capacity
from evaluation.capacity.model import Assumptions, Load, Need, needs, run_capacity
from mneme.errors import InputError

LOAD = Load(messages=1000, facts=1e8, tenants=10_000, searches=100)
ASSUMED = Assumptions()


def scaling(messages: int, flow_ms: float, provider: str = "hash") -> dict[str, Any]:
    row = {"shape": "even", "messages": messages, "flow_ms": flow_ms, "opensearch_ms": 4.0, "kafka_ms": 1.0}
    row |= {"memory_mb": 250.0, "records": 2 * messages, "facts": messages, "store_mb": messages * 0.008, "messages/s": 90.0}
    rows = [row | {"way": "one process"}, row | {"way": "two processes", "flow_ms": flow_ms * 1.1}]
    return {"bench": "scaling", "settings": {"embedder": {"provider": provider, "quantize": "int8"}}, "rows": rows}


def query(facts: int, milliseconds: float) -> dict[str, Any]:
    row = {"method": "hybrid", "state": "warm", "p50_ms": milliseconds + 20, "outside_ms": 20.0, "cpu_ms": 30.0}
    return {"bench": "query", "settings": {"index": {"backend": "opensearch"}, "facts": facts}, "rows": [row]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    state = {"bench": "state", "rows": [{"run": "engine, all open", "conversations": 1000, "store_mb": 0.5}]}
    files = {
        "small": scaling(1000, 8.0),
        "large": scaling(4000, 9.0),
        "local": scaling(1000, 14.0, "local"),
        "q1": query(10_000, 30.0),
        "q2": query(100_000, 40.0),
        "state": state,
        "other": {"bench": "granularity", "rows": []},
        "list": [],
    }
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def amount(found: list[Need], part: str, unit: str) -> float:
    (value,) = [need.amount for need in found if (need.part, need.unit) == (part, unit)]
    return value


def test_points_are_read_from_the_benchmarks_that_tell_of_capacity(folder: Path) -> None:
    points = points_in(folder)
    values = {(point.quantity, point.size): point.value for point in points if point.source != "local.json"}
    assert values[Quantity.SEARCH_INDEX_MS, 10_000] == 30.0
    assert values[Quantity.RECORD_BYTES, 2000] == pytest.approx(4000.0)
    assert values[Quantity.EMBEDDER_MS, 1000] == pytest.approx(6.0), "what the local embedder adds to a run of the same size"
    assert values[Quantity.OPEN_STORE_BYTES, 1000] == pytest.approx(500.0)


def test_a_folder_without_such_benchmarks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InputError, match="mneme bench scaling"):
        points_in(tmp_path)


def test_a_cost_is_the_geometric_mean_and_its_error_that_of_leaving_one_out() -> None:
    points = [Point(Quantity.FLOW_MS, 1, value, "x") for value in (8.0, 2.0)]
    found = fit(points)[Quantity.FLOW_MS]
    assert found.at() == pytest.approx(4.0)
    assert found.error == pytest.approx((((2 / 8 - 1) ** 2 + (8 / 2 - 1) ** 2) / 2) ** 0.5)


def test_what_a_run_takes_to_warm_up_is_not_taken_for_a_message() -> None:
    points = [Point(Quantity.FLOW_MS, size, 5.0 + 2000 / size, "x") for size in (500, 1000, 4000)]
    found = fit(points)[Quantity.FLOW_MS]
    assert found.at() == pytest.approx(5.0, rel=1e-4)
    assert found.at(500) == pytest.approx(9.0)
    assert found.error == pytest.approx(0.0, abs=1e-6)


def test_of_one_point_no_error_is_told() -> None:
    assert fit([Point(Quantity.FLOW_MS, 1, 8.0, "x")])[Quantity.FLOW_MS].error is None


def test_a_search_grows_with_the_logarithm_of_the_facts(folder: Path) -> None:
    found = fit_folder(folder).of(Quantity.SEARCH_INDEX_MS)
    assert found.at(1_000_000) == pytest.approx(50.0)


def test_processors_are_rates_times_costs_over_their_utilisation(folder: Path) -> None:
    coefficients = fit_folder(folder)
    flow_ms = coefficients.of(Quantity.FLOW_MS).at()
    found = needs(LOAD, coefficients, ASSUMED)
    assert amount(found, "flow", "processors") == pytest.approx(flow_ms / 0.6)
    twice = needs(replace(LOAD, messages=2000), coefficients, ASSUMED)
    assert amount(twice, "flow", "processors") == pytest.approx(2 * amount(found, "flow", "processors"))


def test_disk_is_what_all_facts_take_with_everything_beside_them(folder: Path) -> None:
    found = needs(LOAD, fit_folder(folder), ASSUMED)
    # 2 records a fact, 4,000 bytes each, 2 copies, half as much again for merges
    assert amount(found, "OpenSearch", "GB of disk") == pytest.approx(2 * 1e8 * 4000 * 2 * 1.5 / 1e9)
    assert amount(found, "OpenSearch", "shards") == 27


def test_a_model_costs_its_tokens_and_calls_by_littles_law(folder: Path) -> None:
    load = replace(LOAD, extracts_by_model=True, tokens=(300.0, 50.0), calls=0.2, call_seconds=2.0, price_in=1.0, price_out=4.0)
    found = needs(load, fit_folder(folder), ASSUMED)
    assert amount(found, "chat model", "calls in flight") == pytest.approx(400)
    assert amount(found, "chat model", "dollars a day") == pytest.approx(86.4 * (300 + 200))


def test_what_was_not_measured_is_said_and_not_made_up(folder: Path) -> None:
    with pytest.raises(InputError, match="nothing tells"):
        needs(replace(LOAD, extracts_by_model=True), fit_folder(folder), ASSUMED)


def test_coefficients_are_kept_and_read_again(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "coefficients.json"
    written = run_fit_capacity(folder, out, Console(file=StringIO()))
    assert read(out) == written


def test_the_shipped_coefficients_answer() -> None:
    assert isinstance(read(SHIPPED), Coefficients)
    said = StringIO()
    found = run_capacity(LOAD, ASSUMED, console=Console(file=said, width=200))
    assert amount(found, "flow", "processors") > 1
    assert "1,000 messages/s" in said.getvalue()
    assert "Assumed: " in said.getvalue()
