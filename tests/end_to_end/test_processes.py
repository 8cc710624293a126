"""Several processes as one unit: killed, stopped, rescaled and refused, on real servers."""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.publisher import Publisher
from flows import ingest
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import EmbedderSettings, Kafka, OpenSearch, Settings
from tests.end_to_end.flow_process import FlowProcess, settings_for
from tests.end_to_end.test_kafka_to_opensearch import CONVERSATIONS, everything, flush_all, flushed, messages
from tests.servers.isolated import isolated_kafka

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE = 240.0  # seconds; each process alone needs some 3 s of a processor to begin


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> Settings:
    create_topics(kafka_settings)
    base = settings_for(tmp_path / "kafka", kafka_settings, opensearch_settings)
    # A hold-back longer than a stop: what waits in it, and what is open, has to survive every stop.
    boundaries = base.boundaries.model_copy(update={"hold_back_seconds": 20.0})
    return base.model_copy(update={"embedder": EmbedderSettings(provider="hash"), "boundaries": boundaries})


@pytest.fixture
def index(settings: Settings) -> Iterator[MemoryIndex]:
    index = open_index(settings)
    yield index
    index.close()


@pytest.fixture
def undisturbed(settings: Settings, tmp_path: Path) -> set[str]:
    """The ids that the same events give from files, in one process, in one go."""
    embedded = settings.index.model_copy(update={"backend": "embedded"})
    files = settings.model_copy(update={"data": tmp_path / "files", "index": embedded})
    ingest(CONVERSATIONS, files)
    index = open_index(files)
    try:
        return set(everything(index))
    finally:
        index.close()


def each_once(index: MemoryIndex) -> set[str]:
    """The ids in the index; no message lies in two episodes, and no id twice."""
    found = everything(index)
    assert max(found.values()) == 1, "an id lies in the index more than once"
    episodes = [row for row in index.scan(Collection.EPISODES) if row.conversation_id]
    by_message = Counter((row.conversation_id, identity) for row in episodes for identity in row.message_ids)
    assert set(by_message) == {(message.conversation_id, message.message_id) for message in messages()}
    assert set(by_message.values()) == {1}, "a message lies in two episodes"
    return set(found)


def stored(index: MemoryIndex) -> int:
    index.refresh()
    return index.count(Collection.MESSAGES)


def test_when_one_is_killed_all_begin_again_and_nothing_is_lost(
    settings: Settings, index: MemoryIndex, undisturbed: set[str]
) -> None:
    published = messages()
    with Publisher(settings.kafka) as publisher, FlowProcess(settings, processes=2) as flow:
        flow.until(lambda: "Reading" in flow.log(), PATIENCE)
        publisher.send_many(published[: len(published) // 2])
        publisher.flush()
        flow.until(lambda: stored(index) > 0, PATIENCE)
        supervisor, first, second = flow.members()
        flow.signal(signal.SIGKILL, second)
        flow.until(lambda: "whole again" in flow.log(), PATIENCE)
        assert flow.members()[0] == supervisor
        assert not {first, second} & set(flow.members()), "a dataflow goes on with all of its processes or not at all"
        publisher.send_many(published[len(published) // 2 :])
        ids = flush_all(publisher)
        flow.until(flushed(index, ids), PATIENCE)
        assert flow.terminate(60) == 0, flow.log()
    assert each_once(index) == undisturbed


def test_stopped_and_started_with_another_number_of_processes_no_conversation_is_cut(
    settings: Settings, index: MemoryIndex, undisturbed: set[str]
) -> None:
    published = messages()
    quarter = len(published) // 4 + 1
    with Publisher(settings.kafka) as publisher:
        for round_number, processes in enumerate((1, 2, 4, 1)):
            with FlowProcess(settings, processes) as flow:
                publisher.send_many(published[round_number * quarter : (round_number + 1) * quarter])
                publisher.flush()
                wanted = min(len(published), (round_number + 1) * quarter)
                flow.until(lambda wanted=wanted: _stored_or_none(index) == wanted, PATIENCE)
                if wanted == len(published):
                    flow.until(flushed(index, flush_all(publisher)), PATIENCE)
                assert flow.terminate(60) == 0, flow.log()
    assert each_once(index) == undisturbed


def _stored_or_none(index: MemoryIndex) -> int | None:
    from mneme.errors import StoreError

    try:
        return stored(index)
    except StoreError:  # the flow has not made the index yet
        return None


def test_when_the_supervisor_is_killed_the_others_end_too(settings: Settings) -> None:
    with FlowProcess(settings, processes=2) as flow:
        flow.until(lambda: "Reading" in flow.log(), PATIENCE)
        _, *members = (psutil.Process(pid) for pid in flow.members())
        flow.signal(signal.SIGKILL)
        assert flow.wait() == -signal.SIGKILL
        _, alive = psutil.wait_procs(members, 20)
        assert not alive, "they would write beside those that are started next"
        flow.start()
        flow.until(lambda: flow.log().count("Reading") == 2, PATIENCE)
        assert flow.terminate(60) == 0, flow.log()


def test_an_error_that_would_come_again_ends_all_and_reaches_the_user(settings: Settings, index: MemoryIndex) -> None:
    with Publisher(settings.kafka) as publisher, FlowProcess(settings, processes=2) as flow:
        publisher.send_many(messages()[:20])
        publisher.flush()
        flow.until(lambda: _stored_or_none(index) == 20, PATIENCE)
        assert flow.terminate(60) == 0, flow.log()
    anew = isolated_kafka(settings.kafka.bootstrap_servers)  # topics that do not reach as far as the store says
    create_topics(anew)
    with FlowProcess(settings.model_copy(update={"kafka": anew}), processes=2) as flow:
        assert flow.wait(PATIENCE) == 1
        assert "no longer has" in flow.log(), flow.log()


def test_ctrl_c_reaches_every_process_and_stops_all_in_order(settings: Settings) -> None:
    with FlowProcess(settings, processes=2) as flow:
        flow.until(lambda: "Reading" in flow.log(), PATIENCE)
        members = [psutil.Process(pid) for pid in flow.members()]
        started = time.monotonic()
        for member in members:
            member.send_signal(signal.SIGINT)
        assert flow.wait(60) == 0, flow.log()
        assert time.monotonic() - started < 25
        assert "Stopped" in flow.log()
        assert "Traceback" not in flow.log()
        assert not any(member.is_running() for member in members)
