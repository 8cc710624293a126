"""What takes away all that is known of a conversation, or of an owner."""

from datetime import datetime
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from mneme.events.base import ConversationEvent, Owned
from mneme.events.fields import Label, Moment
from mneme.records import Owner
from mneme.times import utc_now


class Erasing(BaseModel):
    """An event that erases: its receipt is kept under ``erasure_id``."""

    model_config = ConfigDict(defer_build=True)
    erasure_id: Label = ""
    requested_at: Moment = Field(default_factory=utc_now)

    @field_validator("requested_at")
    @classmethod
    def _has_an_offset(cls, moment: datetime) -> datetime:
        if moment.tzinfo is None:
            raise ValueError("requested_at has no offset; write one ('2026-03-01T09:00:00+01:00')")
        return moment


class Forget(Erasing, ConversationEvent):
    """Erases a conversation: its messages, and all that was made of them. The receipt is kept under ``erasure_id``.

    What arrived before stays erased, whatever is read again; what is sent after it begins anew.
    """

    event: Literal["forget"] = "forget"


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
    def owner(self) -> Owner:
        """Whose memory is erased."""
        owner = self.owner_or_none()
        assert owner is not None, "checked when the event was made"
        return owner
