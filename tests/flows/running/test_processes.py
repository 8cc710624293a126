"""What a step does, and what is refused, where several processes run the flow."""

from dataclasses import replace
from pathlib import Path

import pytest

from flows import run
from flows.items import FlushDone, Pause
from flows.reconcile import ReconcileLane
from mneme.errors import SettingsError
from mneme.settings import Settings
from tests.flows.river import River
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


def test_the_embedded_index_has_one_writing_process(tmp_path: Path) -> None:
    settings = Settings(_env_file=None)
    update = {"data": tmp_path, "flow": settings.flow.model_copy(update={"processes": 2})}
    with pytest.raises(SettingsError, match=r"MNEME_FLOW__PROCESSES .*one writing process.*MNEME_INDEX__BACKEND=opensearch"):
        run(settings.model_copy(update=update))
