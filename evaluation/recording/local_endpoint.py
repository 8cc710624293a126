"""An OpenAI-compatible endpoint on this machine, whose answers come from somewhere else: a file, or another endpoint."""

import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mneme.errors import StoreError, StoreUnavailable

log = logging.getLogger(__name__)

_BACKLOG = 512  # a client with many calls in flight connects all at once


@dataclass(frozen=True, slots=True)
class Call:
    """One request; ``path`` begins with ``/v1`` and has no query."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)  # with the client's key
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """A whole answer."""

    status: int
    content_type: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)


Answerer = Callable[[Call], Answered]
"""The source of a local endpoint's answers. May raise ``StoreError``."""


@contextmanager
def local_endpoint(answerer: Answerer, port: int = 0) -> Iterator[str]:
    """Listen on 127.0.0.1, a thread for each connection: the base URL for clients. At the end, calls under way are finished.

    Args:
        answerer: answers what comes in.
        port: 0 for any that is free.

    Raises:
        StoreUnavailable: the port is taken.
    """
    try:
        server = _Server(answerer, port)
    except OSError as error:
        raise StoreUnavailable(f"127.0.0.1:{port}: {error.strerror}; give another --port, or 0 for a free one") from error
    with server:  # closing it joins the threads of the connections
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="model-front")
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def json_answer(content: object, status: int = 200) -> Answered:
    """An answer in JSON."""
    return Answered(status, "application/json", json.dumps(content, ensure_ascii=False).encode(errors="replace"))


def error_answer(status: int, message: str, kind: str) -> Answered:
    """An error as the OpenAI protocol has it."""
    return json_answer({"error": {"message": message, "type": kind}}, status)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = _BACKLOG

    def __init__(self, answerer: Answerer, port: int) -> None:
        self.answerer = answerer
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no matter; anything else is a defect."""
        if not isinstance(sys.exception(), OSError):
            log.exception("a request failed")


class _Handler(BaseHTTPRequestHandler):
    """One request for each connection (HTTP/1.0): so none is left open when the front ends."""

    timeout = 60.0  # seconds without a word of the client
    server: _Server

    def do_GET(self) -> None:
        """Answer."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer, if the body is there."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self._send(error_answer(411, "send a Content-Length", "length_required"))
            return
        body = self.rfile.read(int(length))
        if len(body) == int(length):  # else the client went away
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        try:
            answered = self.server.answerer(Call(self.command, path, query, tuple(self.headers.items()), body))
        except StoreError as error:
            log.error("%s", error)
            answered = error_answer(500, str(error), "recording_failed")
        self._send(answered)

    def _send(self, answered: Answered) -> None:
        self.send_response_only(answered.status)
        for name, value in answered.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answered.content_type)
        self.send_header("Content-Length", str(len(answered.body)))
        self.end_headers()
        self.wfile.write(answered.body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what is asked is nobody's business."""
