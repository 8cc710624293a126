"""Every response tells a browser to frame it nowhere and to guess nothing; a page says what it may load and run."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from mneme.settings import load_settings
from serving.console.mount import mount
from serving.rest.app import create_app
from serving.service.service import Service

KEY = "a-key-of-the-operator-01"
ASKED = (
    ("GET", "/openapi.json"),
    ("GET", "/health/live"),
    ("GET", "/health"),
    ("GET", "/metrics"),
    ("GET", "/"),
    ("GET", "/nothing<script>alert(1)</script>"),
    ("POST", "/openapi.json"),
    ("GET", "/api/v1/owners"),
    ("POST", "/api/v1/memories/search"),
    ("GET", "/mcp"),
    ("GET", "/console"),
    ("GET", "/console/"),
    ("GET", "/console/login"),
    ("GET", "/console/login?wrong=<script>alert(1)</script>"),
    ("POST", "/console/login"),
    ("POST", "/console/logout"),
    ("GET", "/console/theme/console.css"),
    ("GET", "/console/theme/nothing"),
    ("GET", "/console/_nicegui/nothing"),
)


@pytest.fixture(params=["with keys", "without"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TestClient]:
    keys = {KEY: "*"} if request.param == "with keys" else {}
    service = {"keys": keys, "intake": "none"}
    settings = load_settings({}, data=tmp_path / "data", embedder={"provider": "hash"}, service=service)
    with Service(settings) as opened:
        app = create_app(opened)
        mount(app, opened)
        yield TestClient(app, base_url="http://localhost", follow_redirects=False)


def test_every_response_is_shielded(
    client: TestClient, tried: Callable[[Sequence[tuple[str, str]]], Sequence[tuple[str, str]]]
) -> None:
    for method, path in tried(ASKED):
        for headers in ({}, {"origin": "https://evil.example"}, {"host": "evil.example"}):
            answer = client.request(method, path, headers=headers)
            assert answer.headers["x-content-type-options"] == "nosniff", path
            assert answer.headers["referrer-policy"] == "same-origin", path
            policy = dict(each.strip().split(" ", 1) for each in answer.headers["content-security-policy"].split(";"))
            assert policy["frame-ancestors"] == policy["default-src"] == policy["base-uri"] == "'none'", path
            assert "unsafe-eval" not in str(policy), path
            assert "unsafe-inline" not in policy.get("script-src", ""), path


def test_what_is_asked_for_comes_back_in_no_page(client: TestClient) -> None:
    for path in ("/console/login?wrong=<script>alert(1)</script>", "/openapi.json?<script>alert(1)</script>"):
        assert "alert(1)" not in client.get(path).text
