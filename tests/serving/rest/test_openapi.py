"""What the service says of itself: complete and true."""

from typing import Any

import jsonschema
import pytest
from fastapi.testclient import TestClient

from tests.docs.rest_page import operations

API = "/api/v1"
OPERATIONS = {
    ("post", f"{API}/memories/search"),
    ("post", f"{API}/memories/context"),
    ("post", f"{API}/ask"),
    ("post", f"{API}/memories"),
    ("get", f"{API}/memories"),
    ("delete", f"{API}/memories"),
    ("get", f"{API}/memories/{{id}}"),
    ("patch", f"{API}/memories/{{id}}"),
    ("delete", f"{API}/memories/{{id}}"),
    ("post", f"{API}/events"),
    ("get", f"{API}/conversations"),
    ("get", f"{API}/conversations/{{id}}"),
    ("get", f"{API}/history"),
    ("get", f"{API}/graph"),
    ("get", f"{API}/profile"),
    ("get", f"{API}/owners"),
    ("get", f"{API}/documents"),
    ("post", f"{API}/documents"),
    ("post", f"{API}/flush"),
    ("get", f"{API}/flushes/{{id}}"),
    ("get", f"{API}/erasures/{{id}}"),
    ("get", f"{API}/export"),
    ("get", "/health"),
    ("get", "/health/live"),
    ("get", "/metrics"),
}


@pytest.fixture(scope="module")
def described(client: TestClient) -> dict[str, Any]:
    told: dict[str, Any] = client.get("/openapi.json").json()
    return told


def operations_of(described: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(method, path): each for path, methods in described["paths"].items() for method, each in methods.items()}


def test_these_are_the_operations(described: dict[str, Any]) -> None:
    assert set(operations_of(described)) == OPERATIONS


def test_every_operation_is_told_with_its_problems_and_its_key(described: dict[str, Any]) -> None:
    assert set(described["components"]["securitySchemes"]) == {"HTTPBearer", "APIKeyHeader"}
    for name, told in operations_of(described).items():
        assert told["summary"], name
        assert told["description"], name
        assert told["tags"][0] in [each["name"] for each in described["tags"]], name
        assert told["security"] == [{"HTTPBearer": []}, {"APIKeyHeader": []}], name
        for status in ("401", "403", "422", "429", "500"):
            assert list(told["responses"][status]["content"]) == ["application/problem+json"], name


def test_every_body_has_an_example_that_is_one(described: dict[str, Any]) -> None:
    resolver = {"components": described["components"]}
    seen = 0
    for name, told in operations_of(described).items():
        content = told.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            schema = content["application/json"]["schema"]
            examples = described["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]["examples"]
            assert examples, name
            for example in examples:
                jsonschema.validate(example, schema | resolver)
                seen += 1
    assert seen >= 8


def test_clients_can_be_generated(described: dict[str, Any]) -> None:
    """openapi-python-client leaves out, with a warning, what has no name of its own or a type that it does not know."""
    schemas = described["components"]["schemas"]
    assert [name for name in schemas if "__" in name] == []
    titles = [schema.get("title", name) for name, schema in schemas.items()]
    assert sorted(titles) == sorted(set(titles))
    known = {"application/json", "application/problem+json", "application/octet-stream", "text/plain", "text/event-stream"}
    for name, told in operations_of(described).items():
        for status, response in told["responses"].items():
            types = list(response.get("content", {}))
            assert set(types) <= known, name
            assert types[:1] == ["application/json"] or status[0] != "2" or len(types) < 2, name


def test_no_model_is_of_the_framework(described: dict[str, Any]) -> None:
    assert not {"HTTPValidationError", "ValidationError"} & described["components"]["schemas"].keys()


def test_the_page_shows_every_operation(described: dict[str, Any]) -> None:
    page = operations(described)
    for method, path in operations_of(described):
        assert f"### {method.upper()} {path}\n" in page
    assert "curl -X POST 'http://localhost:8765/api/v1/memories/search'" in page


def test_the_page_explains_a_parameter_of_many_operations_once_and_names_it_at_each(described: dict[str, Any]) -> None:
    page = operations(described)
    assert page.count("| `limit` |") == 1
    assert "Parameters: `user_id`, `group_id`, `agent_id`, `tenant_id`, `limit`.\n" in page
    assert "| `hops` |" in page.partition("### GET /api/v1/graph")[2]
