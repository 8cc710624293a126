"""Errors as ``application/problem+json`` (mneme/problems.py), without internal details."""

import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from mneme import problems
from mneme.errors import MnemeError
from mneme.events import plain_message
from mneme.problems import MEDIA_TYPE, Problem
from queries.responses import ResponseModel

_log = logging.getLogger(__name__)

_MOST_ERRORS, _LONGEST_MESSAGE, _LONGEST_DETAIL = 10, 300, 4000
_WITHOUT_DETAIL = "it is in the service's log under the request id of this answer (X-Request-ID)"


class FieldError(ResponseModel):
    """Error of one field: its place in the request, and the reason."""

    field: str
    message: str


class ProblemDetails(BaseModel):
    """Problem and remedy (RFC 9457). ``type`` names the kind of problem, ``errors`` the fields."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "type": problems.INPUT.type,
                    "title": problems.INPUT.title,
                    "status": 422,
                    "detail": "filters: one of user_id, group_id or agent_id is needed: it says whose memory is searched",
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    errors: tuple[FieldError, ...] | None = None


class Forbidden(Exception):
    """A key may not do this; the message says what it may."""


class ProblemRaised(HTTPException):
    """A request is answered with a problem that is no error of ``mneme.errors``: a missing key, nothing of a name."""

    def __init__(self, problem: Problem, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.status, detail, headers)
        self.problem = problem


def problem_details(
    problem: Problem, detail: str, errors: Sequence[FieldError] = (), status: int | None = None
) -> ProblemDetails:
    """A problem as it is told."""
    detail = detail if len(detail) <= _LONGEST_DETAIL else f"{detail[: _LONGEST_DETAIL - 1]}…"
    return ProblemDetails(
        type=problem.type, title=problem.title, status=status or problem.status, detail=detail, errors=tuple(errors) or None
    )


def problem_response(
    problem: Problem,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[FieldError] = (),
    status: int | None = None,
) -> Response:
    """The response that tells of a problem."""
    details = problem_details(problem, detail, errors, status)
    more = {"Retry-After": str(problem.retry_seconds)} if problem.retry_seconds is not None else {}
    return JSONResponse(
        details.model_dump(exclude_none=True), details.status, headers={**more, **(headers or {})}, media_type=MEDIA_TYPE
    )


def response_to(error: Exception) -> Response | None:
    """The response to an exception that means something to who asks; None for all others."""
    match error:
        case ProblemRaised():
            return problem_response(error.problem, error.detail, error.headers)
        case Forbidden():
            return problem_response(problems.FORBIDDEN, str(error))
        case MnemeError():
            problem = problems.problem_of(error)
            if problem.status >= 500:
                _log.warning("%s: %s", problem.name, error)
            return problem_response(problem, str(error))
    return None


def install(app: FastAPI) -> None:
    """Let every error of a route leave the app as a problem. What nobody expects is seen to by ``Unexpected``."""

    async def on_error(request: Request, error: Exception) -> Response:
        response = response_to(request.app.state.service.explained(error))
        assert response is not None, "installed for the kinds that have one"
        return response

    for kind in (MnemeError, ProblemRaised, Forbidden):
        app.add_exception_handler(kind, on_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http_error)


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    shown = list(dict.fromkeys(_field_error(detail) for detail in errors[: _MOST_ERRORS * 10]))[:_MOST_ERRORS]
    match errors:
        case [{"type": "json_invalid", "loc": ("body", int(position))}]:
            return problem_response(
                problems.BAD_REQUEST, f"body: not JSON at character {position}; send one JSON object in UTF-8"
            )
    if isinstance(error.body, bytes) and error.body:  # left as they are, since their type says that they are no JSON
        media = request.headers.get("content-type", "none")[:100]
        return problem_response(problems.MEDIA, f"Content-Type: {media!r} is not read here; send application/json")
    return problem_response(problems.INPUT, "; ".join(f"{each.field}: {each.message}" for each in shown), errors=shown)


def _field_error(detail: Mapping[str, Any]) -> FieldError:
    place = [str(part) for part in detail["loc"][1:]] or [str(detail["loc"][0])]
    message = plain_message(detail["type"], str(detail["msg"]))
    if detail["type"] == "extra_forbidden":
        message = "is not known here; leave it out (see /openapi.json for what is)"
    elif detail["type"] == "missing":
        message = "is missing"
    elif detail["type"] in ("model_attributes_type", "dict_type"):
        message = "is no JSON object"
    elif detail["type"] == "tuple_type":
        message = "is no list"
    elif detail["type"] == "too_short":
        message = f"is too short; give at least {detail['ctx']['min_length']}"
    shorter = message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"
    return FieldError(field=".".join(part[:_LONGEST_MESSAGE] for part in place), message=shorter)


_UNREADABLE = "There was an error parsing the body"  # FastAPI's words for bytes that are no UTF-8


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = problems.problem_of_status(error.status_code)
    path = request.scope["path"][:200]
    match error.status_code:
        case 404:
            detail = f"{path}: there is no such address; see /openapi.json for those there are"
        case 405:
            detail = f"{request.method} is not for {path}; see /openapi.json for what is"
        case 400 if error.detail == _UNREADABLE:
            detail = "body: cannot be read; send one JSON object in UTF-8, without numbers of thousands of digits"
        case status:
            detail = str(error.detail) if error.detail else HTTPStatus(status).phrase
    return problem_response(problem, detail, error.headers, status=error.status_code)


async def answer_unexpected(scope: Scope, receive: Receive, send: Send, error: Exception, request_id: str) -> None:
    """Answer what nobody expected: 500 without a word of the inside, which is logged under the request id."""
    frames = "".join(traceback.format_tb(error.__traceback__))  # its message may quote a memory
    place = quote(scope["path"])  # whoever asks chose it, line breaks and all
    _log.error("request %s: %s %s failed: %s\n%s", request_id, scope["method"], place, type(error).__name__, frames)
    await problem_response(problems.INTERNAL, _WITHOUT_DETAIL)(scope, receive, send)
