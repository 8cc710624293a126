"""What is told of processes: their processor time and memory."""

import socket
import subprocess
import sys
import time

import psutil
import pytest

from evaluation.process_costs import measured_costs


def spend(seconds: float) -> None:
    """Use the processor for so long."""
    began = time.process_time()
    while time.process_time() - began < seconds:
        pass


def test_own_time_is_that_of_children_too_also_of_those_that_ended() -> None:
    program = "import time\nwhile time.process_time() < 0.5: pass\ntime.sleep(0.5)"
    with measured_costs({}) as costs:
        subprocess.run([sys.executable, "-c", program], check=True)
        spend(0.2)
    assert 0.65 <= costs.own_seconds < 5
    assert costs.peak_megabytes > psutil.Process().memory_info().rss / 1e6 / 2


def test_a_server_is_known_by_its_port_where_it_is_on_this_machine() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        here = f"127.0.0.1:{server.getsockname()[1]}"
        with measured_costs(
            {"here": here, "url": f"http://{here}", "elsewhere": "broker.example:9092", "none": "localhost:1"}
        ) as costs:
            spend(0.2)
    assert costs.server_seconds["here"] == pytest.approx(costs.own_seconds, abs=0.15)
    assert costs.server_seconds["url"] == pytest.approx(costs.own_seconds, abs=0.15)
    assert costs.server_seconds["elsewhere"] is costs.server_seconds["none"] is None
