"""Graphiti on Kuzu, as its documentation has it: each message is an episode, awaited before the next.

``group_id`` is left out: with one, ``add_episode`` asks the Kuzu driver for an attribute that it lacks. The driver makes no
full-text indices, without which a search fails: they are made here by Graphiti's own statements.
"""

from datetime import datetime
from typing import Any

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.openai_reranker_client import OpenAIRerankerClient
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.embedder.openai import OpenAIEmbedder, OpenAIEmbedderConfig
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient
from graphiti_core.nodes import EpisodeType
from pipe import Request, serve

turns: dict[str, str] = {}  # of episodes
graphiti: Any = None


async def open_(request: Request) -> None:
    """Connect."""
    global graphiti
    chat = LLMConfig(api_key="stub", model=request["model"], small_model=request["model"], base_url=request["base_url"])
    vectors = OpenAIEmbedderConfig(
        api_key="stub", embedding_model=request["model"], base_url=request["base_url"], embedding_dim=request["dimension"]
    )
    driver = KuzuDriver(db="graph.kuzu")
    graphiti = Graphiti(
        graph_driver=driver,
        llm_client=OpenAIGenericClient(config=chat),
        embedder=OpenAIEmbedder(config=vectors),
        cross_encoder=OpenAIRerankerClient(config=chat),
    )
    await graphiti.build_indices_and_constraints()
    for statement in get_fulltext_indices(driver.provider):
        await driver.execute_query(statement)


async def ingest(request: Request) -> None:
    """Add every message."""
    for message in request["messages"]:
        added = await graphiti.add_episode(
            name=message["id"],
            episode_body=f"{message['speaker']}: {message['text']}",
            source=EpisodeType.message,
            source_description="chat",
            reference_time=datetime.fromisoformat(message["sent_at"]),
        )
        turns[added.episode.uuid] = message["id"]


async def search(request: Request) -> dict[str, object]:
    """Facts, each with the episodes that it is from."""
    edges = await graphiti.search(request["query"], num_results=request["limit"])
    return {"found": [{"text": edge.fact, "turns": [turns[each] for each in edge.episodes]} for edge in edges]}


serve(open=open_, ingest=ingest, search=search)
