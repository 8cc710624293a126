"""docs/schemas/events.schema.json, written from the events themselves: ``python -m tests.docs.event_schema PATH``.

The schema is a function of ``mneme/events/``; test_event_schema.py compares the two, so it cannot go stale. What it accepts may
still be refused by what no schema can say: a ``sent_at`` in the future, a time zone that does not exist, base64 that is none.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from mneme.events import SCHEMA, Correct, Delete, Document, Edit, Erase, Flush, Forget, ForgetDocument, Message, Retract

EVENTS = (Message, Edit, Delete, Correct, Retract, Flush, Forget, Erase, Document, ForgetDocument)

_OWNERS = ("user_id", "group_id", "agent_id")
_CONTENTS = ("content", "data", "uri")
_TIMES = {  # format: date-time would refuse a time whose zone is in another field
    "sent_at": "ISO 8601 with an offset, or without one and timezone set; left out, the time at which Kafka received the event",
    "dated_at": "ISO 8601 with an offset: the document's date, whatever it says itself",
    "modified_at": "ISO 8601 with an offset: when its file was last changed",
}


def event_schema() -> dict[str, Any]:
    """The schema of any event, as JSON Schema 2020-12."""
    _, written = models_json_schema([(event, "validation") for event in EVENTS], by_alias=True)
    definitions = written["$defs"]
    for event in EVENTS:
        definition = definitions[event.__name__]
        kind = definition["properties"]["event"]["const"]
        if event is not Message:  # an event without a name is a message
            definition["required"] = ["event", *definition.get("required", [])]
        definition["description"] = _first_line(event)
        definition["properties"]["schema"]["pattern"] = rf"^{SCHEMA.split('.')[0]}(\.|$)"
        for field, meaning in _TIMES.items():
            if field in definition["properties"]:
                definition["properties"][field] = {
                    "type": ["string", "null"] if field != "sent_at" else "string",
                    "description": meaning,
                }
        definition["properties"]["event"] = {"const": kind, "type": "string", "default": kind}
    for event in (Message, Correct, Erase):
        definitions[event.__name__]["anyOf"] = [_has(owner) for owner in _OWNERS]
    definitions["Document"]["oneOf"] = [_has(content) for content in _CONTENTS]
    for event in (Message, Edit):
        _refuse_empty(definitions[event.__name__]["properties"]["content"], optional=event is Message)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Mneme events",
        "description": f"What Mneme takes in, version {SCHEMA}: one JSON object for each Kafka record or line of a file."
        " Unknown fields are ignored.",
        "oneOf": [{"$ref": f"#/$defs/{event.__name__}"} for event in EVENTS],
        "$defs": definitions,
    }


def schema_text() -> str:
    """The schema as the file holds it."""
    return json.dumps(event_schema(), indent=2, ensure_ascii=False) + "\n"


def _has(field: str) -> dict[str, Any]:
    """Given, and not null."""
    return {"required": [field], "properties": {field: {"not": {"type": "null"}}}}


def _refuse_empty(content: dict[str, Any], optional: bool) -> None:
    """Text must say something, but that of a message with tool calls, which no field alone can tell."""
    if not optional:
        for choice in content["anyOf"]:
            if choice.get("type") == "string":
                choice["pattern"] = r"\S"


def _first_line(event: type) -> str:
    return (event.__doc__ or "").strip().splitlines()[0].replace("``", "`")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
