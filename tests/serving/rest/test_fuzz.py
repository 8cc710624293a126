"""Whatever is sent, the service answers as it says it does: requests made from ``/openapi.json``, good ones and bad ones.

``MNEME_TEST_FUZZ=5000`` (``make fuzz``) makes some 5,000 new cases; without it there are some hundred, the same in each run.
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings

from mneme.settings import Settings, load_settings
from serving.rest.app import create_app
from serving.service.service import Service
from tests.serving.rest.conftest import HERE, WHOSE, ServiceWithoutFlow
from tests.serving.rest.test_openapi import OPERATIONS

pytestmark = pytest.mark.slow

ASKED = int(os.environ.get("MNEME_TEST_FUZZ", "0"))
LABELS = sorted(f"{method.upper()} {path}" for method, path in OPERATIONS)

EXAMPLES = 12  # of each operation

_made: Counter[str] = Counter()


def _document() -> dict[str, Any]:
    """The OpenAPI document. Its events are held against ``itemSchema``, and not against the text that they are together."""
    document = create_app(Service(load_settings(service={"intake": "none"}))).openapi()
    del document["paths"]["/api/v1/ask"]["post"]["responses"]["200"]["content"]["text/event-stream"]["schema"]
    return document


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    """The operations of the document as the library reads them, by label. It takes seconds: not where the file is collected."""
    import schemathesis

    return {each.ok().label: each.ok() for each in schemathesis.openapi.from_dict(_document()).get_all_operations()}


@pytest.fixture(scope="module")
def app(memory_settings: Settings) -> Iterator[FastAPI]:
    with ServiceWithoutFlow(memory_settings) as service:
        yield create_app(service)
    print(f"\nfuzz: {sum(_made.values())} cases of {len(_made)} operations")


def test_all_operations_are_asked(operations: dict[str, Any]) -> None:
    assert sorted(operations) == LABELS


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.timeout(1800)
def test_every_answer_is_one_that_the_service_says_it_gives(label: str, app: FastAPI, operations: dict[str, Any]) -> None:
    import schemathesis.checks as checks
    from schemathesis import GenerationMode

    operation = operations[label]
    good = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    bad = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

    @settings(
        max_examples=ASKED // len(OPERATIONS) + 1 if ASKED else EXAMPLES,
        deadline=None,
        derandomize=not ASKED,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=good | bad)
    def ask(case: Any) -> None:
        _made[label] += 1
        _of_somebody(case)
        case.call_and_validate(
            base_url=HERE,
            app=app,
            checks=[
                checks.not_a_server_error,
                checks.status_code_conformance,
                checks.content_type_conformance,
                checks.response_headers_conformance,
                checks.response_schema_conformance,
            ],
        )

    ask()


def _of_somebody(case: Any) -> None:
    """Let what asks about anybody ask about somebody of whom there is a memory."""
    body = case.body if isinstance(case.body, dict) else {}
    for asked in (case.query, body, body.get("filters")):
        if isinstance(asked, dict) and isinstance(asked.get("user_id"), str) and asked["user_id"]:
            asked["user_id"] = WHOSE["user_id"]
