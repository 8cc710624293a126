"""What the adapters stand on: memories and a publisher, in process and of a service over HTTP."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest

from connectors import Publisher
from mneme.settings import load_settings
from queries import Memories
from serving.service.service import Service
from tests.serving.embedded_service import embedded_settings, opened, over_http


@dataclass(frozen=True)
class Connection:
    """The way in and the way out, and an owner that nobody else has."""

    memories: Memories
    publisher: Publisher
    user_id: str

    def flush(self, conversation_id: str) -> None:
        """Wait until what was sent to a conversation is searchable, with its facts."""
        assert self.memories.wait_for_flush(self.publisher.flush_conversation("default", conversation_id), timeout=150.0)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with opened(embedded_settings(tmp_path_factory.mktemp("adapters"))) as service:
        yield service


@pytest.fixture(scope="session")
def remote(service: Service) -> Iterator[tuple[Memories, Publisher]]:
    settings = load_settings({})
    with (
        over_http(service) as url,
        Memories.connect(settings, url=url) as memories,
        Publisher.connect(settings, url=url) as publisher,
    ):
        yield memories, publisher


@pytest.fixture(params=["in process", "by URL"])
def connection(request: pytest.FixtureRequest, service: Service) -> Connection:
    user = f"user-{uuid4().hex[:8]}"
    if request.param == "in process":
        return Connection(service.memories, service.publisher, user)
    return Connection(*request.getfixturevalue("remote"), user)


@pytest.fixture
def here(service: Service) -> Connection:
    """In process only: for what is the same either way."""
    return Connection(service.memories, service.publisher, f"user-{uuid4().hex[:8]}")
