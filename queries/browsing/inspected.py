"""What an inspection shows: a conversation as it was cut, and everything that was made from each episode."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from mneme.records import Citation
from queries.browsing.documents import ListedDocument

State = Literal["holds", "superseded", "merged", "expired"]


class _Inspected(BaseModel):
    model_config = ConfigDict(frozen=True)


class InspectedMessage(_Inspected):
    """A message. A deleted one has no text any more; ``tools`` are the tools that an agent called in it."""

    message_id: str
    sender_name: str
    role: str
    sent_at: datetime
    timezone: str
    text: str
    tools: tuple[str, ...] = ()
    citation: Citation | None = None
    edited: bool = False
    deleted: bool = False


class InspectedStatement(_Inspected):
    """A fact, or something expected (with ``start`` and ``end``): ``state`` says what became of it.

    ``holds``; ``superseded`` at ``valid_to`` by another; ``merged``: it only repeats ``merged_into``, which stands for it;
    ``expired``: what was expected lies behind. ``times_said`` counts those that repeat it.
    """

    id: str
    text: str
    message_ids: tuple[str, ...]
    said_at: datetime
    event_at: datetime | None = None
    start: datetime | None = None
    end: datetime | None = None
    state: State = "holds"
    valid_to: datetime | None = None
    superseded_by: str | None = None
    merged_into: str | None = None
    times_said: int = 1


class InspectedEntity(_Inspected):
    """An entity that the episode speaks of, by the name it has there; ``same_as`` is the name it is known by, if another."""

    name: str
    type: str
    text: str
    same_as: str | None = None


class InspectedRelationship(_Inspected):
    """An edge that the episode tells of: it began at ``date``, or, if ``ended``, is over. ``valid_to``: since when it is."""

    source: str
    relation: str
    target: str
    date: datetime | None
    ended: bool = False
    valid_to: datetime | None = None


class InspectedLine(_Inspected):
    """A line of a portrait that the episode shows. ``holds`` is false where it is not in the portrait now."""

    about: str
    statement: str
    category: str
    implicit: bool
    holds: bool = True


class InspectedCase(_Inspected):
    """The task that an agent did in it."""

    task_intent: str
    approach: str
    key_insight: str
    quality_score: float


class InspectedEpisode(_Inspected):
    """One stretch with everything made from it. ``begins_because`` is what spoke for the cut before it.

    With a ``document_id`` it is a chunk of a document, and shown without messages. ``citation`` is where it stands.
    """

    id: str
    subject: str
    summary: str
    document_id: str | None = None
    section: str | None = None
    citation: Citation | None = None
    started_at: datetime
    ended_at: datetime
    timezone: str
    begins_because: tuple[str, ...]
    closed_by: str
    provisional: bool
    extractor: str
    dropped: int = 0
    messages: tuple[InspectedMessage, ...]
    facts: tuple[InspectedStatement, ...] = ()
    foresights: tuple[InspectedStatement, ...] = ()
    entities: tuple[InspectedEntity, ...] = ()
    relationships: tuple[InspectedRelationship, ...] = ()
    profile: tuple[InspectedLine, ...] = ()
    case: InspectedCase | None = None


class Inspection(_Inspected):
    """A conversation, or a document (then without messages), episode by episode. ``open`` are messages in none yet.

    ``documents`` are the document itself, or what is attached to the messages of a conversation: its chunks follow the talk, in
    their order. ``notes`` say what was left out.
    """

    conversation_id: str | None
    document_id: str | None
    owner: str
    episodes: tuple[InspectedEpisode, ...]
    open: tuple[InspectedMessage, ...] = ()
    documents: tuple[ListedDocument, ...] = ()
    notes: tuple[str, ...] = ()
