"""How much may go out in a minute: a token bucket that keeps to the limit in every minute, not only on average.

A bucket of a tenth of the limit, refilled with the rest of it over the minute: so in no 60 seconds more than the limit
goes out (but for a single call that is larger than the bucket), and nobody waits for a whole minute behind a burst, as in
counting by the clock. (Turner 1986, "leaky bucket as a meter".)
"""

import math

MINUTE_SECONDS = 60.0
_BURST_SHARE = 0.1
_ROUNDING = 1e-6  # of a level after many refills


class RateLimit:
    """What may go out now of something that is limited by the minute. Not locked: its owner does that.

    Times are seconds of any clock that never goes back.
    """

    def __init__(self, per_minute: int) -> None:
        """A full bucket.

        Args:
            per_minute: the limit; 0 for none.
        """
        self._unlimited = per_minute == 0
        self._capacity = max(1.0, math.floor(per_minute * _BURST_SHARE))
        # What is taken the moment a minute begins and what is refilled until its end: together the limit.
        self._per_second = (per_minute - self._capacity + 1) / MINUTE_SECONDS if per_minute else 0.0
        self._level = self._capacity
        self._at: float | None = None

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount may go out, if nothing else does; 0 when it may now."""
        if self._unlimited:
            return 0.0
        self._refill(now)
        lacking = min(amount, self._capacity) - self._level  # more than the bucket holds goes out when it is full
        return lacking / self._per_second if lacking > _ROUNDING else 0.0

    def take(self, amount: float, now: float) -> None:
        """It goes out: also more than there is, which those who come later wait for."""
        self._refill(now)
        self._level -= 0.0 if self._unlimited else amount

    def give_back(self, amount: float, now: float) -> None:
        """Less went out than was taken; more, where the amount is negative."""
        self._refill(now)
        self._level = min(self._capacity, self._level + amount)

    def _refill(self, now: float) -> None:
        if self._at is not None and now > self._at:
            self._level = min(self._capacity, self._level + (now - self._at) * self._per_second)
        self._at = now if self._at is None else max(self._at, now)
