"""segment: the messages of a bucket's conversations become cuts.

The work is done in flows/conversations/. This step keeps the conversations of one bucket, looks after time, and asks the
detector, in the pool where it calls a model. It holds no texts of conversations that rest: those are references, read again
from the index, in the pool, when the conversation goes on. Changes of what was decided long ago, and conversations that were
forgotten here, are read from the index too (resegment.py). While a conversation waits for the pool it only takes in messages.
Changes and pauses wait with it, and whatever comes behind them waits behind them. So it makes no difference how long the pool
takes. One that meets a defect is put in quarantine, and a ``flush`` asks for it again; the others go on
(flows/conversations/dormant.py).
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from connectors.telemetry.tracing import about
from flows.conversations.conversation import Conversation, Question, sort_key
from flows.conversations.dormant import (
    ActiveConversations,
    Dormant,
    DormantConversations,
    QueuedItem,
    from_dormant,
    is_quarantined,
    joined,
    note_in_quarantine,
    parts_in,
    quarantine_dead_letter,
    quarantined,
    read_texts,
    release_from_quarantine,
    to_dormant,
)
from flows.conversations.resegment import Reloaded, Resegmented, reload, resegment
from flows.cuts import BoundaryDetector, Cut, Verdict, correction_id, cut_of_chunk, cut_of_correction
from flows.items import Amended, Embedded, Erasure, Pause, Retraction, WriteBatch, owner_of, refer, referred
from flows.lanes.erasures import Tombstone
from flows.lanes.scheduling import KeyedJobs, Timers, is_defect, next_poll
from flows.lanes.services import Services
from mneme.ports import DeadLetter, Remove
from mneme.receipts import flush_marker
from mneme.rows import Key

# Conversations of a bucket that are kept after they went idle, 32,768 of 256 buckets; older ones are found again in the index.
# All are written whenever one of them goes on: some 20 KB.
_MOST_DORMANT = 128
_MOST_LOADING = 4  # conversations of a bucket that are read at a time because it is time: after a restart that may be very many
_TIMES_MILLISECONDS = 100  # what is due is looked at together: each time costs the engine a look at all buckets

Out = Cut | Retraction | Pause | Erasure | WriteBatch | DeadLetter
Found = TypeVar("Found")

log = logging.getLogger(__name__)


class SegmentLane:
    """The segment step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        boundaries = services.settings.boundaries
        self._services = services
        self._hold_back = timedelta(seconds=boundaries.hold_back_seconds)
        self._idle = timedelta(seconds=boundaries.idle_seconds)
        self._limits = boundaries
        self._verdicts: KeyedJobs[tuple[str, Question], Verdict] = KeyedJobs(
            services.pool(services.detector.calls_a_model), services.clock
        )
        self._texts: KeyedJobs[str, Conversation] = KeyedJobs(services.submit, services.clock)
        self._past: KeyedJobs[tuple[Conversation, Key], Resegmented | Reloaded] = KeyedJobs(
            services.pool(services.detector.calls_a_model), services.clock
        )
        self._active = ActiveConversations()
        self._dormant = DormantConversations()
        self._at_work: set[str] = set()  # in the pool, with a verdict or with the past
        self._loading_texts: dict[str, Dormant] = {}
        self._waiting: dict[str, list[QueuedItem]] = {}
        self._timers = Timers()
        if state is not None:
            self._restore(state)

    def on_batch(self, items: Sequence[Embedded | Amended | Retraction | Pause | Erasure]) -> Iterator[Out]:
        """Take in messages, changes and pauses, in order."""
        now = self._services.clock()
        touched: dict[str, None] = {}
        for item in items:
            if isinstance(item, Pause):
                for lane in [item.lane] if item.lane else self._open_lanes():
                    touched.pop(lane, None)
                    if item.reason == "flush" and self._is_quarantined(lane):
                        self._dormant[lane] = release_from_quarantine(self._dormant[lane], now)
                    yield from self._pause_unless_defective(lane, item, now)
            elif isinstance(item, Erasure):
                for lane in self._erased_lanes(item):
                    touched.pop(lane, None)
                    self._erase(lane, item)
                yield from self._pass_on_if_done(item)
            elif isinstance(item, Retraction):  # of a chunk of a document
                yield item
            elif item.utterance.message.document_id is not None:
                yield cut_of_chunk(item.utterance)
            elif (message := item.utterance.message).corrects is not None:
                gone = Retraction(item.lane, message.owner, correction_id(message))
                yield gone if message.deleted else cut_of_correction(item.utterance)
            else:
                if isinstance(item, Amended) and item.lane in touched:
                    yield from self._unless_defective(item.lane, self._go_on(item.lane, now))
                self._take_in(item, now)
                touched[item.lane] = None
        for lane in touched:
            yield from self._unless_defective(lane, self._go_on(lane, now))
        yield from self.poll()

    def poll(self) -> Iterator[Out]:
        """Take what the pool has found out, and do what is due."""
        now = self._services.clock()
        for lane, texts in self._texts.finished():
            yield from self._unless_defective(lane, self._with_texts(lane, texts))
            yield from self._resume(lane, now)
        for (lane, question), outcome in self._verdicts.finished():
            yield from self._unless_defective(lane, self._with_verdict(lane, question, outcome))
            yield from self._resume(lane, now)
        for (as_it_was, marker), found in self._past.finished():
            yield WriteBatch((Remove(marker, self._services.versions.next()),))
            yield from self._unless_defective(as_it_was.lane, self._with_past(as_it_was, found))
            yield from self._resume(as_it_was.lane, now)
        while len(self._loading_texts) < _MOST_LOADING and (due := self._timers.take(now)) is not None:
            yield from self._unless_defective(due, self._go_on(due, now))

    def wake_at(self) -> datetime | None:
        """The time of the next poll: results of the pool, a held message, or an idle conversation."""
        times = [next_poll(self._services.clock())] if self._at_work or self._loading_texts else []
        if (due := self._timers.next()) is not None and len(self._loading_texts) < _MOST_LOADING:
            times.append(next_poll(due, _TIMES_MILLISECONDS))
        return min(times, default=None)

    @property
    def unfinished(self) -> int:
        """Messages that wait for a verdict, and conversations that are read again."""
        return sum(len(self._active[lane].undecided) or 1 for lane in self._at_work) + len(self._loading_texts)

    def snapshot(self) -> bytes:
        """References to the messages of what is open."""
        parts = self._active.parts(self._loading_texts, self._waiting, self._at_work, self._services.clock())
        return joined((*self._dormant.parts(), *parts))

    def epoch_done(self) -> None:
        """Nothing here depends on epochs."""

    # --- conversations -----------------------------------------------------------------------------------------------

    def _take_in(self, item: Embedded | Amended, now: datetime) -> None:
        """A message or a change joins its conversation, unless it must wait for what came before it."""
        lane = item.lane
        if self._is_quarantined(lane):
            before = self._dormant[lane]
            if (after := note_in_quarantine(before, item, now)) is not before:
                self._dormant[lane] = after
            return
        conversation = self._conversation_of(lane, item, isinstance(item, Amended) or item.continues)
        if lane in self._waiting or (isinstance(item, Amended) and self._waits_for_the_pool(lane)):
            self._waiting.setdefault(lane, []).append(item)
        elif isinstance(item, Embedded):
            conversation.hold(item.utterance, now, doubtful=item.replayed)
        else:
            conversation.amend(item.utterance, now, item.replayed)

    def _conversation_of(self, lane: str, item: Embedded | Amended, has_a_past: bool) -> Conversation:
        conversation = self._wake(lane)
        if conversation is None:
            message = item.utterance.message
            assert message.conversation_id is not None
            conversation = Conversation(lane, message.owner, message.conversation_id, self._limits, forgotten=has_a_past)
            self._active[lane] = conversation
        return conversation

    def _wake(self, lane: str) -> Conversation | None:
        """The conversation; if it rested, its texts are read again from the index."""
        if lane in self._active:
            return self._active[lane]
        resting = self._dormant.pop(lane, None)
        if resting is None:
            return None
        self._active[lane] = conversation = from_dormant(lane, resting, self._limits)
        self._loading_texts[lane] = resting
        self._texts.add(lane, lane, partial(read_texts, conversation, resting, self._services))
        for reference in resting.get("waiting", []):
            waiting = referred(reference)
            assert isinstance(waiting, Pause | Erasure)
            self._waiting.setdefault(lane, []).append(waiting)
        return conversation

    def _with_texts(self, lane: str, outcome: object) -> Iterator[Out]:
        texts = _result(outcome, Conversation)
        del self._loading_texts[lane]
        conversation = self._active[lane]
        conversation.episode, conversation.undecided = texts.episode, texts.undecided
        conversation.held = sorted([*texts.held, *conversation.held], key=lambda held: sort_key(held.utterance))
        conversation.changes = texts.changes | conversation.changes
        yield from ()

    def _with_verdict(self, lane: str, question: Question, outcome: object) -> Iterator[Out]:
        verdict = _result(outcome, Verdict)
        self._at_work.discard(lane)
        conversation = self._active[lane]
        yield from conversation.apply(question, verdict)
        if verdict.tail_complete and not conversation.undecided:
            yield from conversation.pause(self._services.fallback_detector, "boundary")

    def _with_past(self, as_it_was: Conversation, found: Resegmented | Reloaded | BaseException | None) -> Iterator[Out]:
        if isinstance(found, BaseException):
            raise found
        assert found is not None, "only jobs with a result are handed to the pool"
        self._at_work.discard(as_it_was.lane)
        conversation = self._active[as_it_was.lane]
        yield from found.work_into(conversation, as_it_was)
        if found.open is not None:
            yield from self._show_anew(conversation)

    def _waits_for_the_pool(self, lane: str) -> bool:
        return lane in self._at_work or lane in self._loading_texts

    def _make_dormant(self, lane: str) -> None:
        self._timers.cancel(lane)
        self._dormant[lane] = to_dormant(self._active.pop(lane), None)
        self._dormant.forget_oldest(_MOST_DORMANT)

    def _open_lanes(self) -> list[str]:
        """Conversations that have something not shown yet."""
        return [*self._active, *(lane for lane in self._dormant if not self._dormant.is_shown(lane))]

    def _resume(self, lane: str, now: datetime) -> Iterator[Out]:
        """The pool has answered: do what had to wait for it, in order."""
        waiting = self._waiting.pop(lane, [])
        # Erasures first: what came in behind one must not be decided together with what is erased.
        last = max((at for at, each in enumerate(waiting) if isinstance(each, Erasure)), default=-1)
        for _, item in sorted(enumerate(waiting), key=lambda each: each[0] > last or isinstance(each[1], Pause)):
            if isinstance(item, Pause):
                yield from self._pause_unless_defective(lane, item, now)
            elif isinstance(item, Erasure):
                self._erase(lane, item)
                yield from self._pass_on_if_done(item)
            else:
                if isinstance(item, Amended) and lane in self._active:
                    yield from self._unless_defective(lane, self._go_on(lane, now))
                self._take_in(item, now)
                if isinstance(item, Amended):  # it is worked in without what came behind it
                    yield from self._unless_defective(lane, self._go_on(lane, now))
        if lane in self._active:
            yield from self._unless_defective(lane, self._go_on(lane, now))

    def _go_on(self, lane: str, now: datetime) -> Iterator[Out]:
        if self._is_quarantined(lane):
            return
        conversation = self._wake(lane)
        if conversation is None or self._waits_for_the_pool(lane):
            return
        yield from self._advance(conversation, self._hold_back, now)
        if conversation.touched_at is not None and abs(now - conversation.touched_at) >= self._idle:
            yield from self._pause(lane, Pause(lane, "idle"), now)
        else:
            self._schedule(conversation)

    def _pause(self, lane: str, pause: Pause, now: datetime) -> Iterator[Out]:
        conversation = None if self._dormant.is_shown(lane) else self._wake(lane)
        if conversation is not None:
            if not self._waits_for_the_pool(lane):
                yield from self._advance(conversation, timedelta(0), now, pausing=True)
            if self._waits_for_the_pool(lane):
                self._waiting.setdefault(lane, []).append(pause)
                return
            yield from conversation.pause(self._inline_detector, pause.reason)
            if pause.reason == "flush":  # what was just written may not be readable yet: rest when idle
                self._schedule(conversation)
            else:
                conversation.touched_at = None
                self._make_dormant(lane)
        if pause.flush_id:
            yield pause

    # --- defects -----------------------------------------------------------------------------------------------------

    def _is_quarantined(self, lane: str) -> bool:
        return self._dormant.is_shown(lane) and is_quarantined(self._dormant[lane])

    def _unless_defective(self, lane: str, work: Iterator[Out]) -> Iterator[Out]:
        """Do work on a conversation: yield all of its items or, if it meets a defect, the dead letter alone."""
        try:
            done = list(work)
        except Exception as error:  # whatever it is, it must not stop the other conversations at every start
            if not is_defect(error):
                raise
            with about(conversation=lane):
                log.error("conversation put in quarantine: %s; see the dead letters", type(error).__name__)
            done = [self._quarantine(lane, error)]
        yield from done

    def _pause_unless_defective(self, lane: str, pause: Pause, now: datetime) -> Iterator[Out]:
        """A flush is answered in any case: what it flushed is searchable as it was said."""
        done = list(self._unless_defective(lane, self._pause(lane, pause, now)))
        yield from done
        if pause.flush_id and any(isinstance(item, DeadLetter) for item in done):
            yield pause

    def _quarantine(self, lane: str, error: Exception) -> DeadLetter:
        self._at_work.discard(lane)
        self._timers.cancel(lane)
        resting = quarantined(self._active.pop(lane), self._loading_texts.pop(lane, None))
        self._dormant[lane] = resting
        return quarantine_dead_letter(lane, resting, error, self._services.clock())

    # --- erasures ----------------------------------------------------------------------------------------------------

    def _erased_lanes(self, erasure: Erasure) -> list[str]:
        """The conversations that are known here and erased."""
        lanes = [lane for lane, conversation in self._active.items() if erasure.concerns(lane, conversation.owner)]
        return lanes + [lane for lane, resting in self._dormant.items() if erasure.concerns(lane, owner_of(resting))]

    def _erase(self, lane: str, erasure: Erasure) -> None:
        """Forget a conversation, once the pool is done with it; what came in behind the erasure stays."""
        if self._dormant.get(lane, {}).get("waiting"):
            self._wake(lane)  # so that what waits with it goes on
        if self._waits_for_the_pool(lane):
            self._waiting.setdefault(lane, []).append(erasure)
            return
        self._dormant.pop(lane, None)
        self._timers.cancel(lane)
        if (conversation := self._active.pop(lane, None)) is not None:
            tombstone = Tombstone(erasure.position, erasure.arrived_at)
            left = conversation.without(lambda message: tombstone.covers(message.position, message.created_at))
            if left is not None:
                self._active[lane] = left
                self._schedule(left)

    def _pass_on_if_done(self, erasure: Erasure) -> Iterator[Erasure]:
        """The last conversation that held an erasure up lets it go on."""
        is_waiting = any(erasure in waiting for waiting in self._waiting.values())
        if not is_waiting and not any(refer(erasure) in resting.get("waiting", ()) for resting in self._dormant.values()):
            yield erasure

    @property
    def _inline_detector(self) -> BoundaryDetector:
        services = self._services
        return services.fallback_detector if services.detector.calls_a_model else services.detector

    def _advance(self, conversation: Conversation, hold_back: timedelta, now: datetime, pausing: bool = False) -> Iterator[Out]:
        """Let messages go on, work changes in, and decide, as far as that needs no answer of the pool."""
        if conversation.forgotten:
            yield from self._load_past(conversation, reload)
            return
        yield from conversation.change_held()
        conversation.release(hold_back, now)
        if not conversation.reaches(self._services.detector.look_ahead):
            yield from self._load_past(conversation, resegment)
            return
        outdated = bool(conversation.changes and conversation.provisional)
        if conversation.changes:
            yield from conversation.work_in()
        yield from self._decide(conversation, pausing)
        if outdated:
            yield from self._show_anew(conversation)

    def _decide(self, conversation: Conversation, pausing: bool) -> Iterator[Cut | Retraction]:
        while (question := conversation.question(self._services.detector, pausing)) is not None:
            verdict = partial(self._services.verdict, question.context, question.judged, question.ahead)
            if self._services.detector.calls_a_model:
                self._at_work.add(conversation.lane)
                self._verdicts.add(conversation.lane, (conversation.lane, question), verdict)
                return
            yield from conversation.apply(question, verdict())

    def _show_anew(self, conversation: Conversation) -> Iterator[Cut | Retraction]:
        """Replace at once what was shown with a message that has changed, without waiting for the next pause."""
        return conversation.pause(self._inline_detector, "idle")

    def _schedule(self, conversation: Conversation) -> None:
        times = [time for time in (conversation.release_at(self._hold_back),) if time is not None]
        if conversation.touched_at is not None:
            times.append(conversation.touched_at + self._idle)
        if times:
            self._timers.set(conversation.lane, min(times))

    def _restore(self, state: bytes) -> None:
        for lane, part in parts_in(state):
            self._dormant.from_state(lane, part)
        now = self._services.clock()
        latest = now + max(self._hold_back, self._idle)  # a later one is of a clock that has been put back since
        for lane in self._dormant:
            if (time := self._dormant.due(lane, self._hold_back, self._idle)) is not None:
                self._timers.set(lane, time if time <= latest else now)

    # --- the past ----------------------------------------------------------------------------------------------------

    def _load_past(
        self,
        conversation: Conversation,
        work: Callable[[Conversation, Key, Services], Resegmented | Reloaded],
    ) -> Iterator[Pause]:
        """Let the pool read what is in the index of a conversation, once all that was sent on is there."""
        services, owner = self._services, conversation.owner
        marked = f"{conversation.lane}@{services.versions.next()}"
        marker = flush_marker(owner.tenant_id, marked, services.clock()).key
        copy = conversation.as_it_is()
        self._at_work.add(conversation.lane)
        self._past.add(conversation.lane, (copy, marker), partial(work, copy, marker, services))
        yield Pause(conversation.lane, "flush", tenant_id=owner.tenant_id, flush_id=marked, owner_key=owner.key)


def _result(outcome: object, kind: type[Found]) -> Found:
    """The result of a job; its error is raised."""
    if isinstance(outcome, BaseException):
        raise outcome
    assert isinstance(outcome, kind), "only jobs with a result are handed to the pool"
    return outcome
