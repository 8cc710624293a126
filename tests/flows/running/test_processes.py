"""What a step does, and what is refused, where several processes run the flow."""

import tempfile
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from connectors.kafka import sinks
from flows import run
from flows.embed import EmbedLane
from flows.items import Arrived, FlushDone, Pause
from flows.lanes.pending import BACKLOGS, Backlogs, reset
from flows.lanes.services import Services
from flows.read import ReadLane
from flows.reconcile import ReconcileLane
from flows.running import kafka
from flows.running.open_services import SourcesAndSinks, _reading
from mneme.errors import SettingsError
from mneme.settings import Settings
from tests.flows.river import River, document
from tests.memory_index_reference import ReferenceIndex

FLUSH = Pause("default/talk", "flush", tenant_id="default", flush_id="f1", owner_key="default/user/ann")


def lane(processes: int, state: bytes | None = None) -> ReconcileLane:
    services = River(ReferenceIndex())._lanes[3]._services
    return ReconcileLane(replace(services, processes=processes), state)


def test_alone_a_flush_is_done_as_soon_as_all_before_it_is_handed_over() -> None:
    assert list(lane(1).on_batch([FLUSH])) == [FlushDone("default", "f1")]


def test_with_others_a_flush_waits_until_they_have_written_what_came_before() -> None:
    reconcile = lane(2)
    assert list(reconcile.on_batch([FLUSH])) == []
    for _ in range(2):
        assert reconcile.wake_at() is not None, "a step that sleeps does not hear of the end of an epoch"
        assert reconcile.unfinished == 1
        assert list(reconcile.poll()) == []
        reconcile.epoch_done()
    assert list(reconcile.poll()) == [FlushDone("default", "f1")]
    assert reconcile.wake_at() is None
    assert reconcile.unfinished == 0


def test_a_flush_that_waited_when_all_stopped_is_done_at_the_next_start() -> None:
    reconcile = lane(2)
    assert list(reconcile.on_batch([FLUSH])) == []
    again = lane(4, reconcile.snapshot())
    assert again.wake_at() is not None
    assert list(again.poll()) == [FlushDone("default", "f1")]


def services_of_each(processes: int, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> list[Services]:
    """Services of processes that inherited the same backlogs, with the endpoints that the flow from Kafka gives each."""
    descriptors = []
    for _ in range(BACKLOGS):
        file = tempfile.TemporaryFile()  # noqa: SIM115  closed by the stack
        descriptors.append(stack.enter_context(file).fileno())
        reset(descriptors[-1], processes)
    flow, run_process, settings = River(ReferenceIndex()), Mock(), Settings(_env_file=None)
    monkeypatch.setattr(kafka, "run_process", run_process)
    for name in ("KafkaDeadLetters", "KafkaChangeFeed"):
        monkeypatch.setattr(sinks, name, Mock())
    services = []
    for number in range(processes):
        backlogs = Backlogs.of(descriptors, processes, number)
        none = dict.fromkeys(("messages", "documents", "backfill"), ())
        kafka.stream(settings, Mock(), none, threading.Event(), Mock(), backlogs=backlogs)  # type: ignore[arg-type]
        ends = run_process.call_args.args[2]
        assert isinstance(ends, SourcesAndSinks)
        counted = _reading(settings, ends, stack)
        reading = replace(counted, reader=flow.reader, references=flow.folder, submit=flow._submit)
        services.append(replace(flow._lanes[0]._services, processes=processes, reading=reading))
    return services


def test_chunks_that_one_process_reads_and_another_takes_in_hold_up_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = "".join(f"== page {number} == Clause {number} says what is owed.\n" for number in range(20))
    with ExitStack() as stack:
        mine, others = services_of_each(2, stack, monkeypatch)
        read, embed = ReadLane(mine, None), EmbedLane(others, None)
        chunks, found = [], list(read.on_batch([document(1, pages)]))
        assert mine.reading is not None
        assert others.reading is not None
        assert others.reading.at_work.total == 1, "who reads the topic hears of what waits elsewhere"
        for _ in range(30):
            arrived = [item for item in found if isinstance(item, Arrived)]
            chunks += arrived
            list(embed.on_batch(arrived))
            list(embed.poll())
            found = list(read.poll())
        assert len(chunks) == 20
        assert mine.reading.in_flight.total == others.reading.in_flight.total == 0


def test_the_embedded_index_has_one_writing_process(tmp_path: Path) -> None:
    settings = Settings(_env_file=None)
    update = {"data": tmp_path, "flow": settings.flow.model_copy(update={"processes": 2})}
    with pytest.raises(SettingsError, match=r"MNEME_FLOW__PROCESSES .*one writing process.*MNEME_INDEX__BACKEND=opensearch"):
        run(settings.model_copy(update=update))
