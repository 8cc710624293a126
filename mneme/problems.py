"""Errors as they go over HTTP (RFC 9457, ``application/problem+json``), and back: the table that service and client share.

A problem is ``{"type", "title", "status", "detail"}``, of input also ``errors``: what is wrong with each field. ``detail`` is
the message of the error, with its remedy, and ``type`` says which class of ``mneme.errors`` it is on the other side.
"""

from dataclasses import dataclass
from typing import Any

from mneme.errors import (
    DiskFull,
    InputError,
    MnemeError,
    ModelError,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    SettingsError,
    StoreError,
    StoreRejected,
    StoreUnavailable,
)

MEDIA_TYPE = "application/problem+json"
_TYPES = "urn:mneme:problem:"


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of problem. ``error`` is raised for it by a client, ``retry_seconds`` after which it may be asked again."""

    name: str
    status: int
    title: str
    error: type[MnemeError]
    retry_seconds: int | None = None

    @property
    def type(self) -> str:
        """The URI that names it."""
        return f"{_TYPES}{self.name}"


INPUT = Problem("input", 422, "The request cannot be understood", InputError)
SETTINGS = Problem("settings", 503, "The service is not set up for this", SettingsError)
MODEL = Problem("model", 502, "A model gave no usable answer", ModelError)
MODEL_TIMEOUT = Problem("model-timeout", 504, "A model did not answer in time", ModelTimeout, 5)
MODEL_RATE_LIMITED = Problem("model-rate-limited", 429, "A model's endpoint is asked too often", ModelRateLimited, 10)
MODEL_MALFORMED = Problem("model-malformed", 502, "A model's answer does not fit its form", ModelMalformed)
MODEL_REFUSED = Problem("model-refused", 502, "A model's endpoint refuses the request", ModelRefused)
STORE = Problem("store", 503, "The store failed", StoreError)
STORE_REJECTED = Problem("store-rejected", 409, "The store refuses this", StoreRejected)
STORE_UNAVAILABLE = Problem("store-unavailable", 503, "The store cannot serve now", StoreUnavailable, 2)
DISK_FULL = Problem("disk-full", 503, "There is no room left on the disk", DiskFull, 60)

BAD_REQUEST = Problem("bad-request", 400, "The request cannot be read", InputError)
UNAUTHENTICATED = Problem("unauthenticated", 401, "A key is needed", SettingsError)
FORBIDDEN = Problem("forbidden", 403, "This key may not do that", SettingsError)
NOT_FOUND = Problem("not-found", 404, "There is nothing of this name", InputError)
NOT_ALLOWED = Problem("method-not-allowed", 405, "This cannot be done here", InputError)
DERIVED = Problem("derived", 409, "This is made from messages", InputError)
TOO_SLOW = Problem("too-slow", 408, "The request did not arrive in time", StoreUnavailable)
TOO_LARGE = Problem("too-large", 413, "The request is too large", InputError)
MEDIA = Problem("unsupported-media-type", 415, "The request is of a type that is not read here", InputError)
MISDIRECTED = Problem("misdirected", 421, "The request is for another host", SettingsError)
RATE_LIMITED = Problem("rate-limited", 429, "Too many requests", StoreUnavailable)
INTERNAL = Problem("internal", 500, "The service failed", StoreError)

PROBLEMS = tuple(value for value in list(globals().values()) if isinstance(value, Problem))
_BY_TYPE = {problem.type: problem for problem in PROBLEMS}
_BY_ERROR = {problem.error: problem for problem in reversed(PROBLEMS[: PROBLEMS.index(BAD_REQUEST)])}
_OF_SEVERAL = (RATE_LIMITED, STORE_REJECTED, STORE_UNAVAILABLE)  # what a status means that several problems have
_BY_STATUS = {problem.status: problem for problem in (*reversed(PROBLEMS), *_OF_SEVERAL)}


def problem_of(error: MnemeError) -> Problem:
    """The problem that an error is over HTTP.

    >>> problem_of(DiskFull("no room")).status
    503
    """
    return next((_BY_ERROR[kind] for kind in type(error).__mro__ if kind in _BY_ERROR), INTERNAL)


def problem_of_status(status: int) -> Problem:
    """The problem that a status stands for where nothing else is known.

    >>> problem_of_status(404).name, problem_of_status(418).name, problem_of_status(599).name
    ('not-found', 'bad-request', 'internal')
    """
    return _BY_STATUS.get(status, BAD_REQUEST if status < 500 else INTERNAL)


def error_of(status: int, body: Any) -> MnemeError:
    """The error that a response tells of. What is no problem of ours is judged by its status alone.

    Args:
        status: of the response.
        body: its JSON, whatever it is.
    """
    problem_body = body if isinstance(body, dict) else {}
    problem = _BY_TYPE.get(str(problem_body.get("type")), problem_of_status(status))
    return problem.error(str(problem_body.get("detail") or problem_body.get("title") or f"{problem.title} (HTTP {status})"))
