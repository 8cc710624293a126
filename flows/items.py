"""Items that travel between the steps of the flow.

    source -> Incoming -> decode -> Unread -> read -> Arrived -> embed -> Embedded -> segment -> Cut -> extract -> Extracted
           -> reconcile -> WriteBatch -> write

Only what must be read first, documents and attachments, is ``Unread``; a message ``Arrived`` as it is decoded. An
``Amendment`` comes out of decode as well and leaves embed as ``Amended``; what is ``Withdrawn`` of a document leaves it as a
``Retraction``. ``Pause``, ``Retraction`` and ``Erasure`` travel the same way, in order with what they concern.
``WriteBatch``, ``FlushDone``, ``Erased``, ``DeadLetter`` and ``Recovered`` go from any step straight to the writer.

A snapshot keeps an item as its ``Reference``: ids and times without texts, from which the item is read again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from flows.cuts import Cut, Utterance, lane_of_message
from mneme.events import Correct, Document, Edit, Message, Retract
from mneme.ids import conversation_path, document_key, message_id
from mneme.ports import DeadLetter, Write
from mneme.records import AnyRecord, Corrected, Mention, Owner, Position, ProfileItem, StoredMessage
from mneme.rows import Embedding

Reference = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Unread:
    """A document, or a message or an edit with attachments: what is to be read. ``raw`` are the bytes of its event.

    A correction or a retraction is one, too, while it waits for the attachments of its message.
    """

    event: Document | Message | Edit | Retract
    position: Position
    received_at: datetime | None
    raw: bytes

    @property
    def lane(self) -> str:
        """The conversation or document it belongs to."""
        if isinstance(self.event, Document):
            return document_key(self.event.owner.key, self.event.document_id)
        return conversation_path(self.event.tenant_id, self.event.conversation_id)

    @property
    def message_id(self) -> str | None:
        """The message that it is, or changes; None for a document."""
        if isinstance(self.event, Document):
            return None
        return self.event.corrects if isinstance(self.event, Correct) else self.event.message_id


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message as it came, not yet known to be new, nor to be of the owner of its conversation.

    ``raw`` are the bytes of its event, for a dead letter; empty for what was read out of a document.
    """

    message: StoredMessage
    raw: bytes = b""

    @property
    def lane(self) -> str:
        """The conversation or document it belongs to."""
        return lane_of_message(self.message)


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change of a message as it came: its new ``text``, None to delete it. ``raw`` are the bytes of the event.

    With ``words`` only these go: they are retracted, or where a message puts them right ``corrected``, and then they stay.
    ``owner`` is the one that the event names, if it names one.
    """

    tenant_id: str
    conversation_id: str
    message_id: str
    text: str | None
    position: Position
    received_at: datetime | None
    raw: bytes
    words: str = ""
    corrected: Corrected | None = None
    owner: Owner | None = None

    @property
    def lane(self) -> str:
        """The conversation it belongs to."""
        return conversation_path(self.tenant_id, self.conversation_id)

    @property
    def stored_id(self) -> str:
        """The id of the message it is about."""
        return message_id(self.tenant_id, self.conversation_id, self.message_id)

    @property
    def event(self) -> str:
        """The kind of event that it came as."""
        return "correct" if self.corrected else "retract" if self.words else "delete" if self.text is None else "edit"

    def without_words(self) -> "Amendment":
        """The same, but its bytes name the message and say nothing of it."""
        named = {"tenant_id": self.tenant_id, "conversation_id": self.conversation_id, "message_id": self.message_id}
        return replace(self, raw=json.dumps({"event": self.event, **named}).encode())

    def refusal(self, what: str) -> str:
        """The message for people that it is not applied to its message, which ``what``."""
        return f"{self.event}: message {self.message_id!r} of conversation {self.conversation_id!r} {what}"


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """A new message with its vector.

    ``replayed`` when an earlier run of the flow had got at least so far with it; ``continues`` when its conversation began
    with an earlier message.
    """

    utterance: Utterance
    replayed: bool = False
    continues: bool = False

    @property
    def lane(self) -> str:
        """The conversation or document it belongs to."""
        return lane_of_message(self.utterance.message)


@dataclass(frozen=True, slots=True, eq=False)
class Amended:
    """A message that was known before, as it is now: edited, or ``deleted``; ``replayed`` as for ``Embedded``."""

    utterance: Utterance
    replayed: bool = False

    @property
    def lane(self) -> str:
        """The conversation it belongs to."""
        return lane_of_message(self.utterance.message)


@dataclass(frozen=True, slots=True)
class Pause:
    """Show what is open, without waiting for more: a ``flush`` event, idleness, or the end of a finite source.

    A flush concerns one conversation and is answered with a marker. The end of a source concerns every
    conversation of one ``bucket`` (``lane`` is empty). ``owner_key`` is the conversation's owner, once it is known:
    behind extract a flush follows the episodes to their owner's lane.
    """

    lane: str
    reason: Literal["flush", "idle", "end"]
    tenant_id: str = ""
    flush_id: str = ""
    owner_key: str = ""
    bucket: int = 0


@dataclass(frozen=True, slots=True)
class Retraction:
    """An episode that was written, and that does not begin there: shown too early, or its messages were changed."""

    lane: str
    owner: Owner
    episode_id: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A chunk that a new version of its document no longer has: its message goes, and the episode that was made from it."""

    owner: Owner
    document_id: str
    chunk_id: str

    @property
    def lane(self) -> str:
        """The document."""
        return document_key(self.owner.key, self.document_id)


@dataclass(frozen=True, slots=True)
class Erasure:
    """A conversation, a document or everything of an owner is to be erased: a barrier behind all that came before it.

    That of a conversation or a document goes its way; a conversation's ``owner`` is set once it is known. That of an owner,
    with neither, goes through every ``bucket`` of conversations, in ``tokens`` tokens, and the owner's lane acts when
    all have come. So does that of a document with ``speech``, the conversations that go with it: bucket 0 is the document's
    way, 1 that of the first of them. ``arrived_at`` and ``position`` tell what is older than it (flows/lanes/erasures.py). One
    ``is_dated`` whose file says when it was asked for: then what files say later stays. One that nobody asked for
    ``has_receipt`` false.
    """

    tenant_id: str
    conversation_id: str | None
    owner: Owner | None
    erasure_id: str
    arrived_at: datetime
    position: Position
    bucket: int = 0
    tokens: int = 1
    document_id: str | None = None
    is_dated: bool = False
    speech: tuple[str, ...] = ()
    has_receipt: bool = True

    @property
    def key(self) -> str:
        """Names it among all erasures: two senders may have given one id."""
        return f"{self.erasure_id}@{self.position.key}"

    @property
    def is_of_an_owner(self) -> bool:
        """Return whether everything of an owner is erased."""
        return self.conversation_id is None and self.document_id is None

    @property
    def lane(self) -> str:
        """The conversation or document it is about, or of a document's tokens its speech; empty for an owner's."""
        if self.speech and self.bucket:
            return conversation_path(self.tenant_id, self.speech[self.bucket - 1])
        if self.document_id is not None:
            assert self.owner is not None, "a document's owner is known from the start"
            return document_key(self.owner.key, self.document_id)
        return "" if self.conversation_id is None else conversation_path(self.tenant_id, self.conversation_id)

    @property
    def subject(self) -> str:
        """See ``mneme.events.Erasing``."""
        if self.is_of_an_owner:
            assert self.owner is not None, "it is known whose all is erased"
            return self.owner.key
        return replace(self, bucket=0).lane

    def concerns(self, lane: str, owner: Owner) -> bool:
        """Return whether a conversation or a document is erased by it."""
        return owner == self.owner if self.is_of_an_owner else lane == self.lane


@dataclass(frozen=True, slots=True)
class AggregateMention:
    """One mention for an aggregate of the owner: of an entity, of the ``edge`` of a relationship, or a line of the profile."""

    row_id: str
    said: Mention | ProfileItem
    edge: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NewRecord:
    """A record, and what an index needs to find it: the embedding of its ``text``, and for its keywords the ``context``.

    Its version is 0. Its ``embedding`` is None until the text is embedded, or where the embedder did not serve.
    """

    record: AnyRecord
    text: str
    embedding: Embedding | None = None
    context: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Extracted:
    """An episode (first) with everything taken from it.

    ``reference`` names the cut it was taken from (``refer``): enough to make all of this again.
    """

    lane: str
    reference: Reference
    owner: Owner
    made: tuple[NewRecord, ...]
    mentions: tuple[AggregateMention, ...]

    @property
    def texts(self) -> list[str]:
        """The texts that are not embedded."""
        return [each.text for each in self.made if each.embedding is None]

    def embedded(self, embeddings: Sequence[Embedding | None]) -> "Extracted":
        """The same with the embeddings of ``texts``; None where the embedder did not serve."""
        new = iter(embeddings)
        made = (each if each.embedding is not None else replace(each, embedding=next(new)) for each in self.made)
        return replace(self, made=tuple(made))


@dataclass(frozen=True, slots=True, eq=False)
class WriteBatch:
    """Writes that belong into one bulk, in order."""

    writes: tuple[Write, ...]


@dataclass(frozen=True, slots=True)
class FlushDone:
    """Everything before this flush is in the writer's hands: refresh, then write its marker.

    ``attempt`` tells one marker from another of the same flush, which a process that died may have written.
    """

    tenant_id: str
    flush_id: str
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Erased:
    """All rows of an erasure are gone with the writes before this: now everything else that tells of them.

    ``removed`` counts rows by collection; ``conversation_ids`` are the conversations they were of.
    """

    erasure: Erasure
    removed: dict[str, int]
    conversation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recovered:
    """An episode that a dead letter told of, and of which nothing is missing any more. ``reference`` names it."""

    reference: Reference


Decoded = Unread | Arrived | Amendment | Pause | Erasure | DeadLetter
Read = Arrived | Amendment | Embedded | Withdrawn | Pause | Erasure
SinkItem = WriteBatch | FlushDone | Erased | DeadLetter | Recovered
OF_THE_WRITER = (WriteBatch, FlushDone, Erased, DeadLetter, Recovered)  # a tuple: a union would be put together for each item


# --- references -------------------------------------------------------------------------------------------------------


def refer(item: Cut | Retraction | Pause | Erasure) -> Reference:
    """The reference of an item."""
    match item:
        case Cut():
            return {
                "is": "cut",
                "lane": item.lane,
                "id": item.id,
                "owner": owner_values(item.owner),
                "conversation": item.conversation_id,
                "document": item.document_id,
                "ids": [utterance.message.id for utterance in item.utterances],
                "closed_by": item.closed_by,
                "provisional": item.provisional,
                "because": item.begins_because,
            }
        case Retraction():
            return {"is": "retraction", "lane": item.lane, "owner": owner_values(item.owner), "id": item.episode_id}
        case Pause():
            pause = [item.lane, item.reason, item.tenant_id, item.flush_id, item.owner_key, item.bucket]
            return {"is": "pause", "lane": item.lane, "pause": pause}
        case Erasure():
            return {
                "is": "erasure",
                "lane": item.lane,
                "tenant": item.tenant_id,
                "conversation": item.conversation_id,
                "owner": owner_values(item.owner) if item.owner else None,
                "id": item.erasure_id,
                "arrived_at": item.arrived_at.isoformat(),
                "position": item.position.model_dump(),
                "bucket": item.bucket,
                "tokens": item.tokens,
                "document": item.document_id,
                "dated": item.is_dated,
                "speech": list(item.speech),
                "receipt": item.has_receipt,
            }


def weight_of(reference: Reference) -> int:
    """The number of messages that are unfinished while this is: those of a cut; anything else counts as one."""
    return len(reference.get("ids", ())) or 1


def referred(reference: Reference) -> Retraction | Pause | Erasure:
    """The retraction, pause or erasure of a reference."""
    if reference["is"] == "retraction":
        return Retraction(reference["lane"], owner_of(reference), reference["id"])
    if reference["is"] == "erasure":
        return Erasure(
            tenant_id=reference["tenant"],
            conversation_id=reference["conversation"],
            owner=owner_of(reference) if reference["owner"] else None,
            erasure_id=reference["id"],
            arrived_at=datetime.fromisoformat(reference["arrived_at"]),
            position=Position.model_validate(reference["position"]),
            bucket=reference["bucket"],
            tokens=reference["tokens"],
            document_id=reference["document"],
            is_dated=reference["dated"],
            speech=tuple(reference.get("speech", ())),
            has_receipt=reference.get("receipt", True),
        )
    return Pause(*reference["pause"])


def owner_of(reference: Reference) -> Owner:
    """The owner of an item."""
    return owner_from(reference["owner"])


def owner_from(values: Sequence[Any]) -> Owner:
    """The owner whose ``owner_values`` these are."""
    tenant_id, owner_type, owner_id = values
    return Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)


def owner_values(owner: Owner) -> list[str]:
    """An owner as plain values."""
    return [owner.tenant_id, owner.type, owner.id]
