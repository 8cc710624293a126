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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from flows.conversations.conversation import FIRST, OUTDATED, Conversation, SortKey, sort_key
from flows.cuts import Cut, Utterance
from flows.items import Retraction
from flows.lanes.scheduling import NotReady
from flows.lanes.services import Services
from mneme.events import FURTHEST_FUTURE
from mneme.ids import episode_id
from mneme.ports import Filter, MemoryIndex
from mneme.records import Episode, Owner, StoredMessage
from mneme.rows import Collection, Key
from mneme.times import from_milliseconds, to_milliseconds

_FIRST_STRETCH = timedelta(minutes=10)
_GROWTH = 8
_MILLISECOND = timedelta(milliseconds=1)  # the index may know times no more precisely


@dataclass(frozen=True, slots=True)
class EpisodeStart:
    """The beginning of an episode in the index, and the reason for it."""

    episode_id: str
    sort_key: SortKey
    because: tuple[str, ...]
    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The messages of a stretch of time, in order, and the episodes that begin in it. ``end`` is None for the last one."""

    messages: Sequence[Utterance]
    starts: Sequence[EpisodeStart]
    end: datetime | None


class Past:
    """Reads one conversation. Everything must be visible to searches: see flows/conversations/resegment.py.

    Raises, in all methods:
        StoreUnavailable: the index does not answer.
    """

    def __init__(self, index: MemoryIndex, owner: Owner, conversation_id: str) -> None:
        self._index = index
        self._filter = Filter(owner.tenant_id, (owner.key,), (owner.id,), conversation_ids=(conversation_id,))

    def start_before(self, place: SortKey, messages: int) -> EpisodeStart | None:
        """The newest episode with so many messages, its own and later ones, in episodes that end before ``place``.

        None if there is none: then only the beginning of the conversation is far enough.
        """
        found: list[EpisodeStart] = []
        for since, before in _backward(place[0]):
            starts = reversed(self._starts(since, before))
            found += [start for start in starts if start.sort_key < place and self._has_its_first_message(start)]
            count = 0
            for start in found[1:]:  # the newest may reach beyond the place
                count += len(start.message_ids)
                if count >= messages:
                    return start
            if since is None or not self._index.count(Collection.EPISODES, replace(self._filter, before=since)):
                break
        return None

    def onward(self, since: SortKey | None, beyond: datetime, until: SortKey) -> Iterator[Window]:
        """Windows from ``since`` (None: the beginning) until ``until`` (exclusive), the first to a little ``beyond``."""
        last, span = _floor(until[0]) + _MILLISECOND, _FIRST_STRETCH
        lower = _floor(since[0]) if since is not None else None
        upper = _floor(beyond)
        while lower is None or lower < last:
            upper = min(upper + span, last)
            yield self._window(lower, upper, since, until, end=upper if upper < last else None)
            lower, span = upper, span * _GROWTH

    def tail(self, since: SortKey | None) -> Window:
        """Everything from ``since`` (None: the beginning) to the end."""
        return self._window(_floor(since[0]) if since is not None else None, None, since, None, end=None)

    def _window(
        self, lower: datetime | None, upper: datetime | None, since: SortKey | None, until: SortKey | None, end: datetime | None
    ) -> Window:
        """Everything between two times that is neither before ``since`` nor behind ``until``."""

        def is_inside(place: SortKey) -> bool:
            return (since is None or place >= since) and (until is None or place < until)

        messages = [each for each in self._messages(lower, upper) if is_inside(sort_key(each))]
        return Window(messages, [each for each in self._starts(lower, upper) if is_inside(each.sort_key)], end)

    def _messages(self, since: datetime | None, before: datetime | None) -> list[Utterance]:
        rows = self._index.scan(Collection.MESSAGES, replace(self._filter, since=since, before=before), with_vectors=True)
        records = ((row.record(), row.vector) for row in rows)
        found = [
            Utterance(record, vector)
            for record, vector in records
            if isinstance(record, StoredMessage) and record.corrects is None  # an episode of its own
        ]
        return sorted(found, key=sort_key)

    def _has_its_first_message(self, start: EpisodeStart) -> bool:
        """Not so while the deletion of its first message is on its way."""
        tenant_id, [conversation_id] = self._filter.tenant_id, self._filter.conversation_ids
        sent_at, caller_id = start.sort_key
        return start.episode_id == episode_id(tenant_id, conversation_id, to_milliseconds(sent_at), caller_id)

    def _starts(self, since: datetime | None, before: datetime | None) -> list[EpisodeStart]:
        rows = self._index.scan(Collection.EPISODES, replace(self._filter, since=since, before=before))
        found = [
            EpisodeStart(record.id, (record.started_at, record.message_ids[0]), record.begins_because, record.message_ids)
            for row in rows
            if isinstance(record := row.record(), Episode) and record.message_ids and record.closed_by != "correction"
        ]
        return sorted(found, key=lambda start: start.sort_key)


def _backward(end: datetime) -> Iterator[tuple[datetime | None, datetime]]:
    """Stretches of time that lie ever further back; the last one has no beginning."""
    before, span = _floor(end) + _MILLISECOND, _FIRST_STRETCH
    while True:
        try:
            since = before - span
        except OverflowError:
            yield None, before
            return
        yield since, before
        before, span = since, span * _GROWTH


def _floor(moment: datetime) -> datetime:
    return from_milliseconds(to_milliseconds(moment))


@dataclass(frozen=True, slots=True, eq=False)
class Resegmented:
    """The result of working changes in.

    ``items`` are the episodes in between. ``until`` is where the old cuts hold again: changes before it are worked in.
    If they never do, ``open`` is the open end of the conversation as it is now.
    """

    items: tuple[Cut | Retraction, ...]
    until: SortKey | None
    open: Conversation | None

    def work_into(self, conversation: Conversation, as_it_was: Conversation) -> Iterator[Cut | Retraction]:
        """Let the conversation go on from here; ``as_it_was`` is the copy of it that was worked on."""
        for identity, change in as_it_was.changes.items():
            is_done = self.until is None or sort_key(change.utterance) < self.until
            if is_done and conversation.changes.get(identity) is change:  # else it was changed again meanwhile
                del conversation.changes[identity]
        if self.open is not None:
            conversation.episode, conversation.undecided = self.open.episode, self.open.undecided
            conversation.begins_because, conversation.provisional = self.open.begins_because, self.open.provisional
            conversation.doubtful |= self.open.doubtful
        yield from self.items


@dataclass(frozen=True, slots=True, eq=False)
class Reloaded:
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
        NotReady: the marker is not there.
        StoreUnavailable: the index does not answer.
    """
    _wait_for(marker, services)
    past = Past(services.index, conversation.owner, conversation.conversation_id)
    changed = sorted(sort_key(change.utterance) for change in conversation.changes.values())
    opened = min(map(sort_key, conversation.open), default=None)  # None: all that was open has been deleted
    thorough = opened is None or any(change.replayed for change in conversation.changes.values())
    start = past.start_before(min(changed[0], opened or changed[0]), services.detector.look_ahead + 1)
    since = start.sort_key if start is not None else None

    work = conversation.as_it_is()
    work.changes = {
        name: change for name, change in work.changes.items() if opened is not None and sort_key(change.utterance) >= opened
    }
    deleted = list(work.work_in())
    tail, work.undecided = work.undecided, []
    work.begins_because = start.because if start is not None else FIRST

    old: dict[str, EpisodeStart] = {}
    items: list[Cut | Retraction] = []
    begun: set[str] = set()
    rest_is_known = False
    for stretch in past.onward(since, changed[0][0], opened) if opened is not None else [past.tail(since)]:
        old |= {found.episode_id: found for found in stretch.starts}
        work.undecided += stretch.messages
        if stretch.end is None:
            work.undecided += tail
        while (question := work.question(services.detector, at_most=1)) is not None:
            for item in work.apply(question, services.verdict(question.context, question.judged, question.ahead)):
                if isinstance(item, Cut):
                    begun.add(item.id)
                if not (rest_is_known and isinstance(item, Cut) and _is_as_before(item, old)):
                    items.append(item)
            begins, before = sort_key(work.episode[0]), old.get(work.identity_of(work.episode[0]))
            began = conversation.begins_because if begins == opened else before.because if before is not None else None
            if begins <= changed[0] or began != work.begins_because:
                continue
            if not thorough and not any(_is_near(place, begins, stretch) for place in changed):
                gone = [found for found in old.values() if found.sort_key < begins and found.episode_id not in begun]
                return Resegmented((*items, *_taken_back(conversation, gone)), until=begins, open=None)
            rest_is_known = not any(begins <= place and (opened is None or place < opened) for place in changed)
    if first := work.open[:1]:
        work.provisional[work.identity_of(first[0])] = OUTDATED
        begun.add(work.identity_of(first[0]))
    gone = [found for found in old.values() if found.episode_id not in begun]
    return Resegmented((*deleted, *items, *_taken_back(conversation, gone)), until=None, open=work)


def reload(conversation: Conversation, marker: Key, services: Services) -> Reloaded:
    """Read what is open of a conversation that had been forgotten here. Raises as ``resegment``."""
    _wait_for(marker, services)
    past = Past(services.index, conversation.owner, conversation.conversation_id)
    # Messages that come again may have got into episodes here already: these say nothing about what was open before.
    again = [
        sort_key(held.utterance) for held in conversation.held if held.utterance.message.message_id in conversation.doubtful
    ]
    end = min(again, default=(services.clock() + FURTHEST_FUTURE, ""))
    # Beginnings that are not decided yet lie within the look-ahead of the last message.
    start = past.start_before(end, services.detector.look_ahead + 1)
    tail = past.tail(start.sort_key if start is not None else None)
    return Reloaded(
        messages=tuple(tail.messages),
        because=start.because if start is not None else FIRST,
        shown=frozenset(found.episode_id for found in tail.starts),
    )


def _wait_for(marker: Key, services: Services) -> None:
    if marker not in services.index.get([marker]):
        raise NotReady(f"{marker.id} is not in the index yet")


def _is_near(changed: SortKey, begins: SortKey, stretch: Window) -> bool:
    """Return whether a change lies ahead in what was read already: then going on is less work than coming back."""
    return begins <= changed and (stretch.end is None or changed[0] < stretch.end)


def _is_as_before(cut: Cut, old: dict[str, EpisodeStart]) -> bool:
    """Return whether the index has this episode: then there is nothing to write."""
    before = old.get(cut.id)
    message_ids = tuple(utterance.message.message_id for utterance in cut.utterances)
    return before is not None and (before.message_ids, before.because) == (message_ids, cut.begins_because)


def _taken_back(conversation: Conversation, gone: Iterable[EpisodeStart]) -> Iterator[Retraction]:
    return (Retraction(conversation.lane, conversation.owner, start.episode_id) for start in gone)
