"""EverOS: one conversation of a team or of a user and an assistant.

{"session_meta", "conversation_list": [{message_id, create_time, sender, sender_name, content}]}
"""

from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message, role_of, text_of
from connectors.files.exports.shape import Shape


def _fits(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("conversation_list"), list)


def _read(data: Any, given: Given) -> Iterator[Event]:
    meta = data.get("session_meta") or {}
    people = meta.get("user_details") or {}
    group = str(meta.get("group_id") or given.conversation_id or given.stem)
    user = next((id for id, person in people.items() if person.get("role", "user") == "user"), None)
    owner = {"user_id": user} if meta.get("scene") != "team" and user else {"group_id": group}
    clock = Clock(meta.get("created_at"))
    for said in data["conversation_list"]:
        kind, text = said.get("type") or "text", text_of(said.get("content"))
        yield from message(
            given,
            conversation_id=group,
            owner=given.owner or owner,
            message_id=said.get("message_id"),
            sender=str(said.get("sender") or ""),
            sender_name=said.get("sender_name"),
            role=role_of(people.get(said.get("sender"), {}).get("role")),
            sent_at=clock.time(said.get("create_time"), meta.get("default_timezone")),
            timezone=meta.get("default_timezone"),
            content=text if kind == "text" or not text else f"[{kind}: {text}]",
        )


EVEROS = Shape("EverOS", _fits, _read)
