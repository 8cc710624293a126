"""Mixed load against ``mneme serve`` with the embedded index, and the memory of its processes while it lasts.

    python -m tests.attacks.mixed_load FOLDER MINUTES [PAUSE_SECONDS]

Every kind of request takes its turn: messages, flushes, searches, questions, uploads, MCP, lists, refused requests of many
forms, console pages before a login, and erasures. Every conversation, owner and document is erased again a few rounds after
it came, so what is kept stays about the same, and what grows is not data.
"""

import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.serving.service_process import ServiceProcess, serving

TENANTS = {f"key-of-tenant-{number}-0123456789abcdef": f"tenant-{number}" for number in range(3)}
OPERATOR_KEY = "key-of-the-operator-0123456789abcdef"
_LIVES = 12  # rounds that an owner's memory is kept
_SAMPLE_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory at a time since the start, in MB: private pages of the service, and of the flow with all that it started."""

    seconds: float
    service: float
    flow: float


@dataclass(slots=True)
class Load:
    """A service under load. ``answers`` counts the requests by kind and status."""

    service: ServiceProcess
    pause: float
    answers: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)
    _rounds: Iterator[int] = field(default_factory=count)

    def run(self, seconds: float, told: Callable[[Sample], None] = lambda sample: None, clients: int = 2) -> None:
        """Send requests for so long, from several threads, and note the memory meanwhile."""
        began = time.monotonic()
        threads = [threading.Thread(target=self._client) for _ in range(clients)]
        for thread in threads:
            thread.start()
        try:
            while (elapsed := time.monotonic() - began) < seconds and self.service.process.poll() is None:
                self.samples.append(Sample(round(elapsed, 1), *memory_of(self.service.process)))
                told(self.samples[-1])
                time.sleep(min(_SAMPLE_SECONDS, seconds / 4))
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def _client(self) -> None:
        with httpx.Client(base_url=self.service.url, timeout=120.0) as client:
            while not self._ended.is_set():
                number = next(self._rounds)
                for name, request in _round(number):
                    if self._ended.wait(self.pause):
                        return
                    try:
                        status = str(client.request(**request).status_code)
                    except httpx.HTTPError as error:
                        status = type(error).__name__
                    self.answers[f"{name} {status}"] += 1


def _round(number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """One request of each kind, with their names."""
    key = list(TENANTS)[number % len(TENANTS)]
    login = {"Authorization": f"Bearer {key}"}
    user, gone = f"user-{number}", f"user-{number - _LIVES}"

    def post(path: str, body: Any, **more: Any) -> dict[str, Any]:
        return {"method": "POST", "url": f"/api/v1{path}", "json": body, "headers": login, **more}

    said = [
        {
            "conversation_id": f"talk-{number}",
            "user_id": user,
            "sender_name": "Maya",
            "content": f"{text} It is number {number}.",
        }
        for text in (
            "My sister Ann moved to Lisbon last Tuesday and works at Acme.",
            "We agreed that the release moves to Friday.",
            "I like green tea, and no sugar in it.",
            "Remind me to call Ben about the 3 invoices tomorrow.",
        )
    ]
    yield "publish", post("/memories", {"messages": said, "flush": number % 2 == 0})
    yield "flush", post("/flush", {"user_id": user, "timeout": 5})
    question = {"query": "Where does my sister live?", "filters": {"user_id": user}}
    for method in ("keyword", "hybrid", "agentic"):
        yield f"search {method}", post("/memories/search", {**question, "method": method})
    yield "ask", post("/ask", {"question": f"When is release {number}?", "filters": {"user_id": user}})
    text = f"# Lease {number}\n\nThe rent of flat {number} is 900 euros.\n".encode()
    upload = {"method": "POST", "url": "/api/v1/documents", "headers": login}
    files, data = {"file": (f"lease-{number}.md", text, "text/markdown")}, {"user_id": user}
    yield "upload", {**upload, "files": files, "data": data}
    yield "list", {"method": "GET", "url": "/api/v1/memories", "params": {"user_id": user}, "headers": login}
    yield "console", {"method": "GET", "url": "/console"}
    yield "console page", {"method": "GET", "url": f"/console/search?number={number}", "follow_redirects": True}
    yield "no key", {"method": "GET", "url": f"/api/v1/memories?user_id={user}"}
    yield "wrong key", {"method": "GET", "url": "/api/v1/memories", "headers": {"Authorization": f"Bearer wrong-{number}"}}
    yield "other tenant", post("/memories/search", {**question, "filters": {"user_id": user, "tenant_id": f"other-{number}"}})
    yield "unknown filter", post("/memories/search", {**question, "filters": {f"field-{number}": user}})
    yield "numbers", post("/memories", {"messages": [number] * 500})
    broken = {"content": b"[" * 5000 + str(number).encode(), "headers": {**login, "Content-Type": "application/json"}}
    yield "broken JSON", {"method": "POST", "url": "/api/v1/events", **broken}
    yield "no such path", {"method": "GET", "url": f"/api/v1/nothing-{number}", "headers": login}
    yield "refused file", {**upload, "files": {"file": (f"{number}.exe", b"MZ" + bytes(200), "text/plain")}, "data": data}
    yield "metrics", {"method": "GET", "url": "/metrics", "headers": {"Authorization": f"Bearer {OPERATOR_KEY}"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "tea"}}}
    both = {**login, "Accept": "application/json, text/event-stream"}
    yield "mcp", {"method": "POST", "url": "/mcp", "params": {"user_id": user}, "json": call, "headers": both}
    if number >= _LIVES:
        key_of_gone = list(TENANTS)[(number - _LIVES) % len(TENANTS)]
        headers = {"Authorization": f"Bearer {key_of_gone}"}
        yield "erase", {"method": "DELETE", "url": "/api/v1/memories", "params": {"user_id": gone}, "headers": headers}


def memory_of(service: psutil.Process) -> tuple[float, float]:
    """The private memory of a process, and of all that it started, in MB."""
    return _private(service.pid), sum(_private(each.pid) for each in service.children(recursive=True))


def _private(process: int) -> float:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    named = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
    return round(int(named[1]) / 1024, 1) if named else 0.0


@contextmanager
def with_tenants(folder: Path, **variables: str) -> Iterator[ServiceProcess]:
    """A service with keys of three tenants, and more variables of its environment."""
    keys = json.dumps({**TENANTS, OPERATOR_KEY: "*"})
    with serving(folder, variables=variables, SERVICE__KEYS=keys, SERVICE__REQUESTS_PER_MINUTE="0") as service:
        yield service


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with with_tenants(folder) as service:
        load = Load(service, float(sys.argv[3]) if len(sys.argv) > 3 else 0.1)
        load.run(60 * float(sys.argv[2]), lambda sample: print(sample, sum(load.answers.values()), flush=True))
        print(json.dumps(load.answers, indent=1, sort_keys=True))
