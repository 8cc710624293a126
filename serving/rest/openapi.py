"""The description of the service: ``/openapi.json`` with every refusal, and ``/docs``, a plain page that works offline."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from fastapi.security import APIKeyHeader, HTTPBearer

from mneme.problems import MEDIA_TYPE, problem_of_status
from serving.rest.pools import uses_pool
from serving.rest.problems import ProblemDetails

_REFERENCE = "#/components/schemas/ProblemDetails"
_ALWAYS = (400, 401, 403, 408, 413, 421, 422, 429, 500)  # what stands before the routes may refuse any request
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
    {"name": "search", "description": "Ask the memory: what fits a question, or an answer with what it cites."},
    {"name": "memories", "description": "Put messages in; list, read, correct and erase what is remembered."},
    {"name": "conversations", "description": "Conversations, what was made of them, and what is known of somebody."},
    {"name": "documents", "description": "Documents: send, list, take away."},
    {"name": "stream", "description": "Events as they go on the stream, flushes, and receipts of erasures."},
    {"name": "operation", "description": "For who runs the service."},
]

_ABOUT = """\
A memory for AI agents: conversations and documents become episodes and facts, and are found again.

Whose memory is meant is said by `user_id`, `group_id` or `agent_id`. Errors are `application/problem+json`: `detail` says
what is wrong and what to do. Ids of memories in a path are percent-encoded once more.
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
        told = get_openapi(
            title=app.title,
            version=app.version,
            description=_ABOUT,
            routes=app.routes,
            tags=TAGS,
            license_info=app.license_info,
        )
        schemas = told["components"]["schemas"]
        schemas["ProblemDetails"] = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schemas["ProblemDetails"].pop("$defs")
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        for operations in told["paths"].values():
            for operation in operations.values():
                responses = operation["responses"]
                for response in responses.values():
                    if response["description"] == "Successful Response":
                        response["description"] = "As asked"
                for status in _ALWAYS:
                    if str(status) not in responses or status == 422:
                        responses[str(status)] = _refusal(status)
                operation["responses"] = dict(sorted(responses.items()))
        app.openapi_schema = told
    return app.openapi_schema


router = APIRouter()

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #777; --code: #8881; --accent: #0a6c74; }
@media (prefers-color-scheme: dark) { :root { --quiet: #9a9a9a; --accent: #5cc4cd; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { margin-bottom: 0; } h2 { margin: 2.5rem 0 .5rem; } p { margin: .5rem 0; } a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, monospace; } pre { background: var(--code); padding: .75rem; overflow-x: auto; }
details { border-top: 1px solid var(--line); padding: .5rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
summary b { display: inline-block; min-width: 4.5rem; color: var(--accent); } summary span { color: var(--quiet); }
dt { float: left; clear: left; margin-right: .75rem; } dd { margin: 0 0 .25rem 1rem; padding-left: 9rem; }
.quiet { color: var(--quiet); }
@media (max-width: 40rem) { dt { float: none; } dd { padding-left: 0; } }
"""

_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"


@router.get("/docs", include_in_schema=False)
@uses_pool("health")  # open to all, too
def docs(request: Request) -> HTMLResponse:
    """The page."""
    return HTMLResponse("".join(_docs_page(request.app.openapi())), headers={"Content-Security-Policy": _POLICY})


def _docs_page(told: Mapping[str, Any]) -> Iterator[str]:
    title, version = escape(told["info"]["title"]), escape(told["info"]["version"])
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · REST</title>'
    yield f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body><main>'
    yield f'<h1>{title}</h1><p class="quiet">REST, version {version} · <a href="openapi.json">openapi.json</a></p>'
    yield "".join(f"<p>{_text(each)}</p>" for each in told["info"]["description"].strip().split("\n\n"))
    for tag in told["tags"]:
        yield f"<h2>{escape(tag['name'])}</h2><p>{escape(tag['description'])}</p>"
        for path, operations in told["paths"].items():
            for method, operation in operations.items():
                if tag["name"] in operation.get("tags", ()):
                    yield from _operation(method, path, operation, told["components"]["schemas"])
    yield "</main></body></html>"


def _operation(method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    summary = escape(operation["summary"])
    yield f"<details><summary><b>{method.upper()}</b> <code>{escape(path)}</code> <span>{summary}</span></summary>"
    yield "".join(f"<p>{_text(each)}</p>" for each in operation.get("description", "").split("\n\n"))
    fields = [*map(_parameter_entry, operation.get("parameters", ())), *_fields(operation, schemas)]
    if fields:
        yield f"<dl>{''.join(fields)}</dl>"
    yield f"<pre>{escape(_curl(method, path, operation, schemas))}</pre>"
    yield "<dl>" + "".join(
        f"<dt><code>{status}</code></dt><dd>{_text(response['description'])}</dd>"
        for status, response in operation["responses"].items()
    )
    yield "</dl></details>"


def _parameter_entry(parameter: Mapping[str, Any]) -> str:
    told = parameter.get("description") or parameter["schema"].get("description", "")
    place = parameter["in"] + (" (needed)" if parameter.get("required") else "")
    return _entry(parameter["name"], place, told)


def _entry(name: str, place: str, told: str) -> str:
    return f"<dt><code>{escape(name)}</code></dt><dd>{place}{': ' if told else ''}{_text(told)}</dd>"


def _fields(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """What a body may hold."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = schemas[_name(content["schema"])]
        for name, told in schema.get("properties", {}).items():
            place = "body (needed)" if name in schema.get("required", ()) else "body"
            yield _entry(name, place, told.get("description", ""))


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def _curl(method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """An example of the request, as a command."""
    values = {each["name"]: example for each in operation.get("parameters", ()) if (example := _example(each)) is not None}
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value)
    asked = [
        f"{each['name']}={values[each['name']]}"
        for each in operation.get("parameters", ())
        if each["in"] == "query" and each["name"] in values
    ]
    line = f"curl -X {method.upper()} 'http://localhost:8765{path}{'?' if asked else ''}{'&'.join(asked)}'"
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return f"{line} -F file=@lease.pdf -F user_id=user_123"
    if "application/json" in content:
        example = schemas[_name(content["application/json"]["schema"])]["examples"][0]
        body = json.dumps(example, indent=2, ensure_ascii=False).replace("'", "'\\''")
        return f"{line} -H 'Content-Type: application/json' -d '{body}'"
    return line


def _example(parameter: Mapping[str, Any]) -> str | None:
    schema = parameter["schema"]
    for examples in (schema.get("examples"), *(each.get("examples") for each in schema.get("anyOf", ()))):
        if examples:
            return str(examples[0])
    return None


def _text(text: str) -> str:
    """Text with its `code` marked."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
