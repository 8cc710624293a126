"""A store of Bytewax moves to Flink: places to the consumer group, states into an archive. For real in tests/flink."""

import json
import pickle
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest
from kafka.structs import TopicPartition

from flows.engines.bytewax import make_store
from flows.engines.dataflow import EMBED, EXTRACT, SEGMENT
from flows.engines.flink_worker import MOVED, moved_states
from flows.runner import change_engine as change_flow_engine
from flows.running import change_engine
from flows.running.recovery import RecoveryStore
from mneme.errors import SettingsError, StoreRejected
from mneme.settings import Kafka, Settings
from mneme.store_format import FORMAT

SNAPSHOTS = {
    ("mneme.messages", "1"): (41, "old"),
    ("mneme.documents", "0"): 7,  # of an older store
    ("mneme.embed", "0003"): b"embedding",
    ("mneme.extract", "0003"): b"extracting",
    ("mneme.embed", "0255"): b"far away",
}


def store_at(folder: Path) -> RecoveryStore:
    return RecoveryStore(folder / "store", "kafka", 256, 1)


@pytest.fixture
def committed(monkeypatch: pytest.MonkeyPatch) -> dict[TopicPartition, int]:
    found: dict[TopicPartition, int] = {}

    def commit(kafka: Kafka, places: Mapping[TopicPartition, int]) -> None:
        found.update(places)

    monkeypatch.setattr(change_engine, "_commit", commit)
    monkeypatch.setattr(change_engine, "input_topic_ids", lambda kafka: {"mneme.messages": "old", "mneme.documents": "new"})
    return found


@pytest.fixture
def populated(tmp_path: Path) -> Path:
    epochs = tmp_path / "store" / "epochs"
    make_store(epochs, 1)
    with closing(sqlite3.connect(epochs / "part-0.sqlite3")) as file, file:
        file.execute("INSERT INTO exs (ex_num, worker_count, resume_epoch) VALUES (0, 1, 2)")
        for (step, key), value in SNAPSHOTS.items():
            file.execute(
                "INSERT INTO snaps (step_id, state_key, snap_epoch, ser_change) VALUES (?, ?, 1, ?)",
                (step, key, pickle.dumps(value)),
            )
    state = {"recovery_id": "x", "run": 1, "buckets": 256, "format": FORMAT, "engine": "bytewax"}
    (tmp_path / "store" / "mneme.json").write_text(json.dumps(state))
    return tmp_path


def test_places_go_to_the_group_and_states_to_the_lanes_of_their_buckets(
    populated: Path, committed: dict[TopicPartition, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(_env_file=None)
    topics = settings.kafka.topics
    with store_at(populated) as store:
        assert change_engine.move_to_flink(settings, store) == 3
        archive = store.moved
    assert committed == {TopicPartition(topics.messages, 1): 41, TopicPartition(topics.documents, 0): 7}
    zipfile.ZipFile(archive).extractall(populated / MOVED)
    monkeypatch.chdir(populated)
    assert moved_states((EMBED, SEGMENT, EXTRACT)) == {
        "0003": (b"embedding", None, b"extracting"),
        "0255": (b"far away", None, None),
    }


def test_afterwards_the_store_is_of_flink_alone(populated: Path, committed: dict[TopicPartition, int]) -> None:
    with store_at(populated) as store:
        change_engine.move_to_flink(Settings(_env_file=None), store)
    assert not list((populated / "store" / "epochs").iterdir())
    with pytest.raises(StoreRejected, match="run the flow with --engine flink;"), store_at(populated):
        pass
    with RecoveryStore(populated / "store", "kafka", 256, 1, "flink") as store:
        assert store.moved.exists()


def test_places_in_a_topic_that_was_made_anew_are_refused(
    populated: Path, committed: dict[TopicPartition, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_engine, "input_topic_ids", lambda kafka: {"mneme.messages": "new"})
    with store_at(populated) as store, pytest.raises(StoreRejected, match=r"mneme.messages: made anew"):
        change_engine.move_to_flink(Settings(_env_file=None), store)
    assert committed == {}


def test_of_a_store_that_no_flow_has_begun_there_is_nothing_to_move(tmp_path: Path) -> None:
    with store_at(tmp_path) as store, pytest.raises(StoreRejected, match="nothing to move"):
        change_engine.move_to_flink(Settings(_env_file=None), store)


def test_a_flow_of_the_inbox_is_told_what_flink_reads(tmp_path: Path) -> None:
    settings = Settings(_env_file=None).model_copy(update={"data": tmp_path})
    with pytest.raises(SettingsError, match="MNEME_SERVICE__INTAKE=kafka"):
        change_flow_engine(settings)
    assert not (tmp_path / "recovery").exists()


def test_a_kill_while_the_store_is_handed_over_leaves_one_that_flink_takes(
    populated: Path, committed: dict[TopicPartition, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with store_at(populated) as store, monkeypatch.context() as patched:
        patched.setattr(Path, "mkdir", lambda *_, **__: pytest.fail("killed"))
        with suppress(pytest.fail.Exception):
            change_engine.move_to_flink(Settings(_env_file=None), store)
    with RecoveryStore(populated / "store", "kafka", 256, 1, "flink") as store:
        assert store.moved.exists()
