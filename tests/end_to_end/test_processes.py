"""Several processes as one unit: stopped and refused, on real servers. Kills and rescaling: tests/faults/test_short.py."""

import signal
import time

import psutil
import pytest

from connectors.kafka.client import create_topics
from connectors.publisher import Publisher
from mneme.ports import MemoryIndex
from mneme.settings import Settings
from tests.end_to_end.flow_process import FlowProcess, FlowThread, said, stored
from tests.servers.isolated import isolated_kafka

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

PATIENCE = 240.0  # seconds; each process alone needs some 3 s of a processor to begin


def test_all_processes_end_when_their_supervisor_is_killed_and_stop_in_order_at_ctrl_c(settings: Settings) -> None:
    with FlowProcess(settings, processes=2) as flow:
        flow.until(lambda: "Reading" in flow.log(), PATIENCE)
        _, *members = (psutil.Process(pid) for pid in flow.members())
        flow.signal(signal.SIGKILL)
        assert flow.wait() == -signal.SIGKILL
        _, alive = psutil.wait_procs(members, 20)
        assert not alive, "they would write beside those that are started next"

        flow.start()
        flow.until(lambda: flow.log().count("Reading") == 2, PATIENCE)
        members = [psutil.Process(pid) for pid in flow.members()]
        started = time.monotonic()
        for member in members:
            member.send_signal(signal.SIGINT)
        assert flow.wait(60) == 0, flow.log()
        assert time.monotonic() - started < 25
        assert "Stopped" in flow.log()
        assert "Traceback" not in flow.log()
        assert not any(member.is_running() for member in members)


def test_an_error_that_would_come_again_ends_all_and_reaches_the_user(settings: Settings, index: MemoryIndex) -> None:
    with Publisher(settings.kafka) as publisher, FlowThread(settings) as flow:
        publisher.send_many(said("friends.jsonl")[:20])
        publisher.flush()
        flow.until(lambda: stored(index) == 20, PATIENCE)
    anew = isolated_kafka(settings.kafka.bootstrap_servers)  # topics that do not reach as far as the store says
    create_topics(anew)
    with FlowProcess(settings.model_copy(update={"kafka": anew}), processes=2) as flow:
        assert flow.wait(PATIENCE) == 1
        assert "no longer has" in flow.log(), flow.log()
