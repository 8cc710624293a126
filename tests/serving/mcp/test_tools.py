import asyncio
import re
from typing import Any

import pytest
from mcp import Client
from syrupy.assertion import SnapshotAssertion

from serving.mcp.memory import AgentMemory, OwnerScope
from serving.mcp.server import build_server
from serving.service.service import Service
from tests.serving.mcp.round_trip import finds_nothing, refused, told

pytestmark = pytest.mark.slow


def client_of(service: Service, user: str, **options: bool) -> Client:
    memory = AgentMemory(service)
    return Client(build_server(memory, lambda _: OwnerScope("acme", user_id=user), **options))


def test_what_a_model_is_told_of_the_tools(service: Service, snapshot: SnapshotAssertion):
    async def run() -> None:
        async with client_of(service, "mira") as client:
            listed = await client.list_tools()
            assert [tool.model_dump(mode="json", exclude_none=True) for tool in listed.tools] == snapshot
            assert client.instructions == snapshot(name="instructions")

    asyncio.run(run())


@pytest.mark.parametrize(
    ("tool", "arguments", "told_back"),
    [
        ("search", {}, "search: query: Field required"),
        ("search", {"query": "tea", "user_id": "bob"}, "search: user_id not known; it takes query, limit, since, before."),
        ("search", {"query": "tea", "since": "last week"}, "search: since: is no time; write 2026-03-01T09:00:00+01:00"),
        ("search", {"query": "tea", "limit": 500}, "search: limit: Input should be less than or equal to 50"),
        ("timeline", {}, "timeline: give an entity (its history), or since and before (what happened then), or both"),
        ("remember", {}, "remember: give either note (one thing to remember) or messages"),
        ("remember", {"note": "a", "messages": [{"role": "user", "content": "b"}]}, "remember: give either note"),
        (
            "remember",
            {"messages": [{"role": "user", "content": "  "}]},
            "remember: event: content is empty; leave such a message out",
        ),
        ("remember", {"messages": [{"role": "bot", "content": "b"}]}, "remember: messages.0.role: Input should be 'user' or"),
        (
            "remember",
            {"messages": [{"role": "user", "content": "I live here.", "sent_at": "2999-01-01T00:00:00Z"}]},
            "remember: messages[0].sent_at: 2999-01-01T00:00:00+00:00 is more than a day after",
        ),
        ("forget", {"target": "message"}, "forget: id: give that of the message; search and timeline show ids"),
        ("forget", {"target": "message", "id": "acme/x/y"}, "forget: there is no message 'acme/x/y' of this owner"),
        ("forget", {"target": "conversation", "id": "x"}, "forget: there is no conversation 'x' of this owner"),
        ("forget", {"target": "document", "id": "x.pdf"}, "forget: there is no document 'x.pdf' of this owner"),
        ("forget", {"target": "everything", "confirm": True}, "forget: target: Input should be 'fact', 'message'"),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_do(service: Service, tool: str, arguments: dict[str, Any], told_back: str):
    async def run() -> None:
        async with client_of(service, "mira") as client:
            text = await refused(client, tool, **arguments)
            assert text.startswith(told_back)
            assert "Traceback" not in text

    asyncio.run(run())


def test_a_fact_is_forgotten_wherever_it_was_said_and_what_else_was_said_stays(service: Service):
    async def run() -> None:
        async with client_of(service, "ines") as client:
            texts = ("Ines plays the cello on Tuesdays.", "Ines keeps three green bicycles.")
            await told(client, "remember", messages=[{"role": "user", "content": each} for each in texts], wait=60)
            found = await told(client, "search", query="cello")
            fact = next(match for line in found.splitlines() if (match := re.search(r"fact: .*cello.*\(id (\S+);", line)))[1]
            text = await refused(client, "forget", target="message", id=fact, confirm=True)
            assert "is no message, it was made from some; give target=fact" in text
            assert "cello" in await told(client, "forget", target="fact", id=fact)
            assert "nothing is left of it" in await told(client, "forget", target="fact", id=fact, confirm=True)
            text = await told(client, "search", query="the cello and the bicycles of Ines")
            assert ("cello" in text, "three green bicycles" in text) == (False, True)

    asyncio.run(run())


def test_a_document_is_forgotten_by_its_owner_only(service: Service):
    service.publisher.send_document(
        b"Zoe's lease ends on 31 May 2027.", document_id="lease.txt", tenant_id="acme", user_id="zoe", flush_id="lease"
    )
    service.publisher.flush()
    assert service.memories.wait_for_flush("lease", "acme", 30.0)

    async def run() -> None:
        async with client_of(service, "ines") as client:
            assert "there is no document" in await refused(client, "forget", target="document", id="lease.txt", confirm=True)
        async with client_of(service, "zoe") as client:
            assert "(lease.txt, line 1)" in await told(client, "search", query="When does the lease end?")
            assert "would go for ever: the document lease.txt with" in await told(
                client, "forget", target="document", id="lease.txt"
            )
            assert "nothing is left of it" in await told(client, "forget", target="document", id="lease.txt", confirm=True)
            await finds_nothing(client, "When does the lease end?")

    asyncio.run(run())


def test_a_context_is_one_text(service: Service):
    async def run() -> None:
        async with client_of(service, "ann") as client:
            await told(client, "remember", note="Ann keeps bees.", wait=60)
            assert "bees" in await told(client, "context", question="What does Ann keep?", max_tokens=100)

    asyncio.run(run())


def test_a_memory_that_takes_nothing_in_has_no_tools_for_it(service: Service):
    async def run() -> None:
        async with client_of(service, "ann", writable=False) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {
                "search",
                "ask",
                "context",
                "timeline",
                "profile",
            }

    asyncio.run(run())
