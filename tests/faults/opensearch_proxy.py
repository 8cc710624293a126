"""An HTTP proxy before a real OpenSearch that misbehaves as told.

    with OpenSearchProxy(server.url, seed=7) as proxy:
        proxy.refuse = 0.5                    # half of all bulks are answered 429 or 503, and not applied
        settings = OpenSearch(url=proxy.url)

The fields below may be set while it runs; shares are from 0 to 1. What it did is counted in ``did``.
"""

import hashlib
import json
import random
import threading
from collections import Counter
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import urlsplit

from tests.servers.hanging_up import HangingUpServer

_BUSY = {"type": "rejected_execution_exception", "reason": "as the test wanted it: the queue is full"}
_DOWN = {"type": "unavailable_shards_exception", "reason": "as the test wanted it: the shard is not active"}
_MAPPING = {"type": "mapper_parsing_exception", "reason": "as the test wanted it: failed to parse field [text]"}
_FULL = {
    "type": "validation_exception",
    "reason": "Validation Failed: 1: this action would add [2] total shards, but this cluster currently has [1000]/[1000] "
    "maximum shards open;",
}
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "host"})
_ANSWER_SECONDS = 60.0


class OpenSearchProxy:
    """The running proxy; use it as a context manager.

    ``refuse``: share of bulks answered 429 or 503 as a whole, and not applied. ``lose``: share of bulks that are applied, and
    whose answer is lost: the connection is cut. ``busy``: share of the items of a bulk answered 429, and not applied.
    ``reject``: share of the rows of ``rejected_collections`` that the mapping rejects, the same rows at every attempt, and
    never applied; ``rejected`` are their ids. ``full``: every item meets the limit of shards of the cluster, as a bulk that
    would make an index does.
    """

    def __init__(self, target: str, seed: int = 0) -> None:
        self.refuse = self.lose = self.busy = self.reject = 0.0
        self.full = False
        self.rejected_collections: tuple[str, ...] = ("messages", "facts")
        self.rejected: set[str] = set()
        self.did: Counter[str] = Counter()
        parts = urlsplit(target)
        assert parts.hostname, target
        assert parts.port, target
        self._target = parts.hostname, parts.port
        self._seed = seed
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._http = _ProxyServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="opensearch-proxy")

    @property
    def url(self) -> str:
        """Its address, as clients need it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def calm(self) -> None:
        """No more faults; what is rejected stays so."""
        self.refuse = self.lose = self.busy = 0.0
        self.full = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()

    # --- what a request meets ------------------------------------------------------------------------------------------

    def count(self, what: str, by: int = 1) -> None:
        """Note what was done."""
        with self._lock:
            self.did[what] += by

    def chance(self, share: float) -> bool:
        """Whether it happens this time."""
        with self._lock:
            return share > 0 and self._random.random() < share

    def pass_on(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the real server's answer."""
        connection = HTTPConnection(*self._target, timeout=_ANSWER_SECONDS)
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP_BY_HOP}
            return answer.status, kept, content
        finally:
            connection.close()

    def bulk(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        """The answer to a bulk, of which some items may never get to the server."""
        if self.chance(self.refuse):
            status, error = (429, _BUSY) if self.chance(0.5) else (503, _DOWN)
            self.count(f"bulks {status}")
            return status, {"Content-Type": "application/json"}, json.dumps({"error": error, "status": status}).encode()
        items = list(_items(body))
        verdicts = [self._verdict(target) for _, target, _ in items]
        passed = b"".join(lines for (_, _, lines), verdict in zip(items, verdicts, strict=True) if verdict is None)
        answers: list[Any] = []
        answer_headers = {"Content-Type": "application/json"}
        if passed:
            status, answer_headers, content = self.pass_on("POST", path, headers, passed)
            if status != 200:
                return status, answer_headers, content
            answers = json.loads(content)["items"]
        real = iter(answers)
        merged = [
            next(real) if verdict is None else {action: {"status": verdict[0], "error": verdict[1]}}
            for (action, _, _), verdict in zip(items, verdicts, strict=True)
        ]
        return 200, answer_headers, json.dumps({"items": merged}).encode()

    def _verdict(self, target: dict[str, Any]) -> tuple[int, dict[str, str]] | None:
        """How one item is refused; None when it may pass."""
        if self.full:
            self.count("items over the shard limit")
            return 400, _FULL
        identity = str(target["_id"]).partition("|")[0]  # of a message its owner comes behind
        is_chosen = not set(self.rejected_collections).isdisjoint(target["_index"].split("-"))  # ...-facts-1-writes
        if is_chosen and self._draw(identity) < self.reject:
            with self._lock:
                self.rejected.add(identity)
            self.count("items rejected")
            return 400, _MAPPING
        if self.chance(self.busy):
            self.count("items 429")
            return 429, _BUSY
        return None

    def _draw(self, identity: str) -> float:
        """A number from 0 to 1 that is always the same for a row."""
        digest = hashlib.blake2b(f"{self._seed}/{identity}".encode(), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64


class _ProxyServer(HangingUpServer):
    daemon_threads = True  # a request under way must not keep a failed test alive
    request_queue_size = 128

    def __init__(self, proxy: OpenSearchProxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _ProxyServer

    def _answer(self) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        is_bulk = urlsplit(self.path).path.endswith("/_bulk")
        try:
            if is_bulk:
                proxy.count("bulks")
                status, answered, content = proxy.bulk(self.path, headers, body)
            else:
                status, answered, content = proxy.pass_on(self.command, self.path, headers, body)
        except (OSError, HTTPException):  # the real server is down: so is this one
            self.close_connection = True
            return
        if is_bulk and status == 200 and proxy.chance(proxy.lose):
            proxy.count("answers lost")
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in answered.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Tests read ``did`` instead."""


def _items(body: bytes) -> "list[tuple[str, dict[str, Any], bytes]]":
    """The items of a bulk: action, target, and their lines."""
    found = []
    lines = iter(body.splitlines(keepends=True))
    for line in lines:
        ((action, target),) = json.loads(line).items()
        found.append((action, target, line if action == "delete" else line + next(lines)))
    return found
