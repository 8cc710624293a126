"""Types of fields, with their largest sizes, and the common part of all events: a schema, a tenant, a key, an owner."""

from abc import abstractmethod
from base64 import b64decode
from collections.abc import Sized
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from mneme.records import Owner, OwnerType

MOST_ENTRIES = 100  # parts, tool calls, or entries of metadata
_MOST_METADATA = 16_384  # characters of all keys and values


def few(entries: Any) -> Any:
    """A list or a mapping, unless it has too many entries."""
    if isinstance(entries, Sized) and not isinstance(entries, str) and len(entries) > MOST_ENTRIES:
        raise ValueError(f"has {len(entries)} entries; at most {MOST_ENTRIES} are taken")
    return entries


def _brief(metadata: dict[str, Any]) -> dict[str, Any]:
    text = "".join(f"{key}{value}" for key, value in metadata.items())
    if len(text) > _MOST_METADATA:
        raise ValueError(f"has {len(text)} characters; at most {_MOST_METADATA} are taken, put longer texts into content")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds a half of a character (a lone surrogate); write whole characters") from None
    return metadata


def _on_the_calendar(moment: datetime | None) -> datetime | None:
    if moment is not None and not 1 < moment.year < 9999:  # in another zone it would be in no year at all
        raise ValueError(f"is in the year {moment.year}; write when it was")
    return moment


def _not_blank(name: str) -> str:
    if name.isspace():  # a search refuses it too, so nobody could ask for what is under it
        raise ValueError("is blank; give a name")
    return name


def _decodable(data: str) -> str:
    try:
        b64decode(data, validate=True)
    except ValueError:
        raise ValueError("is not base64; encode the bytes with the standard alphabet") from None
    return data


Base64 = Annotated[str, AfterValidator(_decodable)]
Name = Annotated[str, Field(min_length=1, max_length=512), AfterValidator(_not_blank)]
Label = Annotated[str, Field(max_length=512)]
MetadataField = Annotated[
    dict[str, str | int | float | bool], Field(max_length=MOST_ENTRIES), BeforeValidator(few), AfterValidator(_brief)
]
Moment = Annotated[datetime, AfterValidator(_on_the_calendar)]


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
        """Return whether it says whose memory it is about."""
        return bool(self.group_id or self.user_id or self.agent_id)

    @property
    def owner(self) -> Owner:
        """The group, else the user, else the agent that it names, else the tenant.

        A message of another than its conversation's is refused (flows/embed.py).
        """
        if self.group_id:
            return _owner(self.tenant_id, "group", self.group_id)
        if self.user_id:
            return _owner(self.tenant_id, "user", self.user_id)
        if self.agent_id:
            return _owner(self.tenant_id, "agent", self.agent_id)
        return _owner(self.tenant_id, "tenant", self.tenant_id)


@lru_cache(maxsize=4096)  # with each message, and few owners say most of them
def _owner(tenant_id: str, owner_type: OwnerType, owner_id: str) -> Owner:
    return Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)
