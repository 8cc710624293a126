"""The description of the service: ``/openapi.json``, with every refusal."""

from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.security import APIKeyHeader, HTTPBearer

from mneme.problems import MEDIA_TYPE, problem_of_status
from serving.rest.problems import ProblemDetails

_REFERENCE = "#/components/schemas/ProblemDetails"
_ALWAYS = (400, 401, 403, 408, 413, 415, 421, 422, 429, 500)  # what stands before the routes may refuse any request
_SEEN = {
    401: "No key, or one that is not known; only where there are keys",
    403: "A key of another tenant, or of none that may do this",
    408: "The body did not arrive in time",
    422: "Not what is accepted: `detail` names the fields, with the remedy",
    429: "Over the limit of requests; `Retry-After` says how many seconds to wait",
    503: "The index or the broker does not serve now; the same request may succeed later",
}

BEARER = HTTPBearer(auto_error=False, description="A key of MNEME_SERVICE__KEYS; none is needed where there are none")
API_KEY = APIKeyHeader(name="X-API-Key", auto_error=False, description="The same, where Authorization is taken")

TAGS = [
    {"name": "search", "description": "Search the memory, or let it answer with citations."},
    {"name": "memories", "description": "Send messages; list, read, correct and erase memories."},
    {"name": "conversations", "description": "Conversations and what was made of them; people and things."},
    {"name": "documents", "description": "Send and list documents."},
    {"name": "stream", "description": "Send events, and wait until they are searchable."},
    {"name": "operation", "description": "Health and metrics."},
]

_ABOUT = """\
A memory for AI agents: conversations and documents become episodes and facts, and are found again.

Whose memory is meant is said by `user_id`, `group_id` or `agent_id`. Errors are `application/problem+json`: `detail` says
what is wrong and what to do. Ids of memories in a path are percent-encoded, slashes too.
"""


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The responses of a route that are problems, for its ``responses``; those of all routes need not be named."""
    return {status: _refusal(status) for status in statuses}


def _refusal(status: int) -> dict[str, Any]:
    description = _SEEN.get(status, problem_of_status(status).title)
    return {"description": description, "content": {MEDIA_TYPE: {"schema": {"$ref": _REFERENCE}}}}


def describe(app: FastAPI) -> None:
    """Let the app give this description of itself."""
    app.openapi = partial(_openapi, app)  # type: ignore[method-assign]


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        description = get_openapi(
            title=app.title,
            version=app.version,
            description=_ABOUT,
            routes=app.routes,
            tags=TAGS,
            license_info=app.license_info,
        )
        schemas = description["components"]["schemas"]
        schemas["ProblemDetails"] = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schemas["ProblemDetails"].pop("$defs")
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        for operations in description["paths"].values():
            for operation in operations.values():
                responses = operation["responses"]
                for response in responses.values():
                    if response["description"] == "Successful Response":
                        response["description"] = "As asked"
                for status in _ALWAYS:
                    if str(status) not in responses or status == 422:
                        responses[str(status)] = _refusal(status)
                operation["responses"] = dict(sorted(responses.items()))
        app.openapi_schema = description
    return app.openapi_schema
