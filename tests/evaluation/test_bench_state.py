"""The benchmark of very many conversations, with few."""

from collections import Counter
from pathlib import Path

import pytest

from evaluation import bench_state
from evaluation.bench_state import Task, engine_closed, engine_open, segment_alone
from evaluation.stand_in_indices import AcknowledgingIndex
from evaluation.synthetic_talks import Talks, text_of, vectors_of_texts
from mneme.ports import Create, Filter, Put
from mneme.rows import Collection, Key, row_of
from mneme.settings import Settings


@pytest.fixture
def task(tmp_path: Path) -> Task:
    settings = Settings(_env_file=None)
    flow = settings.flow.model_copy(update={"buckets": 4, "epoch_seconds": 0.1, "recovery_partitions": 2})
    return Task(tmp_path / "run", settings.model_copy(update={"flow": flow}), conversations=30, messages=60)


def test_every_message_of_a_stream_is_the_next_of_its_conversation() -> None:
    talks = Talks(7)
    seen: Counter[int] = Counter()
    for index in range(70):
        conversation, number = talks.place(index)
        assert number == seen[conversation]
        seen[conversation] += 1
    assert set(seen.values()) == {10}


def test_conversations_one_after_the_other_do_not_mix() -> None:
    talks = Talks(3, at_once=2)
    assert [talks.place(index) for index in range(6)] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]


def test_a_message_and_its_vector_are_the_same_in_every_process() -> None:
    assert Talks(9).message(5, 3) == Talks(9).message(5, 3)
    assert text_of(5, 3) == "Yesterday your cousin paid for number 69 in the morning, and that is about the printer"
    one, same, other = vectors_of_texts([text_of(5, 3), text_of(5, 4), text_of(5, 10)])
    assert one @ one == pytest.approx(1, abs=1e-5)
    assert one @ same > one @ other


def test_the_index_gives_back_what_was_written(tmp_path: Path) -> None:
    talks = Talks(4)
    index = AcknowledgingIndex(talks, 8, tmp_path / "messages")
    message = talks.message(2, 5)
    key = row_of(message).key
    assert index.get([key]) == {}
    index.write([Create(row_of(message))])
    assert (index.get([key])[key].record(), index.get([key])[key].version) == (message, 1)
    index.write([Put(row_of(message))])
    index.close()
    again = AcknowledgingIndex(talks, 8, tmp_path / "messages")
    assert again.get([key])[key].version == 2
    assert again.get([key], with_vectors=True)[key].vector is not None
    filter_of = Filter("volume", (message.owner.key,), conversation_ids=("c0000002",))
    assert [row.id for row in again.scan(Collection.MESSAGES, filter_of)] == [message.id]
    assert again.get([Key(Collection.MESSAGES, key.owner_key, talks.message(2, 4).id)]) == {}


def test_segment_alone_judges_every_message(task: Task) -> None:
    figures = segment_alone(task, 0.0)
    assert figures["messages"] == 60
    assert float(figures["messages/s"]) > 0
    assert float(figures["snapshot_mb/epoch"]) > 0


def test_the_engine_takes_all_messages_and_leaves_a_store(task: Task) -> None:
    figures = engine_open(task, 0.0)
    assert figures["messages"] == 60
    assert float(figures["store_mb"]) > 0
    written = AcknowledgingIndex(Talks(30), 64, task.folder / "messages")
    assert written.count(Collection.MESSAGES) == 30 * (8 + 2)


def test_conversations_that_go_idle_are_shown(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_state, "_IDLE_SECONDS", 0.3)
    figures = engine_closed(Task(task.folder, task.settings, 20, 20), 0.0)
    assert figures["episodes"] == 20
