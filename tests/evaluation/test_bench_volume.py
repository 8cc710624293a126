"""The benchmark of a long stream, with a short one."""

from pathlib import Path

import pytest

from evaluation import bench_volume
from evaluation.bench_volume import Sample, plot, report_of, stream
from evaluation.volume_flow import Task
from mneme.settings import Settings


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
