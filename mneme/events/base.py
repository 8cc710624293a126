"""What all events have: a schema, a tenant, a key; some a conversation, some an owner."""

from abc import abstractmethod
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, field_validator

from mneme.events.fields import Name
from mneme.records import Owner, OwnerType

SCHEMA = "1.0"


class BaseEvent(BaseModel):
    """Any event."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, allow_inf_nan=False, defer_build=True)
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

    def to_bytes(self, without: set[str] | None = None) -> bytes:
        """The event as it goes on the wire: UTF-8 JSON, ``without`` some of its fields."""
        return self.model_dump_json(by_alias=True, exclude_none=True, exclude=without).encode()


class ConversationEvent(BaseEvent):
    """An event of a conversation."""

    conversation_id: Name

    @property
    def key(self) -> str:
        """``tenant/conversation``."""
        return f"{self.tenant_id}/{self.conversation_id}"


class Owned(BaseEvent):
    """An event that may say whose memory it is about."""

    user_id: Name | None = None
    group_id: Name | None = None
    agent_id: Name | None = None

    @property
    def names_an_owner(self) -> bool:
        """Whether it says whose memory it is about."""
        return bool(self.group_id or self.user_id or self.agent_id)

    def owner_or_none(self) -> Owner | None:
        """The group, else the user, else the agent that it names."""
        if self.group_id:
            return _owner(self.tenant_id, "group", self.group_id)
        if self.user_id:
            return _owner(self.tenant_id, "user", self.user_id)
        return _owner(self.tenant_id, "agent", self.agent_id) if self.agent_id else None


@lru_cache(maxsize=4096)  # with each message, and few owners say most of them
def _owner(tenant_id: str, owner_type: OwnerType, owner_id: str) -> Owner:
    return Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)
