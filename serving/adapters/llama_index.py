"""LlamaIndex: a retriever over memories, and a memory block for its ``Memory``.

engine = RetrieverQueryEngine.from_args(MnemeRetriever(memories, {"user_id": "mira"}))
memory = Memory.from_defaults(session_id="monday", memory_blocks=[MnemeMemoryBlock(memories=memories, ...)])
"""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import Field, PrivateAttr, SkipValidation

from queries.questions.understand import as_question
from serving.adapters.memory import Item, MessageStore, Passage, Role, passages
from serving.clients import conversation_name, one_owner

if TYPE_CHECKING:
    from queries import Memories

_ROLES: dict[str, Role] = {
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "system": "system",
}
_NOT_SHOWN = ["kind", "rank", "score", "message_ids", "conversation_id", "document_id"]  # to a model: ids tell it nothing


class MnemeRetriever(BaseRetriever):
    """Memories as nodes, best first; ``metadata`` says of each its kind, date and sources (``serving.adapters.memory``).

    What the search raises (``mneme.errors``) is raised.

    Args:
        memories: where it is searched.
        filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.
        method: ``keyword``, ``vector``, ``hybrid`` or ``agentic``.
        top_k: how many at most; None leaves it to the type of the question.

    >>> retriever = MnemeRetriever(memories, {"user_id": "mira"}, top_k=3)
    >>> retriever.retrieve("what is Mira allergic to?")[0].text
    'Mira, ...: Mira is allergic to penicillin.'
    """

    def __init__(
        self, memories: "Memories", filters: Mapping[str, Any], method: str = "hybrid", top_k: int | None = None
    ) -> None:
        self._memories = memories
        self._filters = dict(filters)
        self._method = method
        self._top_k = top_k
        super().__init__()

    def context(self, question: str, max_tokens: int = 1500) -> str:
        """Return the memories for a question as one text to paste into a prompt (``Memories.context``)."""
        return self._memories.context(question, self._filters, max_tokens, method=self._method).text

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        asked = as_question(query_bundle.query_str)
        if not asked:
            return []
        results = self._memories.search(asked, self._method, self._filters, self._top_k)
        return [NodeWithScore(node=_node(each), score=each.score) for each in passages(results)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class MnemeMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory behind LlamaIndex's ``Memory``: what leaves its window is kept, what fits the latest message comes back.

    >>> block = MnemeMemoryBlock(memories=memories, publisher=publisher, user_id="mira", session_id="monday")
    >>> asyncio.run(block.aput([ChatMessage(role="user", content="I moved to Lyon.")]))
    >>> "Mira is allergic to penicillin." in asyncio.run(block.aget([ChatMessage("what is Mira allergic to?")]))
    True
    """

    name: str = Field(default="Mneme", description="The name of the block.")
    memories: Annotated[Any, SkipValidation] = Field(repr=False, exclude=True)
    publisher: Annotated[Any, SkipValidation] = Field(repr=False, exclude=True)
    session_id: str
    user_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None
    tenant_id: str = "default"
    max_tokens: int = 1500
    _store: MessageStore = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check whose memory it is."""
        owner = one_owner(self.user_id, self.group_id, self.agent_id, self.tenant_id)
        self._store = MessageStore(self.memories, self.publisher, owner)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = next((each.content for each in reversed(messages or []) if each.role == MessageRole.USER and each.content), "")
        asked = as_question(asked)
        return await asyncio.to_thread(self._remembered, asked) if asked else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        conversation = conversation_name("llama-index", self._store.owner, self.session_id)
        items = [_item(each) for each in messages if (each.content or "").strip()]
        await asyncio.to_thread(self._store.add, conversation, items)

    def _remembered(self, asked: str) -> str:
        context = self.memories.context(asked, self._store.filters, self.max_tokens)
        return context.text if context.citations else ""


def _node(passage: Passage) -> TextNode:
    return TextNode(
        id_=passage.id,
        text=passage.text,
        metadata=passage.metadata,
        excluded_llm_metadata_keys=_NOT_SHOWN,
        excluded_embed_metadata_keys=_NOT_SHOWN,
    )


def _item(message: ChatMessage) -> Item:
    words = message.content or ""
    return Item({"role": message.role.value, "content": words}, words, _ROLES.get(message.role.value, "user"))
