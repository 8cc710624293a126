"""MemMachine, in process, as its configuration wizard sets it up without a graph server: SQLite and vectors beside it.

Where the wizard wants Neo4j, for profile memory, it is the vector store too. The tokenizer of its BM25 is ``simple``, since the
default one downloads data. What it finds are the messages themselves; profile lines are found by themselves and not counted.
"""

from datetime import datetime
from pathlib import Path
from string import Template
from types import SimpleNamespace
from typing import Any

import yaml
from memmachine_server import MemMachine
from memmachine_server.common.configuration import Configuration
from memmachine_server.common.episode_store import EpisodeEntry
from pipe import Request, serve

turns: dict[str, str] = {}  # of episodes
machine: Any = None
session: Any = SimpleNamespace(org_id="bench", project_id="peers", session_key="bench/peers")  # the owner of the memory


async def open_(request: Request) -> None:
    """Start it."""
    global machine
    written = Template(Path(__file__).with_name("memmachine.yml").read_text(encoding="utf-8")).substitute(request)
    machine = MemMachine(Configuration(**yaml.safe_load(written)))
    await machine.start()
    await machine.create_session(session.session_key)


async def ingest(request: Request) -> None:
    """Add every message."""
    for message in request["messages"]:
        entry = EpisodeEntry(
            content=message["text"],
            producer_id=message["speaker"],
            producer_role="user",
            created_at=datetime.fromisoformat(message["sent_at"]),
        )
        for uid in await machine.add_episodes(session, [entry]):
            turns[str(uid)] = message["id"]


async def search(request: Request) -> dict[str, object]:
    """Messages."""
    found = await machine.query_search(session, query=request["query"], limit=request["limit"])
    memory = found.episodic_memory
    episodes = memory.long_term_memory.episodes if memory and memory.long_term_memory else []
    return {"found": [{"text": f"{each.producer_id}: {each.content}", "turns": [turns[str(each.uid)]]} for each in episodes]}


serve(open=open_, ingest=ingest, search=search)
