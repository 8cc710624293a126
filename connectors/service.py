"""Asking a running service: JSON by HTTP, and its problems as the errors that they were there.

What may pass is asked again until the patience ends: no connection, no answer in time, 429, 502 to 504. Twice is as good as
once for all that is asked here: the service knows an event, an upload or a flush that it has taken in already.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from connectors.batched_transport import BatchedTransport, Sent
from connectors.clients import silence, trusted_certificates
from mneme.errors import DiskFull, InputError, MnemeError, SettingsError, StoreUnavailable
from mneme.events import Document
from mneme.problems import NOT_FOUND, error_of
from mneme.settings import Settings

silence("httpx", below=logging.WARNING)  # each URL as it is, with what is asked for in it

_PREFIX = "/api/v1"
_REACH_SECONDS = 2.0  # that an address at which nothing answers is tried for
_ANSWER_SECONDS = 120.0  # a search with agents takes tens of seconds
_PATIENCE_SECONDS = 20.0  # with what may pass, over all attempts
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 5.0
_PASSES = frozenset({429, 502, 503, 504})
_HALF = "a text holds half of a surrogate pair, which is no character; send well-formed Unicode"
_URL, _KEY = "MNEME_SERVICE__URL", "MNEME_SERVICE__API_KEY"


class NotThere(InputError):
    """The service has nothing of the name that was asked for."""


class ServiceClient:
    """One service. Safe for several threads; the key is in no error, log line or repr.

    Args:
        url: of the service, ``http://127.0.0.1:8765``; with a path, if it lies under one.
        api_key: None where the service asks for none.
        answer_seconds: how long an answer is waited for; a request that waits itself has more.
        patience_seconds: how long what may pass is tried again.
        reach_seconds: how long a service is looked for that is not there, or not yet.
        sleep: waits between attempts.

    Raises:
        SettingsError: the URL or the key is invalid.
    """

    def __init__(
        self,
        url: str,
        api_key: SecretStr | str | None = None,
        answer_seconds: float = _ANSWER_SECONDS,
        patience_seconds: float = _PATIENCE_SECONDS,
        reach_seconds: float = _REACH_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise SettingsError(f"{_URL}: {error}; write it like http://127.0.0.1:8765") from error
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise SettingsError(f"{_URL}: no http(s) URL; write it like http://127.0.0.1:8765")
        if parsed.userinfo or parsed.query or parsed.fragment:
            raise SettingsError(f"{_URL}: a URL with a password, ? or #; write it like https://host/path, the key in {_KEY}")
        key = (api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key or "").strip()
        if not (key.isascii() and key.isprintable()):
            raise SettingsError(f"{_KEY} has characters that no key has; copy it again")
        self.url = str(parsed).rstrip("/")
        self._answer_seconds = answer_seconds
        self._patience = patience_seconds
        self._reach = min(reach_seconds, patience_seconds)
        self._sleep = sleep
        self._client = httpx.Client(
            base_url=self.url.removesuffix(_PREFIX) + _PREFIX,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=32),
            verify=trusted_certificates(),
        )

    @classmethod
    def of(
        cls, settings: Settings, url: str | None = None, api_key: str | None = None, *, waits_for_start: bool = False
    ) -> "ServiceClient | None":
        """The client of ``url``, else of ``MNEME_SERVICE__URL``; None where neither is given.

        With ``waits_for_start`` a service that is not there is looked for as long as anything else that may pass: whoever
        sends must outlast a restart, whoever asks wants to know soon.

        Raises:
            SettingsError: as for the client itself.
        """
        chosen = url or settings.service.url
        reach = _PATIENCE_SECONDS if waits_for_start else _REACH_SECONDS
        return None if chosen is None else cls(chosen, api_key or settings.service.api_key, reach_seconds=reach)

    def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        files: Mapping[str, Any] | None = None,
        data: Mapping[str, str] | None = None,
        wait_seconds: float = 0.0,
    ) -> Any:
        """The JSON that answers a request; None where the answer is empty.

        Args:
            method: of HTTP.
            path: behind ``/api/v1``; what comes from outside is quoted (``quoted``).
            json: the body.
            content: the body, where it is JSON already.
            params: of the query; those that are None are left out, a sequence is repeated.
            files: of a form, as httpx takes them.
            data: the other fields of a form.
            wait_seconds: how long the service itself waits before it answers.

        Raises:
            MnemeError: what the service said, as the class of error that it was there.
            StoreUnavailable: no service answers.
        """
        query = {name: value for name, value in (params or {}).items() if value is not None}
        options = {"json": json, "content": content, "params": query or None, "files": files, "data": data}
        given = {name: value for name, value in options.items() if value is not None}
        if content is not None:
            given["headers"] = {"Content-Type": "application/json"}
        return _json(self._patiently(method, path, given, self._timeout(wait_seconds)))

    def events(self, method: str, path: str, *, json: Any = None) -> Iterator[tuple[str, Any]]:
        """The server-sent events that answer a request, made once: of each its name and its data, parsed as JSON.

        Raises:
            MnemeError: as ``request``, and what an event named ``problem`` tells.
            StoreUnavailable: also when the connection breaks while it is read.
        """
        self._check_open()
        options = {"json": json, "headers": {"Accept": "text/event-stream"}, "timeout": self._timeout(0.0)}
        try:
            with self._client.stream(method, path, **options) as response:
                if not response.is_success:
                    response.read()
                    raise _error(response)
                yield from _events(response.iter_lines())
        except UnicodeEncodeError as error:
            raise InputError(_HALF) from error
        except httpx.HTTPError as error:
            raise self._unavailable(error) from error

    def close(self) -> None:
        """Release the connections."""
        self._client.close()

    def _patiently(self, method: str, path: str, options: Mapping[str, Any], timeout: httpx.Timeout) -> httpx.Response:
        self._check_open()
        began, pause = time.monotonic(), _FIRST_PAUSE_SECONDS
        while True:
            wait: float | None = pause
            deadline = began + self._patience
            problem: MnemeError
            try:
                response = self._client.request(method, path, timeout=timeout, **options)
                if response.is_success:
                    return response
                problem = _error(response)
                wait = _may_pass(response, problem, pause)
            except UnicodeEncodeError as error:
                raise InputError(_HALF) from error
            except httpx.InvalidURL as error:
                raise InputError("what is asked for is too long for a URL; ask with fewer filters") from error
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:  # nothing was sent
                problem = self._unavailable(error)
                deadline = began + self._reach
            except httpx.HTTPError as error:
                problem = self._unavailable(error)
            if wait is None or time.monotonic() + wait > deadline:
                raise problem
            self._sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _check_open(self) -> None:
        if self._client.is_closed:
            raise InputError("this client is closed; connect another one")

    def _timeout(self, wait_seconds: float) -> httpx.Timeout:
        return httpx.Timeout(self._answer_seconds + wait_seconds, connect=_REACH_SECONDS)

    def _unavailable(self, error: httpx.HTTPError) -> StoreUnavailable:
        what = "gives no answer in time" if isinstance(error, httpx.TimeoutException) else "does not answer"
        return StoreUnavailable(
            f"the service at {self.url} {what} ({type(error).__name__}); is `mneme serve` up there? ({_URL}, --url)"
        )


def quoted(*names: str) -> str:
    """Names as a path: each a part, percent-encoded, whatever it holds.

    >>> quoted("conversations", "a/b c")
    '/conversations/a%2Fb%20c'

    Raises:
        InputError: a name holds half of a surrogate pair.
    """
    try:
        return "".join(f"/{quote(name, safe='')}" for name in names)
    except UnicodeEncodeError as error:
        raise InputError(_HALF) from error


def _may_pass(response: httpx.Response, problem: MnemeError, pause: float) -> float | None:
    """After how many seconds a refused request may be made again; None: not at all."""
    if response.status_code not in _PASSES or isinstance(problem, DiskFull | SettingsError):
        return None
    asked = response.headers.get("Retry-After", "")
    return max(pause, float(asked)) if asked.isdigit() else pause


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name, data = "message", list[str]()
    for line in lines:
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            content = _parsed("\n".join(data))
            if name == "problem":
                raise error_of(int(content.get("status", 500)) if isinstance(content, dict) else 500, content)
            yield name, content
            name, data = "message", []


def _json(response: httpx.Response) -> Any:
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError:
        raise StoreUnavailable(
            f"the answer of {response.url.host} is no JSON; does {_URL} name a Mneme service, and not another or a proxy?"
        ) from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise StoreUnavailable("the service broke off within an answer; ask again") from None


def _error(response: httpx.Response) -> MnemeError:
    """The error of a refusal. Nothing is quoted that does not come from a service of ours."""
    if response.is_redirect:  # a proxy that wants https: it is not followed, for the key would go along
        return SettingsError(f"{response.url.host} sends elsewhere (HTTP {response.status_code}); set {_URL} to where it does")
    try:
        body = response.json()
    except ValueError:
        body = None
    if body is None and response.status_code == 404:
        return InputError(f"{response.url.host} has nothing there (HTTP 404); does {_URL} name a Mneme service?")
    if isinstance(body, dict) and body.get("type") == NOT_FOUND.type:
        return NotThere(str(body.get("detail") or NOT_FOUND.title))
    return error_of(response.status_code, body)


_OWNER = {"tenant_id", "user_id", "group_id", "agent_id"}
_FIELDS = _OWNER | {"document_id", "name", "dated_at", "modified_at", "flush_id"}  # of an upload
_MOST_EVENTS, _MOST_BYTES = 200, 1_000_000  # of one request


class HttpTransport(BatchedTransport):
    """Sends to ``POST /api/v1/events``. Safe for several threads; requests follow one another, so that order is kept.

    What kind of event it is tells the service the lane, but for the backfill. Of a request that the service refuses nothing is
    taken in, and none of it is sent again.

    Args:
        client: of the service; closed with the transport.
    """

    def __init__(self, client: ServiceClient) -> None:
        super().__init__(_MOST_EVENTS, _MOST_BYTES)
        self._client = client

    def upload(self, document: Document, content: bytes) -> None:
        """Send a document that is too large for an event, behind what was sent before; kept by the service on return.

        Args:
            document: whose it is, and what it is called.
            content: in place of its own.

        Raises:
            InputError, StoreUnavailable, StoreRejected: as ``ServiceClient.request``.
        """
        fields = document.model_dump(mode="json", include=_FIELDS & document.model_fields_set, exclude_none=True)
        if document.metadata:
            fields["metadata"] = json.dumps(document.metadata)
        self.flush()
        file = (document.name, content, document.media_type or "application/octet-stream")
        self._client.request("POST", "/documents", data=fields, files={"file": file})

    def _release(self) -> None:
        self._client.close()

    def _hand_on(self, events: Sequence[Sent]) -> None:
        for is_backfill, sent in groupby(events, key=lambda event: event[0] == "backfill"):
            values = [value for _, value in sent]
            body = b'{"backfill":%s,"events":[%s]}' % (b"true" if is_backfill else b"false", b",".join(values))
            try:
                self._client.request("POST", "/events", content=body)
            except InputError as error:
                raise InputError(f"{error} (in a request of {len(values)} events, none of which was taken in)") from error
