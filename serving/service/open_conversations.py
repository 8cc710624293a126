"""Which conversations of an owner have anything open: what a flush of all of them is sent to."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from mneme.events import AnyEvent, Message
from mneme.ports import Filter, MemoryIndex, Place
from mneme.rows import Collection

_LATELY_SECONDS = 600.0  # after which what was taken in is certainly in the index, unless the flow stands still
_MOST_LATELY = 20_000  # of one tenant, which makes another's be forgotten by no number of its own
_PAGE = 500


class Lately:
    """The conversations to which messages were sent lately, by the owner that the messages name. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: dict[str, OrderedDict[tuple[str, str], float]] = {}  # by tenant: owner and conversation; the latest last

    def note(self, events: Iterable[AnyEvent]) -> None:
        """These events were sent."""
        now = time.monotonic()
        with self._lock:
            for event in events:
                if isinstance(event, Message):
                    place = event.owner.key, event.conversation_id
                    sent = self._sent.setdefault(event.tenant_id, OrderedDict())
                    sent[place] = now
                    sent.move_to_end(place)
            for sent in self._sent.values():
                while sent and (len(sent) > _MOST_LATELY or next(iter(sent.values())) < now - _LATELY_SECONDS):
                    sent.popitem(last=False)
            self._sent = {tenant: sent for tenant, sent in self._sent.items() if sent}

    def of(self, tenant_id: str, owner_key: str) -> list[str]:
        """The conversations of an owner."""
        with self._lock:
            return [conversation for owner, conversation in self._sent.get(tenant_id, ()) if owner == owner_key]


def open_in(index: MemoryIndex, tenant_id: str, owner_key: str) -> Iterator[str]:
    """The conversations of an owner with messages that no episode holds, the newest first.

    Raises:
        StoreError: the index cannot answer.
    """
    own = Filter(tenant_id, (owner_key,), outside_documents=True)
    after: Place | None = None
    while page := index.conversations(Collection.MESSAGES, own, _PAGE, after):
        named = Filter(tenant_id, (owner_key,), conversation_ids=tuple(each.conversation_id for each in page))
        told = {each.conversation_id: each.messages for each in index.conversations(Collection.EPISODES, named, len(page))}
        yield from (each.conversation_id for each in page if each.rows > told.get(each.conversation_id, 0))
        after = page[-1].last_at, page[-1].conversation_id
