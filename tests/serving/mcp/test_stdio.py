import asyncio
import os
import subprocess
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from tests.serving.mcp.conftest import KEY
from tests.serving.mcp.round_trip import goes_round, told


def server(*options: str, **variables: str) -> StdioServerParameters:
    """``mneme mcp`` as a client starts it, with nothing of this environment."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "serving", "mcp", *options], env=unset | variables, cwd=Path.cwd()
    )


def test_a_process_of_its_own_takes_in_what_is_remembered_and_finds_it(tmp_path: Path):
    async def run() -> None:
        parameters = server("--user", "mira", MNEME_DATA=str(tmp_path), MNEME_EMBEDDER__PROVIDER="hash")
        async with Client(parameters, mode="legacy") as client:
            await goes_round(client)

    asyncio.run(run())


def test_with_a_url_it_speaks_for_that_service(url: str, tmp_path: Path):
    async def run() -> None:
        parameters = server(
            "--user",
            "stdio",
            "--tenant",
            "acme",
            MNEME_SERVICE__URL=url,
            MNEME_SERVICE__API_KEY=KEY,
            MNEME_DATA=str(tmp_path / "unused"),
        )
        async with Client(parameters) as client:
            await goes_round(client)
        assert not (tmp_path / "unused").exists()

    asyncio.run(run())


def test_only_with_the_flag_everything_is_erased_and_read_only_it_takes_nothing_in(url: str):
    async def run() -> None:
        remote = {"MNEME_SERVICE__URL": url, "MNEME_SERVICE__API_KEY": KEY}
        async with Client(server("-u", "ann", "--tenant", "acme", "--allow-erase", **remote)) as client:
            await told(client, "remember", note="Ann keeps bees.", wait=True)
            text, _ = await told(client, "search", query="bees")
            assert "Ann keeps bees." in text
            _, gone = await told(client, "forget", target="everything", confirm=True)
            assert gone["erased"]
        async with Client(server("-u", "ann", "--tenant", "acme", "--read-only", **remote)) as client:
            text, _ = await told(client, "search", query="bees")
            assert text == "nothing is remembered about this"
            assert {tool.name for tool in (await client.list_tools()).tools} == {"search", "ask", "timeline", "profile"}

    asyncio.run(run())


def test_whose_memory_it_is_has_to_be_said():
    done = subprocess.run([sys.executable, "-m", "serving", "mcp"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--user, --group or --agent is needed" in done.stderr
