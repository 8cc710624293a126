"""One conversation between its messages and its episodes: a state machine without I/O.

A message passes three places: ``held`` (sorted by time, so that messages that arrive out of order are put right),
``undecided`` (waiting for its look-ahead), ``episode`` (decided: it belongs to the open episode). Real cuts depend on
times and contents only, never on when a pause happened: at a pause what is open is shown as it stands
(``provisional``), and stays open.

A process that died may have shown more than the state it left says, and pauses and windows of a model may fall
elsewhere when the same messages come again. Messages that it may have begun an episode with are ``doubtful``: where one
turns out to begin none, such an episode is taken back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flows.cuts import BoundaryDetector, Cut, Utterance, Verdict
from flows.items import Retraction
from mneme.ids import episode_id
from mneme.records import ClosedBy, Owner
from mneme.times import to_milliseconds


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A message in the hold-back, and when it arrived."""

    utterance: Utterance
    arrived_at: datetime

    @property
    def place(self) -> tuple[datetime, str]:
        """Where it belongs in the conversation."""
        return self.utterance.message.sent_at, self.utterance.message.message_id


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a detector is asked next: see ``BoundaryDetector.judge``."""

    context: tuple[Utterance, ...]
    judged: tuple[Utterance, ...]
    ahead: tuple[Utterance, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes at which an episode is cut whatever it says."""

    messages: int
    tokens: int


@dataclass(slots=True)
class Conversation:
    """The open end of one conversation."""

    lane: str
    owner: Owner
    conversation_id: str
    limits: Limits
    held: list[Held] = field(default_factory=list)
    undecided: list[Utterance] = field(default_factory=list)
    episode: list[Utterance] = field(default_factory=list)
    provisional: dict[str, int] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    touched_at: datetime | None = None

    # --- messages come in ------------------------------------------------------------------------------------------

    def hold(self, utterance: Utterance, now: datetime, doubtful: bool = False) -> None:
        """Take in a message; it waits for those that were sent before it."""
        if doubtful:
            self.doubtful.add(utterance.message.message_id)
        held = Held(utterance, now)
        at = len(self.held)
        while at and self.held[at - 1].place > held.place:
            at -= 1
        self.held.insert(at, held)
        self.touched_at = now

    def release(self, hold_back: timedelta, now: datetime) -> None:
        """Let the messages go on that have waited long enough, or behind which the conversation has moved on."""
        if not self.held:
            return
        newest = self.held[-1].utterance.message.sent_at
        count = 0
        for place, held in enumerate(self.held, start=1):
            if now - held.arrived_at >= hold_back or newest - held.utterance.message.sent_at >= hold_back:
                count = place  # with all that were sent before it, however late they came
        self.undecided += [held.utterance for held in self.held[:count]]
        del self.held[:count]

    def release_at(self, hold_back: timedelta) -> datetime | None:
        """When the first held message has waited long enough."""
        return min(held.arrived_at for held in self.held) + hold_back if self.held else None

    # --- decisions ---------------------------------------------------------------------------------------------------

    def question(self, detector: BoundaryDetector, pausing: bool = False) -> Question | None:
        """What to ask the detector now; None when it must wait for more messages."""
        ahead = detector.look_ahead
        ready = len(self.undecided) - (0 if pausing and detector.calls_a_model else ahead)
        if ready < 1:
            return None
        if detector.window == 1:
            return Question(tuple(self.episode), (self.undecided[0],), tuple(self.undecided[1 : 1 + ahead]))
        if ready < detector.window and not pausing and not self._signalled(detector, ready):
            return None
        count = min(ready, detector.window)
        return Question(tuple(self.episode), tuple(self.undecided[:count]), tuple(self.undecided[count : count + ahead]))

    def _signalled(self, detector: BoundaryDetector, ready: int) -> bool:
        """Whether something cheap asks for an early call; half a window at least keeps the calls few."""
        if ready < detector.window // 2:
            return False
        context = [*self.episode, *self.undecided]
        start = len(self.episode)
        return any(detector.signals(context[: start + at], self.undecided[at]) for at in range(ready))

    def apply(self, question: Question, verdict: Verdict) -> Iterator[Cut | Retraction]:
        """Decide about the judged messages; yields what is finished by it."""
        boundaries = set(verdict.boundaries)
        for at, utterance in enumerate(question.judged):
            assert self.undecided[0] is utterance, "judged messages are the next undecided ones"
            self.undecided.pop(0)
            if self.episode and at in boundaries:
                yield from self._close("boundary")
            elif self.episode and self._is_full(self.episode, utterance):
                yield from self._close("limit")
            elif self.episode:
                yield from self._take_back(utterance)
            self.doubtful.discard(utterance.message.message_id)
            self.episode.append(utterance)

    def pause(self, detector: BoundaryDetector, closed_by: ClosedBy) -> Iterator[Cut]:
        """Show what is open as it stands; nothing is decided by it.

        Episodes that were shown before and have not changed are not shown again.
        """
        for messages in self._as_it_stands(detector):
            identity = self._identity(messages[0])
            if self.provisional.get(identity) != len(messages):
                self.provisional[identity] = len(messages)
                yield self._cut(messages, closed_by, provisional=True)

    def _as_it_stands(self, detector: BoundaryDetector) -> Iterator[list[Utterance]]:
        current = list(self.episode)
        for at, utterance in enumerate(self.undecided):
            ahead = self.undecided[at + 1 : at + 1 + detector.look_ahead]
            if current and (
                detector.judge(current, [utterance], ahead).boundaries == (0,) or self._is_full(current, utterance)
            ):
                yield current
                current = []
            current.append(utterance)
        if current:
            yield current

    def _take_back(self, utterance: Utterance) -> Iterator[Retraction]:
        """An episode may have been shown that begins with a message which turned out to begin none."""
        identity = self._identity(utterance)
        if self.provisional.pop(identity, None) is not None or utterance.message.message_id in self.doubtful:
            yield Retraction(self.lane, self.owner, identity)

    def _close(self, closed_by: ClosedBy) -> Iterator[Cut]:
        messages, self.episode = self.episode, []
        if self.provisional.pop(self._identity(messages[0]), None) != len(messages):
            yield self._cut(messages, closed_by)

    def _is_full(self, episode: Sequence[Utterance], following: Utterance) -> bool:
        tokens = sum(utterance.message.tokens for utterance in episode) + following.message.tokens
        return len(episode) >= self.limits.messages or tokens > self.limits.tokens

    def _cut(self, messages: list[Utterance], closed_by: ClosedBy, provisional: bool = False) -> Cut:
        return Cut(
            id=self._identity(messages[0]),
            owner=self.owner,
            conversation_id=self.conversation_id,
            document_id=None,
            utterances=tuple(messages),
            closed_by=closed_by,
            provisional=provisional,
        )

    def _identity(self, first: Utterance) -> str:
        message = first.message
        return episode_id(self.owner.tenant_id, self.conversation_id, to_milliseconds(message.sent_at), message.message_id)
