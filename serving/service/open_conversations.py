"""Which conversations of an owner have anything open: what a flush of all of them is sent to."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from mneme.events import AnyEvent, Message
from mneme.ports import Filter, MemoryIndex, Place
from mneme.rows import Collection

_LATELY_SECONDS = 600.0  # after which what was taken in is certainly in the index, unless the flow stands still
_MOST_LATELY = 20_000
_PAGE = 500


class Lately:
    """The conversations to which messages were sent lately, by the owner that the messages name. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: OrderedDict[tuple[str, str], float] = OrderedDict()  # owner and conversation; the latest last

    def note(self, events: Iterable[AnyEvent]) -> None:
        """These events were sent."""
        now = time.monotonic()
        with self._lock:
            for event in events:
                if isinstance(event, Message):
                    place = event.owner.key, event.conversation_id
                    self._sent[place] = now
                    self._sent.move_to_end(place)
            while self._sent and (len(self._sent) > _MOST_LATELY or next(iter(self._sent.values())) < now - _LATELY_SECONDS):
                self._sent.popitem(last=False)

    def of(self, owner_key: str) -> list[str]:
        """The conversations of an owner."""
        with self._lock:
            return [conversation for owner, conversation in self._sent if owner == owner_key]


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
