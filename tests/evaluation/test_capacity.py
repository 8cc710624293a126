"""The capacity model: what a load needs, from measured costs."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.capacity import Assumptions, Cost, Costs, Load, Need, Quantity, needs, read_costs, run_capacity
from mneme.errors import InputError

LOAD = Load(messages=1000, facts=1e8, tenants=10_000, searches=100)
ASSUMED = Assumptions()
BASES = {
    Quantity.FLOW_MS: 9.0,
    Quantity.EMBEDDER_MS: 6.0,
    Quantity.INDEXING_MS: 4.0,
    Quantity.KAFKA_MS: 1.0,
    Quantity.RECORDS: 2.0,
    Quantity.FACTS: 1.0,
    Quantity.RECORD_BYTES: 4000.0,
    Quantity.FLOW_MB: 250.0,
    Quantity.SEARCH_OWN_MS: 30.0,
    Quantity.OPEN_STORE_BYTES: 500.0,
}
SEARCH = Cost(base=-10.0, growth=10.0, error=0.1, points=2, smallest=10_000, largest=100_000)
COSTS = Costs(
    date="2026-11-22",
    machine={"processors": 2},
    costs={name: Cost(base=base) for name, base in BASES.items()} | {Quantity.SEARCH_INDEX_MS: SEARCH},
)


def amount(found: list[Need], part: str, unit: str) -> float:
    (value,) = [need.amount for need in found if (need.part, need.unit) == (part, unit)]
    return value


def test_a_search_grows_with_the_logarithm_of_the_facts() -> None:
    assert SEARCH.at(1_000_000) == pytest.approx(50.0)


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
    load = replace(LOAD, extracts_by_model=True, tokens=(300.0, 50.0), calls=0.2, call_seconds=2.0, price_in=1.0, price_out=4.0)
    found = needs(load, COSTS, ASSUMED)
    assert amount(found, "chat model", "calls in flight") == pytest.approx(400)
    assert amount(found, "chat model", "dollars a day") == pytest.approx(86.4 * (300 + 200))


def test_what_was_not_measured_is_said_and_not_made_up() -> None:
    with pytest.raises(InputError, match="nothing tells"):
        needs(replace(LOAD, extracts_by_model=True), COSTS, ASSUMED)


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot be read"), ("{}", "date: Field required"), ('{"date": "x", "machine": {}, "costs": {"luck": {}}}', "luck")],
)
def test_a_file_of_another_form_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_costs(path)


def test_costs_of_another_machine_answer(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text(COSTS.model_dump_json())
    found = run_capacity(LOAD, ASSUMED, own, Console(file=StringIO()))
    assert amount(found, "flow", "processors") == pytest.approx(9.0 / 0.6)


def test_the_shipped_costs_answer_as_the_documentation_prints_them() -> None:
    said = StringIO()
    found = run_capacity(LOAD, ASSUMED, console=Console(file=said, width=200))
    assert amount(found, "flow", "processors") == pytest.approx(2.4, abs=0.05)
    assert amount(found, "OpenSearch, searching", "processors") == pytest.approx(4.8, abs=0.05)
    assert amount(found, "OpenSearch", "shards") == 73
    assert "1,000 messages/s" in said.getvalue()
    assert "Assumed: " in said.getvalue()
    assert "Beyond what was measured" in said.getvalue()


def test_flink_takes_more_of_a_message_than_the_flow_alone_where_that_was_measured() -> None:
    on_flink = COSTS.model_copy(update={"costs": {**COSTS.costs, Quantity.FLINK_MS: Cost(base=66.0)}})
    assert amount(needs(LOAD, on_flink, ASSUMED), "flow, on Flink more", "processors") == pytest.approx(66.0 / 0.6)
    # 9 + 6 milliseconds of the flow and its embedder are 25 processors, and 110 more are 8.4 machines of 16.
    assert [amount(needs(LOAD, costs, ASSUMED), "flow", "machines") for costs in (COSTS, on_flink)] == [2, 9]
