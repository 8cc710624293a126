"""Erasure and secrets, embedded: a word of an erased owner is in no file, and a secret is in nothing that is told.

tests/end_to_end/test_erasure.py does the same with Kafka and OpenSearch, tests/serving/test_secrets.py with the commands.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from connectors.dead_letters import FileDeadLetters
from connectors.indices import open_index
from mneme.rows import Collection
from mneme.settings import Settings, load_settings
from serving.service.dead_letters import dead_letters_of
from serving.terminal.tables import dead_letter_text
from tests.attacks.mixed_load import OPERATOR_KEY, TENANTS, with_tenants
from tests.servers.models import ModelServer
from tests.serving.embedded_service import opened, over_http
from tests.serving.test_secrets import CANARY, SECRETS
from tests.waiting import wait_until as eventually

pytestmark = pytest.mark.slow

SECONDS = 150.0
# A word for each place that somebody's data has; all that ann says anywhere.
WORDS = {
    place: f"{place}Quetzal{number}coatl"
    for number, place in enumerate(
        (
            "content",
            "sender",
            "key",
            "value",
            "tool",
            "argument",
            "result",
            "message",
            "edited",
            "deleted",
            "document",
            "name",
            "part",
            "owner",
            "conversation",
            "captions",
            "spoken",
            "late",
        )
    )
}
WHOSE = {"user_id": WORDS["owner"]}


def events(user: str, words: dict[str, str], tail: str) -> list[dict[str, Any]]:
    """Everything that can be said of somebody, with these words in it."""
    talk = {"event": "message", "conversation_id": words["conversation"], "user_id": user, "sender_name": words["sender"]}
    captions = {"event": "document", "document_id": words["captions"], "name": f"{words['captions']}.vtt", "user_id": user}
    caption = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Cleo>We met the {} in Rome.\n"
    tool = {"name": words["tool"], "arguments": words["argument"], "result": words["result"]}
    return [
        {**talk, "message_id": "m1", "content": f"My cat is called {words['content']}. I moved to Oslo last week."},
        {**talk, "message_id": words["message"], "content": "Ben works at Acme.", "metadata": {words["key"]: words["value"]}},
        {**talk, "message_id": "m3", "content": "Fine.", "role": "assistant", "agent_id": "bot", "tool_calls": [tool]},
        {**talk, "message_id": "m4", "content": [{"type": "text", "text": f"And {words['part']}."}]},
        {**talk, "message_id": "m5", "content": f"Not {words['deleted']}."},
        {
            "event": "edit",
            "conversation_id": words["conversation"],
            "message_id": "m1",
            "content": f"It is {words['edited']} now.",
        },
        {"event": "delete", "conversation_id": words["conversation"], "message_id": "m5"},
        {
            "event": "document",
            "document_id": words["name"],
            "name": f"{words['name']}.md",
            "content": words["document"],
            "user_id": user,
        },
        {**talk, "conversation_id": f"late-{tail}", "message_id": "m1", "content": "Hello."},
        {**captions, "content": caption.format("other"), "flush_id": f"captions-{tail}"},
        {**captions, "content": caption.format(words["spoken"]), "flush_id": f"f-captions-{tail}"},
        {"event": "flush", "conversation_id": words["conversation"], "flush_id": f"f-{tail}"},
    ]


def test_after_an_erasure_no_word_of_the_owner_is_in_any_file_or_row(
    tmp_path: Path, model_server: ModelServer, tried: Callable[[Any], Any]
) -> None:
    """By a model, whose answers are kept, and with what could not be read, which is kept as a dead letter."""
    settings = load_settings(
        {},
        data=tmp_path / "data",
        embedder={"provider": "hash"},
        models={"provider": "openai", "base_url": model_server.url},
        extraction={"extractor": "model"},
        service={"requests_per_minute": 0},
        flow={"epoch_seconds": 0.2},
    )
    others = {place: f"Other{place}" for place in WORDS}
    with (
        opened(settings) as service,
        over_http(service) as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=SECONDS) as client,
    ):
        for user, words, tail in ((WHOSE["user_id"], WORDS, "ann"), ("eve", others, "eve")):
            assert client.post("/events", json={"events": events(user, words, tail)}).status_code == 202
            unread = {"file": (f"{words['name']}.exe", b"MZ" + bytes(64) + words["content"].encode(), "text/plain")}
            assert client.post("/documents", files=unread, data={"user_id": user}).status_code == 202
            for flush in (f"f-{tail}", f"f-captions-{tail}"):
                eventually(lambda flush=flush: client.get(f"/flushes/{flush}", params={"wait": 20}).json()["searchable"])
        assert WORDS["edited"] in client.post("/memories/search", json={"query": "it is now", "filters": WHOSE}).text
        eventually(lambda: len(dead_letters_of(service).dead_letters()) == 2)
        erased = client.delete("/memories", params={**WHOSE, "wait": 60})
        assert erased.status_code == 200, erased.text
        assert erased.json()["receipt"]["answers"] > 0
        assert client.get("/memories", params={"user_id": "eve"}).json()["items"]
        assert len(dead_letters_of(service).dead_letters()) == 1
        late = {"event": "edit", "conversation_id": "late-ann", "message_id": "m1", "content": WORDS["late"]}
        assert client.post("/events", json={"events": [late]}).status_code == 202
        eventually(lambda: len(dead_letters_of(service).dead_letters()) == 2)
        assert client.delete("/memories", params={**WHOSE, "wait": 60}).status_code == 200
    content = {file: file.read_bytes() for file in settings.data.rglob("*") if file.is_file()}
    rows = rows_of(settings)
    for word in tried(list(WORDS.values())):
        for form in (word.encode(), word.encode("utf-16-le"), word.lower().encode(), json.dumps(word)[1:-1].encode()):
            assert [str(file) for file, held in content.items() if form in held] == [], word
        assert word not in rows
    assert others["edited"] in rows


def rows_of(settings: Settings) -> str:
    index = open_index(settings, read_only=True)
    try:
        return repr([row for collection in Collection for row in index.scan(collection)])
    finally:
        index.close()


def test_no_secret_is_in_an_answer_a_log_a_metric_or_a_file(tmp_path: Path, tried: Callable[[Any], Any]) -> None:
    secrets = {name: value for name, value in SECRETS.items() if not name.startswith("MNEME_KAFKA__S")}
    secrets["MNEME_MODELS__BASE_URL"] = f"http://someone:url-{CANARY}@127.0.0.1:1/v1"
    with with_tenants(tmp_path, **secrets) as service, httpx.Client(base_url=service.url, timeout=SECONDS) as client:
        login = {"Authorization": f"Bearer {next(iter(TENANTS))}"}
        operator = {"Authorization": f"Bearer {OPERATOR_KEY}"}
        wrong = f"wrong-key-{CANARY}"
        where = f"https://someone:{CANARY}@store.example/lease.pdf"
        event = {
            "event": "document",
            "document_id": "d",
            "name": "d.pdf",
            "user_id": "ann",
            "media_type": "application/pdf",
            "uri": where,
        }
        requests: list[dict[str, Any]] = [
            {"method": "GET", "url": "/api/v1/memories", "headers": {"Authorization": f"Bearer {wrong}"}},
            {"method": "GET", "url": "/api/v1/memories", "headers": {"X-API-Key": wrong}},
            {"method": "GET", "url": "/api/v1/memories", "headers": {"Authorization": f"Basic {wrong}"}},
            {"method": "GET", "url": f"/api/v1/memories?user_id=ann&api_key={wrong}", "headers": login},
            {"method": "GET", "url": f"/api/v1/{wrong}", "headers": login},
            {"method": "POST", "url": "/console/login", "data": {"key": wrong}},
            {"method": "POST", "url": "/mcp?user_id=ann", "headers": {"X-API-Key": wrong}, "json": {}},
            {"method": "POST", "url": "/api/v1/events", "headers": login, "json": {"events": [event]}},
            {"method": "POST", "url": "/api/v1/events", "headers": login, "content": f'{{"password": "{CANARY}'.encode()},
            {"method": "GET", "url": "/metrics", "headers": operator},
            {"method": "GET", "url": "/health"},
            {"method": "GET", "url": "/openapi.json"},
        ]
        for request in tried(requests):
            answer = client.request(**request)
            told = answer.text + repr(answer.headers)
            if (
                "api_key=" not in request["url"] and request["url"] != f"/api/v1/{wrong}"
            ):  # which an answer may repeat to its sender
                assert CANARY not in told, request["url"]
            assert not any(key in told for key in (*TENANTS, OPERATOR_KEY)), request["url"]
        kept = FileDeadLetters(tmp_path / "data" / "dead-letters.sqlite")
        eventually(lambda: list(kept.read()))
        letters = "\n".join(dead_letter_text(number, each).plain for number, each in enumerate(kept.read()))
        metrics = client.get("/metrics", headers=operator).text
    log = service.log.read_text()
    for told in (letters, metrics, log):
        assert CANARY not in told, told[max(0, told.find(CANARY) - 300) :][:600]
        assert not any(key in told for key in (*TENANTS, OPERATOR_KEY))
    for file in (tmp_path / "data").rglob("*"):
        if (
            file.is_file() and not file.name.startswith("dead-letters") and "inbox" not in file.parts
        ):  # those hold the event as it came
            assert not any(key.encode() in file.read_bytes() for key in (*TENANTS, OPERATOR_KEY, wrong)), file
