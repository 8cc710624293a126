"""The dashboard and the alerts ask for metrics that there are; the page of metrics tells all of them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from connectors.telemetry.metrics import REGISTRY
from tests.docs.settings_page import metrics_table

ROOT = Path(__file__).parents[2]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/mneme.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
ALERTS = [
    rule for group in yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text())["groups"] for rule in group["rules"]
]
FAMILIES = {family.name: family for family in REGISTRY.collect() if family.name.startswith("mneme_")}
LABELS = {
    f"mneme_{metric}": set(labels)
    for metric, labels in re.findall(r"^\| `mneme_(\w+)` \| \w+ \| (.*?) \|", metrics_table(), flags=re.M)
    for labels in [re.findall(r"`(\w+)`", labels)]
}
OF_PROMETHEUS = {"job", "instance", "le"}


def metrics_of(expression: str) -> set[str]:
    """The names of the metrics that an expression asks for, as they stand in the table."""
    names = re.findall(r"\bmneme_\w+", expression)
    return {re.sub(r"_(bucket|count|sum)$", "", name) for name in names}


def labels_of(expression: str) -> set[str]:
    """The labels that an expression chooses or groups by."""
    chosen = re.findall(r"[{,]\s*(\w+)\s*[=!]~?", expression)
    grouped = [name.strip() for names in re.findall(r"\bby \(([^)]*)\)", expression) for name in names.split(",")]
    return {*chosen, *grouped} - OF_PROMETHEUS


def test_the_page_of_metrics_is_current():
    assert metrics_table() in (ROOT / "docs/observability.md").read_text(), "copy metrics_table()"


def test_every_metric_has_a_row():
    assert {name.removesuffix("_total") for name in LABELS} == set(FAMILIES)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_has_a_title_a_unit_and_asks_for_what_there_is(panel: dict[str, Any]):
    assert panel["title"]
    assert panel["description"]
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["targets"]
    for target in panel["targets"]:
        asked = metrics_of(target["expr"])
        assert asked
        assert asked <= set(LABELS), target["expr"]
        assert labels_of(target["expr"]) <= set().union(*(LABELS[name] for name in asked)), target["expr"]
        assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels_of(target["expr"]), target["legendFormat"]


def test_panels_do_not_lie_on_one_another_and_have_ids_of_their_own():
    everything = DASHBOARD["panels"]
    assert len({panel["id"] for panel in everything}) == len(everything)
    cells = [
        (x, y)
        for panel in everything
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_every_metric_is_on_the_dashboard():
    shown = {name for panel in PANELS for target in panel["targets"] for name in metrics_of(target["expr"])}
    assert set(LABELS) - shown == set()


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_asks_for_what_there_is_and_says_what_to_do(rule: dict[str, Any]):
    asked = metrics_of(rule["expr"])
    assert asked <= set(LABELS)
    assert asked or rule["expr"].startswith("up{")
    assert labels_of(rule["expr"]) <= set().union(*(LABELS[name] for name in asked))
    assert rule["labels"]["severity"] in ("warning", "critical")
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"]
    told = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    assert told <= labels_of(rule["expr"]) | OF_PROMETHEUS
