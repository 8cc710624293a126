"""What comes in: the events of the topics, validated by pydantic at the edge.

An event is a JSON object with ``schema`` (``"1.0"``), ``event`` and the fields of its class. Unknown fields are
ignored, so that a newer minor version passes; an unknown major version is refused. ``parse_event`` is the only
way in: whatever it refuses becomes a dead letter with the message of the ``InputError``.
"""

import json
from abc import abstractmethod
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from mneme.errors import InputError
from mneme.ids import message_id, short_hash
from mneme.records import Owner, OwnerType, Position, StoredMessage, ToolCall
from mneme.times import utc_now, zone, zone_name_of
from mneme.tokens import estimate_tokens

SCHEMA = "1.0"
FURTHEST_FUTURE = timedelta(days=1)  # a clock that is wrong by more than a day is an error of the sender
LONGEST_TEXT = 200_000  # characters of one message; a longer one belongs on the documents topic

Name = Annotated[str, Field(min_length=1, max_length=512)]


class Part(BaseModel):
    """A piece of a message that is not plain text: kept by reference."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    type: Literal["text", "image", "audio", "file"]
    text: str | None = None
    uri: str | None = None
    media_type: str | None = None
    name: str | None = None

    def as_text(self) -> str:
        """The text of the part, or a bracketed mention of what it is."""
        return self.text or f"[{self.type}: {self.name or self.uri or 'unnamed'}]"


def _text_of(content: str | list[Part]) -> str:
    return content if isinstance(content, str) else "\n".join(part.as_text() for part in content)


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, allow_inf_nan=False)
    schema_version: str = Field(default=SCHEMA, alias="schema")
    tenant_id: Name = "default"

    @field_validator("schema_version")
    @classmethod
    def _known_major_version(cls, version: str) -> str:
        if version.split(".")[0] != SCHEMA.split(".")[0]:
            raise ValueError(f"version {version!r} is not known here; this Mneme reads {SCHEMA!r}")
        return version

    @property
    @abstractmethod
    def key(self) -> str:
        """The key of the event on its topic, and the value that selects its lane."""

    def to_bytes(self) -> bytes:
        """The event as it goes on the wire: UTF-8 JSON."""
        return self.model_dump_json(by_alias=True, exclude_none=True).encode()


class _ConversationEvent(_Event):
    conversation_id: Name

    @property
    def key(self) -> str:
        """``tenant/conversation``."""
        return f"{self.tenant_id}/{self.conversation_id}"


class _Owned(_Event):
    user_id: Name | None = None
    group_id: Name | None = None
    agent_id: Name | None = None

    def _owner(self) -> Owner | None:
        candidates: tuple[tuple[OwnerType, str | None], ...] = (
            ("group", self.group_id),
            ("user", self.user_id),
            ("agent", self.agent_id),
        )
        for owner_type, owner_id in candidates:
            if owner_id:
                return Owner(tenant_id=self.tenant_id, type=owner_type, id=owner_id)
        return None


class Message(_Owned, _ConversationEvent):
    """One utterance or tool call. ``message_id`` is the caller's idempotency key for ever.

    Without a ``message_id`` the id is a hash of conversation, time, sender and content, so that a retry of the same
    message is still recognised. A ``sent_at`` without an offset needs ``timezone``.

    >>> message = Message(conversation_id="standup", user_id="user_123", content="Good morning")
    >>> message.owner.id, message.role
    ('user_123', 'user')
    """

    event: Literal["message"] = "message"
    message_id: Annotated[str, Field(max_length=512)] = ""
    sender_id: str = ""
    sender_name: str = ""
    role: Literal["user", "assistant", "system", "tool"] = "user"
    sent_at: datetime = Field(default_factory=utc_now)
    timezone: str | None = None
    content: str | list[Part]
    tool_calls: list[ToolCall] = Field(default_factory=list)
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self._owner() is None:
            raise ValueError("one of user_id, group_id or agent_id is needed: it says whose memory this is")
        if not self.text.strip() and not self.tool_calls:
            raise ValueError("content is empty; leave such a message out")
        if len(self.text) > LONGEST_TEXT:
            raise ValueError(f"content has {len(self.text)} characters; over {LONGEST_TEXT} send it as a document")
        fill = self.__dict__
        if self.sent_at.tzinfo is None:
            if not self.timezone:
                raise ValueError("sent_at has no offset; write one ('2026-03-01T09:00:00+01:00') or set timezone")
            fill["sent_at"] = self.sent_at.replace(tzinfo=zone(self.timezone))
        elif self.timezone:
            zone(self.timezone)
        else:
            fill["timezone"] = zone_name_of(self.sent_at)
        fill["sender_id"] = self.sender_id or (self.user_id if self.role == "user" else self.agent_id) or self.role
        fill["sender_name"] = self.sender_name or self.sender_id
        fill["message_id"] = self.message_id or short_hash(
            "\0".join((self.key, self.sent_at.isoformat(), self.sender_id, self.text))
        )
        return self

    @property
    def owner(self) -> Owner:
        """Whose memory the message belongs to, if it is the first of its conversation."""
        owner = self._owner()
        assert owner is not None, "checked when the message was made"
        return owner

    @property
    def text(self) -> str:
        """The content as text; parts that are no text stand as bracketed mentions."""
        return _text_of(self.content)

    def stored(self, owner: Owner, position: Position, received_at: datetime, version: int) -> StoredMessage:
        """The record of this message; ``owner`` is its conversation's, which may differ from the message's own."""
        return StoredMessage(
            id=message_id(self.tenant_id, self.conversation_id, self.message_id),
            owner=owner,
            conversation_id=self.conversation_id,
            created_at=received_at,
            version=version,
            message_id=self.message_id,
            sender_id=self.sender_id,
            sender_name=self.sender_name,
            role=self.role,
            sent_at=self.sent_at.astimezone(zone("UTC")),
            timezone=self.timezone or "UTC",
            text=self.text,
            tool_calls=tuple(self.tool_calls),
            agent_id=self.agent_id,
            tokens=estimate_tokens(self.text),
            position=position,
            metadata=self.metadata,
        )


class Edit(_ConversationEvent):
    """Replaces the content of an earlier message."""

    event: Literal["edit"] = "edit"
    message_id: Name
    content: str | list[Part]

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text.strip():
            raise ValueError("content is empty; to take the message away send a delete event")
        if len(self.text) > LONGEST_TEXT:
            raise ValueError(f"content has {len(self.text)} characters; over {LONGEST_TEXT} send it as a document")
        return self

    @property
    def text(self) -> str:
        """The new content as text; see ``Message.text``."""
        return _text_of(self.content)


class Delete(_ConversationEvent):
    """Removes an earlier message and all that was made of it."""

    event: Literal["delete"] = "delete"
    message_id: Name


class Flush(_ConversationEvent):
    """Makes what is open searchable as it stands, with everything before this, then writes the marker ``flush_id``."""

    event: Literal["flush"] = "flush"
    flush_id: Name


class Forget(_ConversationEvent):
    """Erases a conversation."""

    event: Literal["forget"] = "forget"


class Document(_Owned):
    """A document for the documents topic: its text inline, or a reference. Without an owner it is the tenant's knowledge."""

    event: Literal["document"] = "document"
    document_id: Name
    name: Name
    media_type: str | None = None
    content: str | None = None
    uri: str | None = None
    dated_at: datetime | None = None
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if (self.content is None) == (self.uri is None):
            raise ValueError("exactly one of content and uri is needed")
        if self.dated_at and self.dated_at.tzinfo is None:
            raise ValueError("dated_at has no offset; write one ('2026-03-01T00:00:00+00:00')")
        return self

    @property
    def key(self) -> str:
        """``tenant/document``."""
        return f"{self.tenant_id}/{self.document_id}"

    @property
    def owner(self) -> Owner:
        """Whose memory the document belongs to: an owner's, or the tenant's knowledge."""
        return self._owner() or Owner(tenant_id=self.tenant_id, type="tenant", id=self.tenant_id)


Event = Annotated[Message | Edit | Delete | Flush | Forget | Document, Field(discriminator="event")]
_event: TypeAdapter[Message | Edit | Delete | Flush | Forget | Document] = TypeAdapter(Event)


def parse_event(raw: bytes, received_at: datetime | None) -> Message | Edit | Delete | Flush | Forget | Document:
    """Bytes of a topic or a file line, as an event.

    A message without ``sent_at`` gets ``received_at``, the time the transport gave it; never the present, so that a
    replay gives the same record. A file has no such time (None), so its messages must tell theirs.

    Raises:
        InputError: no UTF-8, no JSON object, an unknown event or version, a missing or wrong field, a ``sent_at``
            more than a day after ``received_at`` (in a file: after now). The message names the field.
    """
    try:
        data: Any = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"bytes: not UTF-8 at byte {error.start}; send UTF-8 JSON") from error
    except (ValueError, RecursionError) as error:  # ValueError also: a number of thousands of digits
        raise InputError(f"json: {error}; send one JSON object") from error
    if b"\\ud" in raw.lower() and not _is_well_formed(data):
        raise InputError("json: holds half of a surrogate pair, which is no character; send well-formed Unicode")
    if not isinstance(data, dict):
        raise InputError(f"json: a {type(data).__name__} is no event; send one JSON object")
    data.setdefault("event", "message")
    if data["event"] == "message" and "sent_at" not in data:
        if received_at is None:
            raise InputError("sent_at: missing; a file has no time of its own, so write one for each message")
        data["sent_at"] = received_at.isoformat()
    try:
        event = _event.validate_python(data)
    except ValidationError as error:
        raise InputError(describe(error)) from error
    if isinstance(event, Message) and event.sent_at - (arrived := received_at or utc_now()) > FURTHEST_FUTURE:
        raise InputError(
            f"sent_at: {event.sent_at.isoformat()} is more than a day after {arrived.isoformat(timespec='seconds')}, "
            "when it arrived; correct the sender's clock"
        )
    return event


def _is_well_formed(data: Any) -> bool:
    """Whether all texts can be written as UTF-8: JSON may escape half of a surrogate pair, which no index takes."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def describe(error: ValidationError) -> str:
    """A pydantic error as one line: each field with what is wrong, without the values (they may be secret)."""
    lines = []
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        field = ".".join(str(part) for part in detail["loc"] if part not in _EVENT_NAMES) or "event"
        lines.append(f"{field}: {detail['msg'].removeprefix('Value error, ')}")
    return "; ".join(dict.fromkeys(lines))


_EVENT_NAMES = frozenset({"message", "edit", "delete", "flush", "forget", "document"})
