"""The service: memories to ask, a way in for what is new, and the flow between them where it is its own.

``mneme serve`` opens one, and REST, the MCP server and the console are views of it; ``mneme mcp`` opens one of its own.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import Any, Literal, Self, TypeVar
from uuid import uuid4

from pydantic import Field, computed_field

from connectors import Publisher
from connectors.inbox import LANES
from connectors.inbox import unread as unread_of_inbox
from connectors.indices import open_index
from flows.lanes.owners import owner_in
from mneme.errors import InputError, MnemeError, NoIndexYet, StoreUnavailable
from mneme.events import AnyEvent, Erase, Flush, Forget, ForgetDocument
from mneme.ids import content_hash
from mneme.ports import Lag, MemoryIndex
from mneme.receipts import erasure_receipt, flush_marker
from mneme.records import Owner
from mneme.rows import Collection, Key, Row
from mneme.settings import Settings
from mneme.times import utc_now
from queries import Memories
from queries.responses import ResponseModel
from serving.service.flow_process import FlowProcess
from serving.service.health import Health, HealthMonitor
from serving.service.intake import BacklogQuota, RecentConversations, open_conversations
from serving.service.waiting import RowWaiter

_LAG_SECONDS = 2.0  # a broker is asked no more often than that

Opened = TypeVar("Opened")
ErasureEvent = Forget | ForgetDocument | Erase


class FlushStatus(ResponseModel):
    """State of a flush: ``searchable`` once the messages, episodes and facts of all that was sent before it are found."""

    flush_ids: tuple[str, ...] = Field(description="one for each conversation")
    conversation_ids: tuple[str, ...] = Field(description="that were waited for; empty where only a flush id is asked for")
    missing: tuple[str, ...] = Field(description="flush ids of those not searchable yet: GET /flushes/{id} waits for each")
    seconds: float = Field(description="that it took so far")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def searchable(self) -> bool:
        """Tell whether everything sent before the flush is searchable."""
        return not self.missing


class ErasureStatus(ResponseModel):
    """An erasure. ``receipt`` counts what was removed from where, once nothing is left; null until then."""

    erasure_id: str
    receipt: dict[str, int] | None = Field(default=None, examples=[{"messages": 12, "episodes": 2, "facts": 9}])
    erased_at: datetime | None = Field(default=None, description="since when nothing is left")


class Service:
    """Everything behind the views. Safe for several threads; a context manager.

    Args:
        settings: where and how.

    Raises:
        SettingsError: a setting is wrong.
        StoreUnavailable, StoreRejected: the index or the broker cannot be opened.
    """

    def __init__(self, settings: Settings) -> None:
        # Where MNEME_SERVICE__URL is set, clients on this machine mean this service by it: it must not ask itself.
        self.settings = settings.replace(service={"url": None})
        self._opening = {name: Lock() for name in ("memories", "publisher", "index")}  # none waits for another
        self._open: dict[str, Any] = {}
        self._stack = ExitStack()
        self._waiting = RowWaiter(lambda keys: self._index.get(keys))
        self._pulse = HealthMonitor(self._current_health)
        self._recent = RecentConversations()
        self._lag: tuple[float, Lag] | None = None
        self._intake = BacklogQuota(has_several=len({*settings.service.keys.values()}) > 1)
        self._flow: FlowProcess | None = None
        if self.intake == "inbox":
            self._flow = FlowProcess(self.settings)
            self._stack.callback(self._flow.stop)

    @cached_property
    def memories(self) -> Memories:
        """The memories, to be asked."""
        return self._opened("memories", lambda: Memories.open(self.settings))

    @property
    def intake(self) -> Literal["kafka", "inbox", "none"]:
        """Way in for events: ``MNEME_SERVICE__INTAKE``, with ``auto`` decided."""
        return self.settings.intake

    @property
    def takes_events(self) -> bool:
        """Tell whether there is a way in; else this service only answers."""
        return self.intake != "none"

    @cached_property
    def publisher(self) -> Publisher:
        """The way in.

        Raises:
            InputError: this service only answers.
            StoreUnavailable, StoreRejected, SettingsError: the broker does not answer, or refuses.
        """
        if not self.takes_events:
            raise InputError(
                "this service only answers (MNEME_SERVICE__INTAKE=none); send events to the one that takes them in"
            )
        return self._opened("publisher", lambda: Publisher.connect(self.settings))

    def accept(self, events: Sequence[AnyEvent], backfill: bool = False) -> None:
        """Take in events; durable on return.

        Raises:
            InputError: an event is too large, an erasure has the id of another, or this service only answers; then none was
                taken in.
            StoreUnavailable, StoreRejected: they could not be kept, or too many of their tenant are unread (intake.py); to send
                them again is safe.
        """
        if not events:
            return
        self.publisher.check(events)
        self._refuse_used_ids([event for event in events if isinstance(event, ErasureEvent) and event.erasure_id])
        if self._intake.has_several and not backfill:
            with suppress(StoreUnavailable):  # the broker does not answer: then sending says so
                self.lag()
            self._intake.take(events)
        self._recent.note(events)
        self.publisher.send_many(events, backfill)
        self.publisher.flush()

    def flush(self, tenant_id: str, conversation_ids: Sequence[str], timeout: float) -> FlushStatus:
        """Make everything that was sent to these conversations searchable, and wait for it, at most ``timeout`` seconds.

        Raises:
            InputError, StoreUnavailable, StoreRejected: as ``accept``.
        """
        return self.flush_all([(tenant_id, each) for each in conversation_ids], timeout)

    def flush_all(self, conversations: Iterable[tuple[str, str]], timeout: float) -> FlushStatus:
        """The same for conversations of several tenants, each named before its conversation."""
        began = time.monotonic()
        flushes = [Flush(tenant_id=tenant, conversation_id=each, flush_id=uuid4().hex) for tenant, each in conversations]
        self.accept(flushes)
        markers = {_marker(flush.tenant_id, flush.flush_id): flush.flush_id for flush in flushes}
        rows = self._awaited(list(markers), timeout)
        missing = tuple(flush_id for key, flush_id in markers.items() if key not in rows)
        return FlushStatus(
            flush_ids=tuple(markers.values()),
            conversation_ids=tuple(flush.conversation_id for flush in flushes),
            missing=missing,
            seconds=round(time.monotonic() - began, 3),
        )

    def flush_owner(self, owner: Owner, timeout: float) -> FlushStatus:
        """The same for all conversations of an owner that have anything open.

        They are those with messages in no episode, and those to which this service took in messages lately.

        Raises:
            InputError, StoreUnavailable, StoreRejected: as ``accept``, and of the index.
        """
        lately = self._recent.of(owner.tenant_id, owner.key)
        try:
            stored = list(open_conversations(self._index, owner))
        except StoreUnavailable:
            if self._flow is None:
                raise
            stored = []  # the flow has still to make the index: all that there is came lately
        return self.flush(owner.tenant_id, tuple(dict.fromkeys((*lately, *stored))), timeout)

    def wait_for_flush(self, tenant_id: str, flush_id: str, timeout: float) -> bool:
        """Wait until everything that was sent before a flush is searchable, at most ``timeout`` seconds.

        Raises:
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        return bool(self._waiting.wait([_marker(tenant_id, flush_id)], timeout))

    def erase(self, event: ErasureEvent, timeout: float) -> ErasureStatus:
        """Erase, and wait for the receipt, at most ``timeout`` seconds. From the inbox it is gone two epochs later.

        Raises:
            InputError, StoreUnavailable, StoreRejected: as ``accept``.
        """
        if not event.erasure_id:
            event = event.model_copy(update={"erasure_id": uuid4().hex})
        self.accept([event])
        key = _receipt(event.tenant_id, event.erasure_id)
        return _erasure(event.erasure_id, self._awaited([key], timeout).get(key))

    def owner_of_conversation(self, tenant_id: str, conversation_id: str) -> Owner | None:
        """Owner of a conversation; None for an unknown one.

        Raises:
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        return owner_in(self._index, tenant_id, conversation_id)

    def erasure(self, tenant_id: str, erasure_id: str, timeout: float) -> ErasureStatus:
        """State of an erasure, as soon as nothing is left, or ``timeout`` seconds from now.

        Raises:
            StoreUnavailable, StoreRejected: the index cannot answer.
        """
        key = _receipt(tenant_id, erasure_id)
        return _erasure(erasure_id, self._waiting.wait([key], timeout).get(key))

    def lag(self) -> Lag:
        """Unread events by lane; at most two seconds old.

        Raises:
            StoreUnavailable, StoreRejected: the broker does not answer, or refuses.
        """
        latest = self._lag
        if latest is None or latest[0] < time.monotonic() - _LAG_SECONDS:
            self._lag = latest = (time.monotonic(), self._current_lag())
            self._intake.measured(latest[1].total)
        return latest[1]

    def searchable_messages(self) -> int:
        """Number of searchable messages, of all tenants.

        Raises:
            StoreUnavailable, StoreRejected: the index does not answer, or there is none yet.
        """
        return self._index.count(Collection.MESSAGES)

    def health(self) -> Health:
        """Tell whether the index answers and the flow keeps up, within a second in any case."""
        return self._pulse.health()

    def explained(self, error: Exception) -> Exception:
        """The error, or the one that says that a flow of the service's own is about to make the index."""
        if isinstance(error, NoIndexYet) and self._flow is not None and self._flow.is_starting:
            return NoIndexYet("starting: the flow has still to make the index; ask again in some seconds")
        return error

    @property
    def runs_the_flow(self) -> bool:
        """Tell whether events are read here, and nowhere if this service ends."""
        return self._flow is not None and not self._flow.runs_elsewhere

    def end_waiting(self) -> None:
        """Let whoever waits for a flush or an erasure go on with what there is: the service is about to be closed."""
        self._waiting.end()

    def close(self) -> None:
        """Release everything; a flow of the service's own is stopped in order."""
        self.end_waiting()
        self._pulse.end()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _refuse_used_ids(self, erasures: Sequence[ErasureEvent]) -> None:
        """Refuse an erasure under the id of another, whose receipt would be taken for its own."""
        subjects: dict[Key, str] = {}
        with suppress(StoreUnavailable):  # the flow may have still to make the index
            known = self._index.get([_receipt(each.tenant_id, each.erasure_id) for each in erasures]) if erasures else {}
            subjects = {key: receipt.body.get("of", "") for key, receipt in known.items()}
        for each in erasures:
            subject = content_hash(each.subject.encode())
            if subjects.setdefault(_receipt(each.tenant_id, each.erasure_id), subject) not in (subject, ""):
                raise InputError(f"erasure_id: {each.erasure_id!r} is that of another erasure; give each one of its own")

    def _current_health(self) -> Health:
        problems, lag = [], None
        try:
            self._index.count(Collection.CONTROL)
        except MnemeError as error:
            problems.append(str(self.explained(error)))
        try:
            lag = self.lag()
            if self._flow is not None and not self._flow.is_alive:
                why = self._flow.failure or "it is started again"
                problems.append(f"the flow does not run, and what is sent waits in the inbox: {why}")
        except MnemeError as error:
            problems.append(str(error))
        else:
            largest = self.settings.service.largest_lag
            if lag.total > largest:
                problems.append(
                    f"the flow is behind: {lag.total} events are not read yet, and {largest} is the most "
                    "(MNEME_SERVICE__LARGEST_LAG); wait, or send less at a time"
                )
        return Health("red" if problems else "green", tuple(problems), lag)

    @cached_property
    def _index(self) -> MemoryIndex:
        return self._opened("index", lambda: closing(open_index(self.settings, read_only=True)))

    def _opened(self, name: str, open_it: Callable[[], AbstractContextManager[Opened]]) -> Opened:
        """Open a part at its first use, once; it is closed with the service."""
        with self._opening[name]:
            if name not in self._open:
                self._open[name] = self._stack.enter_context(open_it())
            opened: Opened = self._open[name]
            return opened

    def _awaited(self, keys: Sequence[Key], timeout: float) -> dict[Key, Row]:
        """The rows of keys, as soon as all are there, or those that are when the time is over."""
        if not keys or timeout <= 0:
            return {}
        try:
            return self._waiting.wait(keys, timeout)
        except StoreUnavailable:  # what was sent is kept; the flow may have still to make the index
            return {}

    def _current_lag(self) -> Lag:
        if self._flow is not None:
            return Lag({lane: unread_of_inbox(self.settings.data, lane) for lane in LANES}, self._flow.is_alive)
        if self.intake == "none":
            return Lag({})
        from connectors.kafka.client import topics_of_lanes, unread

        named = topics_of_lanes(self.settings.kafka.topics)
        unread_events = unread(self.settings.kafka, *named.values())
        return Lag({lane: unread_events[topic] for lane, topic in named.items()})


def _marker(tenant_id: str, flush_id: str) -> Key:
    return flush_marker(tenant_id, flush_id, utc_now()).key


def _receipt(tenant_id: str, erasure_id: str) -> Key:
    return erasure_receipt(tenant_id, erasure_id, utc_now(), {}).key


def _erasure(erasure_id: str, receipt: Row | None) -> ErasureStatus:
    if receipt is None:
        return ErasureStatus(erasure_id=erasure_id)
    return ErasureStatus(erasure_id=erasure_id, receipt=receipt.body["removed"], erased_at=receipt.body["erased_at"])
