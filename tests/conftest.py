"""Fixtures for all tests: the real servers, started once per run when a test first asks, and names of its own for each test.

``MNEME_TEST_KAFKA`` (``host:port``) and ``MNEME_TEST_OPENSEARCH`` (URL) name servers to use instead.
"""

import gc
import os
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import settings
from kafka.net.inet import KafkaNetSocket

from mneme.settings import Kafka, OpenSearch
from tests.servers import KafkaServer, OpenSearchServer
from tests.servers.isolated import isolated_kafka, isolated_opensearch
from tests.servers.models import model_server

__all__ = ["model_server"]

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test downloads weights
# Properties are tried on the same examples in each run, so that a run can be repeated; MNEME_TEST_EXPLORE=1 tries others.
# They are not timed: a machine that is busy with other things is no defect.
settings.register_profile("mneme", deadline=None, derandomize="MNEME_TEST_EXPLORE" not in os.environ)
settings.load_profile("mneme")
pytest.register_assert_rewrite("tests.contracts")  # so that a failed contract says what it compared

_connect = KafkaNetSocket.sock_connect


async def _connect_or_close(self: KafkaNetSocket, net: Any, sock: Any, *where: Any, **more: Any) -> Any:
    """Connect, or close the socket: kafka-python 3.0.12 leaves it open if it is refused, or a client is closed meanwhile."""
    try:
        return await _connect(self, net, sock, *where, **more)
    except BaseException:
        sock.close()
        raise


KafkaNetSocket.sock_connect = _connect_or_close

_STARTS = pytest.StashKey[list[Future[Any]]]()  # of the servers that all processes share


def pytest_configure(config: pytest.Config) -> None:
    """Where tests run in several processes, the servers are started here, once, while those processes collect the tests."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        config.option.loadscopereorder = False  # the order is that of pytest_collection_modifyitems
        servers: list[KafkaServer | OpenSearchServer] = []
        if "MNEME_TEST_KAFKA" not in os.environ:
            servers.append(kafka := KafkaServer())
            os.environ["MNEME_TEST_KAFKA"] = kafka.bootstrap
        if "MNEME_TEST_OPENSEARCH" not in os.environ:
            servers.append(opensearch := OpenSearchServer())
            os.environ["MNEME_TEST_OPENSEARCH"] = opensearch.url
        for server in servers:
            config.add_cleanup(partial(server.__exit__, None, None, None))
        pool = ThreadPoolExecutor()
        config.add_cleanup(pool.shutdown)  # the last cleanup is the first: no server is stopped while it starts
        config.stash[_STARTS] = [pool.submit(server.start) for server in servers]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Wait for the servers before the first test begins."""
    for start in session.config.stash.get(_STARTS, []):
        start.result()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage meanwhile, nor later among modules and ten thousand tests: all of that stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: at the end, short ones fill what time is left to each process."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@dataclass(frozen=True)
class RunningKafka:
    """A broker that is there, whoever started it."""

    bootstrap: str


@dataclass(frozen=True)
class RunningOpenSearch:
    """A node that is there, whoever started it."""

    url: str


@pytest.fixture(scope="session")
def kafka_server() -> Iterator[RunningKafka]:
    """The broker that all tests share. A test that harms a broker starts a ``KafkaServer`` of its own."""
    if bootstrap := os.environ.get("MNEME_TEST_KAFKA"):
        yield RunningKafka(bootstrap)
        return
    with KafkaServer() as server:
        yield RunningKafka(server.bootstrap)


@pytest.fixture(scope="session")
def opensearch_server() -> Iterator[RunningOpenSearch]:
    """The node that all tests share. A test that harms a node starts an ``OpenSearchServer`` of its own."""
    if url := os.environ.get("MNEME_TEST_OPENSEARCH"):
        yield RunningOpenSearch(url)
        return
    with OpenSearchServer() as server:
        yield RunningOpenSearch(server.url)


@pytest.fixture
def kafka_settings(kafka_server: RunningKafka) -> Kafka:
    """Settings with topics and a group of the test's own; nothing is created."""
    return isolated_kafka(kafka_server.bootstrap)


@pytest.fixture
def opensearch_settings(opensearch_server: RunningOpenSearch) -> Iterator[OpenSearch]:
    """Settings with an index prefix of the test's own; nothing is created, and what the test creates goes with it.

    An index that nobody uses costs the node .2 ms a second. What a run left behind took a quarter of a processor in the end.
    """
    settings = isolated_opensearch(opensearch_server.url)
    yield settings
    from evaluation.own_index import drop_indices  # the client takes a second to load, which most tests do not need

    drop_indices(settings)
