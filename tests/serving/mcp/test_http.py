import asyncio
from contextlib import asynccontextmanager

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.serving.mcp.conftest import KEY, OTHER_KEY
from tests.serving.mcp.round_trip import finds_nothing, goes_round, told


@asynccontextmanager
async def connected(url: str, whose: str, key: str = KEY, mode: str = "auto"):
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp?{whose}", http_client=http), mode=mode) as client,
    ):
        yield client


def test_what_is_remembered_is_found_until_it_is_forgotten(url: str):
    async def run() -> None:
        async with connected(url, "user_id=mira") as client:
            await goes_round(client)

    asyncio.run(run())


def test_a_client_of_the_older_handshake_remembers_and_finds(url: str):
    """Over standard input such a client goes the whole round (test_stdio.py)."""

    async def run() -> None:
        async with connected(url, "user_id=mira", OTHER_KEY, "legacy") as client:
            await finds_nothing(client, "What is Mira allergic to?")
            _, note = await told(client, "remember", note="Mira is allergic to penicillin.", wait=60)
            _, found = await told(client, "search", query="What is Mira allergic to?")
            assert found["memories"][0]["message_ids"] == note["message_ids"]

    asyncio.run(run())


def test_neither_another_owner_nor_another_tenant_reads_it(url: str):
    async def run() -> None:
        async with connected(url, "user_id=bob") as client:
            _, note = await told(client, "remember", note="Bob's door code is 4711.", conversation="home", wait=60)
        for whose, key in (("user_id=eve", KEY), ("user_id=bob", OTHER_KEY), ("group_id=bob", KEY)):
            async with connected(url, whose, key) as client:
                await finds_nothing(client, "What is Bob's door code?")
                for target, identity in (("message", note["message_ids"][0]), ("conversation", note["conversation_id"])):
                    result = await client.call_tool("forget", {"target": target, "id": identity, "confirm": True})
                    assert result.is_error
                await told(client, "remember", note="Nothing of Bob's.", conversation=note["conversation_id"], wait=60)
        async with connected(url, "user_id=bob") as client:
            _, found = await told(client, "search", query="What is Bob's door code?")
            [fact] = [each["text"] for each in found["memories"] if each["kind"] == "fact"]
            assert fact.endswith(": Bob's door code is 4711.")

    asyncio.run(run())


@pytest.mark.parametrize(
    ("whose", "status", "detail"),
    [
        ("", 422, "the URL names nobody; write whose memory it is, as in /mcp?user_id=mira"),
        ("user_id=", 422, "user_id: is blank"),
        ("user_id=a&group_id=b", 422, "user_id and group_id are both given"),
        ("user=a", 422, "user: not known here"),
        ("user_id=a&tenant_id=other", 403, "this key is for tenant 'acme'"),
    ],
)
def test_a_url_that_does_not_say_whose_memory_it_is_is_refused(url: str, whose: str, status: int, detail: str):
    answer = httpx.post(f"{url}/mcp?{whose}", headers={"Authorization": f"Bearer {KEY}"}, json={})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert detail in answer.json()["detail"]


def test_without_a_key_nobody_comes_in(url: str):
    assert httpx.post(f"{url}/mcp?user_id=mira", json={}).status_code == 401


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_to_listen_to_and_no_session_to_end(url: str, method: str):
    answer = httpx.request(method, f"{url}/mcp?user_id=mira", headers={"Authorization": f"Bearer {KEY}"})
    assert answer.status_code == 405
