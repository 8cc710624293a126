"""The description of the service: ``/openapi.json`` with every refusal, and ``/docs``, a plain page that works offline."""

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable
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
_MANY = 3  # operations, from which on a parameter is explained once
_LINE = 60  # characters of an example that has one line
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
    {"name": "documents", "description": "Send, list and erase documents."},
    {"name": "stream", "description": "Send events, and wait until they are searchable."},
    {"name": "operation", "description": "Health, metrics and dead letters."},
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
    """The operations of an OpenAPI description, by tag, as Markdown. What many of them take is explained once, first."""
    shared = _shared_parameters(description)
    parts = ["\n## Parameters of many operations\n\n", *_table("parameter | type | meaning", shared.values())]
    for tag in description["tags"]:
        parts.append(f"\n## {tag['name'].capitalize()}\n\n{tag['description']}\n")
        for path, methods in description["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    parts.append(_operation(method, path, operation, shared, description))
    return "".join(parts)


def _shared_parameters(description: dict[str, Any]) -> dict[str, str]:
    """The rows of the parameters that stand in at least ``_MANY`` operations and mean the same there, by name."""
    everywhere = [
        (parameter["name"], _parameter(parameter))
        for methods in description["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
    ]
    return {name: row for (name, row), times in Counter(everywhere).items() if times >= _MANY}


def _operation(method: str, path: str, operation: dict[str, Any], shared: dict[str, str], description: dict[str, Any]) -> str:
    meaning = _one_line(operation.get("description") or operation.get("summary") or "")
    parts = [f"\n### {method.upper()} {path}\n\n{meaning}"]
    if answers := _answers(operation):
        parts.append(f" {answers}")
    parts.append("\n")
    rows = {
        each["name"]: _parameter(each)
        for each in operation.get("parameters", ())
        if each["in"] != "path" or each.get("description")  # the path itself says enough
    }
    if names := [name for name, row in rows.items() if shared.get(name) == row]:
        parts.append(f"\nParameters: {', '.join(f'`{name}`' for name in names)}.\n")
    if own := [row for name, row in rows.items() if shared.get(name) != row]:
        parts += ["\n", *_table("parameter | type | meaning", own)]
    for content_type, body in operation.get("requestBody", {}).get("content", {}).items():
        if fields := _fields(body.get("schema", {}), description):
            form = "" if content_type == "application/json" else f", `{content_type}`"
            parts += [f"\nBody{form}:\n\n", *_table("field | type | meaning", fields)]
        if examples := _resolved(body.get("schema", {}), description).get("examples"):
            example = _example(examples[0]).replace("'", "'\\''")
            address = f"http://localhost:8765{path}{'?user_id=user_123' if 'user_id' in rows else ''}"
            parts.append(f"\n```bash\ncurl -X {method.upper()} '{address}' --json '{example}'\n```\n")
    return "".join(parts)


def _answers(operation: dict[str, Any]) -> str:
    """The answers of an operation that are no problems; nothing is said of the usual one."""
    answers = {status: _one_line(each["description"]) for status, each in operation["responses"].items() if status < "300"}
    if answers == {"200": "As asked"}:
        return ""
    told = [status if said == "As asked" else f"{status}: {said[:1].lower()}{said[1:]}" for status, said in answers.items()]
    return f"Answers {'; '.join(told)}."


def _example(body: dict[str, Any]) -> str:
    """JSON on one line, or if it is long a line for each field and each object of a list."""
    short = json.dumps(body, ensure_ascii=False)
    return short if len(short) <= _LINE else "{\n" + ",\n".join(f'  "{name}": {_lines(body[name])}' for name in body) + "\n}"


def _lines(value: Any) -> str:
    objects = [json.dumps(each, ensure_ascii=False) for each in value] if isinstance(value, list) else []
    return "[\n    " + ",\n    ".join(objects) + "\n  ]" if len(objects) > 1 else json.dumps(value, ensure_ascii=False)


def _table(head: str, rows: Iterable[str]) -> list[str]:
    return [f"| {head} |\n", "| --- " * len(head.split("|")) + "|\n", *(f"{row}\n" for row in rows)]


def _parameter(parameter: dict[str, Any]) -> str:
    place = () if parameter["in"] == "query" else (parameter["in"],)
    marks = ", ".join((*place, *(("required",) if parameter.get("required") and not place else ())))
    name = f"`{parameter['name']}`" + (f" ({marks})" if marks else "")
    return f"| {name} | {_type_of(parameter['schema'])} | {_one_line(parameter.get('description', ''))} |"


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
    words = {"string": "text", "object": "mapping"}
    return words.get(str(schema.get("type", "")), str(schema.get("type", "anything")))


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("``", "`").strip()
