"""Records what an OpenAI-compatible endpoint answers: what was asked before is answered from the file.

A request passes these steps: 1. one that is under way already waits for that answer; 2. one that is recorded is answered from
the file; 3. the endpoint is asked, with the client's own headers; 4. an answer is kept before the client has its end;
what the endpoint would not say again (429, 5xx, a broken stream) passes through and is not kept.
"""

import json
import logging
import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import httpx

from connectors.clients import silence
from evaluation.recording.local_endpoint import Answered, Call, OnPiece, error_body
from evaluation.recording.recordings import Recording, Recordings, is_lasting, is_whole, key_of, request_of
from mneme.errors import SettingsError, StoreError

silence("httpx", below=logging.WARNING)  # each URL as it is, with a login in it

log = logging.getLogger(__name__)

_MODELS = "/v1/models"
_CONNECT_SECONDS = 10.0
_SHORTEST_SECRET = 8  # shorter ones are what people write for endpoints without keys: none, EMPTY
_PASSED_ON = ("Retry-After", "Retry-After-Ms")
_OF_THE_CONNECTION = frozenset(
    "host connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade"
    " content-length accept-encoding expect".split()
)


class ModelRecorder:
    """An ``Answerer`` in front of an endpoint. ``counts`` says what became of the requests."""

    def __init__(self, recordings: Recordings, upstream: str, seconds: float) -> None:
        """Prepare, without calling.

        Args:
            recordings: where answers are kept and found.
            upstream: the endpoint up to and with the version, ``https://host/v1``; may have a login.
            seconds: for which the endpoint may be silent.

        Raises:
            SettingsError: the URL is none.
        """
        try:
            url = httpx.URL(upstream)
        except httpx.InvalidURL as error:
            raise SettingsError(f"--upstream: {error}; write it like https://host/v1") from error
        if url.scheme not in ("http", "https") or not url.host:
            raise SettingsError("--upstream is no http(s) URL; write it like https://host/v1")
        self.counts: Counter[str] = Counter()
        self._recordings = recordings
        self._lock = threading.Lock()
        self._under_way: dict[str, Future[Answered]] = {}
        self._client = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(seconds, connect=_CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=32),
        )

    def answer(self, call: Call, on_piece: OnPiece) -> Answered:
        """See ``Answerer``."""
        if call.method == "GET" and (call.path == _MODELS or call.path.startswith(f"{_MODELS}/")):
            return self._asked(call, on_piece)
        if call.method != "POST" or not call.path.startswith("/v1/"):
            message = f"{call.method} {call.path} is not recorded; POST below /v1 is"
            return Answered(404, "application/json", error_body(message, "not_found"))
        request = request_of(call.content_type, call.body)
        key = key_of(call.path, request)
        # Step 1. What is under way.
        with self._lock:
            others = self._under_way.get(key)
            mine = self._under_way[key] = others or Future()
        if others is not None:
            self._count("together with another")
            return others.result()
        try:
            answered = self._from_file(call, request) or self._recorded(call, request, on_piece)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(answered)
            return answered
        finally:
            with self._lock:
                del self._under_way[key]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _from_file(self, call: Call, request: Any) -> Answered | None:
        # Step 2. What is recorded.
        if (kept := self._kept(call, request)) is not None:
            self._count("from the file")
        return kept

    def _recorded(self, call: Call, request: Any, on_piece: OnPiece) -> Answered:
        # Step 3. The endpoint is asked.
        secret = _secret(call)
        has_secret = bool(secret) and secret in json.dumps(request)
        unknown = request if has_secret else self._recordings.unknown(call.path, request)
        if unknown != request:
            call = replace(call, body=json.dumps(unknown).encode())
        answered = self._asked(call, on_piece)
        # Step 4. What lasts is kept.
        is_good = is_lasting(answered.status, request)
        if not (is_good and is_whole(call.path, answered.status, answered.content_type, answered.body)):
            self._count(f"not recorded ({answered.status})")
            return answered
        text = answered.body.decode(errors="surrogateescape")
        if has_secret or (secret and secret in text):
            log.warning("%s: not recorded, since the key of the client is in it", call.path)
            self._count("not recorded (with the key)")
            return answered
        try:
            self._recordings.add(Recording(call.path, unknown, answered.status, answered.content_type, text))
        except StoreError:
            self._count("not recorded (the file cannot be written)")
            raise
        kept = self._kept(call, request)
        self._count("recorded" if kept else f"not recorded ({answered.status})")
        return kept or answered  # what was read back: the first answer and every later one are the same

    def _kept(self, call: Call, request: Any) -> Answered | None:
        found = self._recordings.find(call.path, request)
        return None if found is None else Answered(found.status, found.content_type, found.body)

    def _asked(self, call: Call, on_piece: OnPiece) -> Answered:
        """The endpoint's answer; 502 or 504 where there is none."""
        headers = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in call.headers
            if name.lower() not in _OF_THE_CONNECTION
        ]
        headers.append((b"Accept-Encoding", b"identity"))
        path = call.path.removeprefix("/v1") + (f"?{call.query}" if call.query else "")
        try:
            with self._client.stream(call.method, path, content=call.body, headers=headers) as response:
                content_type = response.headers.get("content-type", "application/octet-stream")
                is_stream = response.is_success and content_type.startswith("text/event-stream")
                body = bytearray()
                for piece in response.iter_bytes():
                    body += piece
                    if is_stream:
                        on_piece(content_type, piece)
        # The texts of these errors may quote a header, hence only their names.
        except httpx.TimeoutException as error:
            message = f"the endpoint gave no answer ({type(error).__name__})"
            return Answered(504, "application/json", error_body(message, "upstream_timeout"))
        except httpx.RequestError as error:
            message = f"no whole answer from the endpoint ({type(error).__name__}); check --upstream"
            return Answered(502, "application/json", error_body(message, "upstream_unreachable"))
        passed_on = {name: response.headers[name] for name in _PASSED_ON if name in response.headers}
        return Answered(response.status_code, content_type, bytes(body), passed_on)

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1


def _secret(call: Call) -> str:
    """The client's key; empty for none."""
    for name, value in call.headers:
        token = value.rsplit(" ", 1)[-1]
        if name.lower() in ("authorization", "api-key", "x-api-key") and len(token) >= _SHORTEST_SECRET:
            return token
    return ""
