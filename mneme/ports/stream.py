"""The ends of the stream: what comes in, what could not be taken in, and what is told to the outside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from mneme.records import Owner, Position
from mneme.rows import Key, Row


@dataclass(frozen=True, slots=True)
class Incoming:
    """One event as a source gives it. ``received_at`` is the transport's own time; a line of a file has none."""

    raw: bytes
    position: Position
    received_at: datetime | None


Lane = Literal["messages", "backfill", "documents"]  # of the way in: a topic each, or a log of the inbox


class Transport(Protocol):
    """Carries events to a flow: to Kafka, to the inbox on disk, or to a service by HTTP. Safe for several threads."""

    def send(self, lane: Lane, key: str, value: bytes) -> None:
        """Hand over one event; those of one key stay in order.

        Raises:
            InputError: it is refused for what it holds.
            StoreUnavailable, StoreRejected: it could not be handed over.
        """

    def flush(self, timeout: float | None = None) -> None:
        """Return when everything that was sent is durable.

        Raises:
            StoreUnavailable, StoreRejected: the timeout passed (seconds), or something sent was not written.
        """

    def close(self) -> None:
        """Flush, then release connections and files."""


@dataclass(frozen=True, slots=True)
class Lag:
    """The number of events that the flow has not read yet; ``alive`` is None where it is not known whether a flow runs."""

    unread: dict[str, int]
    alive: bool | None = None

    @property
    def total(self) -> int:
        """Unread events of all lanes but the backfill, which may wait."""
        return sum(count for lane, count in self.unread.items() if lane != "backfill")


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be taken in, with everything needed to understand and to replay it."""

    stage: str
    reason: str
    raw: bytes
    position: Position | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of an erasure: conversations of a tenant, and, if ``owner`` is given, all that names this owner.

    With a ``document_id`` it is that document of the owner, with the conversations, and nothing else of the owner's.
    """

    tenant_id: str
    conversation_ids: tuple[str, ...] = ()
    owner: Owner | None = None
    document_id: str | None = None


class DeadLetters(Protocol):
    """The store of dead letters."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Keep them, durably on return."""

    def erase(self, scope: Scope) -> int:
        """Take away the letters whose bytes or reason tell of the scope, durably on return; how many.

        Where it cannot be told what a letter is about, it goes if it holds an id of the scope.
        """

    def remove(self, unwanted: Callable[[DeadLetter], bool]) -> int:
        """Take letters away, durably on return; how many."""

    def close(self) -> None:
        """Release connections and files."""


class Change(StrEnum):
    """The kind of change of a record."""

    WRITTEN = "written"
    ERASED = "erased"


class ChangeFeed(Protocol):
    """Tells the outside what was written, after the index acknowledged it."""

    def send(self, changes: Sequence[tuple[Change, Key, Row | None]]) -> None:
        """Publish the changes, in order, durably on return."""

    def close(self) -> None:
        """Release connections and files."""
