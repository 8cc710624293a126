"""A front with TLS and a login before an HTTP server, as operators put before OpenSearch."""

import http.client
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

from tests.servers.certificates import Certificate


class HttpsFront:
    """Passes on what comes with one of the ``authorizations``, and answers 401 to the rest; use it as a context manager."""

    def __init__(self, behind: str, certificate: Certificate, authorizations: frozenset[str]) -> None:
        class Handler(_Handler):
            target, allowed = urlsplit(behind).netloc, authorizations

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.both)
        # The handshake belongs to the thread of the connection: one that fails must not end the server.
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"https://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    target: str
    allowed: frozenset[str]

    def handle(self) -> None:
        try:
            super().handle()
        except (ssl.SSLError, ConnectionError):
            self.close_connection = True  # a client that does not trust the certificate hangs up

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Authorization") not in self.allowed:
            self._answer(401, "text/plain", b"Unauthorized: " + self.headers.get("Authorization", "").encode())
            return
        connection = http.client.HTTPConnection(self.target, timeout=30)
        kind = {"Content-Type": self.headers["Content-Type"]} if "Content-Type" in self.headers else {}
        connection.request(self.command, self.path, body, kind)
        answer = connection.getresponse()
        self._answer(answer.status, answer.getheader("Content-Type", "application/json"), answer.read())
        connection.close()

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _pass_on  # noqa: N815  the names of the base class

    def _answer(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""
