"""Mixed load against ``mneme serve`` with the embedded index, and the memory of its processes while it lasts.

    python -m tests.attacks.mixed_load FOLDER MINUTES [PAUSE_SECONDS]

Every kind of request takes its turn: messages, flushes, searches, questions, uploads, MCP, lists, refused requests of many
forms, console pages before a login, and erasures. Every conversation, owner and document is erased again a few rounds after
it came, so what is kept stays about the same, and what grows is not data.
"""

import json
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from subprocess import DEVNULL, Popen
from types import MappingProxyType
from typing import Any

import httpx

TENANTS = {f"key-of-tenant-{number}-0123456789abcdef": f"tenant-{number}" for number in range(3)}
OPERATOR_KEY = "key-of-the-operator-0123456789abcdef"
_LIVES = 12  # rounds that an owner's memory is kept
_SAMPLE_SECONDS = 15.0
_START_SECONDS, _END_SECONDS = 90.0, 30.0
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory at a time since the start, in MB: private pages of the service, and of the flow with all that it started."""

    seconds: float
    service: float
    flow: float


@dataclass(slots=True)
class Load:
    """A service under load. ``answers`` counts the requests by kind and status."""

    url: str
    process: Popen[bytes]
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
            while (elapsed := time.monotonic() - began) < seconds and self.process.poll() is None:
                self.samples.append(Sample(round(elapsed, 1), *memory_of(self.process.pid)))
                told(self.samples[-1])
                time.sleep(min(_SAMPLE_SECONDS, seconds / 4))
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def _client(self) -> None:
        with httpx.Client(base_url=self.url, timeout=120.0) as client:
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


def memory_of(service: int) -> tuple[float, float]:
    """The private memory of a process, and of all that it started, in MB."""
    started = _started_by(service)
    return _private(service), sum(map(_private, started))


def _started_by(process: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(") ")[2].split()[1])
            except (OSError, ValueError):  # it ended meanwhile
                continue
    found = [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def _private(process: int) -> float:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    named = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
    return round(int(named[1]) / 1024, 1) if named else 0.0


@contextmanager
def under_load(folder: Path, pause: float = 0.0, more: Mapping[str, str] = MappingProxyType({})) -> Iterator[Load]:
    """A service with keys of three tenants, in a folder of its own, that is ended afterwards.

    Args:
        folder: for its data and its log.
        pause: seconds between two requests of a client.
        more: variables of its environment.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")} | {
        "MNEME_DATA": str(folder / "data"),
        "MNEME_EMBEDDER__PROVIDER": "hash",
        "MNEME_SERVICE__KEYS": json.dumps({**TENANTS, OPERATOR_KEY: "*"}),
        "MNEME_SERVICE__REQUESTS_PER_MINUTE": "0",
        "PYTHONPATH": str(_ROOT),
        "COLUMNS": "200",
        **more,
    }
    log = folder / "log.txt"
    with log.open("wb") as errors:
        call = [sys.executable, "-m", "serving", "serve", "--port", "0"]
        process = Popen(call, cwd=folder, env=environment, stdout=DEVNULL, stderr=errors)
    try:
        yield Load(_listening(process, log), process, pause)
    finally:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _listening(process: "Popen[bytes]", log: Path) -> str:
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        if found := re.search(r"Mneme listens on (\S+)", log.read_text()):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"it does not listen: {log.read_text()}")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with under_load(folder, float(sys.argv[3]) if len(sys.argv) > 3 else 0.1) as load:
        load.run(60 * float(sys.argv[2]), lambda sample: print(sample, sum(load.answers.values()), flush=True))
        print(json.dumps(load.answers, indent=1, sort_keys=True))
