"""Messages with role and content, as most programs keep them; Claude's export too.

[{role, content}] or {"messages": [...]}, or a list of such objects
"""

import json
from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, content_of, message, role_of
from connectors.files.exports.shape import Shape, first
from mneme.ids import short_hash

_TIMES = ("sent_at", "timestamp", "create_time", "created_at", "createTime", "time", "date", "ts")
_MESSAGES = ("messages", "chat_messages")


def _fits(data: Any) -> bool:
    one = first(data)
    if not isinstance(one, dict):
        return False
    return _spoken(one) or any(isinstance(one.get(name), list) for name in _MESSAGES)


def _spoken(item: Event) -> bool:
    return ("role" in item or "sender" in item) and any(name in item for name in ("content", "text", "tool_calls"))


def _read(data: Any, given: Given) -> Iterator[Event]:
    owner = given.owner_or_refuse()
    several = isinstance(data, list) and not _spoken(data[0])
    chats: list[Any] = data if several else [data]
    for number, chat in enumerate(chats):
        about = chat if isinstance(chat, dict) else {}
        name = next((str(about[key]) for key in ("conversation_id", "id", "uuid") if about.get(key)), None)
        fallback = given.conversation_id or given.belonging(given.stem)
        messages = next((about[key] for key in _MESSAGES if key in about), chat)
        clock = Clock(_time_in(about), given.modified_at)
        for place, said in enumerate(messages):
            role = role_of(said.get("role") or said.get("sender"))
            content, calls = content_of(said.get("content") or said.get("text")), _tool_calls(said)
            yield from message(
                given,
                conversation_id=name or (f"{fallback}-{number}" if several else fallback),
                owner=owner,
                message_id=_given_id(said) or f"{place}-{short_hash(json.dumps([role, content, calls]))}",
                sender=str(said.get("sender_id") or ""),
                sender_name=said.get("sender_name") or said.get("name"),
                role=role,
                sent_at=clock.time(_time_in(said), said.get("timezone")),
                timezone=said.get("timezone"),
                content=content,
                tool_calls=calls,
            )


def _time_in(item: Event) -> Any:
    return next((item[name] for name in _TIMES if item.get(name)), None)


def _given_id(said: Event) -> str | None:
    return next((str(said[name]) for name in ("message_id", "id", "uuid") if said.get(name) is not None), None)


def _tool_calls(said: Event) -> list[Event]:
    calls = []
    for call in said.get("tool_calls") or []:
        function = call.get("function") or call
        arguments = function.get("arguments", "")
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        calls.append({"name": str(function.get("name", "")), "arguments": arguments})
    return calls


ROLE_MESSAGES = Shape("chat messages (role, content)", _fits, _read)
