"""The benchmark of a long stream, with a short one."""

from pathlib import Path

import pytest

from evaluation.bench_volume import Sample, plot, report_of, stream
from evaluation.faults.deployment import Deployment
from mneme.settings import Kafka, OpenSearch, Settings
from tests.end_to_end.flow_process import settings_for


@pytest.mark.kafka
@pytest.mark.opensearch
def test_a_stream_is_followed_to_its_end(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> None:
    settings = settings_for(tmp_path, kafka_settings, opensearch_settings).replace(embedder={"provider": "hash"})
    with Deployment(settings, tmp_path) as deployment:
        last = stream(deployment, 60)[-1]
    assert last.messages == 60
    assert last.episodes >= 3
    assert min(last.cpu_seconds, last.rss_mb, last.store_mb) > 0


@pytest.mark.parametrize("growth", [0.0, 30.0])
def test_the_report_tells_how_much_memory_the_second_half_took(growth: float, tmp_path: Path) -> None:
    samples = [Sample(at, at / 2, 1000 * at, at, 200 + growth * (at > 50), 5.0) for at in range(101)]
    report = report_of(samples, Settings(_env_file=None))
    assert report.headline["rss_growth_mb"] == growth
    assert report.headline["messages"] == 100_000
    assert report.headline["cpu_us_per_message"] == 500
    plot(samples, tmp_path / "volume.png")
    assert (tmp_path / "volume.png").exists()
