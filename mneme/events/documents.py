"""Documents, and erasures of conversations, owners and documents."""

from abc import abstractmethod
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from mneme.events.base import Base64, ConversationEvent, Label, MetadataField, Moment, Name, Owned
from mneme.ids import conversation_path, document_key
from mneme.times import utc_now


class Erasing(BaseModel):
    """An event that erases: its receipt is kept under ``erasure_id``, which counts once."""

    model_config = ConfigDict(defer_build=True)
    erasure_id: Label = ""
    requested_at: Moment = Field(default_factory=utc_now)

    @field_validator("requested_at")
    @classmethod
    def _has_an_offset(cls, moment: datetime) -> datetime:
        if moment.tzinfo is None:
            raise ValueError("requested_at has no offset; write one ('2026-03-01T09:00:00+01:00')")
        return moment

    @property
    @abstractmethod
    def subject(self) -> str:
        """The id of the conversation, the document or the owner that is erased."""


class Forget(Erasing, ConversationEvent):
    """Erases a conversation: its messages, and all that was made of them. The receipt is kept under ``erasure_id``.

    What arrived before stays erased, whatever is read again; what is sent after it begins anew.
    """

    event: Literal["forget"] = "forget"

    @property
    def subject(self) -> str:
        """The conversation."""
        return conversation_path(self.tenant_id, self.conversation_id)


class Erase(Erasing, Owned):
    """Erases an owner: all conversations and everything known of them; see ``Forget``."""

    event: Literal["erase"] = "erase"

    @model_validator(mode="after")
    def _names_an_owner(self) -> Self:
        if not self.names_an_owner:
            raise ValueError("one of user_id, group_id or agent_id is needed: it says whose memory is erased")
        return self

    @property
    def key(self) -> str:
        """``tenant/owner_type/owner``."""
        return self.owner.key

    @property
    def subject(self) -> str:
        """The owner."""
        return self.owner.key


class Document(Owned):
    """A document for the documents topic: its text (``content``), its bytes (``data``, base64), or where they lie (``uri``).

    Without an owner it is the tenant's knowledge. The same ``document_id`` of the same owner again is a new version, which
    takes the place of the one before. ``uri`` lies under one of the folders or stores that the reader allows
    (``MNEME_DOCUMENTS__ROOTS``); ``sha256`` is what its content must then have, in hexadecimal digits. With a ``flush_id`` the
    marker of that name appears once all of the document is searchable. ``dated_at`` is its date whatever it says itself;
    ``modified_at``, when its file was last changed, is where it says none.
    """

    event: Literal["document"] = "document"
    document_id: Name
    name: Name
    media_type: Label | None = None
    content: str | None = Field(default=None, repr=False)
    data: Base64 | None = Field(default=None, repr=False)
    flush_id: Label = ""
    uri: Annotated[str, Field(max_length=4096)] | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    dated_at: Moment | None = None
    modified_at: Moment | None = None
    metadata: MetadataField = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if sum(each is not None for each in (self.content, self.data, self.uri)) != 1:
            raise ValueError("exactly one of content, data and uri is needed")
        if self.sha256 is not None and self.uri is None:
            raise ValueError("sha256 is of what uri names; leave it out with content and data")
        for field, moment in (("dated_at", self.dated_at), ("modified_at", self.modified_at)):
            if moment is not None and moment.tzinfo is None:
                raise ValueError(f"{field} has no offset; write one ('2026-03-01T00:00:00+00:00')")
        return self

    @property
    def key(self) -> str:
        """``tenant/document``."""
        return f"{self.tenant_id}/{self.document_id}"


class ForgetDocument(Erasing, Owned):
    """Erases a document, and all that was made of it; see ``Forget``. Without an owner it is one of the tenant's knowledge."""

    event: Literal["forget_document"] = "forget_document"
    document_id: Name

    @property
    def key(self) -> str:
        """``tenant/document``, on the documents topic."""
        return f"{self.tenant_id}/{self.document_id}"

    @property
    def subject(self) -> str:
        """The document, with its owner."""
        return document_key(self.owner.key, self.document_id)
