"""The capacity model: what a load needs, from measured costs."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.capacity import Assumptions, Costs, Load, Measured, Need, capacity, needs, read_costs
from mneme.errors import InputError

LOAD = Load(messages=1000, facts=1e8, searches=100)
ASSUMED = Assumptions()
BASES = {
    "flow_ms": 9.0,
    "embedder_ms": 6.0,
    "indexing_ms": 4.0,
    "kafka_ms": 1.0,
    "records": 2.0,
    "facts": 1.0,
    "record_bytes": 4000.0,
    "flow_mb": 250.0,
    "search_index_ms": -10.0,
    "search_index_growth_ms": 10.0,
    "search_own_ms": 30.0,
    "open_store_bytes": 500.0,
}
COSTS = Costs(**BASES)


def amount(found: list[Need], part: str, unit: str) -> float:
    (value,) = [need.amount for need in found if (need.part, need.unit) == (part, unit)]
    return value


def test_a_search_grows_with_the_logarithm_of_the_facts() -> None:
    few = replace(LOAD, facts=1e6)  # in one shard
    assert amount(needs(few, COSTS, ASSUMED), "OpenSearch, searching", "processors") == pytest.approx(50.0 * 100 / 1000 / 0.6)


def test_processors_are_rates_times_costs_over_their_utilisation() -> None:
    found = needs(LOAD, COSTS, ASSUMED)
    assert amount(found, "flow", "processors") == pytest.approx(9.0 / 0.6)
    twice = needs(replace(LOAD, messages=2000), COSTS, ASSUMED)
    assert amount(twice, "flow", "processors") == pytest.approx(2 * amount(found, "flow", "processors"))


def test_disk_is_what_all_facts_take_with_everything_beside_them() -> None:
    found = needs(LOAD, COSTS, ASSUMED)
    # 2 records a fact, 4,000 bytes each, 2 copies, half as much again for merges
    assert amount(found, "OpenSearch", "GB of disk") == pytest.approx(2 * 1e8 * 4000 * 2 * 1.5 / 1e9)
    assert amount(found, "OpenSearch", "shards") == 27


def test_a_model_costs_its_tokens_and_calls_by_littles_law() -> None:
    load = replace(LOAD, tokens=(300.0, 50.0), calls=0.2, prices=(1.0, 4.0))
    found = needs(load, COSTS, replace(ASSUMED, call_seconds=2.0))
    assert amount(found, "chat model", "calls in flight") == pytest.approx(400)
    assert amount(found, "chat model", "dollars a day") == pytest.approx(86.4 * (300 + 200))


def test_without_a_model_nothing_is_said_of_one() -> None:
    assert "chat model" not in {need.part for need in needs(LOAD, COSTS, ASSUMED)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("{}", "date: Field required"),
        ('{"date": "x", "machine": {}, "costs": {}}', r"costs\.flow_ms: Field required"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_costs(path)


def test_costs_of_another_machine_answer(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text(Measured(date="2026-11-22", machine={"processors": 2}, costs=COSTS).model_dump_json())
    found = capacity(Console(file=StringIO()), messages=1000, facts="100M", tenants=10_000, measured=own)
    assert amount(found, "flow", "processors") == pytest.approx(9.0 / 0.6)


def test_the_shipped_costs_answer_as_the_documentation_prints_them() -> None:
    said = StringIO()
    found = capacity(Console(file=said, width=200), messages=1000, facts="100M", tenants=10_000)
    assert amount(found, "flow", "processors") == pytest.approx(2.4, abs=0.05)
    assert amount(found, "OpenSearch, searching", "processors") == pytest.approx(4.8, abs=0.05)
    assert amount(found, "OpenSearch", "shards") == 73
    assert "1,000 messages/s" in said.getvalue()
    assert "Assumed: " in said.getvalue()


def test_flink_takes_more_of_a_message_than_the_flow_alone_where_that_was_measured() -> None:
    on_flink = COSTS.model_copy(update={"flink_ms": 66.0})
    assert amount(needs(LOAD, on_flink, ASSUMED), "flow, on Flink more", "processors") == pytest.approx(66.0 / 0.6)
    # 9 + 6 milliseconds of the flow and its embedder are 25 processors, and 110 more are 8.4 machines of 16.
    assert [amount(needs(LOAD, costs, ASSUMED), "flow", "machines") for costs in (COSTS, on_flink)] == [2, 9]
