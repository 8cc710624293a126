"""Events on their way in: a quota of unread events for each tenant, and conversations of an owner with anything open."""

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence

from mneme.errors import StoreUnavailable
from mneme.events import AnyEvent, Message
from mneme.ports import Filter, MemoryIndex, Place
from mneme.records import Owner
from mneme.rows import Collection

MOST_UNREAD = 5_000  # events of one tenant: 20 to 40 s of the flow on two processors, which others would wait


class BacklogQuota:
    """Keeps one tenant from filling the queue in which the events of all wait. Safe for several threads.

    The flow reads in order, so what is not read yet came last. Events that others took in (replicas, Kafka clients) are
    counted as this service's own: of several tenants that send much, one may then be told earlier to wait.

    Args:
        has_several: whether there are several tenants; one alone has nobody to wait for it.
        most: events of a tenant that may be unread.
    """

    def __init__(self, has_several: bool, most: int = MOST_UNREAD) -> None:
        self.has_several = has_several
        self._most = most
        self._lock = threading.Lock()
        self._sent: deque[tuple[str, int]] = deque()  # the oldest first: whose, and how many
        self._of: Counter[str] = Counter()  # the same by tenant

    def measured(self, unread: int) -> None:
        """So many events of all tenants are not read yet."""
        with self._lock:
            while self._sent and self._of.total() - self._sent[0][1] >= unread:
                tenant, count = self._sent.popleft()
                self._of[tenant] -= count
                if not self._of[tenant]:
                    del self._of[tenant]

    def take(self, events: Sequence[AnyEvent]) -> None:
        """Count events that are about to be sent.

        Raises:
            StoreUnavailable: too many of this tenant are unread; none was counted.
        """
        counts = Counter(event.tenant_id for event in events)
        with self._lock:
            for tenant in counts:
                if self._of[tenant] >= self._most:
                    raise StoreUnavailable(
                        f"{self._of[tenant]} events of this tenant are not read yet, and others wait behind them; send more in "
                        "a moment, or what is not urgent as backfill"
                    )
            self._sent.extend(counts.items())
            self._of.update(counts)


_RECENT_SECONDS = 600.0  # after which what was taken in is certainly in the index, unless the flow stands still
_MOST_RECENT = 20_000  # of one tenant, which makes another's be forgotten by no number of its own
_PAGE = 500


class RecentConversations:
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
                while sent and (len(sent) > _MOST_RECENT or next(iter(sent.values())) < now - _RECENT_SECONDS):
                    sent.popitem(last=False)
            self._sent = {tenant: sent for tenant, sent in self._sent.items() if sent}

    def of(self, tenant_id: str, owner_key: str) -> list[str]:
        """The conversations of an owner."""
        with self._lock:
            return [conversation for owner, conversation in self._sent.get(tenant_id, ()) if owner == owner_key]


def open_conversations(index: MemoryIndex, owner: Owner) -> Iterator[str]:
    """The conversations of an owner with messages that no episode holds, the newest first.

    Raises:
        StoreError: the index cannot answer.
    """
    own = Filter(owner.tenant_id, (owner.key,), outside_documents=True)
    after: Place | None = None
    while page := index.conversations(Collection.MESSAGES, own, _PAGE, after):
        named = Filter(owner.tenant_id, (owner.key,), conversation_ids=tuple(each.conversation_id for each in page))
        in_episodes = {
            each.conversation_id: each.messages for each in index.conversations(Collection.EPISODES, named, len(page))
        }
        yield from (each.conversation_id for each in page if each.rows > in_episodes.get(each.conversation_id, 0))
        after = page[-1].last_at, page[-1].conversation_id
