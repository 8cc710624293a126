"""A late, edited or deleted message, however old: its conversation is cut again where it matters.

Cuts depend on nothing behind the cut before them, and look a few messages ahead. So:
1. Wait until all that was sent on before is in the index (a marker behind it, like that of a flush), and visible.
2. Go back to an episode that begins far enough before the first change for its beginning not to depend on it.
3. Read the messages from there on, as they are now, and decide again, with nothing before them.
4. Where an episode begins that began there before, and no change is near, the rest is as it was: stop. Else go on,
   and in the end into what is open, which begins anew where the last cut was.
5. Pass on every episode on the way, and take back those that begin there no more.

An earlier process may have done the same, got further than its state says, and died within; then what the index holds
behind the change is not all of what was there, and step 4 does not stop until the open end (``Change.replayed``).

Everything here blocks: it is for the pool. An error that is worth trying again starts it anew.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from flows.conversations.conversation import FIRST, OUTDATED, Conversation, Place, place_of
from flows.conversations.past import Past, Start, Stretch
from flows.conversations.verdicts import judge
from flows.cuts import Cut, Utterance
from flows.items import Retraction
from flows.pump import NotYet
from flows.services import Services
from mneme.events import FURTHEST_FUTURE
from mneme.rows import Key


@dataclass(frozen=True, slots=True, eq=False)
class Resegmented:
    """What came of changes.

    ``items`` are the episodes in between. ``until`` is where the old cuts hold again: changes before it are worked in.
    If they never do, ``open`` is the open end of the conversation as it is now.
    """

    items: tuple[Cut | Retraction, ...]
    until: Place | None
    open: Conversation | None

    def work_into(self, conversation: Conversation, as_it_was: Conversation) -> Iterator[Cut | Retraction]:
        """Let the conversation go on from here; ``as_it_was`` is the copy of it that was worked on."""
        for identity, change in as_it_was.changes.items():
            is_done = self.until is None or change.place < self.until
            if is_done and conversation.changes.get(identity) is change:  # else it was changed again meanwhile
                del conversation.changes[identity]
        if self.open is not None:
            conversation.episode, conversation.undecided = self.open.episode, self.open.undecided
            conversation.begins_because, conversation.provisional = self.open.begins_because, self.open.provisional
            conversation.doubtful |= self.open.doubtful
        yield from self.items


@dataclass(frozen=True, slots=True, eq=False)
class Remembered:
    """The open end of a conversation that had been forgotten here.

    Its messages, why the first of them begins an episode, and the episodes that were shown of it.
    """

    messages: tuple[Utterance, ...]
    because: tuple[str, ...]
    shown: frozenset[str]

    @property
    def open(self) -> None:
        """Nothing that was shown has changed."""

    def work_into(self, conversation: Conversation, as_it_was: Conversation) -> Iterator[Cut | Retraction]:
        """Let the conversation go on from here: all of it is decided again."""
        held = {held.utterance.message.message_id for held in conversation.held}
        conversation.undecided = [u for u in self.messages if u.message.message_id not in held]
        conversation.begins_because = self.because
        conversation.provisional |= dict.fromkeys(self.shown, OUTDATED)
        conversation.forgotten = False
        yield from ()


def resegment(conversation: Conversation, marker: Key, services: Services) -> Resegmented:
    """Work changes in that reach further back than what is open.

    Args:
        conversation: a copy, with the changes and something open.
        marker: what is in the index when all that was sent on before is.
        services: index and detector.

    Raises:
        NotYet: the marker is not there.
        StoreUnavailable: the index does not answer.
    """
    _wait_for(marker, services)
    past = Past(services.index, conversation.owner, conversation.conversation_id)
    changed = sorted(change.place for change in conversation.changes.values())
    opened = min(map(place_of, conversation.open), default=None)  # None: all that was open has been deleted
    thorough = opened is None or any(change.replayed for change in conversation.changes.values())
    start = past.start_before(min(changed[0], opened or changed[0]), services.detector.look_ahead + 1)
    since = start.place if start is not None else None

    work = conversation.as_it_is()
    work.changes = {name: change for name, change in work.changes.items() if opened is not None and change.place >= opened}
    deleted = list(work.work_in())
    tail, work.undecided = work.undecided, []
    work.begins_because = start.because if start is not None else FIRST

    old: dict[str, Start] = {}
    items: list[Cut | Retraction] = []
    begun: set[str] = set()
    rest_is_known = False
    for stretch in past.onward(since, changed[0][0], opened) if opened is not None else [past.tail(since)]:
        old |= {found.episode_id: found for found in stretch.starts}
        work.undecided += stretch.messages
        if stretch.end is None:
            work.undecided += tail
        while (question := work.question(services.detector, at_most=1)) is not None:
            for item in work.apply(question, judge(question, services)):
                if isinstance(item, Cut):
                    begun.add(item.id)
                if not (rest_is_known and isinstance(item, Cut) and _is_as_before(item, old)):
                    items.append(item)
            begins, before = place_of(work.episode[0]), old.get(work.identity_of(work.episode[0]))
            began = conversation.begins_because if begins == opened else before.because if before is not None else None
            if begins <= changed[0] or began != work.begins_because:
                continue
            if not thorough and not any(_is_near(place, begins, stretch) for place in changed):
                gone = [found for found in old.values() if found.place < begins and found.episode_id not in begun]
                return Resegmented((*items, *_taken_back(conversation, gone)), until=begins, open=None)
            rest_is_known = not any(begins <= place and (opened is None or place < opened) for place in changed)
    if first := work.open[:1]:
        work.provisional[work.identity_of(first[0])] = OUTDATED
        begun.add(work.identity_of(first[0]))
    gone = [found for found in old.values() if found.episode_id not in begun]
    return Resegmented((*deleted, *items, *_taken_back(conversation, gone)), until=None, open=work)


def remember(conversation: Conversation, marker: Key, services: Services) -> Remembered:
    """Read what is open of a conversation that had been forgotten here. Raises as ``resegment``."""
    _wait_for(marker, services)
    past = Past(services.index, conversation.owner, conversation.conversation_id)
    # Messages that come again may have got into episodes here already: these say nothing about what was open before.
    again = [held.place for held in conversation.held if held.utterance.message.message_id in conversation.doubtful]
    end = min(again, default=(services.clock() + FURTHEST_FUTURE, ""))
    # Beginnings that are not decided yet lie within the look-ahead of the last message.
    start = past.start_before(end, services.detector.look_ahead + 1)
    tail = past.tail(start.place if start is not None else None)
    return Remembered(
        messages=tuple(tail.messages),
        because=start.because if start is not None else FIRST,
        shown=frozenset(found.episode_id for found in tail.starts),
    )


def _wait_for(marker: Key, services: Services) -> None:
    if marker not in services.index.get([marker]):
        raise NotYet(f"{marker.id} is not in the index yet")


def _is_near(changed: Place, begins: Place, stretch: Stretch) -> bool:
    """Whether a change lies ahead in what was read already: then going on is less work than coming back."""
    return begins <= changed and (stretch.end is None or changed[0] < stretch.end)


def _is_as_before(cut: Cut, old: dict[str, Start]) -> bool:
    """Whether the index has this episode: then there is nothing to write."""
    before = old.get(cut.id)
    message_ids = tuple(utterance.message.message_id for utterance in cut.utterances)
    return before is not None and (before.message_ids, before.because) == (message_ids, cut.begins_because)


def _taken_back(conversation: Conversation, gone: Iterable[Start]) -> Iterator[Retraction]:
    return (Retraction(conversation.lane, conversation.owner, start.episode_id) for start in gone)
