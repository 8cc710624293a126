"""Messages with role and content as events, as most programs keep them; Claude's export too.

[{role, content}] or {"messages": [...]}, or a list of such objects
"""

import json
from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import (
    Clock,
    Event,
    ExportFormat,
    Given,
    content_of,
    first,
    is_role,
    message,
    role_of,
    with_attachments,
)
from mneme.ids import short_hash

_TIMES = ("sent_at", "timestamp", "create_time", "created_at", "createTime", "time", "date", "ts")
_MESSAGES = ("messages", "chat_messages")
_NAMES = ("sender_name", "name", "speaker", "author", "from", "username")
_SPEAKERS = ("speaker", "author", "from", "from_id")  # what tells a message without a role from other objects
_NAMES_OF_AUTHORS = ("global_name", "nickname", "display_name", "name", "username", "first_name")  # authors as objects


def _fits(data: Any) -> bool:
    one = first(data)
    if not isinstance(one, dict):
        return False
    return _spoken(one) or any(isinstance(one.get(name), list) for name in _MESSAGES)


def _spoken(item: Event) -> bool:
    who = "role" in item or "sender" in item or any(isinstance(item.get(name), str | dict) for name in _SPEAKERS)
    return who and any(name in item for name in ("content", "text", "tool_calls"))


def _read(data: Any, given: Given) -> Iterator[Event]:
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


ROLE_MESSAGES = ExportFormat("chat messages (role, content)", _fits, _read)
