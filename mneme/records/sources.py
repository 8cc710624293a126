"""Records of the sources: messages as they were said, documents as they were read."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from mneme.records.base import Citation, Frozen, Position, Record, Scalar, ToolCall


class Corrected(Frozen):
    """The end of words that turned out wrong: from ``at`` on the fact ``by`` stands in their place."""

    at: datetime
    by: str


class StoredMessage(Record):
    """A raw message, searchable from the moment it arrives.

    ``edited_by`` is the event that last changed it. A ``deleted`` one has no text any more; it stays, unfindable,
    so that the same message sent again is known. ``corrects`` is the ``message_id`` of the one whose words it puts right;
    ``corrected`` are words of its own that another put right. Of words that were ``retracted`` only the hashes are left.
    """

    kind: Literal["message"] = "message"
    message_id: str
    sender_id: str
    sender_name: str
    role: Literal["user", "assistant", "system", "tool"]
    sent_at: datetime
    timezone: str
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    agent_id: str | None = None
    tokens: int
    position: Position
    metadata: dict[str, Scalar] = Field(default_factory=dict)
    edited_by: Position | None = None
    deleted: bool = False
    corrects: str | None = None
    corrected: dict[str, Corrected] = Field(default_factory=dict)
    retracted: tuple[str, ...] = ()
    citation: Citation | None = None


class StoredDocument(Record):
    """A document, or an attachment of a message: what it is and what was made of it. Lies in ``control``, never found.

    ``edition`` is a hash of everything that its chunks are made from: the same one again changes nothing. ``chunk_ids`` are
    ids of its messages, ``replaced_ids`` those of the edition before that it no longer has. ``conversation_id`` is that of the
    message it is attached to (``message_id``), or of the conversation that its speech is (``replaced_speech``: was, in the
    edition before). ``unread`` says what was not read, and why.
    """

    kind: Literal["document"] = "document"
    name: str
    title: str
    format: str
    edition: str
    status: Literal["reading", "read", "unread"]
    chunk_ids: tuple[str, ...] = ()
    replaced_ids: tuple[str, ...] = ()
    replaced_speech: str | None = None
    dated_at: datetime
    position: Position
    uri: str | None = None
    media_type: str | None = None
    message_id: str | None = None
    pages: int | None = None
    characters: int = 0
    unread: tuple[str, ...] = ()
    metadata: dict[str, Scalar] = Field(default_factory=dict)

    @property
    def speech(self) -> str | None:
        """The conversation that its speech is, if it is speech."""
        return self.conversation_id if self.message_id is None else None
