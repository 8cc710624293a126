"""Call a model endpoint again until it answers, under one deadline: ``Backoff``, which the endpoint's callers share.

A call passes these steps: 1. send it with the time that is left; 2. return an answer; 3. raise a refusal (400, 401, 403,
404, ...) at once; 4. wait out anything that may pass (429, 5xx, no connection): twice as long each time with full jitter
(Brooker 2015), never beyond the deadline. During a pause of the endpoint (availability.py) no attempt goes out.
"""

import json
import math
import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx
from pydantic import SecretStr

from connectors.endpoints.availability import Availability, Pause
from mneme.errors import (
    ModelError,
    ModelKeyRefused,
    ModelMalformed,
    ModelPaused,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    SettingsError,
)
from mneme.times import utc_now

T = TypeVar("T")
Format = TypeVar("Format")

CONNECT_SECONDS = 10.0  # a host that does not answer in this time is down, and is tried again
_SHORTEST_SECONDS = 0.001  # a time-out of 0 would mean none
_LONGEST_RETRY_AFTER_SECONDS = 600.0  # a quota of the day is not waited out: rules serve until then
_SHORT_SECONDS = 2.0  # a wait that is not worth handing a call back
_TRANSIENT = frozenset({408, 409, 425, 429})  # of the 4xx: time-out, conflict, too early, too many requests
_OF_THE_KEY = frozenset({401, 402})  # wrong, no credit; 403 may be about one text (moderation)
_UNKNOWN_FORMAT = frozenset({400, 422})  # how endpoints say that they do not know a response format
_MESSAGE_CHARACTERS = 300  # of an endpoint's own error message


class Refusal(ModelRefused):
    """The endpoint refuses the request; ``status`` is its HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class KeyRefusal(Refusal, ModelKeyRefused):
    """The endpoint refuses the key, whatever it is asked."""


class TransientFailure(Exception):
    """An attempt failed, and another may succeed. ``Backoff.call`` waits at least ``retry_after`` seconds before that."""

    def __init__(self, message: str, is_rate_limit: bool = False, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.is_rate_limit = is_rate_limit
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Retries:
    """The limits of repetition: ``count`` more attempts, waits from ``base_seconds`` doubling."""

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


class Backoff:
    """The attempts at one endpoint. Safe for several threads; the key is in no error, log line or repr.

    Attributes:
        url: up to and with the version.
        key: the API key; empty for none.
        retries: how calls are repeated.
    """

    def __init__(self, base_url: str, api_key: SecretStr | None, retries: Retries, group: str) -> None:
        """Check address and key.

        Args:
            base_url: up to and with the version, ``https://host/v1``.
            api_key: sent as a bearer token; None for an endpoint without authentication.
            retries: how calls are repeated.
            group: the settings that this comes from, named in errors: ``MNEME_MODELS`` or ``MNEME_EMBEDDER``.

        Raises:
            SettingsError: the URL or the key cannot be used.
        """
        try:
            self.url = httpx.URL(base_url)
        except httpx.InvalidURL as error:
            raise SettingsError(f"{group}__BASE_URL: {error}; write it like https://host/v1") from error
        if self.url.scheme not in ("http", "https") or not self.url.host:
            raise SettingsError(f"{group}__BASE_URL is no http(s) URL; write it like https://host/v1")
        self.key = api_key.get_secret_value().strip() if api_key else ""
        if not (self.key.isascii() and self.key.isprintable()):
            raise SettingsError(f"{group}__API_KEY has characters that no key has; copy it again")
        self.retries = retries
        self._group = group
        self._address = str(self.url.copy_with(username=None, password=None, query=None))
        self._availability: dict[str, Availability] = {}  # by path: each is another model

    def __repr__(self) -> str:
        return f"Backoff({self._address!r})"

    def call(
        self,
        path: str,
        attempt: Callable[[float], T],
        deadline: float | None = None,
        before_each: Callable[[float], None] = lambda left: None,
        hands_back: bool = False,
    ) -> T:
        """The result of the first attempt that succeeds.

        Args:
            path: below the base URL, ``/chat/completions``.
            attempt: sends the request once, with the seconds that are left; raises what ``failure`` or ``no_answer`` make.
            deadline: a moment of the clock by which all attempts end; None: the whole time from now.
            before_each: called before each attempt with the seconds that are left; may wait, and may raise.
            hands_back: raise at once where the endpoint pauses for more than two seconds: the caller has something else to
                do. Else the pause is waited out where the time allows it.

        Raises:
            ModelTimeout: no answer by the deadline.
            ModelPaused: the endpoint pauses for longer than this call may wait. That holds for all calls of the path.
            ModelRateLimited: 429 until the attempts or the time were spent.
            ModelRefused: the endpoint would refuse it again.
            ModelMalformed: an answer that is not what was asked for.
            ModelError: server errors or no connection until the attempts were spent, or the endpoint is down.
        """
        retries = self.retries
        availability = self._availability.setdefault(path, Availability(f"{self._address}{path}"))
        ends = retries.deadline() if deadline is None else deadline
        tried = 0
        while True:
            # Step 1. Send it with the time that is left.
            left = ends - retries.clock()
            if left <= 0:
                raise self.timeout(path)
            while (pause := availability.enter(retries.clock())) is not None:
                if pause.seconds > min(ends - retries.clock(), _SHORT_SECONDS if hands_back else math.inf):
                    raise self._paused(path, pause)
                retries.sleep(pause.seconds)
            before_each(ends - retries.clock())
            try:
                # Step 2. An answer is returned. Step 3. A refusal is raised.
                answer = attempt(max(ends - retries.clock(), _SHORTEST_SECONDS))
            except TransientFailure as error:
                failure = error
            except Refusal:
                availability.answered()
                raise
            else:
                availability.answered()
                return answer
            # Step 4. What may pass is waited out; where the endpoint said for how long, so do the other calls.
            if failure.retry_after > 0:
                availability.asked_to_pause(retries.clock(), failure.retry_after)
            else:
                availability.failed(retries.clock(), str(failure))
            tried += 1
            if hands_back and failure.retry_after > _SHORT_SECONDS:
                continue
            wait = retries.wait(tried, failure.retry_after)
            is_spent = tried > retries.count
            if not is_spent and retries.clock() + wait < ends:
                retries.sleep(wait)
                continue
            if hands_back and (pause := availability.enter(retries.clock())) is not None:
                raise self._paused(path, pause) from failure
            if failure.is_rate_limit:
                raise ModelRateLimited(
                    f"{self._address}{path}: {failure}, {tried} times; "
                    f"make fewer calls at a time ({self._group}) or ask the provider for a higher limit"
                ) from failure
            if retries.clock() >= ends or not is_spent:
                raise self.timeout(path, str(failure)) from failure
            raise ModelError(
                f"{self._address}{path}: {failure}, {tried} times; check that {self._group}__BASE_URL is up"
            ) from failure

    # --- errors ------------------------------------------------------------------------------------------------------

    def failure(self, path: str, status: int, headers: Mapping[str, str], text: str) -> Exception:
        """The error of an answer with an error status: a ``TransientFailure``, or a ``Refusal``."""
        message = _message(text)
        is_broke = status == 429 and "insufficient_quota" in text
        if (status in _TRANSIENT or status >= 500) and not is_broke:
            said = self._without_key(f"HTTP {status} {message}".strip())
            return TransientFailure(said, status == 429, retry_after(headers.get("retry-after", ""), utc_now()))
        check = {
            401: f"check {self._group}__API_KEY",
            402: "the account has no credit left",
            403: f"check what the key of {self._group}__API_KEY may do",
            404: f"check {self._group}__BASE_URL and the model's name",
            429: "the account has no credit left",
        }.get(status, f"check {self._group}__BASE_URL" if status < 400 else "check the model's name and the request")
        kind = KeyRefusal if is_broke or status in _OF_THE_KEY else Refusal
        return kind(self._without_key(f"{self._address}{path}: HTTP {status} {message}; {check}"), status)

    def no_answer(self, cause: BaseException | None, is_timeout: bool) -> TransientFailure:
        """The failure of an attempt without an answer: a time-out, or no connection."""
        name = type(cause).__name__
        return TransientFailure(self._without_key(f"no answer ({name})" if is_timeout else f"no connection ({cause or name})"))

    def timeout(self, path: str, failure: str = "") -> ModelTimeout:
        """The error of a call that the deadline ended."""
        after = f"; the last attempt: {failure}" if failure else ""
        limit = f"{self.retries.deadline_seconds:g} s"
        remedy = f"raise the time limit in {self._group} or check it"
        return ModelTimeout(f"{self._address}{path} gave no answer within {limit}{after}; {remedy}")

    def _paused(self, path: str, pause: Pause) -> ModelError:
        remedy = f"make fewer calls ({self._group})" if pause.is_asked else f"check that {self._group}__BASE_URL is up"
        message = f"{self._address}{path}: {pause.why}; the next call may go out in {pause.seconds:.0f} s; {remedy}"
        return ModelError(message) if pause.is_down else ModelPaused(message, pause.seconds)

    def malformed(self, path: str, what: str) -> ModelMalformed:
        """The error of an answer that is not what was asked for."""
        return ModelMalformed(f"{self._address}{path} {what}; check {self._group}__BASE_URL")

    def broken_off(self, path: str, cause: object = "") -> ModelError:
        """The error of a stream that ended before the answer did."""
        reason = f" ({_one_line(cause)})" if cause else f"; ask again, or check {self._group}__BASE_URL"
        return ModelError(self._without_key(f"{self._address}{path}: the answer broke off{reason}"))

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "***") if self.key else text


def first_accepted(formats: Iterable[Format], ask: Callable[[Format], T]) -> tuple[Format, T]:
    """The first response format that an endpoint does not refuse as unknown, with its answer.

    Raises:
        Refusal: that of the first format, where all are refused: the format was not what the endpoint minded.
        ModelError: whatever else ``ask`` raises, at once.
    """
    refusals: list[Refusal] = []
    for each in formats:
        try:
            return each, ask(each)
        except Refusal as error:
            if error.status not in _UNKNOWN_FORMAT:
                raise
            refusals.append(error)
    raise refusals[0]


def as_sent(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body as it arrives over HTTP: half a surrogate pair, which is no text, is a question mark."""
    sent: dict[str, Any] = json.loads(json.dumps(body, ensure_ascii=False).encode(errors="replace"))
    return sent


def retry_after(value: str, now: datetime) -> float:
    """Seconds that the header Retry-After asks to wait, given as seconds or as an HTTP date; 0 if it is not readable.

    At most ten minutes.
    """
    value = value.strip()
    try:
        seconds = float(value)
        return max(0.0, min(seconds, _LONGEST_RETRY_AFTER_SECONDS)) if math.isfinite(seconds) else 0.0
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, min((moment - now).total_seconds(), _LONGEST_RETRY_AFTER_SECONDS))


def _message(text: str) -> str:
    """The endpoint's own message, in one line."""
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return _one_line(text)
    return _one_line(error.get("message", error) if isinstance(error, dict) else error)


def _one_line(message: object) -> str:
    return " ".join(str(message).split())[:_MESSAGE_CHARACTERS]
