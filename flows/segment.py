"""segment: the messages of a bucket's conversations become cuts.

The work is done by flows/conversation.py; this step keeps the conversations of one bucket, asks the detector (in the
pool where it calls a model), looks after time, and holds no texts of conversations that rest: those are references,
read again from the index when the conversation goes on.
"""

import heapq
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from flows.conversation import Conversation, Held, Limits, Question
from flows.cuts import BoundaryDetector, Cut, Utterance, Verdict
from flows.items import Embedded, Pause, Retraction
from flows.pump import Pump, next_poll
from flows.references import refer, referred
from flows.services import Services
from flows.state import decode_state, encode_state
from mneme.errors import MnemeError, ModelError
from mneme.ids import message_id, section_id
from mneme.records import Owner, StoredMessage
from mneme.rows import Collection, Key
from mneme.times import from_milliseconds, to_milliseconds

STATE_VERSION = 1
_RESTING = 4096  # conversations of a bucket that are kept after they went idle; older ones begin a new episode

Resting = dict[str, Any]

log = logging.getLogger(__name__)


class SegmentLane:
    """The segment step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        boundaries = services.settings.boundaries
        self._services = services
        self._hold_back = timedelta(seconds=boundaries.hold_back_seconds)
        self._idle = timedelta(seconds=boundaries.idle_seconds)
        self._limits = Limits(boundaries.max_messages, boundaries.max_tokens)
        self._pump: Pump[tuple[str, Question], Verdict] = Pump(services.submit, services.clock, patient=1)
        self._awake: dict[str, Conversation] = {}
        self._resting: OrderedDict[str, Resting] = OrderedDict()
        self._judging: set[str] = set()
        self._waiting: dict[str, list[Pause]] = {}
        self._due: list[tuple[datetime, str]] = []
        self._scheduled: dict[str, datetime] = {}
        if state is not None:
            self._restore(decode_state(state, STATE_VERSION))

    def on_batch(self, items: Sequence[Embedded | Pause]) -> Iterator[Cut | Retraction | Pause]:
        """Take in messages and pauses, in order."""
        now = self._services.clock()
        touched: dict[str, None] = {}
        for item in items:
            if isinstance(item, Pause):
                for lane in [item.lane] if item.lane else self._open_lanes():
                    touched.pop(lane, None)
                    yield from self._pause(lane, item, now)
            elif item.utterance.message.document_id is not None:
                yield _section(item.utterance)
            else:
                self._conversation_of(item).hold(item.utterance, now)
                touched[item.lane] = None
        for lane in touched:
            yield from self._go_on(lane, now)
        yield from self.poll()

    def poll(self) -> Iterator[Cut | Retraction | Pause]:
        """Apply the verdicts that came in, and do what is due."""
        now = self._services.clock()
        for (lane, question), outcome in self._pump.finished():
            self._judging.discard(lane)
            conversation = self._awake[lane]
            yield from conversation.apply(question, self._verdict(question, outcome))
            if isinstance(outcome, Verdict) and outcome.tail_complete and not conversation.undecided:
                yield from conversation.pause(self._services.fallback_detector, "boundary")
            waiting = self._waiting.pop(lane, [])
            if not waiting:
                yield from self._go_on(lane, now)
            for pause in waiting:
                yield from self._pause(lane, pause, now)
        while self._due and self._due[0][0] <= now:
            _, lane = heapq.heappop(self._due)
            if self._scheduled.pop(lane, None) is not None:
                yield from self._go_on(lane, now)

    def wake_at(self) -> datetime | None:
        """When something is due: a verdict to look for, a held message, an idle conversation."""
        times = [next_poll(self._services.clock())] if len(self._pump) else []
        if self._due:
            times.append(self._due[0][0])
        return min(times, default=None)

    @property
    def unfinished(self) -> int:
        """Windows at the model."""
        return len(self._pump)

    def snapshot(self) -> bytes:
        """References to the messages of what is open."""
        conversations = {lane: _rest(conversation) for lane, conversation in self._awake.items()}
        for lane, pauses in self._waiting.items():
            conversations[lane]["waiting"] = [refer(pause) for pause in pauses]
        return encode_state(STATE_VERSION, {**self._resting, **conversations})

    # --- conversations -----------------------------------------------------------------------------------------------

    def _conversation_of(self, item: Embedded) -> Conversation:
        conversation = self._wake(item.lane)
        if conversation is None:
            message = item.utterance.message
            assert message.conversation_id is not None
            conversation = Conversation(item.lane, message.owner, message.conversation_id, self._limits)
            self._awake[item.lane] = conversation
        return conversation

    def _wake(self, lane: str) -> Conversation | None:
        """The conversation with its texts; read again from the index if it rested."""
        if lane in self._awake:
            return self._awake[lane]
        resting = self._resting.pop(lane, None)
        if resting is None:
            return None
        conversation = _wake(lane, resting, self._limits, self._services)
        self._awake[lane] = conversation
        for reference in resting.get("waiting", []):
            pause = referred(reference)
            assert isinstance(pause, Pause)
            self._waiting.setdefault(lane, []).append(pause)
        return conversation

    def _lay_to_rest(self, lane: str) -> None:
        self._resting[lane] = _rest(self._awake.pop(lane))
        while len(self._resting) > _RESTING:
            self._resting.popitem(last=False)

    def _open_lanes(self) -> list[str]:
        """Conversations that have something not shown yet."""
        return [*self._awake, *(lane for lane, resting in self._resting.items() if resting["touched"] is not None)]

    def _go_on(self, lane: str, now: datetime) -> Iterator[Cut | Retraction | Pause]:
        conversation = self._wake(lane)
        if conversation is None or lane in self._judging:
            return
        conversation.release(self._hold_back, now)
        yield from self._decide(conversation, pausing=False)
        for pause in self._waiting.pop(lane, []) if lane not in self._judging else []:
            yield from self._pause(lane, pause, now)
        if lane not in self._awake:
            return
        if conversation.touched_at is not None and conversation.touched_at + self._idle <= now:
            yield from self._pause(lane, Pause(lane, "idle"), now)
        else:
            self._schedule(conversation)

    def _pause(self, lane: str, pause: Pause, now: datetime) -> Iterator[Cut | Retraction | Pause]:
        conversation = self._wake(lane)
        if conversation is not None:
            conversation.release(timedelta(0), now)
            if lane not in self._judging:
                yield from self._decide(conversation, pausing=True)
            if lane in self._judging:
                self._waiting.setdefault(lane, []).append(pause)
                return
            yield from conversation.pause(self._inline_detector, pause.reason)
            if pause.reason == "flush":  # what was just written may not be readable yet: rest when idle
                self._schedule(conversation)
            else:
                conversation.touched_at = None
                self._lay_to_rest(lane)
        if pause.flush_id:
            yield pause

    @property
    def _inline_detector(self) -> BoundaryDetector:
        services = self._services
        return services.fallback_detector if services.detector.calls_a_model else services.detector

    def _decide(self, conversation: Conversation, pausing: bool) -> Iterator[Cut | Retraction]:
        detector = self._services.detector
        while (question := conversation.question(detector, pausing)) is not None:
            if detector.calls_a_model:
                self._judging.add(conversation.lane)
                call = partial(detector.judge, question.context, question.judged, question.ahead)
                self._pump.add(conversation.lane, (conversation.lane, question), call)
                return
            yield from conversation.apply(question, detector.judge(question.context, question.judged, question.ahead))

    def _verdict(self, question: Question, outcome: Verdict | BaseException | None) -> Verdict:
        """The model's verdict, or that of the detector that needs no model when it failed."""
        if isinstance(outcome, Verdict):
            return outcome
        if not isinstance(outcome, ModelError):
            raise outcome or MnemeError("a boundary window came back without a verdict")
        log.warning("the boundary model failed, cutting without it: %s", outcome)
        return self._services.fallback_detector.judge(question.context, question.judged, question.ahead)

    def _schedule(self, conversation: Conversation) -> None:
        times = [time for time in (conversation.release_at(self._hold_back),) if time is not None]
        if conversation.touched_at is not None:
            times.append(conversation.touched_at + self._idle)
        due = min(times, default=None)
        scheduled = self._scheduled.get(conversation.lane)
        if due is not None and (scheduled is None or due < scheduled):
            self._scheduled[conversation.lane] = due
            heapq.heappush(self._due, (due, conversation.lane))

    def _restore(self, state: dict[str, Resting]) -> None:
        self._resting.update(state)
        now = self._services.clock()
        for lane, resting in state.items():
            if resting["touched"] is not None:
                self._scheduled[lane] = now
                heapq.heappush(self._due, (now, lane))


def _section(utterance: Utterance) -> Cut:
    """A chunk of a document is an episode of its own."""
    message = utterance.message
    assert message.document_id is not None
    return Cut(
        id=section_id(message.owner.tenant_id, message.document_id, int(message.metadata["chunk"])),
        owner=message.owner,
        conversation_id=None,
        document_id=message.document_id,
        utterances=(utterance,),
        closed_by="section",
        document_name=message.sender_name,
        section=str(message.metadata.get("section") or "") or None,
    )


def _rest(conversation: Conversation) -> Resting:
    owner = conversation.owner
    return {
        "owner": [owner.tenant_id, owner.type, owner.id],
        "conversation": conversation.conversation_id,
        "held": [[held.utterance.message.message_id, to_milliseconds(held.arrived_at)] for held in conversation.held],
        "undecided": [utterance.message.message_id for utterance in conversation.undecided],
        "episode": [utterance.message.message_id for utterance in conversation.episode],
        "provisional": conversation.provisional,
        "touched": to_milliseconds(conversation.touched_at) if conversation.touched_at else None,
    }


def _wake(lane: str, resting: Resting, limits: Limits, services: Services) -> Conversation:
    tenant_id, owner_type, owner_id = resting["owner"]
    owner = Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)
    conversation = Conversation(lane, owner, resting["conversation"], limits)
    held = dict(resting["held"])
    ids = [*resting["episode"], *resting["undecided"], *held]
    keys = {
        caller_id: Key(Collection.MESSAGES, owner.key, message_id(tenant_id, conversation.conversation_id, caller_id))
        for caller_id in ids
    }
    rows = services.index.get(list(keys.values()), with_vectors=True)

    def read(caller_ids: list[str]) -> Iterator[Utterance]:
        for caller_id in caller_ids:
            row = rows.get(keys[caller_id])
            if row is None:  # erased meanwhile, or refused by the index and in the dead letters
                log.warning("message %s of %s is no longer in the index", caller_id, lane)
            elif isinstance(message := row.record(), StoredMessage):
                yield Utterance(message, row.vector)

    conversation.episode = list(read(resting["episode"]))
    conversation.undecided = list(read(resting["undecided"]))
    conversation.held = [Held(u, from_milliseconds(held[u.message.message_id])) for u in read(list(held))]
    conversation.provisional = dict(resting["provisional"])
    conversation.touched_at = from_milliseconds(resting["touched"]) if resting["touched"] is not None else None
    return conversation
