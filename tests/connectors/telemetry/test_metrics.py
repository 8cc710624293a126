"""The metrics themselves: their names, and that their labels stay few."""

import re

import pytest
from prometheus_client import Counter, Gauge, Histogram

from connectors.telemetry import metrics

METRICS = [each for each in vars(metrics).values() if isinstance(each, Counter | Gauge | Histogram)]
ALLOWED = {
    "lane", "partition", "step", "kind", "stage", "role", "model", "tenant", "outcome", "direction", "purpose", "result",
    "method", "writer", "route", "status", "endpoint", "reason",
}  # fmt: skip


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric._name)
def test_a_metric_is_named_explained_and_of_few_labels(metric: Counter | Gauge | Histogram):
    (family,) = metric.describe()
    assert re.fullmatch(r"mneme_[a-z_]+", family.name)
    assert len(family.documentation) > 15
    assert set(metric._labelnames) <= ALLOWED  # never an owner, a conversation or an id
    if family.type == "histogram":
        assert family.name.endswith(("_seconds", "_writes", "_texts", "_results"))


def test_only_the_first_tenants_have_a_label(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(metrics, "_tenants", set())
    labels = [metrics.tenant_label(f"tenant-{number}") for number in range(1000)]
    assert len(set(labels)) == metrics._TENANTS + 1
    assert labels[-1] == metrics.OTHER
    assert metrics.tenant_label("tenant-0") == "tenant-0"
