"""One service for all tests of the MCP server; each test has an owner of its own."""

from collections.abc import Iterator

import pytest

from serving.service.service import Service
from tests.serving.embedded_service import embedded_settings, opened, over_http

KEY, OTHER_KEY = "a-key-of-tenant-acme", "a-key-of-tenant-other"


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    keys = {KEY: "acme", OTHER_KEY: "other"}
    with opened(embedded_settings(tmp_path_factory.mktemp("mcp"), keys=keys)) as service:
        yield service


@pytest.fixture(scope="session")
def url(service: Service) -> Iterator[str]:
    with over_http(service) as url:
        yield url
