"""What is shown: our metrics, and those of the processes that we started."""

import os
import subprocess
import sys
import urllib.request

import pytest
from prometheus_client import Metric
from prometheus_client.samples import Sample

from connectors.telemetry import metrics
from connectors.telemetry.exposition import (
    added_up,
    child_ended,
    child_environment,
    exposition,
    read_exposition,
    show_metrics,
)
from mneme.errors import SettingsError

CHILD = """
from connectors.telemetry import metrics
metrics.EVENTS.labels("made-up-lane").inc(3)
metrics.PENDING.set(5)
metrics.RAW_SECONDS.observe(0.3)
"""


def shown(name: str, **labels: str) -> float:
    found = [
        value for has, value in read_exposition(exposition().decode()).get(name, []) if labels.items() <= dict(has).items()
    ]
    return sum(found)


def run_child() -> int:
    child = subprocess.Popen([sys.executable, "-c", CHILD], env=os.environ | child_environment())
    assert child.wait(60) == 0
    return child.pid


def test_what_a_child_counted_stays_and_its_gauges_go():
    metrics.EVENTS.labels("made-up-lane").inc()
    pending, raw = shown("mneme_flow_pending_items"), shown("mneme_flow_raw_seconds_count")
    child = run_child()
    assert shown("mneme_flow_events_total", lane="made-up-lane") == 4
    assert shown("mneme_flow_pending_items") == pending + 5
    assert shown("mneme_flow_raw_seconds_count") == raw + 1
    child_ended(child)
    assert shown("mneme_flow_events_total", lane="made-up-lane") == 4
    assert shown("mneme_flow_pending_items") == pending


def test_a_family_is_told_once_and_a_sample_that_only_one_has_is_kept():
    ours, theirs = Metric("m", "help", "counter"), Metric("m", "help", "counter")
    ours.samples = [Sample("m_total", {"a": "1"}, 1.0)]
    theirs.samples = [Sample("m_total", {"a": "1"}, 2.0), Sample("m_total", {"a": "2"}, 4.0)]
    (whole,) = added_up([ours], [theirs])
    assert [(sample.labels["a"], sample.value) for sample in whole.samples] == [("1", 3.0), ("2", 4.0)]


def test_a_port_shows_them_and_one_that_is_taken_is_told():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    end = show_metrics("127.0.0.1", port)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            assert "mneme_flow_pending_items" in answer.read().decode()
        with pytest.raises(SettingsError, match="MNEME_TELEMETRY__METRICS_PORT"):
            show_metrics("127.0.0.1", port)
    finally:
        end()
