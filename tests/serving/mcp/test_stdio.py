import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from serving.cli import app
from tests.serving.mcp.conftest import THIRD_KEY
from tests.serving.mcp.round_trip import finds_nothing, goes_round, told


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
            await goes_round(client)

    asyncio.run(run())


def test_with_a_url_it_speaks_for_that_service(url: str, tmp_path: Path):
    async def run() -> None:
        parameters = server(
            "--user",
            "mira",
            "--tenant",
            "third",
            MNEME_SERVICE__URL=url,
            MNEME_SERVICE__API_KEY=THIRD_KEY,
            MNEME_DATA=str(tmp_path / "unused"),
        )
        async with Client(parameters) as client:
            _, note = await told(client, "remember", note="Mira is allergic to penicillin.", wait=60)
            _, found = await told(client, "search", query="penicillin")
            assert found["memories"][0]["message_ids"] == note["message_ids"]
            _, gone = await told(client, "forget", target="message", id=note["message_ids"][0], confirm=True)
            assert gone["erased"]
            await finds_nothing(client, "penicillin")
        assert not (tmp_path / "unused").exists()

    asyncio.run(run())


def test_whose_memory_it_is_has_to_be_said():
    done = CliRunner().invoke(app, ["mcp"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--user, --group or --agent is needed" in done.stderr
