"""Records what an OpenAI-compatible endpoint answers: what was asked before is answered from the file.

A request passes these steps: 1. one that is recorded is answered from the file; 2. the endpoint is asked, with the client's own
headers; 3. an answer is kept before the client has it. What the endpoint would not say again (429, 5xx, a broken stream) passes
through and is not kept. A stream reaches the client once it is whole.
"""

import json
import logging
import threading
from collections import Counter
from typing import Any

import httpx

from connectors.clients import silence
from evaluation.recording.local_endpoint import Answered, Call, error_answer
from evaluation.recording.recordings import Recording, Recordings, lasts, request_of
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
    """A recorder in front of an endpoint. ``counts`` says what became of the requests."""

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
        self._client = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(seconds, connect=_CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=32),
        )

    def answer(self, call: Call) -> Answered:
        """The answer to a call."""
        if call.method == "GET" and (call.path == _MODELS or call.path.startswith(f"{_MODELS}/")):
            return self._asked(call)
        if call.method != "POST" or not call.path.startswith("/v1/"):
            return error_answer(404, f"{call.method} {call.path} is not recorded; POST below /v1 is", "not_found")
        if (request := request_of(call.body)) is None:
            self._count("not recorded (no JSON)")
            return self._asked(call)
        # Step 1. What is recorded.
        if (kept := self._kept(call, request)) is not None:
            self._count("from the file")
            return kept
        return self._recorded(call, request)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _recorded(self, call: Call, request: Any) -> Answered:
        # Step 2. The endpoint is asked.
        answered = self._asked(call)
        # Step 3. What lasts is kept.
        text, secret = answered.body.decode(errors="surrogateescape"), _secret(call)
        recording = Recording(call.path, request, answered.status, answered.content_type, text)
        if not lasts(recording):
            self._count(f"not recorded ({answered.status})")
        elif secret and secret in text + json.dumps(request):
            log.warning("%s: not recorded, since the key of the client is in it", call.path)
            self._count("not recorded (with the key)")
        else:
            try:
                self._recordings.add(recording)
            except StoreError:
                self._count("not recorded (the file cannot be written)")
                raise
            self._count("recorded")
            return self._kept(call, request) or answered  # the first answer and every later one are the same
        return answered

    def _kept(self, call: Call, request: Any) -> Answered | None:
        found = self._recordings.find(call.path, request)
        return None if found is None else Answered(found.status, found.content_type, found.body)

    def _asked(self, call: Call) -> Answered:
        """The endpoint's answer; 502 or 504 where there is none."""
        headers = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in call.headers
            if name.lower() not in _OF_THE_CONNECTION
        ]
        headers.append((b"Accept-Encoding", b"identity"))
        path = call.path.removeprefix("/v1") + (f"?{call.query}" if call.query else "")
        try:
            response = self._client.request(call.method, path, content=call.body, headers=headers)
        # The texts of these errors may quote a header, hence only their names.
        except httpx.TimeoutException as error:
            return error_answer(504, f"the endpoint gave no answer ({type(error).__name__})", "upstream_timeout")
        except httpx.RequestError as error:
            message = f"no whole answer from the endpoint ({type(error).__name__}); check --upstream"
            return error_answer(502, message, "upstream_unreachable")
        passed_on = {name: response.headers[name] for name in _PASSED_ON if name in response.headers}
        content_type = response.headers.get("content-type", "application/octet-stream")
        return Answered(response.status_code, content_type, response.content, passed_on)

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
