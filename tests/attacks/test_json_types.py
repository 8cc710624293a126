"""A number, a text and a truth value are told apart in every body and by every tool: what only looks like one is refused."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mneme.errors import InputError
from mneme.settings import Settings
from queries import Memories
from tests.serving.rest.conftest import WHOSE, client_of

WRONG: Mapping[str, Sequence[Any]] = {
    "integer": (True, False, "10", " 10", 1.5, "1e3", [1], {"a": 1}, "", 1e300),
    "number": (True, False, "10", "inf", [1.5], {"a": 1}),
    "boolean": ("true", "yes", "on", "1", 1, 0, 1.0, [True], {"a": 1}),
    "string": (1, 1.5, True, ["a"], {"a": "b"}),
}


@pytest.fixture
def client(memory_settings: Settings) -> Iterator[TestClient]:
    with client_of(memory_settings, with_mcp=True) as client:
        yield client


def fields_of(schemas: Mapping[str, Any], name: str, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The fields of a request that are one value, with what it must be."""
    for field, schema in schemas[name]["properties"].items():
        choices = schema.get("anyOf", [schema])
        kinds = {each.get("type") for each in choices} - {"null"}
        for each in choices:
            reference = each.get("$ref", "").rsplit("/", 1)[-1]
            if reference and reference != "Filters":
                yield from fields_of(schemas, reference, (*place, field))
        if len(kinds) == 1 and (kind := kinds.pop()) in WRONG:
            yield (*place, field), str(kind)


def test_what_only_looks_like_a_value_is_refused_in_every_body(
    client: TestClient, tried: Callable[[Sequence[Any]], Sequence[Any]]
) -> None:
    described = client.get("/openapi.json").json()
    requests = []
    for path, operations in described["paths"].items():
        for method, told in operations.items():
            content = told.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                name = content["schema"]["$ref"].rsplit("/", 1)[-1]
                for place, kind in fields_of(described["components"]["schemas"], name):
                    requests += [(method, path.replace("{id}", "x"), place, value) for value in WRONG[kind]]
    assert {".".join(place) for _, _, place, _ in requests} >= {"top_k", "explain", "timeout", "policy.seconds", "flush"}
    for method, path, place, value in tried(requests):
        body: Any = value
        for name in reversed(place):
            body = {name: body}
        refused = client.request(method, path, json=body, params=WHOSE)
        assert refused.status_code == 422, (path, place, value)
        assert any(each["field"].startswith(".".join(place)) for each in refused.json()["errors"]), (path, place, value)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "x", "limit": True}),
        ("search", {"query": "x", "limit": "10"}),
        ("search", {"query": "x", "limit": 1.5}),
        ("search", {"query": 1}),
        ("timeline", {"entity": "x", "limit": False}),
        ("timeline", {"entity": "x", "limit": "5"}),
    ],
)
def test_what_only_looks_like_a_value_is_refused_by_a_tool(client: TestClient, tool: str, arguments: dict[str, Any]) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    told = client.post("/mcp?user_id=user_123", json=call, headers=headers).json()["result"]
    assert told["isError"]
    assert next(name for name in ("limit", "query") if name in told["content"][0]["text"])


@pytest.mark.parametrize("top_k", [True, "10", 1.5, 0, 1001])
def test_what_only_looks_like_a_number_is_refused_in_python(memory_settings: Settings, top_k: Any) -> None:
    with Memories.open(memory_settings) as memories:
        for method in ("hybrid", "keyword", "agentic"):
            with pytest.raises(InputError, match="top_k"):
                memories.search("deadline", method, WHOSE, top_k)
