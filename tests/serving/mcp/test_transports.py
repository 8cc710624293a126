"""The MCP server over HTTP and over standard input, each with what it alone has to refuse."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from serving.cli import app
from tests.serving.mcp.conftest import KEY, OTHER_KEY, THIRD_KEY
from tests.serving.mcp.round_trip import finds_nothing, goes_round, remembered, remembers_until_it_forgets, told

pytestmark = pytest.mark.slow


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
    async def run() -> None:
        async with connected(url, "user_id=mira", OTHER_KEY, "legacy") as client:
            await remembers_until_it_forgets(client)

    asyncio.run(run())


def test_neither_another_owner_nor_another_tenant_reads_it(url: str):
    async def run() -> None:
        async with connected(url, "user_id=bob") as client:
            note = await told(client, "remember", note="Bob's door code is 4711.", conversation="home", wait=60)
        conversation, [message] = remembered(note)
        for whose, key in (("user_id=eve", KEY), ("user_id=bob", OTHER_KEY), ("group_id=bob", KEY)):
            async with connected(url, whose, key) as client:
                await finds_nothing(client, "What is Bob's door code?")
                for target, identity in (("message", message), ("conversation", conversation)):
                    result = await client.call_tool("forget", {"target": target, "id": identity, "confirm": True})
                    assert result.is_error
                await told(client, "remember", note="Nothing of Bob's.", conversation=conversation, wait=60)
        async with connected(url, "user_id=bob") as client:
            found = await told(client, "search", query="What is Bob's door code?")
            [fact] = [line for line in found.splitlines() if " fact: " in line]
            assert ": Bob's door code is 4711. (id " in fact

    asyncio.run(run())


@pytest.mark.parametrize(
    ("whose", "status", "detail"),
    [
        ("", 422, "the URL names nobody; write whose memory it is, as in /mcp?user_id=mira"),
        ("user_id=", 422, "user_id: is blank"),
        ("user_id=a&group_id=b", 422, "user_id and group_id are both given"),
        ("user=a", 422, "user: not known here"),
        ("user_id=a&user_id=b", 422, "user_id: given twice"),
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


# --- over standard input ------------------------------------------------------------------------------------------------


def server(*options: str, **variables: str) -> StdioServerParameters:
    """``mneme mcp`` as a client starts it, with nothing of this environment but short epochs, for which a flush waits."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    unset["MNEME_FLOW__EPOCH_SECONDS"] = "0.2"
    return StdioServerParameters(
        command=sys.executable, args=["-m", "serving", "mcp", *options], env=unset | variables, cwd=Path.cwd()
    )


def test_a_process_of_its_own_takes_in_what_is_remembered_and_finds_it(tmp_path: Path):
    async def run() -> None:
        parameters = server("--user", "mira", MNEME_DATA=str(tmp_path), MNEME_EMBEDDER__PROVIDER="hash")
        async with Client(parameters, mode="legacy") as client:
            await remembers_until_it_forgets(client)

    asyncio.run(run())


def test_with_a_url_it_speaks_for_that_service(url: str, tmp_path: Path):
    async def run() -> None:
        of_service = {"MNEME_SERVICE__URL": url, "MNEME_SERVICE__API_KEY": THIRD_KEY}
        parameters = server("--user", "mira", "--tenant", "third", MNEME_DATA=str(tmp_path / "unused"), **of_service)
        async with Client(parameters) as client:
            await remembers_until_it_forgets(client)
        assert not (tmp_path / "unused").exists()

    asyncio.run(run())


def test_whose_memory_it_is_has_to_be_said():
    done = CliRunner().invoke(app, ["mcp"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--user, --group or --agent is needed" in done.stderr
