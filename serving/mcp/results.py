"""What the tools return beside their text: the same, as data (``structuredContent``)."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class Memory(_Result):
    """One memory."""

    id: str
    kind: Annotated[str, Field(description="fact, episode, message, foresight, profile, case, skill or knowledge")]
    text: str
    date: Annotated[datetime | None, Field(description="when it was said or began; when it happens stands in the text")] = None
    until: Annotated[datetime | None, Field(description="it does not hold any more since then")] = None
    conversation_id: str | None = None
    message_ids: Annotated[tuple[str, ...], Field(description="the messages it comes from; what forget takes")] = ()
    document: Annotated[str | None, Field(description="file and page, where it stands in a document")] = None


class SearchResult(_Result):
    """What was found, best first."""

    memories: tuple[Memory, ...]
    relations: Annotated[tuple[str, ...], Field(description="how the people and things in question are related")] = ()
    notes: tuple[str, ...] = ()


class AskResult(_Result):
    """An answer; its numbers in brackets are places in ``citations``, from 1."""

    answer: str
    abstained: Annotated[bool, Field(description="the memories do not tell")]
    citations: tuple[Memory, ...] = ()
    notes: tuple[str, ...] = ()


class RememberResult(_Result):
    """What was taken in, durably."""

    conversation_id: str
    message_ids: tuple[str, ...]
    searchable: Annotated[bool, Field(description="facts and episodes were made and are found; the words are within seconds")]


class ForgetResult(_Result):
    """What is, or would be, erased."""

    erased: Annotated[bool, Field(description="nothing is left of it")]
    under_way: Annotated[bool, Field(description="it was ordered and is not finished yet")] = False
    target: str
    preview: Annotated[str, Field(description="what would go; the user has to agree first")] = ""


class Event(_Result):
    """Something on a timeline."""

    date: datetime
    kind: str
    text: str
    until: datetime | None = None
    id: str
    conversation_id: str | None = None


class TimelineResult(_Result):
    """Events, the oldest first."""

    about: str
    events: tuple[Event, ...]
    notes: tuple[str, ...] = ()


class Line(_Result):
    """One line of a portrait."""

    about: str
    statement: str
    since: datetime
    inferred: Annotated[bool, Field(description="nobody said so; it was concluded from what was said")] = False


class ProfileResult(_Result):
    """What is known of the owner now."""

    lines: tuple[Line, ...]
    recent: Annotated[tuple[str, ...], Field(description="what the last conversations were about, the newest first")] = ()
