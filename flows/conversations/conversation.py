"""One conversation between its messages and its episodes: a state machine without I/O.

A message passes three places: ``held`` (sorted by time, so that messages that arrive out of order are put right),
``undecided`` (waiting for its look-ahead), ``episode`` (decided: it belongs to the open episode). Real cuts depend on
times and contents only, never on when a pause happened: at a pause what is open is shown as it stands
(``provisional``), and stays open.

A message that comes when later ones have gone on is late: like an edited or a deleted one it is a change of what was
decided. ``changes`` wait until they are worked in: here, where all that they may alter is still open, else with the
conversation's past (flows/conversations/resegment.py).

A process that died may have shown more than the state it left says, and pauses and windows of a model may fall
elsewhere when the same messages come again. Messages that it may have begun an episode with are ``doubtful``: where one
turns out to begin none, such an episode is taken back.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from operator import is_

from flows.cuts import BoundaryDetector, Cut, Utterance, Verdict
from flows.items import Retraction
from mneme.ids import episode_id
from mneme.records import ClosedBy, Owner, StoredMessage
from mneme.settings import Boundaries
from mneme.times import to_milliseconds

SortKey = tuple[datetime, str]  # where a message belongs in its conversation
Shown = tuple[int, tuple[str, ...]]  # of a provisional episode: how many messages, and why it began
FIRST = ("start",)  # why the first episode of a conversation begins
_LIMIT = ("limit",)
OUTDATED: Shown = (0, ())


def sort_key(utterance: Utterance) -> SortKey:
    """The place of a message in the order of its conversation."""
    return utterance.message.sent_at, utterance.message.message_id


@dataclass(frozen=True, slots=True, eq=False)
class HeldMessage:
    """A message in the hold-back, and when it arrived."""

    utterance: Utterance
    arrived_at: datetime


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A message that is late, edited or deleted, as it is now; ``replayed`` when an earlier process may have worked it in."""

    utterance: Utterance
    replayed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """The next question to a detector: see ``BoundaryDetector.judge``."""

    context: tuple[Utterance, ...]
    judged: tuple[Utterance, ...]
    ahead: tuple[Utterance, ...]


@dataclass(slots=True)
class Conversation:
    """The open end of one conversation. ``begins_because`` is of the open episode; ``forgotten`` ones must be read first.

    ``limits`` has the sizes at which an episode is cut whatever it says.
    """

    lane: str
    owner: Owner
    conversation_id: str
    limits: Boundaries
    held: list[HeldMessage] = field(default_factory=list)
    undecided: list[Utterance] = field(default_factory=list)
    episode: list[Utterance] = field(default_factory=list)
    begins_because: tuple[str, ...] = FIRST
    provisional: dict[str, Shown] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    changes: dict[str, Change] = field(default_factory=dict)
    forgotten: bool = False
    touched_at: datetime | None = None

    @property
    def open(self) -> list[Utterance]:
        """Everything behind the last real cut that has gone on."""
        return [*self.episode, *self.undecided]

    def as_it_is(self) -> "Conversation":
        """A copy, for somebody who works on it elsewhere."""
        return replace(
            self,
            held=list(self.held),
            undecided=list(self.undecided),
            episode=list(self.episode),
            provisional=dict(self.provisional),
            doubtful=set(self.doubtful),
            changes=dict(self.changes),
        )

    def without(self, is_erased: Callable[[StoredMessage], bool]) -> "Conversation | None":
        """The conversation without messages that are gone for good, to be decided anew; None if nothing is left."""
        undecided = [utterance for utterance in self.open if not is_erased(utterance.message)]
        held = [each for each in self.held if not is_erased(each.utterance.message)]
        left = [*undecided, *(each.utterance for each in held)]
        if not left:
            return None
        ids = {utterance.message.message_id for utterance in left}
        return Conversation(
            self.lane,
            left[0].message.owner,
            self.conversation_id,
            self.limits,
            held=held,
            undecided=undecided,
            doubtful=self.doubtful & ids,
            changes={identity: change for identity, change in self.changes.items() if identity in ids},
            touched_at=self.touched_at,
        )

    # --- messages come in ------------------------------------------------------------------------------------------

    def hold(self, utterance: Utterance, now: datetime, doubtful: bool = False) -> None:
        """Take in a message; it waits for those that were sent before it."""
        if doubtful:
            self.doubtful.add(utterance.message.message_id)
        at = len(self.held)
        while at and sort_key(self.held[at - 1].utterance) > sort_key(utterance):
            at -= 1
        self.held.insert(at, HeldMessage(utterance, now))
        self.touched_at = now

    def release(self, hold_back: timedelta, now: datetime) -> None:
        """Let the messages go on that have waited long enough, or behind which the conversation has moved on.

        One that arrived in the future has waited: this machine's clock was wrong then, and has been put back.
        """
        if not self.held:
            return
        newest = self.held[-1].utterance.message.sent_at
        count = 0
        for place, held in enumerate(self.held, start=1):
            if abs(now - held.arrived_at) >= hold_back or newest - held.utterance.message.sent_at >= hold_back:
                count = place  # with all that were sent before it, however late they came
        last = self.undecided[-1:] or self.episode[-1:]
        all_deleted = not last and self.begins_because != FIRST  # all that was open: then nothing tells who is late
        for held in self.held[:count]:
            if all_deleted or (last and sort_key(held.utterance) <= sort_key(last[0])):
                identity = held.utterance.message.message_id
                self.changes[identity] = Change(held.utterance, replayed=identity in self.doubtful)
            else:
                self.undecided.append(held.utterance)
        del self.held[:count]

    def release_at(self, hold_back: timedelta) -> datetime | None:
        """The time at which the first held message has waited long enough."""
        return min(held.arrived_at for held in self.held) + hold_back if self.held else None

    # --- changes -----------------------------------------------------------------------------------------------------

    def amend(self, utterance: Utterance, now: datetime, replayed: bool) -> None:
        """Take in a message that was edited or deleted."""
        before = self.changes.get(utterance.message.message_id)
        replayed = replayed or (before is not None and before.replayed)
        self.changes[utterance.message.message_id] = Change(utterance, replayed)
        self.touched_at = now

    def change_held(self) -> Iterator[Retraction]:
        """Work in the changes of messages that have not gone on yet."""
        held = []
        for waiting in self.held:
            change = self.changes.pop(waiting.utterance.message.message_id, None)
            if change is None:
                held.append(waiting)
            elif change.utterance.message.deleted:
                yield Retraction(self.lane, self.owner, self.identity_of(change.utterance))
            else:
                held.append(replace(waiting, utterance=change.utterance))
        self.held = held

    def reaches(self, look_ahead: int) -> bool:
        """Return whether nothing before the open episode depends on the changed messages.

        The cut before the open episode was decided from its first message and ``look_ahead`` more.
        """
        if self.begins_because == FIRST or not self.changes:
            return True
        earliest = min(sort_key(change.utterance) for change in self.changes.values())
        return sum(sort_key(utterance) < earliest for utterance in self.open) > look_ahead

    def work_in(self) -> Iterator[Retraction]:
        """Take the changes into what is open, all of which is to be decided again."""
        messages = {utterance.message.message_id: utterance for utterance in self.open}
        for identity, change in self.changes.items():
            if change.utterance.message.deleted:
                messages.pop(identity, None)
                self.provisional.pop(self.identity_of(change.utterance), None)
                yield Retraction(self.lane, self.owner, self.identity_of(change.utterance))
            else:
                messages[identity] = change.utterance
        self.changes = {}
        self.episode, self.undecided = [], sorted(messages.values(), key=sort_key)
        self.provisional = dict.fromkeys(self.provisional, OUTDATED)

    # --- decisions ---------------------------------------------------------------------------------------------------

    def question(self, detector: BoundaryDetector, pausing: bool = False, at_most: int | None = None) -> Question | None:
        """The question to the detector now, about ``at_most`` messages; None while it must wait for more."""
        ahead = detector.look_ahead
        ready = max(0, len(self.undecided) - ahead)
        if not detector.calls_a_model:
            count = self._room(min(ready, at_most or detector.window))
        else:
            count = self._window(detector, ready) or (min(len(self.undecided), detector.window) if pausing else 0)
        if not count:
            return None
        return Question(tuple(self.episode), tuple(self.undecided[:count]), tuple(self.undecided[count : count + ahead]))

    def _room(self, at_most: int) -> int:
        """Count the undecided messages that may belong to the open episode, up to the first before which a limit may cut."""
        messages, tokens = len(self.episode), sum([utterance.message.tokens for utterance in self.episode])
        for count in range(1, at_most):
            tokens += self.undecided[count - 1].message.tokens
            if messages + count > self.limits.max_messages or tokens > self.limits.max_tokens:
                return count
        return at_most

    def _window(self, detector: BoundaryDetector, ready: int) -> int:
        """Count the messages that one call of a model judges; 0 while it must wait for more than are ready.

        They are a full window, or fewer, up to the first for which something cheap asks; half a window at least keeps the
        calls few. What was said decides, not how much of it has arrived, so that a replay asks the same.
        """
        fewest = max(1, detector.window // 2)
        if ready < fewest:
            return 0
        said, start = [*self.episode, *self.undecided], len(self.episode)
        for at in range(min(ready, detector.window)):
            if detector.signals(said[: start + at], self.undecided[at]):
                return max(fewest, at + 1)
        return detector.window if ready >= detector.window else 0

    def apply(self, question: Question, verdict: Verdict) -> Iterator[Cut | Retraction]:
        """Decide about the judged messages; yields what is finished by it."""
        judged = question.judged
        assert all(map(is_, self.undecided, judged)), "judged messages are the next undecided ones"
        del self.undecided[: len(judged)]
        tokens = sum([utterance.message.tokens for utterance in self.episode])
        for at, utterance in enumerate(judged):
            more = utterance.message.tokens
            if self.episode and at in verdict.boundaries:
                yield from self._close("boundary", because=_reason(verdict, at))
                tokens = 0
            elif self.episode and self._is_full(len(self.episode), tokens + more):
                yield from self._close("limit", because=_LIMIT)
                tokens = 0
            elif self.episode:
                yield from self._take_back(utterance)
            self.episode.append(utterance)
            tokens += more

    def pause(self, detector: BoundaryDetector, closed_by: ClosedBy) -> Iterator[Cut | Retraction]:
        """Show what is open as it stands; nothing is decided by it.

        Episodes that were shown before and have not changed are not shown again; one that does not begin there any more
        is taken back.
        """
        standing = list(self._as_it_stands(detector))
        beginnings = {self.identity_of(messages[0]) for messages, _ in standing}
        for utterance in self.undecided:
            if self.identity_of(utterance) not in beginnings:
                yield from self._take_back(utterance)
        for messages, because in standing:
            identity = self.identity_of(messages[0])
            if self.provisional.get(identity) != (len(messages), because):
                self.provisional[identity] = len(messages), because
                yield self._cut(messages, closed_by, because, provisional=True)

    def _as_it_stands(self, detector: BoundaryDetector) -> Iterator[tuple[list[Utterance], tuple[str, ...]]]:
        current, because = list(self.episode), self.begins_because
        tokens = sum([utterance.message.tokens for utterance in current])
        for at, utterance in enumerate(self.undecided):
            ahead = self.undecided[at + 1 : at + 1 + detector.look_ahead]
            verdict = detector.judge(current, [utterance], ahead) if current else Verdict()
            tokens += utterance.message.tokens
            if verdict.boundaries == (0,) or (current and self._is_full(len(current), tokens)):
                yield current, because
                current, because, tokens = [], _reason(verdict, 0) if verdict.boundaries else _LIMIT, utterance.message.tokens
            current.append(utterance)
        if current:
            yield current, because

    def _take_back(self, utterance: Utterance) -> Iterator[Retraction]:
        """An episode may have been shown that begins with a message which turned out to begin none."""
        if not self.provisional and not self.doubtful:  # the usual case, without making the id
            return
        identity, caller_id = self.identity_of(utterance), utterance.message.message_id
        if self.provisional.pop(identity, None) is not None or caller_id in self.doubtful:
            yield Retraction(self.lane, self.owner, identity)
        self.doubtful.discard(caller_id)

    def _close(self, closed_by: ClosedBy, because: tuple[str, ...]) -> Iterator[Cut]:
        """Cut what is open; ``because`` is what the next episode begins for."""
        messages, self.episode = self.episode, []
        self.doubtful.difference_update(utterance.message.message_id for utterance in messages)
        began, self.begins_because = self.begins_because, because
        if self.provisional.pop(self.identity_of(messages[0]), None) != (len(messages), began):
            yield self._cut(messages, closed_by, began)

    def _is_full(self, messages: int, tokens: int) -> bool:
        """Return whether a limit cuts between so many messages and one more, with which there would be so many tokens."""
        return messages >= self.limits.max_messages or tokens > self.limits.max_tokens

    def _cut(self, messages: list[Utterance], closed_by: ClosedBy, because: tuple[str, ...], provisional: bool = False) -> Cut:
        return Cut(
            id=self.identity_of(messages[0]),
            owner=self.owner,
            conversation_id=self.conversation_id,
            document_id=None,
            utterances=tuple(messages),
            closed_by=closed_by,
            provisional=provisional,
            begins_because=because,
        )

    def identity_of(self, first: Utterance) -> str:
        """The id of the episode that begins with this message."""
        message = first.message
        return episode_id(self.owner.tenant_id, self.conversation_id, to_milliseconds(message.sent_at), message.message_id)


def _reason(verdict: Verdict, at: int) -> tuple[str, ...]:
    """The reason of the verdict for the boundary before a judged message."""
    place = verdict.boundaries.index(at)
    return verdict.reasons[place : place + 1]
