"""Logs: a line of JSON or of text, with the ids that it is about, and never a secret."""

import json
import logging

import pytest

from connectors.telemetry.logs import LogFormat, secrets_of
from connectors.telemetry.tracing import ContextPool, about, current_ids, ids_of
from mneme.settings import Settings

SETTINGS = Settings.model_validate(
    {
        "models": {"api_key": "canary-models"},
        "opensearch": {"password": "canary-search"},
        "service": {"keys": {"canary-service-key": "acme"}, "api_key": "canary-client"},
    }
)


def record(message: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("flows.write", logging.WARNING, __file__, 1, message, values, None)


def test_a_line_of_json_holds_what_it_is_about():
    with about(request_id="r1", tenant="acme"), about(conversation="c1", tenant=None):
        line = json.loads(LogFormat("json", mark="2/4").format(record("out of reach for %d s", 3)))
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "warning",
        "logger": "flows.write",
        "message": "out of reach for 3 s",
        "process": "2/4",
        "request_id": "r1",
        "tenant": "acme",
        "conversation": "c1",
    }
    assert current_ids() == {}


def test_a_line_of_text_ends_with_the_ids():
    with about(tenant="acme"):
        line = LogFormat("text", mark="2/4").format(record("gone"))
    assert line.endswith("WARNING 2/4 flows.write: gone [tenant=acme]")


def test_an_id_begins_no_line_of_its_own():
    with about(conversation="standup\nERROR all is lost"):
        line = LogFormat("text").format(record("gone"))
    assert "\n" not in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_of_the_settings_is_in_a_line_also_not_in_an_error(form: str):
    secrets = tuple(secrets_of(SETTINGS))
    assert len(secrets) == 4
    try:
        raise ValueError("https://me:hunter2@models.example with canary-models")
    except ValueError as error:
        told = record("sent %s and canary-service-key, %s", "canary-search", "canary-client")
        told.exc_info = (type(error), error, error.__traceback__)
    line = LogFormat(form, secrets).format(told)  # type: ignore[arg-type]
    assert "canary" not in line.replace("test_no_secret", "")
    assert "hunter2" not in line
    assert "ValueError" in line


@pytest.mark.parametrize(
    ("scope", "ids"),
    [
        ("", {}),
        ("a%2Fb", {"tenant": "a/b"}),
        ("acme/user/maya", {"tenant": "acme"}),
        ("acme/user/maya/c%2F1", {"tenant": "acme", "conversation": "c/1"}),
    ],
)
def test_a_scope_names_its_tenant_and_its_conversation_and_not_its_owner(scope: str, ids: dict[str, str]):
    assert ids_of(scope) == ids


def test_a_thread_of_the_pool_works_at_what_whoever_submitted_works_at():
    with ContextPool(1) as pool:
        with about(tenant="acme"):
            first = pool.submit(lambda: dict(current_ids()))
        second = pool.submit(lambda: dict(current_ids()))
        assert (first.result(), second.result()) == ({"tenant": "acme"}, {})
