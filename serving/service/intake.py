"""How many of the events that the flow has still to read are each tenant's."""

import threading
from collections import Counter, deque
from collections.abc import Sequence

from mneme.errors import StoreUnavailable
from mneme.events import AnyEvent

MOST_UNREAD = 5_000  # events of one tenant: 20 to 40 s of the flow on two processors, which others would wait


class Intake:
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
