"""segment: the messages of a bucket's conversations become cuts.

The work is done by flows/conversation.py; this step keeps the conversations of one bucket, asks the detector (in the
pool where it calls a model), looks after time, and holds no texts of conversations that rest: those are references,
read again from the index, in the pool, when the conversation goes on. While a conversation waits for the pool it only
takes in messages; pauses wait with it.
"""

import heapq
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial

from flows.conversation import Conversation, Limits, Question
from flows.cuts import BoundaryDetector, Cut, Utterance, Verdict
from flows.items import Embedded, Pause, Retraction
from flows.pump import Pump, next_poll
from flows.references import refer, referred
from flows.rest import Resting, Texts, read_texts, rest, without_texts
from flows.services import Services
from flows.state import decode_state, encode_state
from mneme.errors import MnemeError, ModelError, StoreUnavailable
from mneme.ids import section_id

STATE_VERSION = 1
# Conversations of a bucket that are kept after they went idle; older ones begin a new episode. All are written whenever
# one of them goes on: 512 cost some 10 ms.
_RESTING = 512

log = logging.getLogger(__name__)


class SegmentLane:
    """The segment step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        boundaries = services.settings.boundaries
        self._services = services
        self._hold_back = timedelta(seconds=boundaries.hold_back_seconds)
        self._idle = timedelta(seconds=boundaries.idle_seconds)
        self._limits = Limits(boundaries.max_messages, boundaries.max_tokens)
        self._verdicts: Pump[tuple[str, Question], Verdict] = Pump(services.submit, services.clock, patient=1)
        self._texts: Pump[str, Texts] = Pump(services.submit, services.clock)
        self._awake: dict[str, Conversation] = {}
        self._resting: OrderedDict[str, Resting] = OrderedDict()
        self._judging: set[str] = set()
        self._waking: dict[str, Resting] = {}
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
                self._conversation_of(item).hold(item.utterance, now, doubtful=item.replayed)
                touched[item.lane] = None
        for lane in touched:
            yield from self._go_on(lane, now)
        yield from self.poll()

    def poll(self) -> Iterator[Cut | Retraction | Pause]:
        """Apply the verdicts that came in, and do what is due."""
        now = self._services.clock()
        for lane, texts in self._texts.finished():
            if not isinstance(texts, Texts):
                raise texts or MnemeError(f"the texts of {lane} did not come back")
            del self._waking[lane]
            conversation = self._awake[lane]
            conversation.episode, conversation.undecided = texts.episode, texts.undecided
            conversation.held = sorted([*texts.held, *conversation.held], key=lambda held: held.place)
            yield from self._resume(lane, now)
        for (lane, question), outcome in self._verdicts.finished():
            self._judging.discard(lane)
            conversation = self._awake[lane]
            yield from conversation.apply(question, self._verdict(question, outcome))
            if isinstance(outcome, Verdict) and outcome.tail_complete and not conversation.undecided:
                yield from conversation.pause(self._services.fallback_detector, "boundary")
            yield from self._resume(lane, now)
        while self._due and self._due[0][0] <= now:
            due, lane = heapq.heappop(self._due)
            if self._scheduled.get(lane) == due:  # else something earlier took its place
                del self._scheduled[lane]
                yield from self._go_on(lane, now)

    def wake_at(self) -> datetime | None:
        """When something is due: the pool to look at, a held message, an idle conversation."""
        times = [next_poll(self._services.clock())] if self._judging or self._waking else []
        if self._due:
            times.append(self._due[0][0])
        return min(times, default=None)

    @property
    def unfinished(self) -> int:
        """Messages that wait for a verdict, and conversations that are read again."""
        return sum(len(self._awake[lane].undecided) for lane in self._judging) + len(self._waking)

    def snapshot(self) -> bytes:
        """References to the messages of what is open."""
        conversations = {lane: rest(conversation, self._waking.get(lane)) for lane, conversation in self._awake.items()}
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
        """The conversation; if it rested, its texts are read again from the index."""
        if lane in self._awake:
            return self._awake[lane]
        resting = self._resting.pop(lane, None)
        if resting is None:
            return None
        self._awake[lane] = conversation = without_texts(lane, resting, self._limits)
        self._waking[lane] = resting
        self._texts.add(lane, lane, partial(read_texts, conversation, resting, self._services))
        for reference in resting.get("waiting", []):
            pause = referred(reference)
            assert isinstance(pause, Pause)
            self._waiting.setdefault(lane, []).append(pause)
        return conversation

    def _waits_for_the_pool(self, lane: str) -> bool:
        return lane in self._judging or lane in self._waking

    def _lay_torest(self, lane: str) -> None:
        self._scheduled.pop(lane, None)
        self._resting[lane] = rest(self._awake.pop(lane), None)
        while len(self._resting) > _RESTING and self._is_shown(next(iter(self._resting))):
            self._resting.popitem(last=False)

    def _is_shown(self, lane: str) -> bool:
        """Whether a conversation rests with nothing left to show."""
        return lane in self._resting and self._resting[lane]["touched"] is None

    def _open_lanes(self) -> list[str]:
        """Conversations that have something not shown yet."""
        return [*self._awake, *(lane for lane in self._resting if not self._is_shown(lane))]

    def _resume(self, lane: str, now: datetime) -> Iterator[Cut | Retraction | Pause]:
        """The pool has answered: do what had to wait for it."""
        waiting = self._waiting.pop(lane, [])
        for pause in waiting:
            yield from self._pause(lane, pause, now)
        if not waiting:
            yield from self._go_on(lane, now)

    def _go_on(self, lane: str, now: datetime) -> Iterator[Cut | Retraction | Pause]:
        conversation = self._wake(lane)
        if conversation is None or self._waits_for_the_pool(lane):
            return
        conversation.release(self._hold_back, now)
        yield from self._decide(conversation, pausing=False)
        if conversation.touched_at is not None and conversation.touched_at + self._idle <= now:
            yield from self._pause(lane, Pause(lane, "idle"), now)
        else:
            self._schedule(conversation)

    def _pause(self, lane: str, pause: Pause, now: datetime) -> Iterator[Cut | Retraction | Pause]:
        conversation = None if self._is_shown(lane) else self._wake(lane)
        if conversation is not None:
            if not self._waits_for_the_pool(lane):
                conversation.release(timedelta(0), now)
                yield from self._decide(conversation, pausing=True)
            if self._waits_for_the_pool(lane):
                self._waiting.setdefault(lane, []).append(pause)
                return
            yield from conversation.pause(self._inline_detector, pause.reason)
            if pause.reason == "flush":  # what was just written may not be readable yet: rest when idle
                self._schedule(conversation)
            else:
                conversation.touched_at = None
                self._lay_torest(lane)
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
                self._verdicts.add(conversation.lane, (conversation.lane, question), call)
                return
            yield from conversation.apply(question, detector.judge(question.context, question.judged, question.ahead))

    def _verdict(self, question: Question, outcome: Verdict | BaseException | None) -> Verdict:
        """The model's verdict, or that of the detector that needs no model when it failed."""
        if isinstance(outcome, Verdict):
            return outcome
        if isinstance(outcome, MnemeError) and not isinstance(outcome, ModelError | StoreUnavailable):
            raise outcome
        log.warning("the boundary model failed, cutting without it: %s: %s", type(outcome).__name__, outcome)
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
            # The process that died may have got further than its state says (flows/conversation.py).
            resting["provisional"] = dict.fromkeys(resting["provisional"], 0)
            resting["doubtful"] = [*resting["undecided"], *dict(resting["held"])]
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
