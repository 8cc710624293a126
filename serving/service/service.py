"""The service: memories to ask, a way in for what is new, and the flow between them where it is its own.

``mneme serve`` opens one, and REST, the MCP server and the console are views of it; ``mneme mcp`` opens one of its own.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from types import TracebackType
from typing import Literal, Self
from uuid import uuid4

from connectors import Publisher
from connectors.inbox.reader import unread as unread_of_inbox
from connectors.inbox.segments import LANES
from connectors.indices import open_index
from mneme.errors import InputError, MnemeError, StoreUnavailable
from mneme.events import AnyEvent, Erase, Flush, Forget, ForgetDocument
from mneme.ports import Lag, MemoryIndex
from mneme.rows import Collection, Key, Row, erasure_receipt, flush_marker
from mneme.settings import Settings
from mneme.times import utc_now
from queries import Memories
from serving.service.flow_process import FlowProcess

_POLL_SECONDS = 0.05

Erasing = Forget | ForgetDocument | Erase


@dataclass(frozen=True, slots=True)
class Flushed:
    """A flush of one or several conversations: ``searchable`` once everything sent before is; ``seconds`` it took so far."""

    flush_ids: tuple[str, ...]
    searchable: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure that was sent. ``receipt`` counts what was removed from where, once nothing is left; None until then."""

    erasure_id: str
    receipt: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class Health:
    """How the service is. ``problems`` name what is red, each with its remedy; none when all is well."""

    status: Literal["green", "red"]
    problems: tuple[str, ...]
    lag: Lag | None


class Service:
    """Everything behind the views. Safe for several threads; a context manager.

    Args:
        settings: where and how.

    Raises:
        SettingsError: a setting is wrong.
        StoreUnavailable, StoreRejected: the index or the broker cannot be opened.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stack = ExitStack()
        self._ending = Event()
        self._flow: FlowProcess | None = None
        if self.intake == "inbox":
            self._flow = FlowProcess(settings)
            self._stack.callback(self._flow.stop)

    @cached_property
    def memories(self) -> Memories:
        """The memories, to be asked."""
        return self._stack.enter_context(Memories.connect(self.settings))

    @property
    def intake(self) -> Literal["kafka", "inbox", "none"]:
        """Where what is sent goes: ``MNEME_SERVICE__INTAKE``, with ``auto`` decided."""
        return self.settings.intake

    @cached_property
    def publisher(self) -> Publisher:
        """The way in.

        Raises:
            InputError: this service only answers.
        """
        if self.intake == "none":
            raise InputError(
                "this service only answers (MNEME_SERVICE__INTAKE=none); send events to the one that takes them in"
            )
        return self._stack.enter_context(Publisher.connect(self.settings))

    def accept(self, events: Sequence[AnyEvent], backfill: bool = False) -> None:
        """Take in events; durable on return.

        Raises:
            InputError: an event is too large, or this service only answers.
            StoreUnavailable, StoreRejected: they could not be kept; to send them again is safe.
        """
        self.publisher.send_many(events, backfill)
        self.publisher.flush()

    def flush(self, tenant_id: str, conversation_ids: Sequence[str], timeout: float) -> Flushed:
        """Make everything that was sent to these conversations searchable, and wait for it, at most ``timeout`` seconds."""
        began = time.monotonic()
        flushes = [Flush(tenant_id=tenant_id, conversation_id=each, flush_id=uuid4().hex) for each in conversation_ids]
        self.accept(flushes)
        keys = [flush_marker(tenant_id, flush.flush_id, utc_now()).key for flush in flushes]
        found = self._awaited(keys, timeout)
        return Flushed(tuple(flush.flush_id for flush in flushes), len(found) == len(keys), time.monotonic() - began)

    def flush_owner(self, tenant_id: str, owner_key: str, timeout: float) -> Flushed:
        """The same for all conversations of an owner that have anything open."""
        raise NotImplementedError

    def erase(self, event: Erasing, timeout: float) -> Erasure:
        """Erase, and wait for the receipt, at most ``timeout`` seconds."""
        if not event.erasure_id:
            event = event.model_copy(update={"erasure_id": uuid4().hex})
        self.accept([event])
        key = erasure_receipt(event.tenant_id, event.erasure_id, utc_now(), {}).key
        row = self._awaited([key], timeout).get(key)
        return Erasure(event.erasure_id, None if row is None else row.body["removed"])

    def lag(self) -> Lag:
        """What the flow has not read yet, by lane.

        Raises:
            StoreUnavailable: the broker does not answer.
        """
        if self._flow is not None:
            return Lag({lane: unread_of_inbox(self.settings.data, lane) for lane in LANES}, self._flow.is_alive)
        if self.intake == "none":
            return Lag({})
        from connectors.kafka.client import unread

        topics = self.settings.kafka.topics
        named = {"messages": topics.messages, "documents": topics.documents, "backfill": topics.backfill}
        return Lag({lane: unread(self.settings.kafka, topic) for lane, topic in named.items()})

    def health(self) -> Health:
        """Whether the index answers and the flow keeps up."""
        problems, lag = [], None
        try:
            self._index.count(Collection.CONTROL)
        except MnemeError as error:
            problems.append(str(error))
        try:
            lag = self.lag()
        except MnemeError as error:
            problems.append(str(error))
        else:
            largest = self.settings.service.largest_lag
            if lag.total > largest:
                problems.append(f"{lag.total} events are not read yet, and {largest} is the most (MNEME_SERVICE__LARGEST_LAG)")
            if lag.alive is False:
                problems.append("no flow runs")
        if self._flow is not None and self._flow.trouble:
            problems.append(self._flow.trouble)
        return Health("red" if problems else "green", tuple(problems), lag)

    @property
    def is_ending(self) -> bool:
        """Whether waiting is over."""
        return self._ending.is_set()

    def end_waits(self) -> None:
        """Let whoever waits for a flush or an erasure go on with what there is: the service is about to be closed."""
        self._ending.set()

    def close(self) -> None:
        """Release everything; a flow of the service's own is stopped in order."""
        self.end_waits()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @cached_property
    def _index(self) -> MemoryIndex:
        index = open_index(self.settings, read_only=True)
        self._stack.callback(index.close)
        return index

    def _awaited(self, keys: Sequence[Key], timeout: float) -> dict[Key, Row]:
        """The rows of keys, as soon as all are there, or those that are when the time is over."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                found = self._index.get(keys)
            except StoreUnavailable:  # the flow has still to make the index
                found = {}
            if len(found) == len(keys) or time.monotonic() > deadline:
                return found
            if self._ending.wait(_POLL_SECONDS):
                return found
