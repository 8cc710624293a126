"""What the index holds of one conversation's past, read stretch by stretch and never more than is needed.

Times say nothing about how dense a conversation is, so each stretch is eight times as long as the one before: a few
reads span years, and a busy conversation is not read whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from flows.conversations.conversation import Place, place_of
from flows.cuts import Utterance
from mneme.ids import episode_id
from mneme.ports import Filter, MemoryIndex
from mneme.records import Episode, Owner, StoredMessage
from mneme.rows import Collection
from mneme.times import from_milliseconds, to_milliseconds

_FIRST_STRETCH = timedelta(minutes=10)
_GROWTH = 8
_MILLISECOND = timedelta(milliseconds=1)  # the index may know times no more precisely


@dataclass(frozen=True, slots=True)
class Start:
    """Where an episode in the index begins, and why."""

    episode_id: str
    place: Place
    because: tuple[str, ...]
    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """The messages of a stretch of time, in order, and the episodes that begin in it. ``end`` is None for the last one."""

    messages: Sequence[Utterance]
    starts: Sequence[Start]
    end: datetime | None


class Past:
    """Reads one conversation. Everything must be visible to searches: see flows/conversations/resegment.py.

    Raises, in all methods:
        StoreUnavailable: the index does not answer.
    """

    def __init__(self, index: MemoryIndex, owner: Owner, conversation_id: str) -> None:
        self._index = index
        self._filter = Filter(owner.tenant_id, (owner.key,), (owner.id,), conversation_ids=(conversation_id,))

    def start_before(self, place: Place, messages: int) -> Start | None:
        """The newest episode with so many messages, its own and later ones, in episodes that end before ``place``.

        None if there is none: then only the beginning of the conversation is far enough.
        """
        found: list[Start] = []
        for since, before in _backward(place[0]):
            starts = reversed(self._starts(since, before))
            found += [start for start in starts if start.place < place and self._has_its_first_message(start)]
            count = 0
            for start in found[1:]:  # the newest may reach beyond the place
                count += len(start.message_ids)
                if count >= messages:
                    return start
            if since is None or not self._index.count(Collection.EPISODES, replace(self._filter, before=since)):
                break
        return None

    def onward(self, since: Place | None, beyond: datetime, until: Place) -> Iterator[Stretch]:
        """Stretch by stretch from ``since`` (None: the beginning), the first to a little ``beyond``; ``until`` is exclusive."""
        last, span = _floor(until[0]) + _MILLISECOND, _FIRST_STRETCH
        lower = _floor(since[0]) if since is not None else None
        upper = _floor(beyond)
        while lower is None or lower < last:
            upper = min(upper + span, last)
            yield Stretch(
                [u for u in self._messages(lower, upper) if (since is None or place_of(u) >= since) and place_of(u) < until],
                [s for s in self._starts(lower, upper) if (since is None or s.place >= since) and s.place < until],
                upper if upper < last else None,
            )
            lower, span = upper, span * _GROWTH

    def tail(self, since: Place | None) -> Stretch:
        """Everything from ``since`` (None: the beginning) to the end."""
        lower = _floor(since[0]) if since is not None else None
        return Stretch(
            [u for u in self._messages(lower, None) if since is None or place_of(u) >= since],
            [s for s in self._starts(lower, None) if since is None or s.place >= since],
            None,
        )

    def _messages(self, since: datetime | None, before: datetime | None) -> list[Utterance]:
        rows = self._index.scan(Collection.MESSAGES, replace(self._filter, since=since, before=before), with_vectors=True)
        found = [Utterance(record, row.vector) for row in rows if isinstance(record := row.record(), StoredMessage)]
        return sorted(found, key=place_of)

    def _has_its_first_message(self, start: Start) -> bool:
        """Not so while the deletion of its first message is on its way."""
        tenant_id, [conversation_id] = self._filter.tenant_id, self._filter.conversation_ids
        sent_at, caller_id = start.place
        return start.episode_id == episode_id(tenant_id, conversation_id, to_milliseconds(sent_at), caller_id)

    def _starts(self, since: datetime | None, before: datetime | None) -> list[Start]:
        rows = self._index.scan(Collection.EPISODES, replace(self._filter, since=since, before=before))
        found = [
            Start(record.id, (record.started_at, record.message_ids[0]), record.begins_because, record.message_ids)
            for row in rows
            if isinstance(record := row.record(), Episode) and record.message_ids
        ]
        return sorted(found, key=lambda start: start.place)


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
