"""Places that several callers share, of which no one of them can take the last: the rule alone, without any waiting.

A caller with less than a quarter of the places gets any free one. A caller with more gets one while more than a quarter are
free. So one caller alone uses three quarters, and another always finds a quarter free at once. A caller without a name
competes with nobody: the only key, or the flow.
"""

from collections import Counter
from contextvars import ContextVar

# The key for which this thread or task works, where there are several.
current_caller: ContextVar[str] = ContextVar("mneme_asking", default="")


class FairShares:
    """So many places. Not safe for several threads by itself.

    >>> shares = FairShares(8)
    >>> [shares.take("loud") for _ in range(7)]
    [True, True, True, True, True, True, False]
    >>> shares.take("quiet"), shares.take("quiet")
    (True, True)

    Args:
        places: in all.
        has_several: whether there are several callers; one alone may have all places.
    """

    def __init__(self, places: int, has_several: bool = True) -> None:
        self.places = places
        self._kept = min(places - 1, max(1, places // 4)) if has_several else 0  # for those who hold less than that
        self._held: Counter[str] = Counter()

    @property
    def free(self) -> int:
        """The number of free places."""
        return self.places - self._held.total()

    def held(self, caller: str) -> int:
        """The number of places that a caller holds."""
        return self._held[caller]

    def may(self, caller: str) -> bool:
        """Return whether a caller would get a place now."""
        kept = self._kept if caller else 0
        return self.free > kept or (self.free > 0 and self._held[caller] < kept)

    def take(self, caller: str) -> bool:
        """Take a place; False: there is none for this caller now."""
        if not self.may(caller):
            return False
        self._held[caller] += 1
        return True

    def give_back(self, caller: str) -> None:
        """Give a place back that was taken."""
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]
