"""Exported chats as events: events as they are, ChatGPT, LoCoMo, EverOS."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from connectors.files.chat_events import (
    PACE,
    Clock,
    Event,
    ExportFormat,
    Given,
    complete,
    first,
    listed,
    message,
    role_of,
    text_of,
)
from mneme.errors import InputError
from mneme.ids import short_hash

# --- events -----------------------------------------------------------------------------------------------------------
#
# Events of Mneme's own format (mneme/events/), as a list.

_EVENT_KEYS = {"event", "conversation_id", "document_id"}
_CHAT_KEYS = {"messages", "chat_messages", "mapping", "conversation_list", "conversation"}


def is_event(item: Any) -> bool:
    """True if parsed JSON is meant as one event of the event format."""
    return isinstance(item, dict) and bool(_EVENT_KEYS & item.keys()) and not _CHAT_KEYS & item.keys()


def _events_fits(data: Any) -> bool:
    return isinstance(data, list) and is_event(first(data))


def _events_read(data: Any, given: Given) -> Iterator[Event]:
    return (complete(event, given) for event in data)


EVENTS = ExportFormat("a list of events", _events_fits, _events_read)


# --- chatgpt ----------------------------------------------------------------------------------------------------------
#
# ChatGPT's export: chats as trees, of which the branch that was last shown is read.
#
# [{"title", "create_time", "mapping": {id: {message, parent, children}}, "current_node"}]


def _chatgpt_fits(data: Any) -> bool:
    return isinstance(one := first(data), dict) and isinstance(one.get("mapping"), dict)


def _chatgpt_read(data: Any, given: Given) -> Iterator[Event]:
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


CHATGPT = ExportFormat("ChatGPT export", _chatgpt_fits, _chatgpt_read)


# --- locomo -----------------------------------------------------------------------------------------------------------
#
# LoCoMo: conversations of two people in dated sessions.
#
# [{"sample_id", "conversation": {"session_1_date_time", "session_1": [{speaker, dia_id, text}]}}]


def _locomo_fits(data: Any) -> bool:
    return isinstance(one := first(data), dict) and isinstance(one.get("conversation"), dict)


def _locomo_read(data: Any, given: Given) -> Iterator[Event]:
    for number, sample in enumerate(listed(data)):
        sample_id = str(sample.get("sample_id") or f"{given.stem}-{number}")
        conversation = sample["conversation"]
        sessions = [int(match[1]) for name in conversation if (match := re.fullmatch(r"session_(\d+)", name))]
        for session in sorted(sessions):
            begins = _begin(conversation.get(f"session_{session}_date_time"), f"{given.name}: {sample_id}, session {session}")
            for place, turn in enumerate(conversation[f"session_{session}"]):
                picture = turn.get("blip_caption") or turn.get("query")
                text = f"{turn.get('text', '')} [shared a photo: {picture}]" if picture else turn.get("text", "")
                yield from message(
                    given,
                    conversation_id=sample_id,
                    owner=given.owner or {"group_id": sample_id},  # two people speak: it is the memory of both
                    message_id=turn.get("dia_id") or f"D{session}:{place + 1}",
                    sender=str(turn.get("speaker", "")),
                    sent_at=(begins + place * PACE).isoformat(),
                    content=text.strip(),
                )


def _begin(text: Any, where: str) -> datetime:
    try:
        return datetime.strptime(str(text), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        raise InputError(f"{where}: the date {text!r} is not like '1:56 pm on 8 May, 2023'") from None


LOCOMO = ExportFormat("LoCoMo", _locomo_fits, _locomo_read)


# --- everos -----------------------------------------------------------------------------------------------------------
#
# EverOS: one conversation of a team or of a user and an assistant.
#
# {"session_meta", "conversation_list": [{message_id, create_time, sender, sender_name, content}]}


def _everos_fits(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("conversation_list"), list)


def _everos_read(data: Any, given: Given) -> Iterator[Event]:
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
            sender_name=said.get("sender_name") or people.get(said.get("sender"), {}).get("full_name"),
            role=role_of(people.get(said.get("sender"), {}).get("role")),
            sent_at=clock.time(said.get("create_time"), meta.get("default_timezone")),
            timezone=meta.get("default_timezone"),
            content=text if kind == "text" or not text else f"[{kind}: {text}]",
        )


EVEROS = ExportFormat("EverOS", _everos_fits, _everos_read)
