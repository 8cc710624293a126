"""Events of a conversation: messages, edits, deletions, corrections, retractions, and flushes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from mneme.events.base import MOST_ENTRIES, Base64, ConversationEvent, Label, MetadataField, Moment, Name, Owned, few
from mneme.ids import long_hash, message_id, short_hash
from mneme.records import Owner, Position, StoredMessage, ToolCall
from mneme.text import estimate_tokens
from mneme.times import SendingClock, zone, zone_name_of

_sent_now = SendingClock()  # of a message whose sender names no time
LONGEST_TEXT = 200_000  # characters of one message; a longer one belongs on the documents topic


class Part(BaseModel):
    """A piece of a message. What is no text is read and remembered in place: ``data`` (base64), or what lies at ``uri``."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)
    type: Literal["text", "image", "audio", "file"]
    text: str | None = None
    data: Base64 | None = Field(default=None, repr=False)
    uri: Annotated[str, Field(max_length=4096)] | None = None
    media_type: Label | None = None
    name: Label | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.data is not None and self.uri is not None:
            raise ValueError("data and uri are both given; leave one out")
        return self

    @property
    def is_attached(self) -> bool:
        """Return whether there is something to read."""
        return self.type != "text" and (self.data is not None or self.uri is not None)

    def as_text(self) -> str:
        """The text of the part, or a bracketed mention of what it is."""
        if self.type == "text":
            return self.text or ""
        return self.text or f"[{self.type}: {self.name or self.uri or 'unnamed'}]"


Content = Annotated[str | Annotated[list[Part], Field(max_length=MOST_ENTRIES)], BeforeValidator(few)]


def text_of_content(content: str | list[Part]) -> str:
    """The content of a message as text."""
    return content if isinstance(content, str) else "\n".join(part.as_text() for part in content)


def refuse_long(field: str, length: int) -> None:
    """Raise ValueError for what is too long for a message."""
    if length > LONGEST_TEXT:
        raise ValueError(f"{field} has {length} characters; over {LONGEST_TEXT} send it as a document")


class Message(Owned, ConversationEvent):
    """One utterance or tool call. ``message_id`` is the caller's idempotency key for ever.

    Without a ``message_id`` the id is a hash of conversation, instant, sender and content, with tool calls and attachments.
    So a retry of the same message is still recognised, in whatever offset its time is written. A ``sent_at`` without an
    offset needs ``timezone``.

    >>> message = Message(conversation_id="standup", user_id="user_123", content="Good morning")
    >>> message.owner.id, message.role
    ('user_123', 'user')
    """

    event: Literal["message"] = "message"
    message_id: Label = ""
    sender_id: Label = ""
    sender_name: Label = ""
    role: Literal["user", "assistant", "system", "tool"] = "user"
    sent_at: Moment = Field(default_factory=_sent_now)
    timezone: Label | None = None
    content: Content
    tool_calls: Annotated[list[ToolCall], BeforeValidator(few)] = Field(default_factory=list, max_length=MOST_ENTRIES)
    metadata: MetadataField = Field(default_factory=dict)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.names_an_owner:
            raise ValueError("one of user_id, group_id or agent_id is needed: it says whose memory this is")
        if not self.text.strip() and not self.tool_calls:
            raise ValueError("content is empty; leave such a message out")
        refuse_long("content", len(self.text))
        refuse_long(
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
        fill["message_id"] = self.message_id or self._default_id()
        return self

    def _default_id(self) -> str:
        """A hash of all that it says; NUL parts what is hashed, so one that was sent is escaped."""
        sent_at = self.sent_at.astimezone(UTC).isoformat()
        parts = (self.key, sent_at, self.sender_id, self.text, *self._beside_the_text())
        return short_hash("\0".join(part.replace("\1", "\1\1").replace("\0", "\1\2") for part in parts))

    def _beside_the_text(self) -> Iterator[str]:
        """All that the text does not tell: the tool calls, and the bytes or places of attachments."""
        for call in self.tool_calls:
            yield from (call.name, call.arguments, call.result or "")
        for part in self.content if isinstance(self.content, list) else ():
            if part.is_attached:
                yield part.uri or long_hash(part.data or "")

    @property
    def text(self) -> str:
        """The content as text; parts that are no text stand as bracketed mentions."""
        return text_of_content(self.content)

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


class Edit(ConversationEvent):
    """Replaces the content of an earlier message."""

    event: Literal["edit"] = "edit"
    message_id: Name
    content: Content

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text.strip():
            raise ValueError("content is empty; to take the message away send a delete event")
        refuse_long("content", len(self.text))
        return self

    @property
    def text(self) -> str:
        """The new content as text; see ``Message.text``."""
        return text_of_content(self.content)


class Delete(ConversationEvent):
    """Removes an earlier message and all that was made of it."""

    event: Literal["delete"] = "delete"
    message_id: Name


Words = Annotated[str, Field(max_length=LONGEST_TEXT, pattern=r"\S")]


class Correct(Message):
    """Puts words of an earlier message right: a message of its own, whose fact stands in the place of theirs.

    ``words`` are a fact's (its quote, or what a model wrote), or a part of them, as the message ``corrects`` says them. They
    stay with their fact, which holds no longer and claims nothing any more. The same words said before are wrong too.
    """

    event: Literal["correct"] = "correct"  # type: ignore[assignment]  # it is a message all the same
    content: Annotated[str, Field(pattern=r"\S")]
    corrects: Name
    words: Words

    def stored(self, owner: Owner, position: Position, received_at: datetime, version: int) -> StoredMessage:
        """The record of the message that it is."""
        return super().stored(owner, position, received_at, version).model_copy(update={"corrects": self.corrects})


class Retract(ConversationEvent):
    """Takes words out of an earlier message, with all that was made of them; a message that says nothing else is deleted.

    ``words`` as of ``Correct``. Where they were said in other messages, each is named by an event of its own. What a model
    wrote is in no message: it is not made of this one again.
    """

    event: Literal["retract"] = "retract"
    message_id: Name
    words: Words


class Flush(ConversationEvent):
    """Makes what is open searchable as it stands, with everything before this, then writes the marker ``flush_id``."""

    event: Literal["flush"] = "flush"
    flush_id: Name
