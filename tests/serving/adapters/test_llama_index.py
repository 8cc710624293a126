import asyncio

import pytest
from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.schema import MetadataMode, NodeWithScore

from serving.adapters.llama_index import MnemeMemoryBlock, MnemeRetriever
from tests.serving.adapters.conftest import Connection
from tests.serving.adapters.test_langchain import tell


def test_nodes_are_memories_with_their_sources(connection: Connection, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Settings, "_llm", MockLLM())
    tell(connection, "I am allergic to penicillin.", "My sister lives in Bremen.")
    retriever = MnemeRetriever(connection.memories, {"user_id": connection.user_id}, top_k=1)
    nodes = retriever.retrieve("penicillin")
    assert len(nodes) == 1
    assert isinstance(nodes[0], NodeWithScore)
    assert "penicillin" in nodes[0].text
    assert "allergic to penicillin" in retriever.context("What is Mira allergic to?", max_tokens=200)
    assert nodes[0].score == nodes[0].metadata["score"]
    assert nodes[0].metadata["message_ids"]
    shown = nodes[0].node.get_content(MetadataMode.LLM)
    assert ("date" in shown, "message_ids" in shown) == (True, False)
    assert [each.id_ for each in asyncio.run(retriever.aretrieve("penicillin"))] == [nodes[0].id_]
    engine = RetrieverQueryEngine(retriever, get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.NO_TEXT))
    assert engine.query("penicillin").source_nodes[0].id_ == nodes[0].id_


@pytest.mark.parametrize("text", ["👍", "...", "word " * 2_500])
def test_no_message_ends_the_turn_of_an_agent(here: Connection, text: str):
    block = MnemeMemoryBlock(memories=here.memories, publisher=here.publisher, user_id=here.user_id, session_id="emoji")
    assert isinstance(asyncio.run(block.aget([ChatMessage(text)])), str)
    assert isinstance(MnemeRetriever(here.memories, {"user_id": here.user_id}).retrieve(text), list)


def test_a_memory_block_keeps_what_leaves_the_window_and_brings_back_what_fits(here: Connection):
    async def run() -> None:
        block = MnemeMemoryBlock(memories=here.memories, publisher=here.publisher, user_id=here.user_id, session_id="monday")
        memory = Memory.from_defaults(
            session_id="monday", token_limit=40, chat_history_token_ratio=0.5, token_flush_size=10, memory_blocks=[block]
        )
        await memory.aput(ChatMessage(role="user", content="I am allergic to penicillin, please note that."))
        await memory.aput(ChatMessage(role="assistant", content="I have noted that you are allergic to penicillin."))
        for number in range(6):
            await memory.aput(ChatMessage(role="user", content=f"Number {number} is what I think of, over and over again."))
        block._store.wait_until_stored()
        await memory.aput(ChatMessage(role="user", content="penicillin?"))
        shown = "\n".join(str(each.content) for each in await memory.aget())
        assert "allergic to penicillin" in shown
        await memory.sql_store._async_engine.dispose()  # which it never closes

    asyncio.run(run())
