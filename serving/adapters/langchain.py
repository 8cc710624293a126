"""LangChain: a retriever over memories, and a chat history that is memory as well.

retriever = MnemeRetriever(memories=memories, filters={"user_id": "mira"}, k=5)
chain = RunnableWithMessageHistory(model, lambda id: MnemeChatMessageHistory(memories, publisher, id, user_id="mira"))
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SkipValidation

from mneme.records import ToolCall
from queries.questions.understand import as_question
from serving.adapters.exact import json_text
from serving.adapters.memory import Item, MessageStore, Role, StoredItem, passages
from serving.clients import conversation_name, one_owner

if TYPE_CHECKING:
    from connectors import Publisher
    from queries import Memories

_ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_TYPES = {"user": "human", "assistant": "ai", "system": "system", "tool": "human"}


class MnemeRetriever(BaseRetriever):
    """Memories as documents, best first.

    ``page_content`` is a fact, an episode's subject and summary, or a message; ``metadata`` says of each its kind, score, date
    and sources (``serving.adapters.memory``). What the search raises (``mneme.errors``) is raised.

    >>> retriever = MnemeRetriever(memories=memories, filters={"user_id": "mira"}, k=3)
    >>> [document.page_content for document in retriever.invoke("what is Mira allergic to?")][0]
    'Mira, ...: Mira is allergic to penicillin.'
    """

    memories: Annotated[Any, SkipValidation] = Field(repr=False, exclude=True)
    filters: dict[str, Any]
    """Whose memory, and which part of it: see ``queries.filtering.filters.Filters``."""
    method: str = "hybrid"
    """``keyword``, ``vector``, ``hybrid`` or ``agentic``."""
    k: int | None = None
    """The most results; None leaves it to the type of the question."""

    def context(self, question: str, max_tokens: int = 1500) -> str:
        """Return the memories for a question as one text to paste into a prompt (``Memories.context``)."""
        text: str = self.memories.context(question, self.filters, max_tokens, method=self.method).text
        return text

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        asked = as_question(query)
        if not asked:
            return []
        results = self.memories.search(asked, self.method, self.filters, self.k if k is None else k)
        return [Document(each.text, id=each.id, metadata=each.metadata) for each in passages(results)]


class MnemeChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session, as they were given; their words are memory of the owner.

    ``add_messages`` is durable on return, and what this object wrote it reads at once. ``clear`` erases the session with all
    that was learnt from it. A session is a conversation of its own for each owner (``conversation_id``); give the id of
    another to go on with what was said elsewhere: its messages come as plain ones of people and assistants.

    Args:
        memories: where messages are read.
        publisher: where they are written.
        session_id: names the session.
        user_id, group_id, agent_id: whose memory it is; exactly one.
        tenant_id: isolation boundary.
        conversation_id: None: one made of the owner and ``session_id``.

    >>> history = MnemeChatMessageHistory(memories, publisher, "monday", user_id="mira")
    >>> history.add_user_message("I moved to Lyon.")
    >>> [message.content for message in history.messages]
    ['I moved to Lyon.']

    Raises:
        InputError: not exactly one owner.
    """

    def __init__(
        self,
        memories: "Memories",
        publisher: "Publisher",
        session_id: str,
        *,
        user_id: str | None = None,
        group_id: str | None = None,
        agent_id: str | None = None,
        tenant_id: str = "default",
        conversation_id: str | None = None,
    ) -> None:
        owner = one_owner(user_id, group_id, agent_id, tenant_id)
        self.conversation_id = conversation_id or conversation_name("langchain", owner, session_id)
        self._store = MessageStore(memories, publisher, owner)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # the base has an attribute, and says so of properties too
        """All messages of the session, oldest first.

        Raises:
            StoreUnavailable: the index does not answer, or what was added has not come through.
        """
        kept = list(self._store.newest_first({"conversation_id": self.conversation_id}))
        return messages_from_dict([_given(each) for each in reversed(kept)])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages; durable on return.

        Raises:
            InputError: a message is too large.
            StoreUnavailable, StoreRejected: they could not be kept.
        """
        self._store.add(self.conversation_id, [_item(each) for each in messages])

    def clear(self) -> None:
        """Erase the session, and all that was learnt from it.

        Raises:
            StoreUnavailable, StoreRejected: it could not be ordered, or is not done yet.
        """
        self._store.forget(self.conversation_id)


def _item(message: BaseMessage) -> Item:
    calls: tuple[ToolCall, ...] = ()
    if isinstance(message, AIMessage):
        calls = tuple(ToolCall(name=each["name"], arguments=json_text(each["args"])) for each in message.tool_calls)
    words = str(message.text)  # without the callable that it was once
    if not words.strip():
        words = f"[{', '.join(f'called {each.name}' for each in calls) or message.type}]"
    name = message.name or (message.tool_call_id if isinstance(message, ToolMessage) else "") or ""
    return Item(message_to_dict(message), words, _ROLES.get(message.type, "user"), name, calls)


def _given(kept: StoredItem) -> dict[str, Any]:
    """The message as LangChain writes it; one of somebody else is made of its words."""
    if kept.value is not None:
        value: dict[str, Any] = kept.value
        return value
    return {"type": _TYPES[kept.role], "data": {"content": kept.words}}
