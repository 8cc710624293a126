"""A tenant's key and the data of another: every route of the service, the Python client over HTTP, and MCP's tools."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal
from urllib.parse import quote

import httpx
import pytest

import flows
from connectors import Publisher
from mneme.errors import MnemeError, SettingsError
from mneme.events import AnyEvent, Erase, Forget, Message
from mneme.ports import Lag
from mneme.settings import Settings, load_settings
from queries import Memories
from serving.service.service import ErasureStatus, Service
from tests.serving.embedded_service import over_http
from tests.serving.rest.conftest import ServiceWithoutFlow

pytestmark = pytest.mark.slow

API = "/api/v1"
OWN, OTHER = "own", "other"
KEYS = {OWN: "own-0123456789abcdef", OTHER: "other-0123456789abcdef"}
SECRETS = {OWN: "marzipan", OTHER: "tamarind"}  # in everything that a tenant has
NAMES = {
    "user_id": "mira",
    "conversation_id": "standup",
    "document_id": "lease.txt",
    "message_id": "m0",
    "participants": "Ann",
    "entity": "Ann",
}  # the same for both tenants: what tells them apart is the tenant alone
INJECTIONS = (
    "' OR tenant_id = 'other' --",
    "x' OR '1'='1",
    "*",
    "%",
    "tenant_id:other",
    '{"match_all":{}}',
    "other/standup/m0",
    "../other/standup/m0",
    "mira' OR true",
    "\u202eother",
    "${jndi:ldap://127.0.0.1/a}",
    "{{7*7}}",
    "other\x00own",
    "<script>alert(1)</script>",
)

Tried = Callable[[Sequence[Any]], Sequence[Any]]


def events_of(tenant: str) -> Iterator[dict[str, Any]]:
    """The same names for each tenant, and texts with its secret."""
    secret, named = SECRETS[tenant], {"tenant_id": tenant, "user_id": "mira"}
    for number in range(6):
        yield named | {
            "event": "message",
            "conversation_id": "standup" if number < 4 else f"chat-{number}",
            "message_id": f"m{number}",
            "sender_name": "Ann",
            "content": f"Ann works at {secret.title()} Labs since May. The door code of {secret} is 47{number}.",
            "sent_at": f"2026-03-0{number + 1}T09:00:00+00:00",
        }
    text = f"Lease of the flat.\n\nThe rent of {secret} is 900 euro a month."
    document = {"event": "document", "document_id": "lease.txt", "content": text, "dated_at": "2026-01-02T00:00:00+00:00"}
    yield named | document | {"name": f"lease of {secret}.txt"}
    yield {"tenant_id": tenant} | document | {"document_id": "rules.txt", "name": "rules.txt"}


class RecordedService(ServiceWithoutFlow):
    """Notes what it is to take in, and whom it asks about."""

    taken: list[AnyEvent]
    waited: list[str]
    takes_in = False  # once it is open: else it would begin a flow

    @property
    def intake(self) -> Literal["kafka", "inbox", "none"]:
        return "inbox" if self.takes_in else "none"

    def lag(self) -> Lag:
        return Lag({})

    def wait_for_flush(self, tenant_id: str, flush_id: str, timeout: float) -> bool:
        self.waited.append(tenant_id)
        return super().wait_for_flush(tenant_id, flush_id, timeout)

    def erasure(self, tenant_id: str, erasure_id: str, timeout: float) -> ErasureStatus:
        self.waited.append(tenant_id)
        return super().erasure(tenant_id, erasure_id, timeout)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("tenants")
    file = folder / "events.jsonl"
    file.write_text("\n".join(json.dumps(event) for tenant in KEYS for event in events_of(tenant)))
    settings = load_settings(
        {},
        data=folder / "data",
        embedder={"provider": "hash"},
        service={
            "intake": "none",
            "requests_per_minute": 0,
            "keys": {key: tenant for tenant, key in KEYS.items()},
        },
    ).replace(service={"wait_seconds": 0.1})
    flows.ingest([file], settings)
    return settings


@pytest.fixture(scope="module")
def service(settings: Settings) -> Iterator[RecordedService]:
    with RecordedService(settings) as service:
        service.taken, service.waited, service.takes_in = [], [], True
        send = service.publisher.send

        def noted(event: AnyEvent, backfill: bool = False) -> None:
            service.taken.append(event)
            send(event, backfill)

        service.publisher.send = noted  # type: ignore[method-assign]
        yield service


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    with over_http(service) as url:
        yield url


class Asking:
    """Requests with a tenant's key."""

    def __init__(self, url: str, tenant: str) -> None:
        self._client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {KEYS[tenant]}"}, timeout=60)

    def __call__(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self._client.request(method, path, **given)

    def close(self) -> None:
        self._client.close()


@pytest.fixture(scope="module")
def own(url: str) -> Iterator[Asking]:
    asking = Asking(url, OWN)
    yield asking
    asking.close()


@pytest.fixture(scope="module")
def other(url: str) -> Iterator[Asking]:
    asking = Asking(url, OTHER)
    yield asking
    asking.close()


def check_nothing_of_the_other(answer: httpx.Response, *about: Any) -> None:
    assert answer.status_code < 500, (about, answer.text[:300])
    told = answer.text.lower().replace("other/standup/m0", "")
    assert SECRETS[OTHER] not in told, (about, answer.text[:1000])


@pytest.fixture(scope="module")
def ids(other: Asking) -> dict[str, list[str]]:
    """Ids, cursors and names of everything that the other tenant has."""
    found: dict[str, list[str]] = {"id": ["standup", "lease.txt", "rules.txt"], "after": []}
    for kind in (None, "message", "episode", "fact", "document", "knowledge", "profile", "foresight"):
        listed = {"user_id": "mira", "limit": 2} | ({"kind": kind} if kind else {})
        answer = other("GET", f"{API}/memories", params=listed)
        if answer.status_code == 200:
            page = answer.json()
            found["id"] += [each["id"] for each in page["items"]]
            found["after"] += [page["next"]] if page["next"] else []
    page = other("GET", f"{API}/conversations", params={"user_id": "mira", "limit": 1}).json()
    found["after"].append(page["next"])
    flushed = other("POST", f"{API}/flush", json={"conversation_id": "standup", "timeout": 0}).json()
    found["id"] += flushed["flush_ids"]
    found["id"].append(other("DELETE", f"{API}/memories", params={"conversation_id": "nothing"}).json()["erasure_id"])
    assert len(found["id"]) > 10
    assert len(found["after"]) > 1
    return found


def test_the_other_tenant_has_what_is_to_be_kept_from_this_one(own: Asking, other: Asking) -> None:
    for asking, tenant in ((own, OWN), (other, OTHER)):
        found = asking("POST", f"{API}/memories/search", json={"query": "door code", "filters": {"user_id": "mira"}})
        assert SECRETS[tenant] in found.text.lower()


Request = tuple[str, str, dict[str, Any]]


def requests_of(described: Mapping[str, Any], ids: Mapping[str, Sequence[str]], tenant: str | None) -> Iterator[Request]:
    """Every operation with names of the other tenant in every place that takes one; with its tenant too, or without."""
    named = {} if tenant is None else {"tenant_id": tenant}
    filters = {"user_id": "mira", **named}
    bodies: dict[tuple[str, str], list[dict[str, Any]]] = {
        ("post", f"{API}/memories/search"): [
            {"query": "door code", "method": method, "filters": filters | more, "expand_context": 5, "explain": True}
            for method in ("hybrid", "keyword", "vector", "agentic")
            for more in ({}, {"conversation_id": "standup"}, {"document_id": "lease.txt"}, {"participants": ["Ann"]})
        ],
        ("post", f"{API}/ask"): [
            {"question": "What is the door code?", "filters": filters, "stream": stream, "explain": True}
            for stream in (False, True)
        ],
        ("post", f"{API}/memories"): [
            {"messages": [{**named, "conversation_id": "standup", "message_id": "m0", "user_id": "mira", "content": "x"}]}
        ],
        ("post", f"{API}/events"): [
            {"events": [{**named, **event}]}
            for event in (
                {"event": "message", "conversation_id": "standup", "user_id": "mira", "content": "x"},
                {"event": "edit", "conversation_id": "standup", "message_id": "m0", "content": "x"},
                {"event": "delete", "conversation_id": "standup", "message_id": "m0"},
                {"event": "flush", "conversation_id": "standup", "flush_id": "f"},
                {"event": "forget", "conversation_id": "standup"},
                {"event": "erase", "user_id": "mira"},
                {"event": "document", "document_id": "lease.txt", "user_id": "mira", "name": "x", "content": "x"},
                {"event": "forget_document", "document_id": "lease.txt", "user_id": "mira"},
            )
        ],
        ("post", f"{API}/flush"): [{**named, "conversation_id": "standup", "timeout": 0}, {**named, "user_id": "mira"}],
        ("patch", f"{API}/memories/{{id}}"): [{"content": "x"}],
        ("post", f"{API}/documents"): [{}],
    }
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            parameters = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
            asked = {name: value for name, value in NAMES.items() if name in parameters}
            asked |= {name: value for name, value in named.items() if name in parameters}
            variants = [asked]
            if "conversation_id" in asked and "document_id" in asked:  # an erasure is of one of them
                variants += [
                    {k: v for k, v in asked.items() if k not in ("document_id", "user_id")},
                    {**named, "user_id": "mira"},
                ]
            if "after" in parameters:
                variants += [asked | {"after": after} for after in ids["after"]]
                variants += [{**named, "user_id": "mira", "after": after} for after in ids["after"]]
            if "filters" in parameters:
                variants.append(
                    {"user_id": "mira", "filters": json.dumps(named | {"conversation_id": "standup"})} | _kept(asked)
                )
            paths = [path.replace("{id}", each.replace("/", "%2F")) for each in ids["id"]] if "{id}" in path else [path]
            for place in paths:
                for query in variants:
                    for body in bodies.get((method, path), [None]):
                        given: dict[str, Any] = {"params": query}
                        if path == f"{API}/documents" and method == "post":
                            given |= {"files": {"file": ("lease.txt", b"x")}, "data": {"user_id": "mira", **named}}
                        elif body is not None:
                            given["json"] = body
                        yield method.upper(), place, given


def _kept(asked: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if name in ("entity",)}


@pytest.mark.parametrize("tenant", [None, OTHER])
def test_no_route_reads_or_changes_what_is_another_tenants(
    url: str, service: RecordedService, own: Asking, ids: Mapping[str, Sequence[str]], tenant: str | None, tried: Tried
) -> None:
    described = own("GET", "/openapi.json").json()
    requests = list(requests_of(described, ids, tenant))
    service.taken.clear()
    service.waited.clear()
    seen: set[tuple[str, int]] = set()
    for method, path, given in tried(requests):
        answer = own(method, path, **given)
        check_nothing_of_the_other(answer, method, path, given)
        seen.add((f"{method} {path.partition('?')[0]}", answer.status_code))
        if tenant is not None and "tenant_id" in json.dumps(given, default=str):
            assert answer.status_code in (403, 422), (method, path, given, answer.text[:300])
    assert {event.tenant_id for event in service.taken} == ({OWN} if tenant is None else set())
    assert set(service.waited) <= {OWN}
    if tenant is None:  # it was a walk, and no row of refusals
        assert sum(1 for _, status in seen if status < 300) > 20


def test_a_cursor_of_another_key_opens_nothing(own: Asking, ids: Mapping[str, Sequence[str]], tried: Tried) -> None:
    for after in tried(ids["after"]):
        for path in ("memories", "conversations"):
            check_nothing_of_the_other(own("GET", f"{API}/{path}", params={"user_id": "mira", "after": after}), path, after)


def test_the_same_idempotency_key_of_two_keys_means_two_memories(own: Asking, other: Asking) -> None:
    asked = {"messages": [{"conversation_id": "new", "user_id": "mira", "content": "hello"}]}
    answers = [each("POST", f"{API}/memories", json=asked, headers={"Idempotency-Key": "k"}).json() for each in (own, other)]
    accepted = [each["accepted"][0] for each in answers]
    assert accepted[0]["message_id"] != accepted[1]["message_id"]
    assert [each["id"].split("/")[0] for each in accepted] == [OWN, OTHER]


def test_what_looks_like_a_query_is_data(own: Asking, tried: Tried) -> None:
    asked: list[Request] = []
    for text in INJECTIONS:
        for name in ("user_id", "group_id", "agent_id", "conversation_id", "document_id"):
            filters = {name: text} | ({} if name.endswith(("user_id", "group_id", "agent_id")) else {"user_id": "mira"})
            asked.append(("POST", f"{API}/memories/search", {"json": {"query": "door code", "filters": filters}}))
            asked.append(("GET", f"{API}/memories", {"params": filters}))
        metadata = {"user_id": "mira", "metadata": {text: text}}
        asked += [
            ("POST", f"{API}/memories/search", {"json": {"query": f"door code {text}", "filters": {"user_id": "mira"}}}),
            ("POST", f"{API}/memories/search", {"json": {"query": "door code", "filters": metadata}}),
            ("POST", f"{API}/ask", {"json": {"question": f"door code {text}", "filters": {"user_id": "mira"}}}),
            ("GET", f"{API}/history", {"params": {"user_id": "mira", "entity": text}}),
            ("GET", f"{API}/graph", {"params": {"user_id": "mira", "entity": text}}),
            ("GET", f"{API}/conversations", {"params": {"user_id": "mira", "after": text}}),
            ("GET", f"{API}/memories/{quote(quote(text, safe=''), safe='')}", {"params": {"user_id": "mira"}}),
        ]
    for method, path, given in tried(asked):
        check_nothing_of_the_other(own(method, path, **given), method, path, given)


def test_the_python_client_reaches_no_other_tenant(url: str, service: RecordedService, tried: Tried) -> None:
    filters = {"user_id": "mira", "tenant_id": OTHER}
    with Memories.connect(url=url, api_key=KEYS[OWN]) as memories:
        calls: list[Callable[[Mapping[str, Any]], Any]] = [
            lambda asked: memories.search("door code", filters=asked),
            lambda asked: memories.ask("What is the door code?", filters=asked),
            lambda asked: list(memories.ask_stream("What is the door code?", filters=asked)),
            lambda asked: memories.browse("message", asked),
            lambda asked: memories.get("other/standup/m0", asked),
            lambda asked: memories.conversations(asked),
            lambda asked: memories.inspect("standup", asked),
            lambda asked: memories.history("Ann", asked),
            lambda asked: memories.graph(None, asked),
            lambda asked: memories.portrait(asked),
            lambda asked: memories.documents(asked),
        ]
        for call in tried(calls):
            with pytest.raises(SettingsError, match="this key is for tenant"):
                call(filters)
            assert SECRETS[OTHER] not in str(call({"user_id": "mira"})).lower()
        with pytest.raises(SettingsError, match="this key is for tenant"):
            memories.owners(OTHER)
    service.taken.clear()
    events: list[AnyEvent] = [
        Message(tenant_id=OTHER, conversation_id="standup", user_id="mira", content="x"),
        Forget(tenant_id=OTHER, conversation_id="standup", erasure_id="e"),
        Erase(tenant_id=OTHER, user_id="mira", erasure_id="e"),
    ]
    for event in tried(events):
        publisher = Publisher.connect(url=url, api_key=KEYS[OWN])
        publisher.send(event)
        with pytest.raises(MnemeError, match="this key is for tenant"):
            publisher.flush()
        with suppress(MnemeError):
            publisher.close()
    with pytest.raises(MnemeError), Publisher.connect(url=url, api_key=KEYS[OWN]) as publisher:
        publisher.send_document(b"x" * 10, name="lease.txt", tenant_id=OTHER, user_id="mira")
    assert not [event for event in service.taken if event.tenant_id == OTHER]


def test_no_tool_of_mcp_reaches_another_tenant(
    url: str, service: RecordedService, own: Asking, ids: Mapping[str, Sequence[str]], tried: Tried
) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": "door code"}),
        ("ask", {"question": "What is the door code?"}),
        ("timeline", {"entity": "Ann"}),
        ("timeline", {"since": "2020-01-01"}),
        ("profile", {}),
        ("remember", {"note": "x", "conversation": "other/standup"}),
        *(("search", {"query": text}) for text in INJECTIONS),
        *(
            ("forget", {"target": target, "id": each, "confirm": True})
            for target in ("message", "conversation", "document")
            for each in ids["id"]
        ),
        ("search", {"query": "door code", "tenant_id": OTHER}),
    ]
    service.taken.clear()
    for name, arguments in tried(calls):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        check_nothing_of_the_other(own("POST", "/mcp?user_id=mira", json=call, headers=headers), name, arguments)
        assert own("POST", f"/mcp?user_id=mira&tenant_id={OTHER}", json=call, headers=headers).status_code == 403
    assert {event.tenant_id for event in service.taken} == {OWN}
