"""The common parts of records: owners, positions, citations, and what all records have."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mneme.ids import owner_key

OwnerType = Literal["user", "agent", "group", "tenant"]
Scalar = str | int | float | bool
Metadata = dict[str, tuple[Scalar, ...]]  # of a record made from messages: the values of all of them, each once


class Frozen(BaseModel):
    """An immutable model that takes no unknown field."""

    # A validator is made when it is first needed: most programs see few kinds of records.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", defer_build=True)


class Owner(Frozen):
    """The owner of a record. ``tenant`` owns knowledge that belongs to nobody in particular."""

    tenant_id: str
    type: OwnerType
    id: str

    @property
    def key(self) -> str:
        """Names the owner across tenants: the routing value of the index, the key of the owner's lane."""
        return owner_key(self.tenant_id, self.type, self.id)

    @property
    def ids(self) -> dict[str, str]:
        """The filters of a search, and the fields of an event, that name it."""
        return {"tenant_id": self.tenant_id, f"{self.type}_id": self.id}


def is_another_topic(one: str, other: str) -> bool:
    """Return whether two ids are of different topics. "" tells nothing: a store from before, or a broker that tells none."""
    return "" not in (one, other) and one != other


class Position(Frozen):
    """The position of an event in its source: a Kafka offset, or a line of a file (partition 0, topic ``file:<hash>``).

    ``topic_id`` is Kafka's own, where it tells one: a topic that is deleted and made anew begins at offset 0 again.
    """

    topic: str
    partition: int
    offset: int
    topic_id: str = Field(default="", exclude_if=lambda topic_id: not topic_id)

    @property
    def is_in_a_file(self) -> bool:
        """Return whether it is a line of a file, which does not tell when it arrived."""
        return self.topic.startswith("file:")

    @property
    def key(self) -> str:
        """Names it among all positions, also those of topics that were made anew."""
        return f"{self}/{self.topic_id}" if self.topic_id else str(self)

    def is_beside(self, other: "Position") -> bool:
        """Return whether both stand in the same partition: then their offsets tell which came first."""
        is_anew = is_another_topic(self.topic_id, other.topic_id)
        return (self.topic, self.partition) == (other.topic, other.partition) and not is_anew

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


class Citation(Frozen):
    """The place of a text in a document, which a result cites. ``section`` and ``place`` as of ``Section`` (mneme/ports)."""

    document_id: str
    name: str
    section: str = ""
    place: str = ""
    uri: str | None = None

    def __str__(self) -> str:
        """File and place in few words: ``offer.pdf, page 2``; where no place is known, the section."""
        return ", ".join(filter(None, (self.name, self.place or self.section)))


class ToolCall(Frozen):
    """A tool that an agent called in a message."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    name: str
    arguments: str = ""
    result: str | None = None


class Record(Frozen):
    """The common part of all records. ``created_at`` is when the newest of its sources arrived: a replay gives the same."""

    id: str
    owner: Owner
    conversation_id: str | None = None
    document_id: str | None = None
    created_at: datetime
    version: int
