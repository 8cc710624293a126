"""A tenant's key against everything of another tenant, on a real Kafka and a real OpenSearch.

``acme`` is attacked by ``evil``, here by REST; by the Python client and by MCP test_tenants_rest.py does it. Both have a user,
a conversation, messages, a document and metadata of the same names, so that nothing but the tenant tells them apart; words that
only acme said are looked for in every answer, and acme's rows are compared before and after.
"""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.kafka.producer import Record, ReliableProducer
from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from evaluation.faults.flow_process import FlowProcess
from evaluation.own_index import drop_indices
from mneme.errors import MnemeError
from mneme.events import Message
from mneme.ids import owner_key
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection
from mneme.settings import EmbedderSettings, Settings
from serving.service.service import Service
from tests.conftest import RunningKafka, RunningOpenSearch
from tests.contracts.isolation import NAMES, QUERIES
from tests.end_to_end.flow_process import settings_for
from tests.servers.isolated import isolated_kafka, isolated_opensearch
from tests.serving.embedded_service import over_http

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ACME_KEY, EVIL_KEY, OPERATOR_KEY = (f"key-of-{name}-0123456789abcdef" for name in ("acme", "evil", "operator"))
SECRETS = ("Quetzalcoatl", "Xochipilli", "Tlaloc")  # said in a message, in a document, as metadata: by acme alone
CONVERSATIONS = ("cats", "a/b", "talk,x")
_SEPARATE = "acme acme/user acme,evil evil,acme * evil* evi? evil/../acme evil%2F..%2Facme evil~ Evil".split()
SYNTAX = (
    *"acme/user/ann evil/user/ann,acme/user/ann acme/user/ann, ,acme/user/ann ann,acme/tenant/acme _all _local".split(),
    *"*,-evil ../acme ..%2facme %2e%2e/acme ~ ann~ owner_key:acme* (acme) {{ctx.tenant}}".split(),
    *("ann\n{}\n{}", 'ann"},{"match_all":{}}', "ann\r\nX-API-Key: x", "\x1b[2J", "tenant_id:acme AND *"),
    *("doc['tenant_id'].value", "a" * 511, "é" * 255, "ann\u202e", "�"),
)
HOSTILE = tuple(dict.fromkeys((*NAMES, *SYNTAX)))
NO_NAMES: tuple[Any, ...] = (
    *("", " ", "n" * 600, ["ann"], ["ann", "acme"], {"$ne": 1}, {"terms": {}}),
    *(1, True, 1.5, [], [[]], {}),
)
ANSWERED = {200, 202, 400, 403, 404, 405, 422}  # no 409 or 5xx: what OpenSearch refuses must not come that far
_EACH = 8  # of how many inputs one is tried in the short form


@dataclass(frozen=True)
class World:
    """A deployment with two tenants in it."""

    settings: Settings
    url: str
    index: MemoryIndex
    flow: FlowProcess
    client: httpx.Client

    def ask(self, method: str, path: str, key: str = EVIL_KEY, **more: Any) -> httpx.Response:
        return self.client.request(method, path, headers={"Authorization": f"Bearer {key}"}, **more)

    def refused_or_own(self, method: str, path: str, **more: Any) -> httpx.Response:
        """An answer to evil, in which nothing of acme is, and that no server failed to give."""
        answer = self.ask(method, f"/api/v1{path}", **more)
        assert answer.status_code in ANSWERED, (path, more, answer.text[:500])
        for secret in SECRETS:
            assert secret.lower() not in answer.text.lower(), (path, more, answer.text[:500])
        return answer

    def rows_of(self, tenant: str) -> dict[tuple[str, str], str]:
        """Everything in the index of a tenant, as it is."""
        self.index.refresh()
        rows = [row for collection in Collection for row in self.index.scan(collection) if row.tenant_id == tenant]
        return {(row.collection, f"{row.owner_key} {row.id}"): repr((row.version, row.body)) for row in rows}

    def until_flushed(self, tenant: str, flush_ids: Sequence[str]) -> None:
        keys = [flush_marker(tenant, flush_id, START).key for flush_id in flush_ids]

        def there() -> bool:
            try:
                return len(self.index.get(keys)) == len(keys)
            except MnemeError:  # the flow has still to make the index
                return False

        self.flow.until(there)


def said(tenant: str, conversation: str, secrets: Sequence[str]) -> list[Message]:
    texts = (f"My cat is called {secrets[0]}.", "We moved to Oslo with the cat.", "Ben works at Acme.", "I like green tea.")
    return [
        Message(
            tenant_id=tenant,
            conversation_id=conversation,
            user_id="ann",
            sender_name="Ann",
            message_id=f"m{number}",
            sent_at=START + timedelta(minutes=number),
            content=text,
            metadata={"project": secrets[2], "level": 3},
        )
        for number, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory, kafka_server: RunningKafka, opensearch_server: RunningOpenSearch
) -> Iterator[World]:
    kafka, opensearch = isolated_kafka(kafka_server.bootstrap), isolated_opensearch(opensearch_server.url)
    base = settings_for(tmp_path_factory.mktemp("tenants"), kafka, opensearch, embedder=EmbedderSettings(provider="hash"))
    keys = {ACME_KEY: "acme", EVIL_KEY: "evil", OPERATOR_KEY: "*"}
    service = base.service.model_copy(update={"keys": keys, "requests_per_minute": 0, "wait_seconds": 20.0})
    settings = base.model_copy(
        update={"service": service, "boundaries": base.boundaries.model_copy(update={"hold_back_seconds": 0.0})}
    )
    create_topics(kafka)
    with ExitStack() as stack:
        stack.callback(drop_indices, opensearch)
        index = open_index(settings)
        stack.callback(index.close)
        flow = stack.enter_context(FlowProcess(settings))
        publisher = stack.enter_context(Publisher(kafka))
        flushes: dict[str, list[str]] = {}
        for tenant, secrets in (("acme", SECRETS), ("evil", ("Mia", "Rosa", "Berta"))):
            for conversation in CONVERSATIONS:
                publisher.send_many(said(tenant, conversation, secrets))
                flushes.setdefault(tenant, []).append(publisher.flush_conversation(tenant, conversation))
            content = f"# Lease\n\nThe landlord of the flat is called {secrets[1]}.\n".encode()
            for owner in ({"user_id": "ann"}, {}):
                flush_id = f"read-{tenant}-{len(owner)}"
                publisher.send_document(
                    content, document_id="lease.md", name="lease.md", tenant_id=tenant, flush_id=flush_id, **owner
                )
                flushes[tenant].append(flush_id)
        publisher.flush()
        running = stack.enter_context(Service(settings))
        url = stack.enter_context(over_http(running))
        client = stack.enter_context(httpx.Client(base_url=url, timeout=60))
        world = World(settings, url, index, flow, client)
        for tenant, ids in flushes.items():
            world.until_flushed(tenant, ids)
        index.refresh()
        yield world


@pytest.fixture
def some(tried: Callable[[Any], Any], is_long: bool) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """One of ``_EACH`` inputs, all of them in the long form; counted."""
    return lambda inputs: tried(inputs if is_long else inputs[::_EACH])


def test_acme_itself_finds_what_is_looked_for(world: World) -> None:
    """Without this the other tests would find nothing in an empty index."""
    asked = {"query": "What is the cat called, and who is the landlord?", "filters": {"user_id": "ann"}}
    found = world.ask("POST", "/api/v1/memories/search", ACME_KEY, json=asked).text
    assert all(secret in found for secret in SECRETS[:2])
    listed = world.ask("GET", "/api/v1/memories", ACME_KEY, params={"user_id": "ann"}).text
    assert all(secret in listed for secret in SECRETS)
    assert "Mia" not in found + listed


def test_no_tenant_is_named_but_the_keys_own(world: World, some: Callable[[Any], Any]) -> None:
    for tenant in some([*HOSTILE, *_SEPARATE, *NO_NAMES]):
        body = {"query": "cat", "filters": {"user_id": "ann", "tenant_id": tenant}}
        answer = world.refused_or_own("POST", "/memories/search", json=body)
        assert answer.status_code in (403, 422), (tenant, answer.text[:300])
        if isinstance(tenant, str) and tenant.isprintable():
            assert world.refused_or_own("GET", "/memories", params={"user_id": "ann", "tenant_id": tenant}).status_code in (
                403,
                422,
            )


@pytest.mark.parametrize("field", ["user_id", "group_id", "agent_id", "conversation_id", "document_id", "participants"])
def test_a_name_in_a_filter_is_compared_within_the_tenant(world: World, some: Callable[[Any], Any], field: str) -> None:
    for name in some([*HOSTILE, *NO_NAMES]):
        filters = {"user_id": "ann", field: name} if field not in ("group_id",) else {field: name}
        world.refused_or_own("POST", "/memories/search", json={"query": "cat landlord", "filters": filters})


def test_metadata_is_data(world: World, some: Callable[[Any], Any]) -> None:
    conditions = [
        condition
        for name in (*HOSTILE, *NO_NAMES)
        for condition in ({str(name): "x"}, {"project": name}, {"project": {"contains": name}}, {"level": {"gte": name}})
    ]
    for metadata in some(conditions):
        filters = {"user_id": "ann", "metadata": metadata}
        world.refused_or_own("POST", "/memories/search", json={"query": "cat", "method": "keyword", "filters": filters})


def test_a_question_is_words_whatever_language_it_speaks(world: World, some: Callable[[Any], Any]) -> None:
    languages = [
        *QUERIES,
        '{"query_string": {"query": "tenant_id:acme"}}',
        '{"script_score": {"script": "doc[\'tenant_id\'].value"}}',
        '"}}}}\n{"index":"*"}\n{"query":{"match_all":{}}}',
        "tenant_id:acme OR owner_key:acme*",
        "params._source.body",
        "cat " * 2_500,
    ]
    for method in ("keyword", "vector", "hybrid", "agentic"):
        for question in some(languages):
            body = {"query": question, "method": method, "filters": {"user_id": "ann"}, "explain": method == "hybrid"}
            world.refused_or_own("POST", "/memories/search", json=body)


def test_no_id_of_acme_opens_anything(world: World, some: Callable[[Any], Any]) -> None:
    """Every id that acme has, as it is, and with the characters that separate ids encoded once more or not at all."""
    ids = sorted({place[1].split(" ", 1)[1] for place in world.rows_of("acme")})
    forms = [form for each in ids for form in (each, each.replace("acme", "evil/../acme"), f"evil,{each}", f"{each},")]
    for identity in some(forms):
        asked = quote(quote(identity, safe=""), safe="")
        for path in (f"/memories/{asked}", f"/memories/{quote(identity, safe='')}", f"/conversations/{asked}"):
            world.refused_or_own("GET", path, params={"user_id": "ann"})
        assert world.ask("GET", f"/api/v1/memories/{asked}", EVIL_KEY, params={"user_id": "ann"}).status_code in (404, 422)


def test_no_cursor_leads_to_another_tenant(world: World, tried: Callable[[Any], Any]) -> None:
    places: list[Any] = [
        [START.isoformat(), each]
        for each in ("", "acme", "acme/user/ann", "acme/cats/m0", "~", "￿", "\x00", "a" * 40_000, "evil/cats", '"}')
    ]
    places += [[moment, "a"] for moment in ("9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00", "-1")]
    places += [[START.isoformat(), each] for each in (1, ["a"], {"x": 1})] + [[1e400, "a"], [START.isoformat()]]
    places += [[None, None], {}, [], "x", 1]
    for place in tried(places):
        cursor = base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")
        for path in ("/memories", "/conversations"):
            world.refused_or_own("GET", path, params={"user_id": "ann", "after": cursor})


def test_lists_of_everything_stay_within_the_tenant(world: World, some: Callable[[Any], Any]) -> None:
    pages = "/memories /conversations /documents /graph /profile /export /history?entity=Ben /conversations/cats".split()
    for name in some(["ann", *HOSTILE]):
        for page in pages:
            world.refused_or_own(
                "GET", page.split("?")[0], params={"user_id": name, **dict(p.split("=") for p in page.split("?")[1:])}
            )
    owners = world.refused_or_own("GET", "/owners").json()["items"]
    assert {each["id"] for each in owners if each["type"] == "user"} == {"ann"}
    assert world.ask("GET", "/metrics").status_code in (403, 404)


class TestWhatIsWritten:
    """These write, and come last."""

    def test_nothing_that_evil_sends_changes_anything_of_acme(self, world: World, tried: Callable[[Any], Any]) -> None:
        before = world.rows_of("acme")
        names = [*CONVERSATIONS, "acme/cats", "../acme/cats", "cats,", "acme%2Fcats", "cats\n", "cats\x00"]
        names.append('x"}\n{"delete":{"_id":"acme/cats/m0"}}')
        events: list[dict[str, Any]] = []
        for name in names:
            message = {"event": "message", "conversation_id": name, "user_id": "ann", "content": "Hi.", "message_id": "m0"}
            events += [message, {**message, "message_id": f"acme/{name}/m1"}, {**message, "message_id": 'm"}\n{"index":{}}'}]
            events += [{"event": "edit", "conversation_id": name, "message_id": "m0", "content": "Gone."}]
            events += [{"event": "delete", "conversation_id": name, "message_id": "m1"}]
            events += [{"event": "forget", "conversation_id": name, "erasure_id": f"e-{len(events)}"}]
            events += [{"event": "flush", "conversation_id": name, "flush_id": "acme/f"}]
        events += [{"event": "forget_document", "document_id": "lease.md"}, {"event": "erase", "user_id": "ann"}]
        events += [{"event": "forget_document", "document_id": "lease.md", "user_id": "acme/user/ann"}]
        for event in tried(events):
            for tenant in ({}, {"tenant_id": "acme"}, {"tenant_id": "evil,acme"}):
                answer = world.refused_or_own("POST", "/events", json={"events": [{**event, **tenant}]})
                assert answer.status_code in ((202, 422) if not tenant else (403,)), (event, answer.text[:300])
        erased = ({"user_id": "ann"}, {"conversation_id": "cats"}, {"document_id": "lease.md"}, {"user_id": "*"})
        for params in (*erased, {"user_id": "ann,acme/user/ann"}):
            world.refused_or_own("DELETE", "/memories", params={**params, "wait": 10})
        identity = quote(quote("acme/cats/m0", safe=""), safe="")
        for method, more in (("PATCH", {"json": {"content": "x"}}), ("DELETE", {})):
            answer = world.refused_or_own(method, f"/memories/{identity}", params={"user_id": "ann"}, **more)
            assert answer.status_code == 404
        self.settled(world)
        assert world.rows_of("acme") == before

    def test_a_key_of_kafka_decides_nothing(self, world: World, tried: Callable[[Any], Any]) -> None:
        """``a/b`` and ``c`` have the key of ``a`` and ``b/c``; and a key may say one tenant where the event says another."""
        producer = ReliableProducer(world.settings.kafka)
        topic = world.settings.kafka.topics.messages
        pairs = [("a/b", "c"), ("a", "b/c"), ("a/b/c", "d"), ("a", "b/c/d")]
        pairs += [("a%2Fb", "c"), ("a", "b%2Fc"), ("a~", "b"), ("a", "~b")]
        before = world.rows_of("acme")
        for number, (tenant, conversation) in enumerate(tried(pairs)):
            message = said(tenant, conversation, (f"Pet{number}x", "", f"Mark{number}"))[0]
            flush = {"event": "flush", "tenant_id": tenant, "conversation_id": conversation, "flush_id": "same"}
            for key in (f"{tenant}/{conversation}", "acme/cats"):
                producer.send(Record(topic, key, message.to_bytes()))
            producer.send(Record(topic, f"{tenant}/{conversation}", json.dumps(flush).encode()))
        producer.flush()
        for tenant, _ in pairs:
            world.until_flushed(tenant, ["same"])
        world.index.refresh()
        rows = [row for collection in Collection for row in world.index.scan(collection)]
        for number, (tenant, conversation) in enumerate(pairs):
            holding = [row for row in rows if f"Pet{number}x" in str(row.body)]
            assert {row.tenant_id for row in holding} == {tenant}, "a word is in the tenant's rows alone"
            assert {row.conversation_id for row in holding if row.kind == "message"} == {conversation}
            assert {row.owner_key for row in holding} == {owner_key(tenant, "user", "ann")}
            assert sum(row.kind == "message" for row in holding) == 1, "sent twice, it is there once"
        self.settled(world)
        assert world.rows_of("acme") == before
        producer.close()

    def test_a_flush_and_an_erasure_are_told_to_their_tenant_alone(self, world: World, tried: Callable[[Any], Any]) -> None:
        for identity in tried(["same", "acme/f", "read-acme-1", "../acme/same", "acme%2Fsame", "*", "", "same,"]):
            path = quote(quote(identity, safe=""), safe="")
            answer = world.refused_or_own("GET", f"/flushes/{path}")
            if identity != "acme/f":  # which evil sent itself
                assert answer.status_code == 404 or answer.json().get("searchable") is not True, identity
            world.refused_or_own("GET", f"/erasures/{path}")

    def test_what_a_key_costs_is_not_another_tenants_letter(self, world: World) -> None:
        """A letter that says whose it is stays when another tenant erases somebody of the same name."""
        producer = ReliableProducer(world.settings.kafka)
        topic, poison = world.settings.kafka.topics.messages, []
        for tenant in ("acme", "evil"):
            poison.append(json.dumps({"tenant_id": tenant, "user_id": "zoe", "content": 7, "sent_at": "never"}).encode())
            poison.append(b'{"tenant_id": "' + tenant.encode() + b'", "user_id": "zoe", "content": "cut o')
        for raw in poison:
            producer.send(Record(topic, "x", raw))
        producer.close()
        world.flow.until(lambda: {letter.raw for letter in read_dead_letters(world.settings.kafka)} >= set(poison))
        answer = world.ask("DELETE", "/api/v1/memories", params={"user_id": "zoe", "wait": 20})
        assert answer.status_code == 200, answer.text
        left = {letter.raw for letter in read_dead_letters(world.settings.kafka)}
        assert left & set(poison) == set(poison[:2])

    @staticmethod
    def settled(world: World) -> None:
        """All that evil sent was read: a flush of each of its conversations is done."""
        for name in ("cats", "end"):
            answer = world.ask("POST", "/api/v1/flush", json={"conversation_id": name, "timeout": 20})
            assert answer.json()["searchable"], answer.text
