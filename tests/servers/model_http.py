"""The HTTP side of the model server: connections, requests, faults of transport."""

import json
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from tests.servers.hanging_up import HangingUpServer
from tests.servers.model_faults import Fault
from tests.servers.model_streams import events

if TYPE_CHECKING:
    from tests.servers.models import ModelServer


class ModelHttpServer(HangingUpServer):
    daemon_threads = False

    request_queue_size = 512  # a client with many calls in flight connects all at once

    def __init__(self, models: "ModelServer", port: int) -> None:
        self.models = models
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms for the client's delayed acknowledgement
    server: ModelHttpServer

    def do_POST(self) -> None:
        models = self.server.models
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = _form(self.headers, raw) if "multipart" in self.headers["Content-Type"] else json.loads(raw)
        fault = models.receive(self.path, body, {name.lower(): value for name, value in self.headers.items()})
        models.enter(1)
        self._under_way = True
        try:
            self._answer(models, body, fault)
        finally:
            self._leave()

    def _leave(self) -> None:
        """The call is over; before its last byte, since the client may send the next as soon as it has that."""
        if self._under_way:
            self._under_way = False
            self.server.models.enter(-1)

    def _answer(self, models: "ModelServer", body: dict[str, Any], fault: Fault | None) -> None:
        if models.latency:
            models.stopping.wait(models.latency)
        if models.api_key and self.headers.get("Authorization") != f"Bearer {models.api_key}":
            self._send(401, error_body(f"Incorrect API key provided: {self.headers.get('Authorization', '')[7:]}"))
            return
        match fault:
            case Fault(kind="drop") if not body.get("stream"):
                self.close_connection = True
            case Fault(kind="hang"):
                models.hang(fault.seconds)
                self.close_connection = True
            case Fault(kind="rate_limited"):
                self._send(429, error_body("slow down"), {"Retry-After": fault.retry_after} if fault.retry_after else {})
            case Fault(kind="error"):
                self._send(500, error_body(fault.message))
            case Fault(kind="status"):
                self._send(fault.status, error_body(fault.message))
            case _:
                status, answer = models.respond(self.path, body, fault)
                drops_over = fault.seconds if fault and fault.kind == "slow" else 0.0
                if body.get("stream") and "choices" in answer:
                    with_usage = bool(body.get("stream_options", {}).get("include_usage"))
                    self._stream(events(answer, with_usage), drops_over, is_dropped=fault is not None and fault.kind == "drop")
                else:
                    self._send(status, answer, drops_over=drops_over)

    def _send(self, status: int, answer: Any, headers: dict[str, str] | None = None, drops_over: float = 0.0) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if not drops_over:
            self._leave()
            self.wfile.write(content)
            return
        for at in range(10):
            self.wfile.write(content[len(content) * at // 10 : len(content) * (at + 1) // 10])
            self.wfile.flush()
            self.server.models.stopping.wait(drops_over / 10)

    def _stream(self, pieces: list[bytes], drops_over: float, is_dropped: bool) -> None:
        """Server-sent events, each when it is made; of a dropped stream half of them."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces[: len(pieces) // 2] if is_dropped else pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
            if drops_over:
                self.server.models.stopping.wait(drops_over / len(pieces))
        self._leave()
        if is_dropped:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Tests read ``requests`` instead."""


def _form(headers: Message, raw: bytes) -> dict[str, Any]:
    """The fields of a multipart form: text, or bytes of a file."""
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode() + raw)
    fields: dict[str, Any] = {}
    for part in message.iter_parts():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        name = str(part.get_param("name", header="content-disposition"))
        fields[name] = content if part.get_filename() else content.decode()
    return fields


def error_body(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "test"}}
