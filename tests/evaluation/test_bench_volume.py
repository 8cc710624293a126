"""The benchmark of a long stream, with a short one."""

from pathlib import Path

import pytest

from evaluation import bench_volume
from evaluation.bench_volume import Sample, plot, report_of, stream
from evaluation.stand_in_indices import AcknowledgingIndex
from evaluation.synthetic_talks import Talks, text_of, vectors_of_texts
from evaluation.volume_flow import Task
from mneme.ports import Create, Filter, Put
from mneme.rows import Collection, Key, row_of
from mneme.settings import Settings


def test_a_message_and_its_vector_are_the_same_in_every_process() -> None:
    assert Talks(9, 8).message(5, 3) == Talks(9, 8).message(5, 3)
    assert text_of(5, 3) == "Yesterday your cousin paid for number 69 in the morning, and that is about the printer"
    one, same, other = vectors_of_texts([text_of(5, 3), text_of(5, 4), text_of(5, 10)])
    assert one @ one == pytest.approx(1, abs=1e-5)
    assert one @ same > one @ other


def test_the_index_gives_back_what_was_written() -> None:
    talks = Talks(4, 8)
    index = AcknowledgingIndex(talks)
    message = talks.message(2, 5)
    key = row_of(message).key
    assert index.get([key]) == {}
    index.write([Create(row_of(message))])
    assert (index.get([key])[key].record(), index.get([key])[key].version) == (message, 1)
    index.write([Put(row_of(message))])
    assert index.get([key])[key].version == 2
    assert index.get([key], with_vectors=True)[key].vector is not None
    filter_of = Filter("volume", (message.owner.key,), conversation_ids=("c0000002",))
    assert [row.id for row in index.scan(Collection.MESSAGES, filter_of)] == [message.id]
    assert index.get([Key(Collection.MESSAGES, key.owner_key, talks.message(2, 4).id)]) == {}


def test_a_stream_is_followed_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_volume, "_IDLE_SECONDS", 0.3)
    settings = Settings(_env_file=None)
    flow = settings.flow.model_copy(update={"buckets": 4, "epoch_seconds": 0.1, "recovery_partitions": 2})
    boundaries = settings.boundaries.model_copy(update={"hold_back_seconds": 0.0, "idle_seconds": 0.3})
    settings = settings.model_copy(update={"flow": flow, "boundaries": boundaries})
    samples = stream(Task(tmp_path, settings, 3, 60), 0.0)
    assert samples[-1].messages == 60
    assert samples[-1].episodes >= 3
    assert samples[-1].rss_mb > 0
    assert samples[-1].store_mb > 0


@pytest.mark.parametrize("growth", [0.0, 30.0])
def test_the_report_tells_how_much_memory_the_second_half_took(growth: float, tmp_path: Path) -> None:
    samples = [Sample(at, at / 2, 1000 * at, at, 200 + growth * (at > 50), 5.0) for at in range(101)]
    report = report_of(samples, Settings(_env_file=None))
    assert report.headline["rss_growth_mb"] == growth
    assert report.headline["messages"] == 100_000
    assert report.headline["cpu_us_per_message"] == 500
    plot(samples, tmp_path / "volume.png")
    assert (tmp_path / "volume.png").exists()
