"""Texts at which an embedder failed: are they to blame, or was it down?

An endpoint may fail at one text every time (a server that runs out of memory at it, or answers 500 where 400 is meant). Tried
again among others it would take them along every time, and wait for ever. So a text that was in a batch that failed is
tried apart from other callers' texts, and given up when it has failed several times with others served in between.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

_TRIES = 3  # each with the endpoint's own retries
_KEPT = 8192  # texts; more than can be under way


@dataclass(slots=True)
class _Trouble:
    times: int  # with others served in between
    last_at: float


class Troubles:
    """What is known of texts that failed. Not locked: its owner does that. Times are of a clock that never goes back."""

    def __init__(self) -> None:
        self._troubles: OrderedDict[bytes, _Trouble] = OrderedDict()
        self._served_at = float("-inf")

    def concern(self, text: str) -> bool:
        """Whether a text failed and was not served since."""
        return bool(self._troubles) and key_of(text) in self._troubles

    def failed(self, texts: Sequence[str], now: float) -> None:
        """A batch of these texts failed."""
        for text in texts:
            trouble = self._troubles.setdefault(key_of(text), _Trouble(0, float("-inf")))
            if not trouble.times or trouble.last_at < self._served_at:
                trouble.times += 1
            trouble.last_at = now
        while len(self._troubles) > _KEPT:
            self._troubles.popitem(last=False)

    def served(self, texts: Sequence[str], now: float) -> None:
        """A batch of these texts got its vectors."""
        self._served_at = now
        if self._troubles:
            for text in texts:
                self._troubles.pop(key_of(text), None)

    def are_to_blame(self, texts: Sequence[str]) -> bool:
        """Whether one of these texts, tried by themselves, has failed too often."""
        troubles = (self._troubles.get(key_of(text)) for text in texts)
        return any(trouble is not None and trouble.times >= _TRIES for trouble in troubles)


def key_of(text: str) -> bytes:
    """What a text is known by."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
