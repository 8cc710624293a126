"""What comes in: the events of the topics, validated by pydantic at the edge.

An event is a JSON object with ``schema`` (``"1.0"``), ``event`` and the fields of its class. Unknown fields are
ignored, so that a newer minor version passes; an unknown major version is refused. ``parse_event`` is the only
way in: whatever it refuses becomes a dead letter with the message of the ``InputError``. Everything has a largest size,
checked before what would cost more than its length: a hostile event is refused in the time it takes to read it.
"""

import json
import re
from abc import abstractmethod
from base64 import b64decode
from collections.abc import Sized
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from mneme.errors import InputError
from mneme.ids import message_id, short_hash
from mneme.records import Owner, OwnerType, Position, StoredMessage, ToolCall
from mneme.times import utc_now, zone, zone_name_of
from mneme.tokens import estimate_tokens

SCHEMA = "1.0"
FURTHEST_FUTURE = timedelta(days=1)  # a clock that is wrong by more than a day is an error of the sender
LONGEST_TEXT = 200_000  # characters of one message; a longer one belongs on the documents topic
LARGEST_EVENT_BYTES = 10 * 1024 * 1024  # of one event as JSON; a larger document is sent by reference
DEEPEST = 32  # levels of JSON; events need four
_MOST_ENTRIES = 100  # parts, tool calls, or entries of metadata
_MOST_METADATA = 16_384  # characters of all keys and values
_MOST_COMPLAINTS, _LONGEST_COMPLAINT = 5, 300  # of one event; a hostile one could quote itself a million times


def _few(entries: Any) -> Any:
    if isinstance(entries, Sized) and not isinstance(entries, str) and len(entries) > _MOST_ENTRIES:
        raise ValueError(f"has {len(entries)} entries; at most {_MOST_ENTRIES} are taken")
    return entries


def _brief(metadata: dict[str, Any]) -> dict[str, Any]:
    length = sum(len(key) + len(str(value)) for key, value in metadata.items())
    if length > _MOST_METADATA:
        raise ValueError(f"has {length} characters; at most {_MOST_METADATA} are taken, put longer texts into content")
    return metadata


def _on_the_calendar(moment: datetime | None) -> datetime | None:
    if moment is not None and not 1 < moment.year < 9999:  # in another zone it would be in no year at all
        raise ValueError(f"is in the year {moment.year}; write when it was")
    return moment


def _decodable(data: str) -> str:
    try:
        b64decode(data, validate=True)
    except ValueError:
        raise ValueError("is not base64; encode the bytes with the standard alphabet") from None
    return data


_Base64 = Annotated[str, AfterValidator(_decodable)]
Name = Annotated[str, Field(min_length=1, max_length=512)]
_Label = Annotated[str, Field(max_length=512)]
_Metadata = Annotated[dict[str, str | int | float | bool], BeforeValidator(_few), AfterValidator(_brief)]
_Moment = Annotated[datetime, AfterValidator(_on_the_calendar)]


class Part(BaseModel):
    """A piece of a message. What is no text is read and remembered in place: ``data`` (base64), or what lies at ``uri``."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    type: Literal["text", "image", "audio", "file"]
    text: str | None = None
    data: _Base64 | None = Field(default=None, repr=False)
    uri: Annotated[str, Field(max_length=4096)] | None = None
    media_type: _Label | None = None
    name: _Label | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.data is not None and self.uri is not None:
            raise ValueError("data and uri are both given; leave one out")
        return self

    @property
    def is_attached(self) -> bool:
        """Whether there is something to read."""
        return self.type != "text" and (self.data is not None or self.uri is not None)

    def as_text(self) -> str:
        """The text of the part, or a bracketed mention of what it is."""
        if self.type == "text":
            return self.text or ""
        return self.text or f"[{self.type}: {self.name or self.uri or 'unnamed'}]"


_Content = Annotated[str | list[Part], BeforeValidator(_few)]


def _text_of(content: str | list[Part]) -> str:
    return content if isinstance(content, str) else "\n".join(part.as_text() for part in content)


def _refuse_long(field: str, length: int) -> None:
    if length > LONGEST_TEXT:
        raise ValueError(f"{field} has {length} characters; over {LONGEST_TEXT} send it as a document")


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, allow_inf_nan=False)
    schema_version: str = Field(default=SCHEMA, alias="schema", max_length=32)
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

    Without a ``message_id`` the id is a hash of conversation, instant, sender and content, so that a retry of the same
    message is still recognised, in whatever offset its time is written. A ``sent_at`` without an offset needs ``timezone``.

    >>> message = Message(conversation_id="standup", user_id="user_123", content="Good morning")
    >>> message.owner.id, message.role
    ('user_123', 'user')
    """

    event: Literal["message"] = "message"
    message_id: _Label = ""
    sender_id: _Label = ""
    sender_name: _Label = ""
    role: Literal["user", "assistant", "system", "tool"] = "user"
    sent_at: _Moment = Field(default_factory=utc_now)
    timezone: _Label | None = None
    content: _Content
    tool_calls: Annotated[list[ToolCall], BeforeValidator(_few)] = Field(default_factory=list)
    metadata: _Metadata = Field(default_factory=dict)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self._owner() is None:
            raise ValueError("one of user_id, group_id or agent_id is needed: it says whose memory this is")
        if not self.text.strip() and not self.tool_calls:
            raise ValueError("content is empty; leave such a message out")
        _refuse_long("content", len(self.text))
        _refuse_long(
            "tool_calls", sum(len(each.name) + len(each.arguments) + len(each.result or "") for each in self.tool_calls)
        )
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
            "\0".join((self.key, self.sent_at.astimezone(UTC).isoformat(), self.sender_id, self.text))
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
    content: _Content

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text.strip():
            raise ValueError("content is empty; to take the message away send a delete event")
        _refuse_long("content", len(self.text))
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


class _Erasure(BaseModel):
    erasure_id: _Label = ""
    requested_at: _Moment = Field(default_factory=utc_now)

    @field_validator("requested_at")
    @classmethod
    def _has_an_offset(cls, moment: datetime) -> datetime:
        if moment.tzinfo is None:
            raise ValueError("requested_at has no offset; write one ('2026-03-01T09:00:00+01:00')")
        return moment


class Forget(_Erasure, _ConversationEvent):
    """Erases a conversation: its messages, and all that was made of them. The receipt is kept under ``erasure_id``.

    What arrived before stays erased, whatever is read again; what is sent after it begins anew.
    """

    event: Literal["forget"] = "forget"


class Erase(_Erasure, _Owned):
    """Erases an owner: all conversations and everything known of them; see ``Forget``."""

    event: Literal["erase"] = "erase"

    @model_validator(mode="after")
    def _names_an_owner(self) -> Self:
        if self._owner() is None:
            raise ValueError("one of user_id, group_id or agent_id is needed: it says whose memory is erased")
        return self

    @property
    def key(self) -> str:
        """``tenant/owner_type/owner``."""
        return self.owner.key

    @property
    def owner(self) -> Owner:
        """Whose memory is erased."""
        owner = self._owner()
        assert owner is not None, "checked when the event was made"
        return owner


class ForgetDocument(_Erasure, _Owned):
    """Erases a document, and all that was made of it; see ``Forget``. Without an owner it is one of the tenant's knowledge."""

    event: Literal["forget_document"] = "forget_document"
    document_id: Name

    @property
    def key(self) -> str:
        """``tenant/document``, on the documents topic."""
        return f"{self.tenant_id}/{self.document_id}"

    @property
    def owner(self) -> Owner:
        """Whose document it is."""
        return self._owner() or Owner(tenant_id=self.tenant_id, type="tenant", id=self.tenant_id)


class Document(_Owned):
    """A document for the documents topic: its text (``content``), its bytes (``data``, base64), or where they lie (``uri``).

    Without an owner it is the tenant's knowledge. The same ``document_id`` of the same owner again is a new version, which
    takes the place of the one before. ``uri`` lies under one of the folders or stores that the reader allows
    (``MNEME_DOCUMENTS__ROOTS``); ``sha256`` is what its content must then have, in hexadecimal digits. With a ``flush_id`` the
    marker of that name appears once all of the document is searchable.
    """

    event: Literal["document"] = "document"
    document_id: Name
    name: Name
    media_type: _Label | None = None
    content: str | None = Field(default=None, repr=False)
    data: _Base64 | None = Field(default=None, repr=False)
    flush_id: _Label = ""
    uri: Annotated[str, Field(max_length=4096)] | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    dated_at: _Moment | None = None
    metadata: _Metadata = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if sum(each is not None for each in (self.content, self.data, self.uri)) != 1:
            raise ValueError("exactly one of content, data and uri is needed")
        if self.sha256 is not None and self.uri is None:
            raise ValueError("sha256 is of what uri names; leave it out with content and data")
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


AnyEvent = Message | Edit | Delete | Flush | Forget | Erase | Document | ForgetDocument
Event = Annotated[AnyEvent, Field(discriminator="event")]
_event: TypeAdapter[AnyEvent] = TypeAdapter(Event)


def parse_event(raw: bytes, received_at: datetime | None) -> AnyEvent:
    """Bytes of a topic or a file line, as an event.

    A message without ``sent_at`` gets ``received_at``, the time the transport gave it; never the present, so that a
    replay gives the same record. A file has no such time (None), so its messages must tell theirs.

    Raises:
        InputError: too large, no UTF-8, no JSON object, an unknown event or version, a missing or wrong field, a ``sent_at``
            more than a day after ``received_at`` (in a file: after now). The message names the field.
    """
    if len(raw) > LARGEST_EVENT_BYTES:
        raise InputError(
            f"event: {len(raw)} bytes, and {LARGEST_EVENT_BYTES} is the most; split it, or send a document by reference (uri)"
        )
    if _is_deeper(raw):
        raise InputError(f"json: nested deeper than {DEEPEST} levels; an event needs four")
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


def _is_deeper(raw: bytes) -> bool:
    """Whether JSON is nested deeper than ``DEEPEST``, in time that grows with its length: innermost levels are taken away.

    Of bytes that are no JSON the answer may be wrong either way; they are refused whatever it is.
    """
    if raw.count(b"[") + raw.count(b"{") <= DEEPEST:
        return False
    brackets = _STRINGS.sub(b"", raw).translate(_ALIKE, delete=_NO_BRACKETS)
    for _ in range(DEEPEST):
        brackets, before = brackets.replace(b"[]", b""), len(brackets)
        if len(brackets) == before:  # empty, or nothing closes
            break
    return bool(brackets)


_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)  # one without an end as well: it must not be tried from each quote
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ALIKE = bytes.maketrans(b"{}", b"[]")


def describe(error: ValidationError) -> str:
    """A pydantic error as one line: the first fields with what is wrong, without the values (they may be secret)."""
    lines = []
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        field = ".".join(str(part) for part in detail["loc"] if part not in _EVENT_NAMES) or "event"
        line = f"{field}: {detail['msg'].removeprefix('Value error, ')}"
        lines.append(line if len(line) <= _LONGEST_COMPLAINT else f"{line[: _LONGEST_COMPLAINT - 1]}…")
    unlike = list(dict.fromkeys(lines))
    more = [f"and {len(unlike) - _MOST_COMPLAINTS} more"] if len(unlike) > _MOST_COMPLAINTS else []
    return "; ".join([*unlike[:_MOST_COMPLAINTS], *more])


_EVENT_NAMES = frozenset({"message", "edit", "delete", "flush", "forget", "erase", "document", "forget_document"})
