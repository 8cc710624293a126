"""Limits of connections: their number, and time-outs of headers and answers.

uvicorn gives a client all the time there is for the header of a request, and to read an answer, takes headers of any size, and
has one limit of connections for all. A body's time is seen to where it is read (middleware/body_limits.py). A connection that
is idle by design lives on: a web socket is no longer HTTP, and an answer that is still written has no time-out between its
pieces.
"""

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADER_SECONDS = 20.0  # for the header of a request, from the first connection or the end of the answer before
READING_SECONDS = 60.0  # that an answer waits for a client that reads none of it
MOST_CONNECTIONS = 800  # a process has 1,024 open files by default, and the index needs some
MOST_OF_AN_ADDRESS = 400  # of whom a proxy that stands in front needs no more: it uses them again
_LARGEST_HEADER_BYTES = 65_536

_GRACE_SECONDS = 5  # for requests that are under way, at the end
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def server_config(app: Any, connection: type[asyncio.Protocol] | None = None, **options: Any) -> uvicorn.Config:
    """Configure uvicorn for an application of ours, with further options of its own."""
    return uvicorn.Config(
        app,
        http=connection or LimitedConnection,
        log_config=None,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
        **options,
    )


class LimitedConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # one of two, as is installed
    """A connection of uvicorn's, by either of its parsers, with limits."""

    header_seconds = HEADER_SECONDS
    reading_seconds = READING_SECONDS
    most_connections = MOST_CONNECTIONS
    most_of_an_address = MOST_OF_AN_ADDRESS

    _awaiting: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _header_bytes: int | None = None  # that have come of a header; None where none has begun

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let it in, or not."""
        super().connection_made(transport)
        address = self.client[0] if self.client else None
        same = sum(1 for each in self.connections if (client := getattr(each, "client", None)) and client[0] == address)
        self._await_header()
        if len(self.connections) > self.most_connections or same > self.most_of_an_address:
            self._end(_BUSY)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the header has become too large."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._is_idle and self._header_bytes is not None:
            self._header_bytes += len(data)
            if self._header_bytes > _LARGEST_HEADER_BYTES:
                self._end(_LARGE)

    def on_message_begin(self) -> None:
        """A header begins (httptools; h11 has a limit of its own)."""
        super().on_message_begin()
        self._header_bytes = 0

    def on_headers_complete(self) -> None:
        """A header is over."""
        self._header_bytes = None
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The next request may begin."""
        super().on_response_complete()
        self._await_header()

    def pause_writing(self) -> None:
        """Start the time-out of a client that does not read."""
        super().pause_writing()
        self._reading = self.loop.call_later(self.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        super().resume_writing()
        self._cancel_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        super().connection_lost(exc)
        self._cancel_reading()
        if self._awaiting is not None:
            self._awaiting.cancel()

    @property
    def _is_idle(self) -> bool:
        """Tell whether no request is in progress."""
        is_ours = self.transport.get_protocol() is self  # else a web socket has it
        return is_ours and (self.cycle is None or self.cycle.response_complete)

    def _await_header(self) -> None:
        if self._awaiting is not None:
            self._awaiting.cancel()
        self._awaiting = self.loop.call_later(self.header_seconds, self._look_for_header, self.cycle)

    def _look_for_header(self, last: Any) -> None:
        if not self._is_idle or self.cycle is not last:
            return
        if self.transport.is_closing():  # and the client does not read what is left
            self.transport.abort()
        else:
            self._end(_LATE if last is None else b"")
            self._await_header()

    def _cancel_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _end(self, answer: bytes) -> None:
        if answer:
            self.transport.write(answer)
        self.transport.close()
