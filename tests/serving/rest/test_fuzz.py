"""Whatever is sent, the service answers as it says it does: requests made from ``/openapi.json``, good ones and bad ones.

``MNEME_TEST_FUZZ=5000`` (``make fuzz``) makes some 5,000 new cases; without it there are some hundred, the same in each run.
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mneme.settings import Settings, load_settings
from serving.rest.app import create_app
from serving.service.service import Service
from tests.serving.rest.conftest import HERE, WHOSE, ServiceWithoutFlow

ASKED = int(os.environ.get("MNEME_TEST_FUZZ", "0"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

_made: Counter[str] = Counter()


EXAMPLES = 30  # of each operation


def _document() -> dict[str, Any]:
    """The OpenAPI document. Its events are held against ``itemSchema``, and not against the text that they are together."""
    document = create_app(Service(load_settings(service={"intake": "none"}))).openapi()
    del document["paths"]["/api/v1/ask"]["post"]["responses"]["200"]["content"]["text/event-stream"]["schema"]
    return document


_schema = schemathesis.openapi.from_dict(_document())
OPERATIONS = {each.ok().label: each.ok() for each in _schema.get_all_operations()}


@pytest.fixture(scope="module")
def app(memory_settings: Settings) -> Iterator[FastAPI]:
    with ServiceWithoutFlow(memory_settings) as service:
        yield create_app(service)
    print(f"\nfuzz: {sum(_made.values())} cases of {len(_made)} operations")


@pytest.mark.parametrize("label", OPERATIONS)
@pytest.mark.timeout(1800)
def test_every_answer_is_one_that_the_service_says_it_gives(label: str, app: FastAPI) -> None:
    operation = OPERATIONS[label]
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
    def ask(case: Case) -> None:
        _made[label] += 1
        _of_somebody(case)
        case.call_and_validate(base_url=HERE, app=app, checks=CHECKS)

    ask()


def _of_somebody(case: Case) -> None:
    """Let what asks about anybody ask about somebody of whom there is a memory."""
    body = case.body if isinstance(case.body, dict) else {}
    for asked in (case.query, body, body.get("filters")):
        if isinstance(asked, dict) and isinstance(asked.get("user_id"), str) and asked["user_id"]:
            asked["user_id"] = WHOSE["user_id"]
