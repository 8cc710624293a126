"""The index: what can be written to it and asked of it, and its generations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from mneme.labels import LabelCondition
from mneme.rows import Collection, Embedding, Key, Row, Vector


@dataclass(frozen=True, slots=True)
class Put:
    """Write a whole row unless the index has a higher version of it (``external_gte``)."""

    row: Row


@dataclass(frozen=True, slots=True)
class Create:
    """Write a row only if the index has none with this id, whatever its version.

    Where a row of this id was removed, it may count as one newer than the removal: only a version above that replaces or
    removes it.
    """

    row: Row


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete a row unless the index has a higher version of it. A row that is not there is no error."""

    key: Key
    version: int


Write = Put | Create | Remove


class Outcome(StrEnum):
    """The outcome of one write."""

    DONE = "done"
    NEWER_EXISTS = "newer_exists"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The outcome of one write; ``reason`` says why it was rejected."""

    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows that take part. Everything given must hold; within one field any of its values is enough.

    ``tenant_id`` and ``owner_keys`` are required: no search crosses them. ``owner_ids`` are the full ids of these owners,
    since a key holds the hash of a long one. ``since`` (inclusive) and ``before`` (exclusive)
    are about ``Row.at``. ``valid_at`` leaves out what no longer held then. Every condition of ``labels`` must hold.
    Rows that another stands for, or whose content was deleted (``mneme.rows.HIDDEN_KINDS``), take part only if ``hidden``.
    ``outside_documents`` leaves out what is of a document, ``ended`` what still holds (``Row.valid_to`` is None).
    """

    tenant_id: str
    owner_keys: tuple[str, ...]
    owner_ids: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    parent_ids: tuple[str, ...] = ()
    conversation_ids: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    agent_ids: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    labels: tuple[LabelCondition, ...] = ()
    since: datetime | None = None
    before: datetime | None = None
    valid_at: datetime | None = None
    hidden: bool = False
    outside_documents: bool = False
    ended: bool = False

    def allowed_values(self) -> dict[str, tuple[str, ...]]:
        """The values by column, of which a row must have one; columns without a condition are left out."""
        values = {
            "owner_id": self.owner_ids,
            "kind": self.kinds,
            "id": self.ids,
            "parent_id": self.parent_ids,
            "conversation_id": self.conversation_ids,
            "document_id": self.document_ids,
            "agent_id": self.agent_ids,
            "people": self.people,
            "message_ids": self.message_ids,
        }
        return {column: allowed for column, allowed in values.items() if allowed}

    def is_of_owners(self, row: Row) -> bool:
        """Return whether a row that was read by its key is one of these owners'."""
        return row.tenant_id == self.tenant_id and (not self.owner_ids or row.owner_id in self.owner_ids)


@dataclass(frozen=True, slots=True)
class TextLeg:
    """A BM25 search (k1 1.2, b 0.75) of one collection for any of the tokens of mneme/text.py, each counted once."""

    collection: Collection
    filter: Filter
    tokens: tuple[str, ...]
    limit: int


@dataclass(frozen=True, slots=True, eq=False)
class VectorLeg:
    """A nearest-neighbour search of one collection by cosine."""

    collection: Collection
    filter: Filter
    vector: Vector
    limit: int


class Hit(NamedTuple):
    """A row that a leg found, without its vector. ``score`` is BM25, or the cosine from -1 to 1."""

    row: Row
    score: float


class Scored(NamedTuple):
    """A row with both scores: ``bm25`` is 0 without a common token, ``cosine`` is None where there is no vector."""

    row: Row
    bm25: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows of a collection that pass a filter, of more than ``limit`` the first by id."""

    collection: Collection
    filter: Filter
    limit: int


Place = tuple[datetime, str]  # in a list by time, newest first, ties by the text (an id): behind it the list goes on


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The rows of a collection of one conversation.

    ``messages`` counts their ``message_ids``; ``people`` are those of most rows, at most MOST_PEOPLE. ``first_at`` and
    ``last_at`` are the first and the last ``Row.at``; ``newest`` is the row with the last, without its vector.
    """

    conversation_id: str
    rows: int
    messages: int
    people: tuple[str, ...]
    first_at: datetime
    last_at: datetime
    newest: Row


MOST_PEOPLE = 50


@dataclass(frozen=True, slots=True)
class Owned:
    """The number of an owner's messages, chunks of documents among them, and the time of the last one."""

    owner_type: str
    owner_id: str
    rows: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """The identity of the vectors in an index. ``languages`` are those the model serves (ISO 639-1, or ``*``).

    ``other`` is the model of all other languages, where there is one. ``token_dimension`` is that of the vectors of tokens, 0
    where there are none.
    """

    model: str
    variant: str
    dimension: int
    languages: tuple[str, ...] = ("*",)
    other: str = ""
    token_dimension: int = 0

    @property
    def fingerprint(self) -> str:
        """The text that must be equal for vectors to be comparable."""
        tokens = f"/tokens{self.token_dimension}" if self.token_dimension else ""
        return f"{self.model}{self.other and '+'}{self.other}/{self.variant}/{self.dimension}{tokens}"

    @property
    def fitted_as(self) -> str:
        """The fingerprint by which coefficients are found: they are fitted on English, whose model is the same."""
        return f"{self.model}/{self.variant}/{self.dimension}"


class MemoryIndex(Protocol):
    """The searchable memory. Writes converge: repeating any of them changes nothing."""

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """Create what is missing; safe to repeat.

        Raises:
            StoreRejected: the index holds vectors of another embedder, or was made by another tokeniser; the message
                says how to fill a new index.
        """

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Apply writes in order, in bulk; one result for each, in order. Durable on return.

        Retries what the server asks to retry (429, 503, read-only block, shard limit) with back-off.

        Raises:
            StoreUnavailable: retries are spent; some of the writes may have been applied.
        """

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The newest acknowledged rows, refreshed or not (realtime); keys that are not there are left out.

        ``with_vectors``: with those of their tokens, too.
        """

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Run searches in one round trip; for each leg its hits, best first, ties by id."""

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        """``recall`` of the legs, and the rows of each selection with both their scores, all in one round trip.

        Of a selection every row, in no order. ``bm25`` equals what a ``TextLeg`` with these tokens gives, ``cosine`` is exact.
        """

    def embeddings(self, keys: Sequence[Key]) -> dict[Key, Embedding]:
        """The vectors of searchable rows and of their tokens; rows without a vector are left out."""

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """Every searchable row of a collection, by id; without a filter those of all tenants (for operators only)."""

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """Count the searchable rows."""

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        """The newest rows by ``Row.at``, to the millisecond, ties by id; only those behind ``after``, the place of a row."""

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        """The rows that have a conversation, by it: of each the last time decides, the newest first, ties by its id.

        At most ``limit``, and only those behind ``after``, the last time and the id of a conversation. Of an owner with more
        than 50,000 an index may leave out the oldest.
        """

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        """The owners of a tenant's messages, the one with the newest first; ties by type and id."""

    def refresh(self) -> None:
        """Make everything written so far searchable."""

    def merge(self) -> None:
        """Merge the files of the index to few, which makes searches quicker; takes as long as it takes.

        Raises:
            StoreUnavailable: it cannot be done now; nothing is lost by asking again.
        """

    def purge(self) -> None:
        """Take what was removed or replaced off the disk as well: old versions of tables, deleted documents of segments.

        Safe to repeat. The removals must have been acknowledged. A server may finish it in the background. The versions of
        removed rows may be forgotten with them, so nothing older may still be on its way.

        Raises:
            StoreUnavailable: it cannot be done now; nothing is lost by asking again.
        """

    def metadata(self) -> dict[str, str]:
        """Small facts about the index as a whole (recovery id, run): see ``set_metadata``."""

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Merge into the metadata, durably."""

    def close(self) -> None:
        """Release connections and files."""


class Generations(Protocol):
    """The generations of an index: while one is in use, the next is filled beside it and then takes its place, all at once.

    Only one process at a time may change them, and nothing else may write to the index meanwhile.
    """

    def made_for(self) -> Mapping[str, str]:
        """The ``embedder`` (its fingerprint), the ``tokeniser`` and the ``format`` of the one in use.

        Raises:
            StoreUnavailable, StoreRejected: there is no index.
        """

    def unfinished(self) -> Mapping[str, str] | None:
        """The same of one that was begun and has not taken its place; None where there is none."""

    def begin(self, embedder: EmbedderIdentity) -> MemoryIndex:
        """The next generation, prepared and ready to be filled, or what is there of it.

        From here on whoever writes to the one in use waits or is refused, and everything that was written to it is searchable.

        Raises:
            StoreRejected: the unfinished one is for another embedder or tokeniser.
        """

    def switch(self) -> None:
        """Put the next one in the place of that in use, for all readers and writers at once; the old one is kept.

        It must be closed. Whoever has opened the index with the embedder of the old one goes on to read the old one, until it
        is dropped.
        """

    def abandon(self) -> bool:
        """Drop the unfinished one, and let the one in use be written again; whether there was any."""

    def drop_old(self) -> int:
        """Drop all generations before the one in use; how many there were."""

    def close(self) -> None:
        """Release connections."""
