"""Exported chats as events: events as they are, messages with a role, ChatGPT, Slack, LoCoMo, EverOS."""

import html
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from connectors.files.chat_events import (
    PACE,
    Clock,
    Event,
    ExportFormat,
    Given,
    complete,
    content_of,
    first,
    is_role,
    listed,
    message,
    role_of,
    text_of,
    with_attachments,
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


def _fits(data: Any) -> bool:
    return isinstance(data, list) and is_event(first(data))


def _read(data: Any, given: Given) -> Iterator[Event]:
    return (complete(event, given) for event in data)


EVENTS = ExportFormat("a list of events", _fits, _read)


# --- role messages ----------------------------------------------------------------------------------------------------
#
# Messages with role and content, as most programs keep them; Claude's export too.
#
# [{role, content}] or {"messages": [...]}, or a list of such objects

_TIMES = ("sent_at", "timestamp", "create_time", "created_at", "createTime", "time", "date", "ts")
_MESSAGES = ("messages", "chat_messages")
_NAMES = ("sender_name", "name", "speaker", "author", "from", "username")
_SPEAKERS = ("speaker", "author", "from", "from_id")  # what tells a message without a role from other objects
_NAMES_OF_AUTHORS = ("global_name", "nickname", "display_name", "name", "username", "first_name")  # authors as objects


def _role_messages_fits(data: Any) -> bool:
    one = first(data)
    if not isinstance(one, dict):
        return False
    return _spoken(one) or any(isinstance(one.get(name), list) for name in _MESSAGES)


def _spoken(item: Event) -> bool:
    who = "role" in item or "sender" in item or any(isinstance(item.get(name), str | dict) for name in _SPEAKERS)
    return who and any(name in item for name in ("content", "text", "tool_calls"))


def _role_messages_read(data: Any, given: Given) -> Iterator[Event]:
    owner = given.owner_or_refuse()
    several = isinstance(data, list) and not _spoken(data[0])
    chats: list[Any] = data if several else [data]
    for number, chat in enumerate(chats):
        about = chat if isinstance(chat, dict) else {}
        name = next((str(about[key]) for key in ("conversation_id", "id", "uuid") if about.get(key)), None)
        fallback = given.conversation_id or given.belonging(given.stem)
        messages = next((about[key] for key in _MESSAGES if key in about), chat)
        clock = Clock(_time_in(about), given.modified_at, len(messages))
        for place, said in enumerate(messages):
            role = role_of(said.get("role") or said.get("sender"))
            content, calls = with_attachments(content_of(_words(said)), said), _tool_calls(said)
            yield from message(
                given,
                conversation_id=name or (f"{fallback}-{number}" if several else fallback),
                owner=owner,
                message_id=_given_id(said) or f"{place}-{short_hash(json.dumps([role, content, calls]))}",
                sender=str(said.get("sender_id") or _other_speaker(said, owner)),
                sender_name=_speaker(said),
                role=role,
                sent_at=clock.time(_time_in(said), said.get("timezone")),
                timezone=said.get("timezone"),
                content=content,
                tool_calls=calls,
            )


def _words(said: Event) -> Any:
    """The words or parts of a message; Telegram's pieces, of which some are bold or links, as one text."""
    words = said.get("content") or said.get("text")
    if isinstance(words, list) and "text_entities" in said:
        pieces: list[Any] = [each.get("text") if isinstance(each, dict) else each for each in words]
        if all(isinstance(piece, str) for piece in pieces):
            return "".join(pieces)
    return words


def _speaker(said: Event) -> str | None:
    """The name of the speaker; ``sender`` may be a role or a name."""
    for name in _NAMES:
        who = said.get(name)
        if isinstance(who, dict):
            who = next((who[each] for each in _NAMES_OF_AUTHORS if who.get(each)), None)
        if who and isinstance(who, str):
            return who
    sender = said.get("sender")
    return sender if isinstance(sender, str) and sender and not is_role(sender) else None


def _other_speaker(said: Event, owner: Event) -> str:
    """The name of somebody who speaks in a chat of people, and is not the owner: the owner's "I" is another's."""
    if "role" in said or is_role(str(said.get("sender"))):
        return ""
    name = _speaker(said) or _speaker_id(said)
    return "" if name.casefold() in (str(each).casefold() for each in owner.values()) else name


def _speaker_id(said: Event) -> str:
    """The id of a speaker without a name: Telegram's of an account that was deleted, or that of an author."""
    authors = [said[name] for name in _SPEAKERS if isinstance(said.get(name), dict)]
    ids = [said.get("from_id"), *(author.get("id") for author in authors)]
    return next((str(each) for each in ids if each), "")


def _time_in(item: Event) -> Any:
    return next((item[name] for name in _TIMES if item.get(name)), None)


def _given_id(said: Event) -> str | None:
    return next((str(said[name]) for name in ("message_id", "id", "uuid") if said.get(name) is not None), None)


def _tool_calls(said: Event) -> list[Event]:
    calls = []
    for call in [*(said.get("tool_calls") or []), *_calls_in(said.get("content"))]:
        function = call.get("function") or call
        arguments = function.get("arguments", "")
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        calls.append({"name": str(function.get("name", "")), "arguments": arguments})
    return calls


def _calls_in(content: Any) -> Iterator[Event]:
    """The calls of tools among the parts of a content, as Claude writes them."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield {"name": part.get("name"), "arguments": part.get("input") or {}}


ROLE_MESSAGES = ExportFormat("chat messages (role, content)", _role_messages_fits, _role_messages_read)


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


# --- slack ------------------------------------------------------------------------------------------------------------
#
# Slack's export: a folder for each channel, in it a file for each day.
#
# [{"type": "message", "user", "text", "ts"}]

_SPEECH = (None, "bot_message", "file_share", "me_message", "thread_broadcast")


def is_day(stem: str) -> bool:
    """Tell whether a file's name without its ending is the date of a day."""
    return re.fullmatch(r"\d{4}-\d\d-\d\d", stem) is not None


def _slack_fits(data: Any) -> bool:
    return isinstance(data, list) and isinstance(one := first(data), dict) and "ts" in one and "role" not in one


def _slack_read(data: Any, given: Given) -> Iterator[Event]:
    # An export has a folder for each channel and a file for each day.
    folder = PurePath(given.name).parent.name
    channel = given.conversation_id or (folder if is_day(given.stem) else "") or given.stem
    names = dict(given.people) | {
        str(said["user"]): str(profile.get("real_name") or profile.get("display_name") or said["user"])
        for said in data
        if said.get("user") and (profile := said.get("user_profile"))
    }
    for said in data:
        if said.get("subtype") not in _SPEECH:
            continue
        sender = str(said.get("user") or said.get("bot_id") or "")
        yield from message(
            given,
            conversation_id=channel,
            owner=given.owner or {"group_id": channel},
            message_id=said.get("client_msg_id") or str(said["ts"]),
            sender=sender,
            sender_name=names.get(sender) or said.get("username"),
            role="assistant" if said.get("bot_id") else "user",
            sent_at=Clock(None).time(said["ts"]),
            content=_text(said, names),
        )


def _text(said: Event, names: dict[str, str]) -> str:
    text = re.sub(r"<@(\w+)(?:\|[^<>]*)?>", lambda found: "@" + names.get(found[1], found[1]), str(said.get("text") or ""))
    text = re.sub(r"<#\w+\|([^<>]*)>", r"#\1", text)
    text = re.sub(r"<([^<>|]+)\|([^<>]*)>", r"\2 (\1)", text)
    text = re.sub(r"<((?:https?|mailto):[^<>]+)>", r"\1", text)
    files = [f"[file: {file.get('name') or 'unnamed'}]" for file in said.get("files") or []]
    return "\n".join([html.unescape(text), *files]).strip()


SLACK = ExportFormat("Slack export", _slack_fits, _slack_read)


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
