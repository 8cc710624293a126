"""The description of the service: ``/openapi.json`` with every refusal, and ``/docs``, a plain page that works offline."""

import json
import re
from base64 import b64encode
from functools import partial
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from fastapi.security import APIKeyHeader, HTTPBearer
from markdown_it import MarkdownIt

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


router = APIRouter()

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --code: #8881; --accent: #0a6c74; }
@media (prefers-color-scheme: dark) { :root { --accent: #5cc4cd; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h2 { margin: 2.5rem 0 .5rem; } h3 { border-top: 1px solid var(--line); padding-top: .5rem; overflow-wrap: anywhere; }
a, h3 { color: var(--accent); } code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { background: var(--code); padding: .75rem; overflow-x: auto; } td, th { text-align: left; padding-right: 1rem; }
"""

_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mneme · REST</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>
<body><main><p><a href="openapi.json">openapi.json</a></p>{body}</main></body></html>"""


@router.get("/docs", include_in_schema=False)
@uses_pool("health")  # open to all, too
def docs(request: Request) -> HTMLResponse:
    """The operations as a plain page, made from ``/openapi.json``. It loads nothing, so that it works offline."""
    described = request.app.openapi()
    info = described["info"]
    markdown = f"# {info['title']} {info['version']}\n\n{info['description']}\n{operations(described)}"
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    return HTMLResponse(_PAGE.format(style=_STYLE, body=body), headers={"Content-Security-Policy": _POLICY})


def operations(description: dict[str, Any]) -> str:
    """The operations of an OpenAPI description, by tag, as Markdown."""
    parts = []
    for tag in description["tags"]:
        parts.append(f"\n## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        for path, methods in description["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    parts.append(_operation(method, path, operation, description))
    return "".join(parts)


def _operation(method: str, path: str, operation: dict[str, Any], description: dict[str, Any]) -> str:
    lines = [f"\n### {method.upper()} {path}\n", f"{_meaning(operation)}\n"]
    if rows := [_parameter(each) for each in operation.get("parameters", [])]:
        lines += ["| parameter | in | type | meaning |", "| --- | --- | --- | --- |", *rows, ""]
    for content_type, body in operation.get("requestBody", {}).get("content", {}).items():
        if rows := _fields(body.get("schema", {}), description):
            lines += [f"Body, `{content_type}`:\n", "| field | type | meaning |", "| --- | --- | --- |", *rows, ""]
        if examples := _resolved(body.get("schema", {}), description).get("examples"):
            example = json.dumps(examples[0], indent=2, ensure_ascii=False).replace("'", "'\\''")
            has_owner = any(each.get("name") == "user_id" for each in operation.get("parameters", ()))
            address = f"http://localhost:8765{path}{'?user_id=user_123' if has_owner else ''}"
            lines += ["```bash", f"curl -X {method.upper()} '{address}' --json '{example}'", "```", ""]
    answers = [
        f"{status} {_one_line(answer['description'])}" for status, answer in operation["responses"].items() if status < "300"
    ]
    lines.append(f"Answers {'; '.join(answers)}.".replace("..", ".") + "\n")
    return "\n".join(lines)


def _meaning(operation: dict[str, Any]) -> str:
    return _one_line(operation.get("description") or operation.get("summary") or "")


def _parameter(parameter: dict[str, Any]) -> str:
    name = f"`{parameter['name']}`" + (" (required)" if parameter.get("required") else "")
    return f"| {name} | {parameter['in']} | {_type_of(parameter['schema'])} | {_one_line(parameter.get('description', ''))} |"


def _fields(schema: dict[str, Any], description: dict[str, Any]) -> list[str]:
    model = _resolved(schema, description)
    needed = set(model.get("required", []))
    return [
        f"| `{name}`{' (required)' if name in needed else ''} | {_type_of(field)} | {_one_line(field.get('description', ''))} |"
        for name, field in model.get("properties", {}).items()
    ]


def _resolved(schema: dict[str, Any], description: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def _type_of(schema: dict[str, Any]) -> str:
    """A type in words: ``text or list of Part``."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_type_of(choice) for choice in choices if choice.get("type") != "null"))
    if schema.get("type") == "array":
        return f"list of {_type_of(schema.get('items', {}))}"
    words = {"string": "text", "boolean": "`true` or `false`", "object": "mapping"}
    return words.get(str(schema.get("type", "")), str(schema.get("type", "anything")))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("``", "`").strip()
