"""ChatGPT's export: chats as trees, of which the branch that was last shown is read.

[{"title", "create_time", "mapping": {id: {message, parent, children}}, "current_node"}]
"""

from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message, role_of, text_of
from connectors.files.exports.shape import Shape, first, listed
from mneme.ids import short_hash


def _fits(data: Any) -> bool:
    return isinstance(one := first(data), dict) and isinstance(one.get("mapping"), dict)


def _read(data: Any, given: Given) -> Iterator[Event]:
    for chat in listed(data):
        owner, clock = given.owner_or_refuse(), Clock(chat.get("create_time"))
        name = chat.get("conversation_id") or chat.get("id") or short_hash(f"{chat.get('title')}\0{chat.get('create_time')}")
        for said in _branch(chat["mapping"], chat.get("current_node")):
            author, content = said.get("author") or {}, said.get("content") or {}
            if (said.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
                continue
            yield from message(
                given,
                conversation_id=str(name),
                owner=owner,
                message_id=said.get("id"),
                sender_name=author.get("name"),
                role=role_of(author.get("role")),
                sent_at=clock.time(said.get("create_time")),
                content=text_of(content.get("parts") or content.get("text")),
            )


def _branch(mapping: dict[str, Any], current: str | None) -> list[Event]:
    """The messages from the root to the node that was last shown: answers that were generated again are left out."""
    if current not in mapping:  # else to the newest leaf
        current = next((id for id in reversed(mapping) if not mapping[id].get("children")), None)
    branch: dict[str, Event] = {}
    while current in mapping and current not in branch:
        branch[current] = mapping[current].get("message") or {}
        current = mapping[current].get("parent")
    return [said for said in reversed(branch.values()) if said]


CHATGPT = Shape("ChatGPT export", _fits, _read)
