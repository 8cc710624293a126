"""A cluster for the tests of this folder. They run with `make test-flink`, which makes an environment with PyFlink."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.flink_cluster import FlinkServers, flink_python

_TIMEOUT_SECONDS = 2400 if os.environ.get("MNEME_TEST_FAULTS") == "long" else 900
_MARKS = (pytest.mark.flink, pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow, pytest.mark.timeout(_TIMEOUT_SECONDS))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for mark in _MARKS:
                item.add_marker(mark)
            if flink_python() is None:
                item.add_marker(pytest.mark.skip(reason="needs PyFlink: make test-flink"))


@pytest.fixture(scope="module")
def flink(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkServers]:
    python = flink_python()
    assert python is not None, "else the test is skipped"
    with FlinkServers(python, tmp_path_factory.mktemp("flink")) as servers:
        yield servers
