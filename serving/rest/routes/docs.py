"""``GET /docs``: the operations as a plain page, made from ``/openapi.json``. It loads nothing, so it works offline."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from serving.rest.turns import takes

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
@takes("health")  # open to all, too
def docs(request: Request) -> HTMLResponse:
    """The page."""
    return HTMLResponse("".join(_page(request.app.openapi())), headers={"Content-Security-Policy": _POLICY})


def _page(told: Mapping[str, Any]) -> Iterator[str]:
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
    fields = [*map(_parameter, operation.get("parameters", ())), *_fields(operation, schemas)]
    if fields:
        yield f"<dl>{''.join(fields)}</dl>"
    yield f"<pre>{escape(_curl(method, path, operation, schemas))}</pre>"
    yield "<dl>" + "".join(
        f"<dt><code>{status}</code></dt><dd>{_text(response['description'])}</dd>"
        for status, response in operation["responses"].items()
    )
    yield "</dl></details>"


def _parameter(parameter: Mapping[str, Any]) -> str:
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
