"""An HTTP server that can end the connections which its clients keep open."""

import socket
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any


class HangingUpServer(ThreadingHTTPServer):
    """Knows its connections."""

    def __init__(self, *arguments: Any) -> None:
        self._connections: set[socket.socket] = set()
        super().__init__(*arguments)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End every connection."""
        for connection in list(self._connections):
            with suppress(OSError):  # it has ended by itself
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what the tests want."""
