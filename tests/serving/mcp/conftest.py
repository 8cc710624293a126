"""One service for all tests of the MCP server; each test has an owner of its own."""

from collections.abc import Iterator

import pytest

from serving.service.service import Service
from tests.serving.embedded_service import embedded_settings, opened, over_http

pytest.register_assert_rewrite("tests.serving.mcp.round_trip")

KEY, OTHER_KEY, THIRD_KEY = "a-key-of-tenant-acme", "a-key-of-tenant-other", "a-key-of-tenant-third"


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    keys = {KEY: "acme", OTHER_KEY: "other", THIRD_KEY: "third"}
    with opened(embedded_settings(tmp_path_factory.mktemp("mcp"), keys=keys)) as service:
        yield service


@pytest.fixture(scope="session")
def url(service: Service) -> Iterator[str]:
    with over_http(service) as url:
        yield url
