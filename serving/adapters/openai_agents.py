"""OpenAI Agents SDK: a session whose items come back exactly, and are memory of the owner.

session = MnemeSession(memories, publisher, "monday", user_id="mira")
result = await Runner.run(agent, "I moved to Lyon.", session=session)
"""

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any

from agents.memory.session_settings import SessionSettings, coerce_session_settings

from mneme.records import ToolCall
from serving.adapters.exact import json_text
from serving.adapters.memory import Item, MessageStore, Role, StoredItem
from serving.clients import conversation_name, one_owner

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

    from connectors import Publisher
    from queries import Memories

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class MnemeSession:
    """The items of one session, as they were given: messages, tool calls and their results, reasoning.

    ``add_items`` is durable on return, and what this object wrote it reads at once. ``clear_session`` erases the session with
    all that was learnt from it. A session is a conversation of its own for each owner (``conversation_id``); give the id of
    another to go on with what was said elsewhere: its messages come as plain ones.

    Args:
        memories: where items are read.
        publisher: where they are written.
        session_id: names the session.
        user_id, group_id, agent_id: whose memory it is; exactly one.
        tenant_id: isolation boundary.
        conversation_id: None: one made of the owner and ``session_id``.
        session_settings: how many items a run gets (``limit``), also as an object; None: all.

    >>> session = MnemeSession(memories, publisher, "monday", user_id="mira")
    >>> asyncio.run(session.add_items([{"role": "user", "content": "I moved to Lyon."}]))
    >>> asyncio.run(session.get_items())
    [{'role': 'user', 'content': 'I moved to Lyon.'}]

    Raises:
        InputError: not exactly one owner.
        TypeError: ``session_settings`` has an unknown field.
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
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        owner = one_owner(user_id, group_id, agent_id, tenant_id)
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self.conversation_id = conversation_id or conversation_name("openai-agents", owner, session_id)
        self._store = MessageStore(memories, publisher, owner)

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """The items of the session, oldest first; with a ``limit`` the latest of them.

        Raises:
            StoreUnavailable: the index does not answer.
        """
        most = self.session_settings.limit if limit is None else limit
        return [_given(each) for each in reversed(await asyncio.to_thread(self._latest, most))]

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Add items; durable on return.

        Raises:
            InputError: an item is no JSON, or too large.
            StoreUnavailable, StoreRejected: they could not be kept.
        """
        await asyncio.to_thread(self._store.add, self.conversation_id, [_item(dict(each)) for each in items])

    async def pop_item(self) -> "TResponseInputItem | None":
        """Take the latest item away, with all that was learnt from it, and return it; None where there is none.

        Raises:
            StoreUnavailable, StoreRejected: the index does not answer, or it could not be ordered.
        """
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Erase the session, and all that was learnt from it.

        Raises:
            StoreUnavailable, StoreRejected: it could not be ordered, or is not done yet.
        """
        await asyncio.to_thread(self._store.forget, self.conversation_id)

    def _latest(self, most: int | None) -> list[StoredItem]:
        return [] if most is not None and most <= 0 else list(islice(self._store.newest_first(self._filters), most))

    def _pop(self) -> "TResponseInputItem | None":
        latest = self._latest(1)
        self._store.remove(latest)
        return _given(latest[0]) if latest else None

    @property
    def _filters(self) -> dict[str, Any]:
        return {"conversation_id": self.conversation_id}


def _item(item: dict[str, Any]) -> Item:
    """An item, and what it says: words of a message, the call of a tool, what a tool answered."""
    kind = item.get("type", "message")
    calls: tuple[ToolCall, ...] = ()
    words = ""
    match kind:
        case "message":
            words, role = _text(item.get("content")), _ROLES.get(str(item.get("role")), "user")
        case "function_call":
            calls = (ToolCall(name=str(item.get("name", "")), arguments=str(item.get("arguments", ""))),)
            words, role = f"called {item.get('name', '')}", "assistant"
        case _ if "output" in item:
            output = item["output"]
            words, role = output if isinstance(output, str) else _text(output) or json_text(output), "tool"
        case _:
            words, role = _text(item.get("content") or item.get("summary")), "assistant"
    return Item(item, words if words.strip() else f"[{kind}]", role, tool_calls=calls)


def _text(content: Any) -> str:
    """The texts of a content: one text, or parts of which some have one."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _given(kept: StoredItem) -> Any:
    """The item; of a message of somebody else its words."""
    if kept.value is not None:
        return kept.value
    return {"role": kept.role if kept.role in _ROLES else "user", "content": kept.words}
