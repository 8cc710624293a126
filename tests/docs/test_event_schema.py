"""The JSON Schema of the events says what the flow takes in."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mneme.errors import InputError
from mneme.events import parse_event
from tests.docs.event_schema import EVENTS, event_schema, schema_text

ROOT = Path(__file__).parents[2]
VALIDATOR = jsonschema.Draft202012Validator(event_schema())


def is_taken_in(event: Any) -> bool:
    try:
        parse_event(json.dumps(event).encode(), datetime.now(UTC))
    except InputError:
        return False
    return True


def documented() -> list[dict[str, Any]]:
    """The events of docs/events.md."""
    text = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```json\n(.*?)^```", text, flags=re.S | re.M)
    return [json.loads(block) for block in blocks]


def test_the_file_is_current() -> None:
    assert (ROOT / "docs" / "schemas" / "events.schema.json").read_text(encoding="utf-8") == schema_text(), "run `make docs`"


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(event_schema())


def test_every_event_that_the_documentation_shows_fits() -> None:
    assert len(documented()) >= 8
    for event in documented():
        VALIDATOR.validate(event)


def test_every_event_of_the_examples_fits() -> None:
    lines = [line for file in sorted((ROOT / "examples").glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    assert len(lines) > 50
    for line in lines:
        VALIDATOR.validate(json.loads(line))


MESSAGE = {"conversation_id": "a", "user_id": "mira", "content": "Hi"}


@pytest.mark.parametrize(
    "event",
    [
        MESSAGE,
        {**MESSAGE, "unknown": 1},
        {**MESSAGE, "user_id": None, "agent_id": "helper"},
        {**MESSAGE, "sent_at": "2025-03-10T09:02:00", "timezone": "Europe/Berlin"},
        {**MESSAGE, "schema": "1.7"},
        {"event": "document", "document_id": "d", "name": "d.md", "content": "x", "data": None},
    ],
)
def test_what_is_taken_in_fits(event: dict[str, Any]) -> None:
    assert is_taken_in(event)
    VALIDATOR.validate(event)


@pytest.mark.parametrize(
    "event",
    [
        {"conversation_id": "a", "content": "nobody's"},
        {**MESSAGE, "user_id": None},
        {**MESSAGE, "role": "boss"},
        {**MESSAGE, "schema": "9.0"},
        {**MESSAGE, "conversation_id": ""},
        {**MESSAGE, "event": "shout"},
        {**MESSAGE, "metadata": {"tags": ["a"]}},
        {"conversation_id": "a", "flush_id": "f"},
        {"event": "edit", "conversation_id": "a", "message_id": "m", "content": " "},
        {"event": "document", "document_id": "d", "name": "d.md"},
        {"event": "document", "document_id": "d", "name": "d.md", "content": "x", "uri": "file:///x"},
        {"event": "erase"},
    ],
)
def test_what_is_refused_does_not_fit(event: dict[str, Any]) -> None:
    assert not is_taken_in(event)
    assert not VALIDATOR.is_valid(event)


def test_every_event_has_its_place_in_it() -> None:
    assert {place["$ref"].removeprefix("#/$defs/") for place in event_schema()["oneOf"]} == {event.__name__ for event in EVENTS}
