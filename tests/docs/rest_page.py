"""docs/rest.md, written from the service's own description: ``python -m tests.docs.rest_page docs/rest.md``.

The page is a function of the OpenAPI of ``serving/rest/``; test_readme.py compares the two, so it cannot go stale.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mneme.settings import Service as ServiceSettings
from mneme.settings import Settings
from serving.rest.app import create_app
from serving.service.service import Service

_MANY = 3  # operations, from which on a parameter is explained once
_LINE = 60  # characters of an example that has one line

HEADER = """# REST API

<!-- Written by `make docs` from serving/rest/. Do not edit. -->

`mneme serve` listens on `http://127.0.0.1:8765`. Make a client from `/openapi.json`.

```bash
curl http://127.0.0.1:8765/api/v1/memories --json '{"flush": true, "wait": 10, "messages": [
  {"conversation_id": "notes", "user_id": "mira", "message_id": "m1", "content": "The release moves to Friday."}]}'
curl "http://127.0.0.1:8765/api/v1/memories/default%2Fnotes%2Fm1?user_id=mira"
curl --no-buffer http://127.0.0.1:8765/api/v1/ask --json '{
  "question": "When is the release?", "filters": {"user_id": "mira"}, "stream": true}'
curl "http://127.0.0.1:8765/api/v1/memories?user_id=mira&kind=fact&limit=20"
curl http://127.0.0.1:8765/api/v1/documents --form user_id=mira --form file=@lease.pdf
curl --request DELETE "http://127.0.0.1:8765/api/v1/memories?user_id=mira&conversation_id=notes&wait=10"
curl http://127.0.0.1:8765/health
```

- **Keys**: `Authorization: Bearer KEY` or `X-API-Key: KEY`. `MNEME_SERVICE__KEYS` binds each to a tenant; another tenant is
  403. `*` is the operator's key. Without keys the service answers on this machine only.
- **Errors** are `application/problem+json`: `{"type", "title", "status", "detail"}`, and `detail` says what to do.
- **Sent twice, counted once**: by `message_id`, else by the header `Idempotency-Key`.
- **202** means stored, but not yet searchable. `wait` waits for that: 200, or 202 with what is `missing`.
- **Limits**: requests a minute of a key (429 with `Retry-After`) and bytes of a request (413) are
  [settings](settings.md#service). A request has at most 1,000 messages or events; other lists and objects have 100 entries.
  One of several keys never gets more than three quarters of the service. One address has at most 400 connections (503).
- **Time**: a header has 20 seconds to arrive, a body 30 and more if it is large (408). An answer that is not read for 60
  seconds is ended.
- **Ids** of memories contain slashes: percent-encode an id as it is printed, once. `default/notes/m1` is sent as
  `default%2Fnotes%2Fm1`, and a `%` of an id as `%25`.
- **Streams**: `/ask` with `stream` sends server-sent events: many `piece` `{"text"}`, then `answer` with the whole
  response, or `problem`.

Filters, policy and results of a search: [search](search.md). Answers: [answers](answers.md). Events: [events](events.md).
"""


def rest_page() -> str:
    """The whole page, as Markdown, of a service with the settings' defaults; nothing is opened."""
    settings = Settings.model_construct(service=ServiceSettings(intake="none"))  # else it would start a flow
    return HEADER + operations(create_app(Service(settings)).openapi())


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


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rest_page(), encoding="utf-8")
