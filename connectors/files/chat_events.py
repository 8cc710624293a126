"""Message events made from chats of other programs: what is missing is filled in, always in the same way."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any, get_args

from mneme.errors import InputError
from mneme.events import SCHEMA, AnyEvent
from mneme.events.base import ConversationEvent, Owned
from mneme.times import from_milliseconds

Event = dict[str, Any]

PACE = timedelta(seconds=30)  # between messages without a time of their own
_LONGEST_UNTIMED = timedelta(hours=12)  # from the first to the last of them: a day ahead of the file no message is taken
UNKNOWN_TIME = from_milliseconds(0)
_STEP = timedelta(milliseconds=1)  # between messages of one time

_LONGEST_DATA = 8_000_000  # characters of base64 that go with a message, in all; with more no topic takes it
_MILLISECONDS = 1e11  # a larger number of seconds since 1970 would be after the year 5138
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
}


def _kinds(base: type[Owned] | type[ConversationEvent]) -> tuple[str, ...]:
    """The names of the events that have the fields of a class."""
    return tuple(each.model_fields["event"].default for each in get_args(AnyEvent) if issubclass(each, base))


_WITH_OWNER, _OF_CONVERSATIONS = _kinds(Owned), _kinds(ConversationEvent)


@dataclass(frozen=True, slots=True)
class Given:
    """Defaults from the caller, for what the file itself does not say.

    ``modified_at`` is the file's own time: when a chat without any times was about. ``document_name`` is what identifies the
    document that it is, before the owner is put in front. ``people`` are the names of users by their ids.
    """

    name: str
    user_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None
    tenant_id: str | None = None
    conversation_id: str | None = None
    modified_at: datetime = UNKNOWN_TIME
    document_name: str = ""
    people: Mapping[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The file's name without its folder and ending."""
        return PurePath(self.name).stem

    def belonging(self, name: str) -> str:
        """A name out of the file's name, with the given owner in front: files of two owners may have one name."""
        return "/".join([*self.owner.values(), name])

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


def complete(event: Event, given: Given) -> Event:
    """An event with what the caller gave and the event does not say."""
    fields: Event = {"tenant_id": given.tenant_id}
    kind = event.get("event", "message")
    if kind in _WITH_OWNER and not {"user_id", "group_id", "agent_id"} & event.keys():
        fields |= given.owner
    if kind in _OF_CONVERSATIONS:
        fields["conversation_id"] = given.conversation_id
    return {name: value for name, value in fields.items() if value} | event


class Clock:
    """The times of a chat's messages, those that are missing filled in.

    Many programs write seconds or minutes, or a day. A message of the same time as the one before it stands a little behind
    it, for the order of equal times is that of ids.
    """

    def __init__(self, begins: Any, otherwise: datetime = UNKNOWN_TIME, messages: int = 1) -> None:
        self._pace = min(PACE, _LONGEST_UNTIMED / max(messages, 1))
        self._next = _moment(begins) or otherwise
        self._said: datetime | None = None  # by the file, of the message before
        self._given = self._next  # to it

    def time(self, value: Any, timezone: str | None = None) -> str:
        """A message's time as ISO 8601; what is no time stays as it is, so that the flow refuses it by name."""
        moment = self._next if value is None or value == "" else _moment(value)
        if moment is None:
            return str(value)
        if not moment.tzinfo and not timezone:
            moment = moment.replace(tzinfo=UTC)
        with suppress(OverflowError):  # at the end of the year 9999, which the flow refuses
            self._next = self._behind(moment) + self._pace
        return self._given.isoformat()

    def _behind(self, moment: datetime) -> datetime:
        """The time of the next message; one that is earlier than the message before it, as the file says, stays so."""
        before, self._said = self._said, moment
        if before and bool(before.tzinfo) == bool(moment.tzinfo) and before <= moment <= self._given:
            moment = self._given + _STEP
        self._given = moment
        return self._given


def _moment(value: Any) -> datetime | None:
    """Seconds or milliseconds since 1970, as a number or its digits, or ISO 8601."""
    try:
        if isinstance(value, str) and not re.fullmatch(r"\d+(\.\d+)?", value):
            return datetime.fromisoformat(value)
        seconds = float(value)
        return UNKNOWN_TIME + timedelta(seconds=seconds / 1000 if seconds > _MILLISECONDS else seconds)
    except (ValueError, TypeError, OverflowError):
        return None


def message(
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
    metadata: Event | None = None,
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
        "metadata": metadata,
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


def metadata_of(*given: Event | None) -> Event:
    """Metadata of other programs as the event format takes it: what is no scalar stands as JSON, an earlier mapping wins."""
    fields = {
        name: value for mapping in reversed(given) for name, value in (mapping or {}).items() if value not in (None, [], {})
    }
    return {
        name: value if isinstance(value, (str, int, float, bool)) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        for name, value in fields.items()
    }


def content_of(value: Any) -> str | list[Event]:
    """The content of a message with a role: text, or the parts of the event format."""
    if not isinstance(value, list):
        return "" if value is None else str(value)
    return [part for item in value for part in _part(item)]


_UNSAID = frozenset(
    "thinking redacted_thinking reasoning tool_use tool_result server_tool_use web_search_tool_result token_budget".split()
)


def with_attachments(content: str | list[Event], said: Event) -> str | list[Event]:
    """The content with the files of a message in Claude's export: with the text of those for which an event has room."""
    files = [file for name in ("attachments", "files") for file in said.get(name) or [] if isinstance(file, dict)]
    files = [file for file in files if file.get("file_name")]
    if isinstance(content, str) and not files:
        return content
    room = _LONGEST_DATA
    fitting: list[Event] = []
    for part in [*_parts_of(content), *map(_attached, files)]:
        fitting.append(part if len(part.get("data", "")) <= room else _without_data(part))
        room -= len(fitting[-1].get("data", ""))
    return fitting


def _parts_of(content: str | list[Event]) -> list[Event]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content.strip() else []


def _without_data(part: Event) -> Event:
    return {name: value for name, value in part.items() if name not in ("data", "media_type")}


def _attached(file: Event) -> Event:
    """A file with its text."""
    part: Event = {"type": "file", "name": str(file["file_name"])}
    text = str(file.get("extracted_content") or "").encode(errors="replace")
    return {**part, "data": b64encode(text).decode(), "media_type": "text/plain"} if text else part


def _part(item: Any) -> Iterator[Event]:
    if isinstance(item, str):
        item = {"type": "text", "text": item}
    kind, text = str(item.get("type", "text")), item.get("text")
    link = next((item[name] for name in ("image_url", "uri", "url") if item.get(name)), None)
    link = str((link.get("url") if isinstance(link, dict) else link) or "")
    if isinstance(text, str):
        if text.strip():
            yield {"type": "text", "text": text}
        describes_an_image = "image" in kind and link
        if not describes_an_image:
            return
    if kind in _UNSAID:
        return
    uri = None if link.startswith("data:") else link
    media_type, data = _carried(item, link)
    medium = next((medium for medium in ("image", "audio") if medium in kind), "file")
    part = {"type": medium, "uri": uri, "data": data, "media_type": media_type if data else None}
    part["name"] = item.get("name") or (None if uri else kind)
    yield {name: value for name, value in part.items() if value}


def _carried(item: Event, link: str) -> tuple[str | None, str | None]:
    """The media type and the bytes (base64) that a part itself has: in a ``data:`` link, or as a recording."""
    sound = item.get("input_audio")
    if link.startswith("data:"):
        head, _, data = link.removeprefix("data:").partition(",")
        media_type, _, encoding = head.rpartition(";")
        data = data if encoding == "base64" else ""
    elif isinstance(sound, dict):
        media_type, data = f"audio/{sound.get('format') or 'wav'}", str(sound.get("data") or "")
    else:
        return None, None
    try:
        b64decode(data, validate=True)
    except ValueError:  # the message is worth more than its attachment
        return None, None
    return (media_type or None, data) if 0 < len(data) <= _LONGEST_DATA else (None, None)


def text_of(value: Any) -> str:
    """Any content as text; what is no text stands as a bracketed mention."""
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := text_of(item)).strip())
    if isinstance(value, dict):
        kind = str(value.get("content_type") or value.get("type") or "file")
        medium = next((medium for medium in ("image", "audio", "video") if medium in kind), "file")
        return str(value.get("text") or f"[{medium}]")
    return "" if value is None else str(value)


def role_of(value: Any) -> str:
    """A role of the event format; an unknown one is a user's."""
    name = str(value or "user").lower()
    return _ROLES.get(name, name) if is_role(name) else "user"


def is_role(value: str) -> bool:
    """Tell whether a word is the role of a speaker, here or in another program, and not a name."""
    return value.lower() in ("user", "assistant", "system", "tool", *_ROLES)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A form of chat or of memories: how it is recognised in parsed JSON, and read as events."""

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, Given], Iterator[Event]]


def listed(data: Any) -> list[Any]:
    """Several, where a file may hold one alone."""
    return data if isinstance(data, list) else [data]


def first(data: Any) -> Any:
    """The first of several, or what is there alone: it tells the form of all."""
    return data[0] if isinstance(data, list) and data else data
