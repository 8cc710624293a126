"""Values of a framework as messages of an owner, which come back exactly, and search results as passages.

A process reads at once what it wrote by one publisher: that is held until the index shows it, whichever object wrote it. It
reads what another process wrote as soon as it is stored, mostly within a second or two.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4
from weakref import WeakKeyDictionary

from mneme.errors import StoreUnavailable
from mneme.events import Delete, Message, input_errors
from mneme.ids import message_id
from mneme.records import Owner, Scalar, ToolCall
from mneme.times import SendingClock, utc_now
from queries.questions.understand import as_question
from queries.responses import Found, FoundEpisode, FoundFact, FoundForesight, SearchResponse
from serving.adapters.exact import KEY, pack, unpack
from serving.clients import await_index, iterate_memories
from serving.found import episodes_of, kind_of, origin_of, words_of

if TYPE_CHECKING:
    from connectors import Publisher
    from queries import Memories


WAIT_SECONDS = 30.0  # the longest that a read waits for what its object wrote
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 0.5
_MOST_WRITTEN, _MOST_REMOVED = 1_000, 10_000  # that are held here
_PLACES_EACH, _MOST_PLACES = 4, 1000  # of a search: several facts may come from one message
_LISTED = timedelta(seconds=10)  # after it was stored a list shows a message, whatever the index

Role = Literal["user", "assistant", "system", "tool"]


@dataclass(frozen=True, slots=True)
class Item:
    """A value to be kept: JSON, and what it says in words. ``labels`` are metadata that it is found by."""

    value: Any
    words: str
    role: Role = "user"
    name: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    labels: Mapping[str, Scalar] = field(default_factory=dict)
    message_id: str = field(default_factory=lambda: uuid4().hex)


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A value that is kept. ``value`` is None for a message that somebody else wrote: it has words only."""

    id: str
    conversation_id: str
    message_id: str
    value: Any
    words: str
    role: Role
    at: datetime
    labels: Mapping[str, Scalar]


@dataclass(slots=True)
class _Unlisted:
    """Messages of one owner that were written or removed by a publisher, and that lists do not show as they are yet."""

    sent_now: Callable[[], datetime]
    lock: threading.RLock = field(default_factory=threading.RLock)
    written: dict[str, Message] = field(default_factory=dict)  # by id, until a list shows it
    removed: dict[str, None] = field(default_factory=dict)  # ids, the latest: a list may still show them for a second
    # Of each conversation the id that was written last (True), and the one that was removed last (False): those before
    # them are done before them.
    awaited: dict[tuple[str, bool], str] = field(default_factory=dict)


# Frameworks make a history or a session anew for each turn, and each must read what the one before it wrote.
_unlisted: "WeakKeyDictionary[Publisher, dict[Owner, _Unlisted]]" = WeakKeyDictionary()
_unlisted_lock = threading.Lock()


class MessageStore:
    """The messages of one owner that a framework reads and writes. Safe for several threads.

    All stores of one publisher and owner read at once what any of them wrote.

    Args:
        memories: where they are read.
        publisher: where they are written.
        owner: whose they are.
        wait_seconds: the longest that a read waits for what was written here.
    """

    def __init__(
        self,
        memories: "Memories",
        publisher: "Publisher",
        owner: Owner,
        wait_seconds: float = WAIT_SECONDS,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.memories = memories
        self.owner = owner
        self._publisher = publisher
        self._wait_seconds = wait_seconds
        self._clock = clock
        with _unlisted_lock:
            self._unlisted = _unlisted.setdefault(publisher, {}).setdefault(owner, _Unlisted(SendingClock(clock)))

    @property
    def filters(self) -> dict[str, Any]:
        """The filters that select the owner."""
        return self.owner.ids

    def add(self, conversation_id: str, items: Iterable[Item]) -> list[str]:
        """Keep values, durably on return; the ids of their messages.

        Raises:
            InputError: a value is no JSON, or too large.
            StoreUnavailable, StoreRejected: they could not be kept.
        """
        with self._unlisted.lock:
            events = [self._message(conversation_id, item) for item in items]
            self._publisher.send_many(events)
            self._publisher.flush()
            ids = [message_id(each.tenant_id, each.conversation_id, each.message_id) for each in events]
            self._unlisted.written.update(zip(ids, events, strict=True))
            if len(self._unlisted.written) > _MOST_WRITTEN:
                self._forget_stored()
            if ids:
                self._unlisted.awaited[conversation_id, True] = ids[-1]
            return ids

    def remove(self, kept: Sequence[StoredItem]) -> None:
        """Take values away, and all that was learnt from them.

        Raises:
            StoreUnavailable, StoreRejected: it could not be ordered.
        """
        with self._unlisted.lock:
            tenant = self.owner.tenant_id
            if any(each.id in self._unlisted.written for each in kept):
                self.wait_until_stored()  # only what has been there can be seen to be gone
            self._publisher.send_many(
                Delete(tenant_id=tenant, conversation_id=each.conversation_id, message_id=each.message_id) for each in kept
            )
            self._publisher.flush()
            for each in kept:
                self._unlisted.removed[each.id] = None
                self._unlisted.written.pop(each.id, None)
                self._unlisted.awaited[each.conversation_id, False] = each.id
                if self._unlisted.awaited.get((each.conversation_id, True)) == each.id:
                    del self._unlisted.awaited[each.conversation_id, True]
            while len(self._unlisted.removed) > _MOST_REMOVED:
                del self._unlisted.removed[next(iter(self._unlisted.removed))]

    def forget(self, conversation_id: str) -> None:
        """Erase a conversation with all that was learnt from it; it is gone on return.

        Raises:
            StoreUnavailable, StoreRejected: it could not be ordered, or is not done yet.
        """
        with self._unlisted.lock:
            erasure = self._publisher.forget_conversation(self.owner.tenant_id, conversation_id)
            if self.memories.receipt(erasure, self.owner.tenant_id, self._wait_seconds) is None:
                raise StoreUnavailable(self._late("erased"))
            for each in [each for each, event in self._unlisted.written.items() if event.conversation_id == conversation_id]:
                del self._unlisted.written[each]
            self._unlisted.awaited.pop((conversation_id, True), None)
            self._unlisted.awaited.pop((conversation_id, False), None)

    def newest_first(
        self, filters: Mapping[str, Any], matches: Callable[[Mapping[str, Scalar]], bool] = lambda labels: True
    ) -> Iterator[StoredItem]:
        """Stored items, the newest first, with everything that was written here.

        Args:
            filters: what is asked for, of the owner's: see ``queries.filtering.filters.Filters``.
            matches: whether labels pass the filter ``metadata``, for what no list shows yet.

        Raises:
            StoreUnavailable: the index cannot answer.
        """
        with self._unlisted.lock:
            conversation = filters.get("conversation_id")
            mine = {
                identity: event
                for identity, event in self._unlisted.written.items()
                if conversation in (None, event.conversation_id) and matches(event.metadata)
            }
        seen: set[str] = set()
        await_index(self.memories, self._wait_seconds)
        for memory in iterate_memories(self.memories, "message", {**self.filters, **filters}):
            kept = _item(memory.id, memory.body)
            # What was written here and is in no list yet is newer than what is.
            newer = [identity for identity, event in mine.items() if identity not in seen and event.sent_at > kept.at]
            yield from self._missing(newer, mine, seen)
            if kept.id not in self._unlisted.removed and kept.id not in seen:
                seen.add(kept.id)
                self._unlisted.written.pop(kept.id, None)
                yield kept
        yield from self._missing(list(mine), mine, seen)

    def ranked(self, query: str, label: str, labels: Mapping[str, Any], most: int) -> list[tuple[StoredItem, float]]:
        """Stored items with these labels that answer a query, each with its score, best first.

        Args:
            query: any text; one without a word finds nothing.
            label: the one that holds the id of each message.
            labels: the filter ``metadata``.
            most: so many are wanted; there may be more.

        Raises:
            StoreUnavailable: the index cannot answer, or what was written here is not stored in time.
        """
        self.wait_until_stored()
        query = as_question(query)
        if not query:
            return []
        scores: dict[str, float] = {}
        filters = {**self.filters, "metadata": labels, "kinds": ["fact", "message"]}
        for passage in passages(self.memories.search(query, filters=filters, top_k=min(_PLACES_EACH * most, _MOST_PLACES))):
            for identity in passage.metadata["message_ids"]:  # those that say the same again among them
                scores.setdefault(identity, passage.score)
        wanted = list(scores)[:_MOST_PLACES]
        found = self.newest_first({"metadata": {label: wanted}}, lambda known: known.get(label) in scores) if wanted else ()
        items = {each.message_id: each for each in found}
        return [(items[identity], scores[identity]) for identity in wanted if identity in items]

    def _missing(self, identities: Iterable[str], mine: Mapping[str, Message], seen: set[str]) -> Iterator[StoredItem]:
        """Items that were written here and are in no list yet, the newest first."""
        for identity in sorted(identities, key=lambda each: mine[each].sent_at, reverse=True):
            if identity not in seen and identity not in self._unlisted.removed:
                seen.add(identity)
                yield _item(identity, mine[identity].model_dump() | {"text": mine[identity].text})

    def wait_until_stored(self) -> None:
        """Wait until what was written here is stored, so that a search finds it by its words; by its vector soon after.

        Raises:
            StoreUnavailable: it was not in time.
        """
        with self._unlisted.lock:
            if not self._unlisted.awaited:
                return
            await_index(self.memories, self._wait_seconds)
            deadline, pause = time.monotonic() + self._wait_seconds, _FIRST_PAUSE_SECONDS
            for place, identity in tuple(self._unlisted.awaited.items()):
                while (self.memories.get(identity, self.filters) is not None) is not place[1]:
                    if time.monotonic() >= deadline:
                        raise StoreUnavailable(self._late("stored"))
                    time.sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
                del self._unlisted.awaited[place]

    def _forget_stored(self) -> None:
        """Leave what was written long ago to the lists, which show what has been stored for some seconds."""
        self.wait_until_stored()
        old = self._clock() - _LISTED
        self._unlisted.written = {identity: event for identity, event in self._unlisted.written.items() if event.sent_at > old}

    def _late(self, what: str) -> str:
        return (
            f"what was sent is not {what} after {self._wait_seconds:g} seconds, nothing is lost; does a flow run"
            " (`mneme serve`, `mneme run`), and does it keep up (`mneme admin status`)?"
        )

    def _message(self, conversation_id: str, item: Item) -> Message:
        words, rest = pack(item.value, item.words)
        said = {
            **self.owner.ids,
            "conversation_id": conversation_id,
            "message_id": item.message_id,
            "sender_name": item.name,
            "role": item.role,
            "sent_at": self._unlisted.sent_now(),
            "content": words,
            "tool_calls": list(item.tool_calls),
            "metadata": {**item.labels, KEY: rest},
        }
        with input_errors():
            return Message.model_validate(said)


def _item(identity: str, said: Mapping[str, Any]) -> StoredItem:
    """The item of a message, which an index keeps (``Memory.body``) or this process sent."""
    words, metadata, at = said["text"], said["metadata"], said["sent_at"]
    try:
        value = unpack(words, metadata)
    except (KeyError, ValueError):
        value = None
    at = datetime.fromisoformat(at) if isinstance(at, str) else at
    return StoredItem(identity, said["conversation_id"], said["message_id"], value, words, said["role"], at, metadata)


@dataclass(frozen=True, slots=True)
class Passage:
    """One memory. ``metadata`` is JSON: ``kind``, ``rank``, ``score``, and as far as known ``date``, ``valid_to``,
    ``conversation_id``, ``message_ids``, ``document_id`` and ``citation`` (file and page).
    """

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


def passages(found: SearchResponse) -> list[Passage]:
    """Results, best first."""
    episodes = episodes_of(found)
    return [_passage(each, episodes) for each in found.ranked()]


def _passage(found: Found, episodes: Mapping[str, FoundEpisode]) -> Passage:
    metadata: dict[str, Any] = {"kind": kind_of(found), "rank": found.rank, "score": found.score}
    if (origin := origin_of(found, episodes)) is not None:
        said_in = found.said_in if isinstance(found, FoundFact | FoundForesight) else origin.message_ids
        metadata |= {"date": origin.date.isoformat(), "message_ids": list(said_in), "conversation_id": origin.conversation_id}
        if origin.valid_to is not None:
            metadata |= {"valid_to": origin.valid_to.isoformat()}
        if origin.citation is not None:
            metadata |= {"document_id": origin.citation.document_id, "citation": str(origin.citation)}
    metadata = {name: value for name, value in metadata.items() if value is not None}
    return Passage(found.id, words_of(found), found.score, metadata)
