"""The way to an OpenAI-compatible endpoint: JSON or a file by POST, tried again under one deadline.

A call passes these steps: 1. send it with the time that is left; 2. an answer is returned; 3. a refusal (400, 401, 403,
404, ...) is raised at once; 4. anything that may pass (429, 5xx, no connection) is waited out: twice as long each time
with full jitter (Brooker 2015), never shorter than the endpoint's Retry-After, never beyond the deadline.
"""

import json
import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, NoReturn

import httpx
from pydantic import SecretStr

from connectors.certificates import trusted
from connectors.silent_loggers import silence
from mneme.errors import ModelError, ModelMalformed, ModelRateLimited, ModelRefused, ModelTimeout, SettingsError
from mneme.times import utc_now

silence("httpx", below=logging.WARNING)  # each URL as it is, with a login in it

_SHORTEST_SECONDS = 0.001  # a time-out of 0 would mean none
_CONNECT_SECONDS = 10.0  # a host that does not answer in this time is down, and is tried again
_MAY_PASS = frozenset({408, 409, 425, 429})  # of the 4xx: time-out, conflict, too early, too many requests
_SHOWN_CHARACTERS = 300  # of an endpoint's own error message


class Refusal(ModelRefused):
    """The endpoint refuses the request; ``status`` is its HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a call is tried: ``count`` times more, waits from ``base_seconds`` doubling."""

    count: int
    base_seconds: float
    deadline_seconds: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random

    def deadline(self) -> float:
        """The moment of ``clock`` when a call that begins now must be over."""
        return self.clock() + self.deadline_seconds

    def wait(self, tried: int, at_least: float) -> float:
        """Seconds to wait after the ``tried``-th attempt (from 1)."""
        return max(at_least, self.jitter() * self.base_seconds * 2.0 ** (tried - 1))


@dataclass(frozen=True, slots=True)
class Upload:
    """A file for an endpoint, under a name whose ending says what it is."""

    name: str
    content: bytes = field(repr=False)


class Endpoint:
    """One endpoint. Safe for several threads; the key is in no error, log line or repr."""

    def __init__(self, base_url: str, api_key: SecretStr | None, retries: Retries, group: str) -> None:
        """Prepare, without calling.

        Args:
            base_url: up to and with the version, ``https://host/v1``.
            api_key: sent as a bearer token; None for an endpoint without authentication.
            retries: how calls are repeated.
            group: the settings that this comes from, named in errors: ``MNEME_MODELS`` or ``MNEME_EMBEDDER``.

        Raises:
            SettingsError: the URL is none.
        """
        try:
            url = httpx.URL(base_url)
        except httpx.InvalidURL as error:
            raise SettingsError(f"{group}__BASE_URL: {error}; write it like https://host/v1") from error
        if url.scheme not in ("http", "https") or not url.host:
            raise SettingsError(f"{group}__BASE_URL is no http(s) URL; write it like https://host/v1")
        self.retries = retries
        self._group = group
        self._not_before: dict[str, float] = {}
        self._key = api_key.get_secret_value().strip() if api_key else ""
        if not (self._key.isascii() and self._key.isprintable()):
            raise SettingsError(f"{group}__API_KEY has characters that no key has; copy it again")
        self._shown = str(url.copy_with(username=None, password=None, query=None))
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # The number of calls is bounded where they are made, so that a free connection is never waited for. Each is kept: the
        # next call comes at once.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self._client = httpx.Client(base_url=url, headers=headers, limits=limits, verify=trusted())

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> dict[str, Any]:
        """The JSON object that answers a JSON body.

        Args, Raises: as ``exchange``; ModelMalformed also for an answer that is no object.
        """
        return self._object(path, self.exchange(path, body, deadline, before_each))

    def upload(
        self,
        path: str,
        fields: Mapping[str, str],
        file: Upload,
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> dict[str, Any]:
        """The JSON object that answers a form (multipart) with a file in it, the field ``file``.

        Args, Raises: as ``post``, with ``fields`` and ``file`` in place of a JSON body.
        """
        response = self._attempts(path, deadline, before_each, partial(self._send, path, _form(fields, file)))
        return self._object(path, self._json(path, response))

    def exchange(
        self,
        path: str,
        body: Mapping[str, Any],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> Any:
        """The endpoint's JSON answer to a JSON body, whatever JSON it is.

        Args:
            path: below the base URL, ``/chat/completions``.
            body: the request.
            deadline: a moment of the clock by which all attempts end; None: the whole time from now.
            before_each: called before each attempt with the seconds that are left; may wait, and may raise.

        Raises:
            ModelTimeout: no answer by the deadline. A server that sends its answer in drops can exceed it by one read.
            ModelRateLimited: 429 until the attempts or the time were spent. What a Retry-After asks holds for all calls of
                the path: the others wait too, instead of being refused.
            ModelRefused: the endpoint would refuse it again.
            ModelMalformed: an answer that is no JSON.
            ModelError: server errors or no connection until the attempts were spent.
        """
        return self._json(path, self._attempts(path, deadline, before_each, partial(self._send, path, _json_body(body))))

    def events(
        self,
        path: str,
        body: Mapping[str, Any],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
    ) -> Iterator[dict[str, Any]]:
        """The endpoint's answer as server-sent events, each a JSON object, as they come; to close the iterator ends the call.

        Until the first has come it is tried again as ``exchange`` is; then nothing is, for part of it was used already.

        Args, Raises: as ``exchange``; ModelError also where the connection ends before the last event (``[DONE]``).
        """
        ends = self.retries.deadline() if deadline is None else deadline
        response = self._attempts(path, ends, before_each, partial(self._open, path, _json_body(body)))
        with closing(response):
            try:
                for line in _lines(response):
                    if self.retries.clock() > ends:
                        raise ModelTimeout(self._late(path, ""))
                    if not line.startswith(b"data:"):
                        continue
                    if (data := line.removeprefix(b"data:").strip()) == b"[DONE]":
                        return
                    yield self._event(path, data)
            except httpx.TimeoutException as error:
                raise ModelTimeout(self._late(path, f"no answer ({type(error).__name__})")) from error
            except httpx.HTTPError as error:
                raise ModelError(self._clean(f"{self._shown}{path}: the answer broke off ({error})")) from error
        raise ModelError(f"{self._shown}{path}: the answer broke off; ask again, or check {self._group}__BASE_URL")

    def _attempts(
        self,
        path: str,
        deadline: float | None,
        before_each: Callable[[float], None],
        send: Callable[[float, float], httpx.Response],
    ) -> httpx.Response:
        """The first response that is a success; see ``exchange``. ``send`` gets the seconds left and the moment of the end."""
        retries = self.retries
        ends = retries.deadline() if deadline is None else deadline
        tried = 0
        while True:
            # Step 1. Send it with the time that is left.
            left = ends - retries.clock()
            if left <= 0:
                raise ModelTimeout(self._late(path, ""))
            if (held_back := self._not_before.get(path, 0.0) - retries.clock()) > 0:
                if held_back >= left:
                    raise ModelRateLimited(
                        f"{self._shown}{path}: asked to wait {held_back:.0f} s; make fewer calls ({self._group})"
                    )
                retries.sleep(held_back)
            before_each(left)
            left = max(ends - retries.clock(), _SHORTEST_SECONDS)
            failure, rate_limited, at_least = "", False, 0.0
            try:
                response = send(left, ends)
            except httpx.TimeoutException as error:
                failure = f"no answer ({type(error).__name__})"
            except httpx.RequestError as error:
                failure = self._clean(f"no connection ({error or type(error).__name__})")
            else:
                # Step 2. An answer is returned. Step 3. A refusal is raised.
                if response.is_success:
                    return response
                if not _may_pass(response):
                    self._refuse(path, response)
                failure = self._clean(f"HTTP {response.status_code} {_said(response)}".strip())
                rate_limited, at_least = response.status_code == 429, retry_after(response.headers, utc_now())
                if rate_limited:  # the other calls would be refused as well
                    self._not_before[path] = max(self._not_before.get(path, 0.0), retries.clock() + at_least)
            # Step 4. What may pass is waited out.
            tried += 1
            wait = retries.wait(tried, at_least)
            spent = tried > retries.count
            if not spent and retries.clock() + wait < ends:
                retries.sleep(wait)
                continue
            if rate_limited:
                raise ModelRateLimited(
                    f"{self._shown}{path}: {failure}, {tried} times; "
                    f"make fewer calls at a time ({self._group}) or ask the provider for a higher limit"
                )
            if retries.clock() >= ends or not spent:
                raise ModelTimeout(self._late(path, failure))
            raise ModelError(f"{self._shown}{path}: {failure}, {tried} times; check that {self._group}__BASE_URL is up")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __repr__(self) -> str:
        return f"Endpoint({self._shown!r})"

    def _send(self, path: str, body: "_Body", left: float, ends: float) -> httpx.Response:
        with closing(self._started(path, body, left)) as response:
            answer = bytearray()
            for chunk in response.iter_bytes():
                answer += chunk
                if self.retries.clock() > ends:
                    raise httpx.ReadTimeout("the answer came too slowly")
        return httpx.Response(response.status_code, content=bytes(answer), headers=_without_coding(response.headers))

    def _open(self, path: str, body: "_Body", left: float, ends: float) -> httpx.Response:
        """A response whose content has not been read, where it is a success; the caller closes it."""
        response = self._started(path, body, left)
        if not response.is_success:
            with closing(response):
                response.read()
        return response

    def _started(self, path: str, body: "_Body", left: float) -> httpx.Response:
        """The response as it begins; the caller closes it."""
        timeout = httpx.Timeout(left, connect=min(left, _CONNECT_SECONDS))
        headers = {"Content-Type": body.content_type}
        request = self._client.build_request("POST", path, content=body.content, headers=headers, timeout=timeout)
        return self._client.send(request, stream=True)

    def _event(self, path: str, data: bytes) -> dict[str, Any]:
        try:
            event = json.loads(data)
        except ValueError as error:
            raise ModelMalformed(f"{self._shown}{path} sent an event that is no JSON; check {self._group}__BASE_URL") from error
        if not isinstance(event, dict):
            raise ModelMalformed(f"{self._shown}{path} sent an event that is no JSON object; check {self._group}__BASE_URL")
        if failed := event.get("error"):  # what failed after the answer had begun cannot be a status any more
            raise ModelError(self._clean(f"{self._shown}{path}: the answer broke off ({_message(failed)})"))
        return event

    def _json(self, path: str, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise ModelMalformed(f"{self._shown}{path} answered no JSON; check {self._group}__BASE_URL") from error

    def _object(self, path: str, answer: Any) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise ModelMalformed(f"{self._shown}{path} answered no JSON object; check {self._group}__BASE_URL")
        return answer

    def _refuse(self, path: str, response: httpx.Response) -> NoReturn:
        status = response.status_code
        check = {
            401: f"check {self._group}__API_KEY",
            403: f"check what the key of {self._group}__API_KEY may do",
            404: f"check {self._group}__BASE_URL and the model's name",
            429: "the account has no credit left",
        }.get(status, f"check {self._group}__BASE_URL" if status < 400 else "check the model's name and the request")
        raise Refusal(self._clean(f"{self._shown}{path}: HTTP {status} {_said(response)}; {check}"), status)

    def _late(self, path: str, failure: str) -> str:
        after = f"; the last attempt: {failure}" if failure else ""
        limit = f"{self.retries.deadline_seconds:g} s"
        return f"{self._shown}{path} gave no answer within {limit}{after}; raise the time limit in {self._group} or check it"

    def _clean(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def retry_after(headers: httpx.Headers, now: datetime) -> float:
    """Seconds that Retry-After asks to wait, given as seconds or as an HTTP date; 0 without a readable one."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, min(float(value), 86_400.0)) if value.lower() != "nan" else 0.0
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _lines(response: httpx.Response) -> Iterator[bytes]:
    """The lines of a stream as they come. By line feeds alone: a text may hold other separators (U+2028), as JSON may."""
    rest = b""
    for chunk in response.iter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest


@dataclass(frozen=True, slots=True)
class _Body:
    """What is sent, the same at each attempt."""

    content: bytes
    content_type: str


def _json_body(body: Mapping[str, Any]) -> _Body:
    content = json.dumps(body, ensure_ascii=False).encode(errors="replace")  # half a surrogate pair is no text
    return _Body(content, "application/json")


def _form(fields: Mapping[str, str], file: Upload) -> _Body:
    request = httpx.Request("POST", "", data=fields, files={"file": (file.name, file.content)})
    return _Body(request.read(), request.headers["Content-Type"])


def _may_pass(response: httpx.Response) -> bool:
    if response.status_code == 429 and "insufficient_quota" in response.text:
        return False
    return response.status_code in _MAY_PASS or response.status_code >= 500


def _said(response: httpx.Response) -> str:
    """The endpoint's own message, in one line."""
    try:
        return _message(response.json()["error"])
    except (ValueError, KeyError, TypeError):
        return _message(response.text)


def _message(error: object) -> str:
    message = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(message).split())[:_SHOWN_CHARACTERS]


def _without_coding(headers: httpx.Headers) -> httpx.Headers:
    """The headers of content that is already decoded."""
    return httpx.Headers(
        [(name, value) for name, value in headers.items() if name not in ("content-encoding", "content-length")]
    )
