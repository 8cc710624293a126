"""``mneme serve`` as a program: it tells where it is, takes in and finds, and ends in order."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from typer.testing import CliRunner

from serving.cli import app
from tests.serving.rest.test_search import ANNOUNCED
from tests.serving.service_process import ROOT, ServiceProcess, serving
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

END_SECONDS = 45  # before the minute that somebody waits for
NOT_INSTALLED = ("kafka", "opensearchpy", "tiktoken")  # of extras that an embedded index does without


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServiceProcess]:
    # `python -m serving` finds the rooms where this checkout is, in whatever folder it runs; its flow, a child, does too.
    found = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    (tmp_path / "sitecustomize.py").write_text(f"{found}sys.modules.update(dict.fromkeys({NOT_INSTALLED!r}))\n")
    flushed_soon = {"FLOW__EPOCH_SECONDS": "0.2"}  # for which each flush waits
    with serving(tmp_path, variables={"PYTHONPATH": str(tmp_path)}, **flushed_soon) as served:
        yield served


def send(client: httpx.Client, text: str) -> httpx.Response:
    message = {"conversation_id": "standup", "user_id": "user_123", "content": text}
    return client.post("/api/v1/memories", json={"messages": [message], "flush": True, "wait": 60})


def test_what_is_sent_is_found_and_it_ends_in_order_while_somebody_waits(served: ServiceProcess) -> None:
    with httpx.Client(base_url=served.url, timeout=120) as client:
        wait_until(lambda: client.get("/health").status_code == 200)  # its flow has begun
        told = served.log.read_text()
        assert f"REST     {served.url}/openapi.json" in told
        assert f"console  {served.url}/console" in told
        assert f"MCP      {served.url}/mcp" in told
        assert "index    the embedded index in " in told
        assert "mneme ingest" not in told  # there is nothing yet, and while it runs that is refused
        [first] = send(client, "Good morning.").json()["flush"]["flush_ids"]
        while not client.get(f"/api/v1/flushes/{first}", params={"wait": 60}).json()["searchable"]:
            pass  # a busy machine takes more than a minute to load what a first message needs
        told = send(client, "We agreed the Q2 deadline is unrealistic given current headcount.")
        assert (told.status_code, told.json()["flush"]["searchable"], told.json()["flush"]["missing"]) == (200, True, [])
        assert told.json()["flush"]["conversation_ids"] == ["standup"]
        path, body = ANNOUNCED.removeprefix("POST ").splitlines()
        found = client.post(path, content=body, headers={"Content-Type": "application/json"}).json()
        assert "Q2 deadline is unrealistic" in found["facts"][0]["atomic_fact"]
        assert client.get("/console", follow_redirects=True).status_code == 200
        waits = [client.get("/health/live").elapsed.total_seconds() for _ in range(40)]
        assert min(waits[20:]) < 0.03, "the body does not wait for the header to be acknowledged, which takes 40 ms"
        assert client.get(f"/api/v1/flushes/{quote('a%2Fb/c', safe='')}").json()["flush_ids"] == ["a%2Fb/c"]
        assert "mneme_flow_raw_seconds_count 2.0" in client.get("/metrics").text  # of the flow, a process of its own

        answers: list[dict[str, Any]] = []
        asks = threading.Event()

        def wait() -> None:
            asks.set()
            answers.append(client.get("/api/v1/flushes/never", params={"wait": 60}).json())

        waiting = threading.Thread(target=wait)
        waiting.start()
        asks.wait()
        wait_until(lambda: "mneme_http_requests_in_flight 2.0" in client.get("/metrics").text)
        assert served.end(END_SECONDS) == 0
        waiting.join()
    assert answers[0]["searchable"] is False
    assert "Traceback" not in served.log.read_text()


class TestWhatStopsItAtOnce:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MNEME_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("MNEME_SERVICE__INTAKE", "none")

    def test_a_key_that_can_be_guessed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MNEME_SERVICE__KEYS", '{"short": "*"}')
        told = CliRunner().invoke(app, ["serve", "--port", "0"])
        assert told.exit_code == 2
        assert "openssl rand" in told.output
        assert "short" not in told.output

    def test_a_port_that_is_taken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MNEME_SERVICE__INTAKE", "inbox")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            told = CliRunner().invoke(app, ["serve", "--port", str(taken.getsockname()[1])])
        assert told.exit_code == 2
        assert "cannot be listened on" in told.output
        assert not Path("data").exists(), "nothing was made or started"
