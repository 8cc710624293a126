"""MemMachine, in process, as its configuration wizard sets it up without a graph server: SQLite and vectors beside it.

Where the wizard wants Neo4j, for profile memory, it is the vector store too. The tokenizer of its BM25 is ``simple``, since the
default one downloads data. What it finds are the messages themselves; profile lines are found by themselves and not counted.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lines import Request, serve
from memmachine_server import MemMachine
from memmachine_server.common.configuration import Configuration
from memmachine_server.common.episode_store import EpisodeEntry

turns: dict[str, str] = {}  # of episodes
machine: Any = None


@dataclass
class Session:
    """The owner of the memory."""

    org_id: str = "bench"
    project_id: str = "peers"
    session_key: str = "bench/peers"


def configuration(request: Request) -> Configuration:
    """That of the wizard."""
    endpoint = {"model": request["model"], "api_key": "stub", "base_url": request["base_url"]}
    databases = {
        "sqlite": {"provider": "sqlite", "config": {"path": "memmachine.db"}},
        "vectors": {"provider": "sqlite_vector_store", "config": {"path": "vectors.db", "index_directory": "vectors"}},
    }
    rerankers = {
        "words": {"provider": "bm25", "config": {"tokenizer": "simple"}},
        "same": {"provider": "identity", "config": {}},
        "both": {"provider": "rrf-hybrid", "config": {"reranker_ids": ["words", "same"]}},
    }
    return Configuration(
        episodic_memory={
            "long_term_memory": {
                "backend": "event",
                "embedder": "embedder",
                "reranker": "both",
                "vector_store": "vectors",
                "segment_store": "sqlite",
            },
            "short_term_memory": {"llm_model": "chat", "message_capacity": 500},
        },
        retrieval_agent={"llm_model": "chat", "reranker": "both"},
        semantic_memory={
            "llm_model": "chat",
            "embedding_model": "embedder",
            "storage_backend": "vector_store",
            "feature_store": "sqlite",
            "vector_collection": "vectors",
            "config_database": "sqlite",
        },
        logging={},
        session_manager={"database": "sqlite"},
        episode_store={"database": "sqlite"},
        resources={
            "embedders": {"embedder": {"provider": "openai", "config": {**endpoint, "dimensions": request["dimension"]}}},
            "language_models": {"chat": {"provider": "openai-chat-completions", "config": endpoint}},
            "rerankers": rerankers,
            "databases": databases,
        },
    )


async def open_(request: Request) -> dict[str, object]:
    """Start it."""
    global machine
    machine = MemMachine(configuration(request))
    await machine.start()
    await machine.create_session(Session.session_key)
    return {}


async def ingest(request: Request) -> dict[str, object]:
    """Add every message."""
    for message in request["messages"]:
        entry = EpisodeEntry(
            content=message["text"],
            producer_id=message["speaker"],
            producer_role="user",
            created_at=datetime.fromisoformat(message["sent_at"]),
        )
        for uid in await machine.add_episodes(Session(), [entry]):
            turns[str(uid)] = message["id"]
    return {}


async def search(request: Request) -> dict[str, object]:
    """Messages."""
    found = await machine.query_search(Session(), query=request["query"], limit=request["limit"])
    memory = found.episodic_memory
    episodes = memory.long_term_memory.episodes if memory and memory.long_term_memory else []
    return {"found": [{"text": f"{each.producer_id}: {each.content}", "turns": [turns[str(each.uid)]]} for each in episodes]}


serve({"open": open_, "ingest": ingest, "search": search})
