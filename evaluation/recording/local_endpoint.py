"""An OpenAI-compatible endpoint on this machine, whose answers come from somewhere else: a file, or another endpoint."""

import json
import logging
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, Self

from mneme.errors import StoreError, StoreUnavailable

log = logging.getLogger(__name__)

_BACKLOG = 512  # a client with many calls in flight connects all at once

OnPiece = Callable[[str, bytes], None]
"""Is given each piece of a stream as it comes, with the content type of the whole."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request; ``path`` begins with ``/v1`` and has no query."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)  # with the client's key
    body: bytes = field(repr=False)

    @property
    def content_type(self) -> str:
        """Of the body."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")


@dataclass(frozen=True, slots=True)
class Answered:
    """A whole answer."""

    status: int
    content_type: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_success(self) -> bool:
        """True if it is what was asked for."""
        return 200 <= self.status < 300


class Answerer(Protocol):
    """The source of a local endpoint's answers."""

    def answer(self, call: Call, on_piece: OnPiece) -> Answered:
        """The whole answer. One that comes as a stream goes to ``on_piece`` meanwhile; what is returned then that is no
        success says that the stream broke off.

        Raises:
            StoreError
        """


class LocalEndpoint:
    """Listens on 127.0.0.1; a thread for each connection. A context manager: on leaving, calls under way are finished."""

    def __init__(self, answerer: Answerer, port: int = 0) -> None:
        """Listen.

        Args:
            answerer: answers what comes in.
            port: 0 for any that is free.

        Raises:
            StoreUnavailable: the port is taken.
        """
        try:
            self._server = _Server(answerer, port)
        except OSError as error:
            raise StoreUnavailable(f"127.0.0.1:{port}: {error.strerror}; give another --port, or 0 for a free one") from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="model-front")

    @property
    def base_url(self) -> str:
        """For clients, up to and with the version."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.hear_no_more()
        self._server.server_close()  # joins the threads of the connections


def error_body(message: str, kind: str, **more: Any) -> bytes:
    """An error as the OpenAI protocol has it, with more that a person may want to know."""
    return json.dumps({"error": {"message": message, "type": kind, **more}}, ensure_ascii=False).encode(errors="replace")


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = _BACKLOG

    def __init__(self, answerer: Answerer, port: int) -> None:
        self.answerer = answerer
        self.is_stopping = False
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def hear_no_more(self) -> None:
        """End the connections that wait for a request; the others end with their answer."""
        self.is_stopping = True
        for connection in list(self._connections):
            try:
                connection.shutdown(socket.SHUT_RD)
            except OSError:
                continue  # it has ended by itself

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no matter; anything else is a defect."""
        if not isinstance(sys.exception(), OSError):
            log.exception("a request failed")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms for the client's delayed acknowledgement
    server: _Server

    def do_GET(self) -> None:
        """Answer."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer, if the body is there."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = True
            self._send(Answered(411, "application/json", error_body("send a Content-Length", "length_required")))
            return
        body = self.rfile.read(int(length))
        if len(body) < int(length):  # the client went away
            self.close_connection = True
            return
        self._answer(body)

    def _answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        call = Call(self.command, path, query, tuple(self.headers.items()), body)
        stream = _Stream(self)
        try:
            answered = self.server.answerer.answer(call, stream.piece)
        except StoreError as error:
            log.error("%s", error)
            answered = Answered(500, "application/json", error_body(str(error), "recording_failed"))
        self.close_connection |= self.server.is_stopping
        if not stream.has_begun:
            self._send(answered)
        elif answered.is_success:
            stream.end()
        else:
            self.close_connection = True  # without its end, which tells the client

    def _send(self, answered: Answered) -> None:
        self.send_response_only(answered.status)
        for name, value in answered.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answered.content_type)
        self.send_header("Content-Length", str(len(answered.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answered.body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what is asked is nobody's business."""


class _Stream:
    """A stream to a client, piece by piece; one who has gone away misses the rest, which is asked for all the same."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self.has_begun = False
        self._has_left = False

    def piece(self, content_type: str, content: bytes) -> None:
        """Send a piece."""
        if not self.has_begun:
            self.has_begun = True
            self._handler.send_response_only(200)
            self._handler.send_header("Content-Type", content_type)
            self._handler.send_header("Transfer-Encoding", "chunked")
            self._handler.end_headers()
        if content:
            self._write(b"%x\r\n%b\r\n" % (len(content), content))

    def end(self) -> None:
        """Say that this was all."""
        self._write(b"0\r\n\r\n")

    def _write(self, data: bytes) -> None:
        if self._has_left:
            return
        try:
            self._handler.wfile.write(data)
        except OSError:
            self._has_left = self._handler.close_connection = True
