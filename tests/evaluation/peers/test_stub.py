"""The endpoint that every system gets: it answers, takes its time, and counts."""

import json
import time
from typing import Any

import httpx
import pytest

from connectors.embedders.hash_embedder import HashEmbedder
from evaluation.peers.stub import StubEndpoint, answer
from evaluation.recording.local_endpoint import local_endpoint


def chat(*texts: str, **more: Any) -> dict[str, Any]:
    roles = ("system", "user")
    return {
        "model": "m",
        "messages": [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)],
        **more,
    }


def test_it_counts_calls_and_the_tokens_of_prompts_with_their_schema() -> None:
    stub = StubEndpoint(HashEmbedder(), lambda text: len(text.split()), latency=0.05)
    schema = {"type": "object", "properties": {"done": {"type": "boolean"}}}
    form = {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}
    with local_endpoint(stub.answer) as url:
        started = time.monotonic()
        plain = httpx.post(f"{url}/chat/completions", json=chat("be brief", "Ann: where do you live these days?"))
        formed = httpx.post(f"{url}/chat/completions", json=chat("a", "b c", response_format=form))
        assert time.monotonic() - started >= 0.1
        vectors = httpx.post(f"{url}/embeddings", json={"model": "m", "input": ["one", "two"]})
        assert httpx.post(f"{url}/responses", json={}).status_code == 404
        assert httpx.post(f"{url}/chat/completions", json={"model": "m"}).status_code == 400
    assert plain.json()["usage"]["prompt_tokens"] == 9
    assert json.loads(formed.json()["choices"][0]["message"]["content"]) == {"done": False}
    assert [row["index"] for row in vectors.json()["data"]] == [0, 1]
    asked = 9 + 3 + len(json.dumps(schema).split())
    assert stub.traffic == {"calls": 2, "prompt": asked}


MEM0 = 'Return {"memory": [{"id": "0", "text": "...", "attributed_to": "user"}]}'


def test_statements_are_the_messages_own_words_and_what_says_nothing_is_none() -> None:
    new = "user: Ann: I moved to Lisbon last week\nassistant: Ben: Wow!"
    user = f"## Existing Memories\n[]\n\n## New Messages\n{new}\n\n## Current Date\nx: y"
    assert json.loads(answer(MEM0, user, None)) == {
        "memory": [{"id": "0", "text": "Ann: I moved to Lisbon last week", "attributed_to": "user"}]
    }


def with_fields(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "array"} for name in names}}


def test_an_entity_is_the_same_as_one_of_the_same_name_and_of_no_other() -> None:
    user = (
        '<ENTITIES>[{"id": 0, "name": "Ann"}, {"id": 1, "name": "Lisbon"}]</ENTITIES>'
        '<EXISTING ENTITIES>[{"candidate_id": 4, "name": "ann"}]</EXISTING ENTITIES>'
    )
    resolved = json.loads(answer("", user, with_fields("entity_resolutions")))["entity_resolutions"]
    assert [each["duplicate_candidate_id"] for each in resolved] == [4, -1]


@pytest.mark.parametrize("tag", ["CURRENT MESSAGE", "CURRENT_MESSAGE"])
def test_a_fact_joins_who_speaks_and_what_is_named(tag: str) -> None:
    user = f"<PREVIOUS>Ben: I have been to Rome twice now</PREVIOUS><{tag}>\nAnn: we all moved to Lisbon last week\n</{tag}>"
    entities = json.loads(answer("", user, with_fields("extracted_entities")))["extracted_entities"]
    [edge] = json.loads(answer("", user, with_fields("edges")))["edges"]
    assert [each["name"] for each in entities] == ["Ann", "Lisbon"] == [edge["source_entity_name"], edge["target_entity_name"]]
    assert edge["fact"] == "Ann: we all moved to Lisbon last week"


def test_a_form_that_is_not_known_is_filled_with_what_is_empty() -> None:
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "inner": {"$ref": "#/$defs/Inner"},
        },
        "$defs": {"Inner": {"type": "object", "properties": {"n": {"type": "integer"}, "all": {"type": "array"}}}},
    }
    assert json.loads(answer("", "", schema)) == {"kind": "a", "when": None, "inner": {"n": 0, "all": []}}


def test_an_episode_is_what_was_said_whatever_the_form_of_the_prompt() -> None:
    asked = 'Return {"title": "...", "content": "..."}\nFor instance\nEve: this is an example and no message\n'
    fields = '{\n  "timestamp": 1,\n  "speaker": Ann,\n  "content": I moved to Lisbon last week\n}'
    for said in (fields, "[2024-01-01] Ann: I moved to Lisbon last week"):
        prompt = f"{asked}Conversation content:\n{said}\n\nCustom instructions:\nBob: write it down in full, please"
        assert json.loads(answer("", prompt, None))["content"] == "Ann: I moved to Lisbon last week"


def test_a_profile_gets_what_was_said_in_the_history() -> None:
    user = "<OLD_PROFILE>\n{}\n</OLD_PROFILE>\n<HISTORY>\nAnn: I moved to Lisbon last week\n</HISTORY>"
    [command] = json.loads(answer("", user, with_fields("commands")))["commands"]
    assert (command["command"], command["value"]) == ("add", "Ann: I moved to Lisbon last week")
