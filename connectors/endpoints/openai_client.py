"""The official SDK of OpenAI, for every endpoint that speaks JSON: chat, streams, embeddings, transcriptions, reranking.

The SDK's own retries are off: ``Backoff`` tries again, and maps the errors of the SDK. The SDK is imported with the first
call, which takes it a second.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr

from connectors.clients import silence, trusted_certificates
from connectors.endpoints.backoff import CONNECT_SECONDS, Backoff, Retries, as_sent

if TYPE_CHECKING:
    from httpx2 import Request, Response
    from openai import OpenAI, Timeout

Body = Mapping[str, Any]
BeforeEach = Callable[[float], None]
Send = Callable[["OpenAI", "Timeout"], Any]

silence("httpx", "httpx2", "openai", below=logging.WARNING)  # each URL as it is, with a login in it

_CHAT, _EMBEDDINGS, _TRANSCRIPTIONS = "/chat/completions", "/embeddings", "/audio/transcriptions"
_NO_KEY = "none"  # the SDK wants one, also for an endpoint without authentication
_OF_THE_ENVIRONMENT = ("OpenAI-Organization", "OpenAI-Project")  # the SDK would tell them to any endpoint


@dataclass(frozen=True, slots=True)
class Upload:
    """A file for an endpoint, under a name whose ending says what it is."""

    name: str
    content: bytes = field(repr=False)


class OpenAiClient:
    """One endpoint. Safe for several threads.

    ``deadline`` and ``before_each`` of the methods, and their errors, are those of ``Backoff.call``. The deadline also ends an
    answer that comes in drops. Answers are JSON as it was sent: an endpoint may leave out what the protocol demands.
    """

    def __init__(
        self, base_url: str, api_key: SecretStr | None, retries: Retries, group: str, hands_back: bool = False
    ) -> None:
        """Prepare, without calling. Args, Raises: as of ``Backoff``, ``hands_back`` as of ``Backoff.call``."""
        self._backoff = Backoff(base_url, api_key, retries, group)
        self._hands_back = hands_back
        self._opening = threading.Lock()
        self._sdk: OpenAI | None = None

    @property
    def retries(self) -> Retries:
        """The limits of repetition."""
        return self._backoff.retries

    def chat(self, body: Body, deadline: float | None = None, before_each: BeforeEach = lambda left: None) -> dict[str, Any]:
        """A completion."""
        return self._object(_CHAT, self.post(_CHAT, body, deadline, before_each))

    def chat_stream(self, body: Body, deadline: float, before_each: BeforeEach = lambda left: None) -> Iterator[dict[str, Any]]:
        """A completion as it is written, chunk by chunk; to close the iterator ends the call.

        Until the answer begins the call is tried again; then nothing is, for part of it was used already.

        Raises:
            ModelError: also where the stream ends before the completion is finished.
        """

        def send(sdk: "OpenAI", timeout: "Timeout") -> Any:
            return sdk.chat.completions.create(**as_sent(body), timeout=timeout)

        is_finished = False
        with closing(self._call(_CHAT, send, deadline, before_each)) as stream, self._stream_errors():
            for chunk in stream:
                if self.retries.clock() > deadline:
                    raise self._backoff.timeout(_CHAT)
                if not isinstance(chunk, BaseModel):
                    raise self._backoff.malformed(_CHAT, "sent an event that is no JSON object")
                fields = chunk.model_dump(exclude_unset=True)
                is_finished |= any(choice.get("finish_reason") for choice in fields.get("choices") or ())
                yield fields
            if not is_finished:
                raise self._backoff.broken_off(_CHAT)

    def embeddings(self, body: Body) -> dict[str, Any]:
        """The vectors of texts."""
        return self._object(_EMBEDDINGS, self.post(_EMBEDDINGS, body))

    def post(self, path: str, body: Body, deadline: float | None = None, before_each: BeforeEach = lambda left: None) -> Any:
        """The JSON that answers JSON."""
        import httpx2

        def send(sdk: "OpenAI", timeout: "Timeout") -> Any:
            # The SDK's method for completions looks at each word of the schema: a quarter of a call's processor time.
            return sdk.post(path, cast_to=httpx2.Response, body=as_sent(body), options={"timeout": timeout})

        return self._json(path, self._call(path, send, deadline, before_each))

    def transcribe(
        self,
        model: str,
        file: Upload,
        fields: Mapping[str, str],
        deadline: float | None = None,
        before_each: BeforeEach = lambda left: None,
    ) -> dict[str, Any]:
        """The transcript of a recording; ``fields`` are those of the form beside model and file."""

        def send(sdk: "OpenAI", timeout: "Timeout") -> Any:
            create = sdk.audio.transcriptions.with_raw_response.create
            # As named arguments the fields would go in another order, and a recording of the request would not be found.
            return create(file=(file.name, file.content), model=model, extra_body=fields, timeout=timeout).http_response

        response = self._call(_TRANSCRIPTIONS, send, deadline, before_each)
        return self._object(_TRANSCRIPTIONS, self._json(_TRANSCRIPTIONS, response))

    def close(self) -> None:
        """Close the connections."""
        if self._sdk is not None:
            self._sdk.close()

    def __repr__(self) -> str:
        return f"OpenAiClient({self._backoff!r})"

    def _json(self, path: str, response: Any) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise self._backoff.malformed(path, "answered no JSON") from error

    def _object(self, path: str, answer: Any) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise self._backoff.malformed(path, "answered no JSON object")
        return answer

    def _call(self, path: str, send: Send, deadline: float | None, before_each: BeforeEach) -> Any:
        """Call the SDK within the back-off."""
        import openai

        sdk = self._client()

        def attempt(left: float) -> Any:
            try:
                return send(sdk, openai.Timeout(left, connect=min(left, CONNECT_SECONDS)))
            except openai.APIConnectionError as error:
                is_timeout = isinstance(error, openai.APITimeoutError)
                raise self._backoff.no_answer(error.__cause__, is_timeout) from error
            except openai.APIStatusError as error:
                raise self._backoff.failure(path, error.status_code, error.response.headers, error.response.text) from None

        return self._backoff.call(path, attempt, deadline, before_each, self._hands_back)

    @contextmanager
    def _stream_errors(self) -> Iterator[None]:
        import openai

        try:
            yield
        except openai.APITimeoutError as error:
            raise self._backoff.timeout(_CHAT, f"no answer ({type(error.__cause__).__name__})") from error
        except openai.APIConnectionError as error:
            raise self._backoff.broken_off(_CHAT, error.__cause__) from error
        except openai.APIError as error:  # what failed after the answer had begun cannot be a status any more
            raise self._backoff.broken_off(_CHAT, error.message) from error
        except json.JSONDecodeError as error:
            raise self._backoff.malformed(_CHAT, "sent an event that is no JSON") from error

    def _client(self) -> "OpenAI":
        with self._opening:
            if self._sdk is None:
                import httpx2
                from openai import OpenAI

                # The number of calls is bounded where they are made, so that a free connection is never waited for. Each is
                # kept: the next call comes at once.
                limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
                hooks: dict[str, list[Callable[..., Any]]] = {"request": [_prepare], "response": [_limit]}
                client = httpx2.Client(verify=trusted_certificates(), limits=limits, event_hooks=hooks)
                url, key = str(self._backoff.url), self._backoff.key or _NO_KEY
                self._sdk = OpenAI(base_url=url, api_key=key, max_retries=0, http_client=client)
            return self._sdk


def _prepare(request: "Request") -> None:
    """Note the end of a request, which its time-out says, and take out headers that nobody asked for."""
    request.extensions["ends"] = time.monotonic() + request.extensions["timeout"]["read"]
    for name in _OF_THE_ENVIRONMENT:
        request.headers.pop(name, None)
    if request.headers.get("Authorization") == f"Bearer {_NO_KEY}":
        del request.headers["Authorization"]


def _limit(response: "Response") -> None:
    """Let reading a response time out at the end of its request: httpx limits each read, and not all of them together."""
    response.stream = _limited_stream()(response.stream, response.request.extensions["ends"])


@cache
def _limited_stream() -> type:
    import httpx2

    class LimitedStream(httpx2.SyncByteStream):
        def __init__(self, stream: Any, ends: float) -> None:
            self._stream, self._ends = stream, ends

        def __iter__(self) -> Iterator[bytes]:
            for part in self._stream:
                yield part
                if time.monotonic() > self._ends:
                    raise httpx2.ReadTimeout("the answer came too slowly")

        def close(self) -> None:
            self._stream.close()

    return LimitedStream
