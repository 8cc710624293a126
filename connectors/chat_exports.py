"""Chats as other programs keep them, as events (mneme/events.py). Pure: the same file always gives the same events.

    LoCoMo          [{"sample_id", "conversation": {"session_1_date_time", "session_1": [{speaker, dia_id, text}]}}]
    EverOS          {"session_meta", "conversation_list": [{message_id, create_time, sender, sender_name, content}]}
    ChatGPT export  [{"title", "create_time", "mapping": {id: {message, parent, children}}, "current_node"}]
    Slack export    [{"type": "message", "user", "text", "ts"}]
    chat messages   [{role, content}] or {"messages": [...]}, or a list of such objects

A message without a time of its own stands 30 s after the one before it; the first of a chat without any time stands
at 1970-01-01, which says that the time is unknown. Messages without text are left out.
"""

import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any

from mneme.errors import InputError
from mneme.events import SCHEMA
from mneme.ids import short_hash
from mneme.times import from_milliseconds

Event = dict[str, Any]

_MILLISECONDS = 1e11  # a larger number of seconds since 1970 would be after the year 5138
PACE = timedelta(seconds=30)  # between messages without a time of their own
UNKNOWN_TIME = from_milliseconds(0)

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
}
_TIMES = ("sent_at", "timestamp", "create_time", "created_at", "createTime", "time", "date", "ts")
_MESSAGES = ("messages", "chat_messages")


@dataclass(frozen=True, slots=True)
class Given:
    """What the caller says about a file, for what the file itself does not say."""

    name: str
    user_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None
    tenant_id: str | None = None
    conversation_id: str | None = None

    @property
    def stem(self) -> str:
        """The file's name without its folder and ending."""
        return PurePath(self.name).stem

    @property
    def owner(self) -> Event:
        """The owner fields that are given."""
        owner = {"user_id": self.user_id, "group_id": self.group_id, "agent_id": self.agent_id}
        return {name: value for name, value in owner.items() if value}

    def owner_or_refuse(self) -> Event:
        """The given owner.

        Raises:
            InputError: none is given.
        """
        if not self.owner:
            raise InputError(
                f"{self.name}: it does not say whose memory it is; give a user, a group or an agent (--user alice)"
            )
        return self.owner


@dataclass(frozen=True, slots=True)
class Shape:
    """A form of chat: how it is recognised in parsed JSON, and read as events."""

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, Given], Iterator[Event]]


def shape_of(data: Any) -> Shape | None:
    """The form that parsed JSON has, if it is a chat in one of ``SHAPES``."""
    return next((shape for shape in SHAPES if shape.fits(data)), None)


# --- LoCoMo ----------------------------------------------------------------------------------------------------------


def _is_locomo(data: Any) -> bool:
    return isinstance(first := _first(data), dict) and isinstance(first.get("conversation"), dict)


def _read_locomo(data: Any, given: Given) -> Iterator[Event]:
    for number, sample in enumerate(_listed(data)):
        sample_id = str(sample.get("sample_id") or f"{given.stem}-{number}")
        conversation = sample["conversation"]
        sessions = [int(match[1]) for name in conversation if (match := re.fullmatch(r"session_(\d+)", name))]
        for session in sorted(sessions):
            begins = _locomo_time(
                conversation.get(f"session_{session}_date_time"), f"{given.name}: {sample_id}, session {session}"
            )
            for place, turn in enumerate(conversation[f"session_{session}"]):
                picture = turn.get("blip_caption") or turn.get("query")
                text = f"{turn.get('text', '')} [shared a photo: {picture}]" if picture else turn.get("text", "")
                yield from _message(
                    given,
                    conversation_id=sample_id,
                    owner=given.owner or {"group_id": sample_id},  # two people speak: it is the memory of both
                    message_id=turn.get("dia_id") or f"D{session}:{place + 1}",
                    sender=str(turn.get("speaker", "")),
                    sent_at=(begins + place * PACE).isoformat(),
                    content=text.strip(),
                )


def _locomo_time(text: Any, where: str) -> datetime:
    try:
        return datetime.strptime(str(text), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        raise InputError(f"{where}: the date {text!r} is not like '1:56 pm on 8 May, 2023'") from None


# --- EverOS ----------------------------------------------------------------------------------------------------------


def _is_everos(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("conversation_list"), list)


def _read_everos(data: Any, given: Given) -> Iterator[Event]:
    meta = data.get("session_meta") or {}
    people = meta.get("user_details") or {}
    group = str(meta.get("group_id") or given.conversation_id or given.stem)
    user = next((id for id, person in people.items() if person.get("role", "user") == "user"), None)
    owner = {"user_id": user} if meta.get("scene") != "team" and user else {"group_id": group}
    clock = _Clock(meta.get("created_at"))
    for message in data["conversation_list"]:
        kind, text = message.get("type") or "text", _text(message.get("content"))
        yield from _message(
            given,
            conversation_id=group,
            owner=given.owner or owner,
            message_id=message.get("message_id"),
            sender=str(message.get("sender") or ""),
            sender_name=message.get("sender_name"),
            role=_role(people.get(message.get("sender"), {}).get("role")),
            sent_at=clock.time(message.get("create_time"), meta.get("default_timezone")),
            timezone=meta.get("default_timezone"),
            content=text if kind == "text" or not text else f"[{kind}: {text}]",
        )


# --- ChatGPT ---------------------------------------------------------------------------------------------------------


def _is_chatgpt(data: Any) -> bool:
    return isinstance(first := _first(data), dict) and isinstance(first.get("mapping"), dict)


def _read_chatgpt(data: Any, given: Given) -> Iterator[Event]:
    for chat in _listed(data):
        owner, clock = given.owner_or_refuse(), _Clock(chat.get("create_time"))
        name = chat.get("conversation_id") or chat.get("id") or short_hash(f"{chat.get('title')}\0{chat.get('create_time')}")
        for message in _branch(chat["mapping"], chat.get("current_node")):
            author, content = message.get("author") or {}, message.get("content") or {}
            if (message.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
                continue
            yield from _message(
                given,
                conversation_id=str(name),
                owner=owner,
                message_id=message.get("id"),
                sender_name=author.get("name"),
                role=_role(author.get("role")),
                sent_at=clock.time(message.get("create_time")),
                content=_text(content.get("parts") or content.get("text")),
            )


def _branch(mapping: dict[str, Any], current: str | None) -> list[Event]:
    """The messages from the root to the node that was last shown: answers that were generated again are left out."""
    if current not in mapping:  # else to the newest leaf
        current = next((id for id in reversed(mapping) if not mapping[id].get("children")), None)
    branch: dict[str, Event] = {}
    while current in mapping and current not in branch:
        branch[current] = mapping[current].get("message") or {}
        current = mapping[current].get("parent")
    return [message for message in reversed(branch.values()) if message]


# --- Slack -----------------------------------------------------------------------------------------------------------

_SLACK_SPEECH = (None, "bot_message", "file_share", "me_message", "thread_broadcast")


def _is_slack(data: Any) -> bool:
    return isinstance(data, list) and isinstance(first := _first(data), dict) and "ts" in first and "role" not in first


def _read_slack(data: Any, given: Given) -> Iterator[Event]:
    # An export has a folder for each channel and a file for each day.
    folder = PurePath(given.name).parent.name
    channel = given.conversation_id or (folder if re.fullmatch(r"\d{4}-\d\d-\d\d", given.stem) else "") or given.stem
    names = {
        str(message["user"]): str(profile.get("real_name") or profile.get("display_name") or message["user"])
        for message in data
        if message.get("user") and (profile := message.get("user_profile"))
    }
    for message in data:
        if message.get("subtype") not in _SLACK_SPEECH:
            continue
        sender = str(message.get("user") or message.get("bot_id") or "")
        yield from _message(
            given,
            conversation_id=channel,
            owner=given.owner or {"group_id": channel},
            message_id=message.get("client_msg_id") or str(message["ts"]),
            sender=sender,
            sender_name=names.get(sender) or message.get("username"),
            role="assistant" if message.get("bot_id") else "user",
            sent_at=_Clock(None).time(message["ts"]),
            content=_slack_text(message, names),
        )


def _slack_text(message: Event, names: dict[str, str]) -> str:
    text = re.sub(r"<@(\w+)(?:\|[^>]*)?>", lambda found: "@" + names.get(found[1], found[1]), str(message.get("text") or ""))
    text = re.sub(r"<#\w+\|([^>]*)>", r"#\1", text)
    text = re.sub(r"<([^>|]+)\|([^>]*)>", r"\2 (\1)", text)
    text = re.sub(r"<((?:https?|mailto):[^>]+)>", r"\1", text)
    files = [f"[file: {file.get('name') or 'unnamed'}]" for file in message.get("files") or []]
    return "\n".join([html.unescape(text), *files]).strip()


# --- messages with role and content ----------------------------------------------------------------------------------


def _is_messages(data: Any) -> bool:
    first = _first(data)
    if not isinstance(first, dict):
        return False
    return _spoken(first) or any(isinstance(first.get(name), list) for name in _MESSAGES)


def _spoken(message: Event) -> bool:
    return ("role" in message or "sender" in message) and any(name in message for name in ("content", "text", "tool_calls"))


def _read_messages(data: Any, given: Given) -> Iterator[Event]:
    owner = given.owner_or_refuse()
    several = isinstance(data, list) and not _spoken(data[0])
    chats: list[Any] = data if several else [data]
    for number, chat in enumerate(chats):
        about = chat if isinstance(chat, dict) else {}
        name = next((str(about[key]) for key in ("conversation_id", "id", "uuid") if about.get(key)), None)
        fallback = given.conversation_id or given.stem
        messages = next((about[key] for key in _MESSAGES if key in about), chat)
        clock = _Clock(_time_in(about))
        for place, message in enumerate(messages):
            role = _role(message.get("role") or message.get("sender"))
            content, calls = _content(message.get("content") or message.get("text")), _tool_calls(message)
            yield from _message(
                given,
                conversation_id=name or (f"{fallback}-{number}" if several else fallback),
                owner=owner,
                message_id=_given_id(message) or f"{place}-{short_hash(json.dumps([role, content, calls]))}",
                sender=str(message.get("sender_id") or ""),
                sender_name=message.get("sender_name") or message.get("name"),
                role=role,
                sent_at=clock.time(_time_in(message), message.get("timezone")),
                timezone=message.get("timezone"),
                content=content,
                tool_calls=calls,
            )


def _time_in(item: Event) -> Any:
    return next((item[name] for name in _TIMES if item.get(name)), None)


def _given_id(message: Event) -> str | None:
    return next((str(message[name]) for name in ("message_id", "id", "uuid") if message.get(name) is not None), None)


def _tool_calls(message: Event) -> list[Event]:
    calls = []
    for call in message.get("tool_calls") or []:
        function = call.get("function") or call
        arguments = function.get("arguments", "")
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        calls.append({"name": str(function.get("name", "")), "arguments": arguments})
    return calls


# --- shared ----------------------------------------------------------------------------------------------------------


class _Clock:
    """The times of a chat's messages, those that are missing filled in."""

    def __init__(self, begins: Any) -> None:
        self._next = _moment(begins) or UNKNOWN_TIME

    def time(self, value: Any, timezone: str | None = None) -> str:
        """A message's time as ISO 8601; what is no time stays as it is, so that the flow refuses it by name."""
        if value is None or value == "":
            moment: datetime | None = self._next
        elif (moment := _moment(value)) is None:
            return str(value)
        self._next = moment + PACE
        return (moment if moment.tzinfo or timezone else moment.replace(tzinfo=UTC)).isoformat()


def _moment(value: Any) -> datetime | None:
    """Seconds or milliseconds since 1970, as a number or its digits, or ISO 8601."""
    try:
        if isinstance(value, str) and not re.fullmatch(r"\d+(\.\d+)?", value):
            return datetime.fromisoformat(value)
        seconds = float(value)
        return UNKNOWN_TIME + timedelta(seconds=seconds / 1000 if seconds > _MILLISECONDS else seconds)
    except (ValueError, TypeError, OverflowError):
        return None


def _message(
    given: Given,
    *,
    conversation_id: str,
    owner: Event,
    sent_at: str,
    content: str | list[Event],
    message_id: Any = None,
    sender: str = "",
    sender_name: Any = None,
    role: str = "user",
    timezone: str | None = None,
    tool_calls: Sequence[Event] = (),
) -> Iterator[Event]:
    """One message event, or none where nothing is said."""
    said = content.strip() if isinstance(content, str) else content
    if not said and not tool_calls:
        return
    fields = {
        "tenant_id": given.tenant_id,
        **owner,
        "message_id": None if message_id is None else str(message_id),
        "sender_id": sender,
        "sender_name": str(sender_name or sender),
        "timezone": timezone,
        "tool_calls": list(tool_calls),
    }
    yield {
        "schema": SCHEMA,
        "event": "message",
        "conversation_id": conversation_id,
        **{name: value for name, value in fields.items() if value},
        "role": role,
        "sent_at": sent_at,
        "content": content,
    }


def _content(value: Any) -> str | list[Event]:
    """The content of a message with a role: text, or the parts of the event format."""
    if not isinstance(value, list):
        return "" if value is None else str(value)
    return [part for item in value for part in _part(item)]


def _part(item: Any) -> Iterator[Event]:
    if isinstance(item, str):
        item = {"type": "text", "text": item}
    kind, text = str(item.get("type", "text")), item.get("text")
    if isinstance(text, str):
        if text.strip():
            yield {"type": "text", "text": text}
        return
    link = next((item[name] for name in ("image_url", "uri", "url") if item.get(name)), None)
    link = link.get("url") if isinstance(link, dict) else link
    uri = None if link is None or str(link).startswith("data:") else str(link)
    medium = next((medium for medium in ("image", "audio") if medium in kind), "file")
    part = {"type": medium, "uri": uri, "name": item.get("name") or (None if uri else kind)}
    yield {name: value for name, value in part.items() if value}


def _text(value: Any) -> str:
    """Any content as text; what is no text stands as a bracketed mention."""
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := _text(item)).strip())
    if isinstance(value, dict):
        kind = str(value.get("content_type") or value.get("type") or "file")
        medium = next((medium for medium in ("image", "audio", "video") if medium in kind), "file")
        return str(value.get("text") or f"[{medium}]")
    return "" if value is None else str(value)


def _role(value: Any) -> str:
    name = str(value or "user").lower()
    name = _ROLES.get(name, name)
    return name if name in ("user", "assistant", "system", "tool") else "user"


def _listed(data: Any) -> list[Any]:
    return data if isinstance(data, list) else [data]


def _first(data: Any) -> Any:
    return data[0] if isinstance(data, list) and data else data


SHAPES = (
    Shape("LoCoMo", _is_locomo, _read_locomo),
    Shape("EverOS", _is_everos, _read_everos),
    Shape("ChatGPT export", _is_chatgpt, _read_chatgpt),
    Shape("chat messages (role, content)", _is_messages, _read_messages),
    Shape("Slack export", _is_slack, _read_slack),
)
