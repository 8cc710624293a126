"""A small service by HTTP: keeps what it is asked, and answers what it is told to."""

import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from mneme.problems import MEDIA_TYPE, Problem


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """One answer; status 0 hangs up."""

    status: int = 202
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


def problem(kind: Problem, detail: str, **headers: str) -> Answer:
    """The answer that tells of a problem."""
    body: dict[str, Any] = {"type": kind.type, "title": kind.title, "status": kind.status, "detail": detail}
    return Answer(kind.status, json.dumps(body).encode(), {"Content-Type": MEDIA_TYPE, **headers})


class Listening:
    """The service. ``answers`` come one after the other, then 202 with an empty object."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: deque[Answer] = deque()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else every answer waits 40 ms for the client's delayed acknowledgement

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path, _, query = self.path.partition("?")
                with outer._lock:
                    outer.asked.append(Asked(self.command, path, query, dict(self.headers), body))
                    answer = outer.answers.popleft() if outer.answers else Answer()
                if not answer.status:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_DELETE = do_PATCH = handle_any  # noqa: N815  the names that http.server asks for

            def log_message(self, *_: object) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Listen no more. Safe to repeat."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
