"""Without keys the service is for this machine alone: no foreign host is served, and no page of another site does anything."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from mneme.settings import load_settings
from serving.cli import app
from serving.console.mount import mount
from serving.rest.app import create_app
from serving.service.service import Service

PATHS = ("/", "/openapi.json", "/health", "/api/v1/owners", "/mcp", "/console/", "/console/conversations", "/metrics")
HOSTS = (
    *"evil.example evil.example:8765 localhost.evil.example 127.0.0.1.evil.example localhost.evil.example:8765".split(),
    *"evil.example#localhost localhost@evil.example 127.0.0.2 2130706433 0.0.0.0 [::2] [::ffff:127.0.0.1]".split(),
    "",
)
Tried = Callable[[Sequence[Any]], Sequence[Any]]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    service = {"intake": "none", "requests_per_minute": 0}
    settings = load_settings({}, data=tmp_path / "data", embedder={"provider": "hash"}, service=service)
    with Service(settings) as opened:
        console = create_app(opened)
        mount(console, opened)
        yield TestClient(console, base_url="http://localhost:8765", follow_redirects=False)


def test_no_foreign_host_is_served(client: TestClient, tried: Tried) -> None:
    """What a page does whose name was pointed at 127.0.0.1 (DNS rebinding)"""
    for host, path in tried([(host, path) for host in HOSTS for path in PATHS]):
        assert client.get(path, headers={"host": host}).status_code == 421, (host, path)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://localhost.evil.example:8765"])
def test_no_page_of_another_site_changes_anything(client: TestClient, tried: Tried, origin: str) -> None:
    posts = ("memories", "memories/search", "documents")
    for path in tried(("/mcp", "/console/login", "/console/logout", *(f"/api/v1/{each}" for each in posts))):
        assert client.post(path, headers={"origin": origin}, content=b"{}").status_code == 403, path
    polled = "/console/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    assert client.get(polled, headers={"origin": origin}).status_code == 403


def test_it_listens_on_loopback_alone(tmp_path: Path, tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for host in tried(("0.0.0.0", "::", "192.0.2.1", "mneme.example", "")):
        done = CliRunner().invoke(app, ["serve", "--host", host, "--port", "0"])
        assert done.exit_code == 2, host
        assert "MNEME_SERVICE__HOST" in done.stderr
