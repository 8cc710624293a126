"""Rows that were decoded a moment ago: the next search about the same owner mostly finds the same ones again.

They are found by the very bytes that the server sends, so a row that was written again is never mistaken for what it was.
What the server no longer sends is never returned, and leaves memory within ten minutes.
"""

import time
from collections.abc import Callable
from hashlib import blake2b

from mneme.rows import Collection, Row

MOST_ROWS = 20_000  # in each of two generations; some 4 KB a row
SECONDS = 300.0  # after which a generation is the old one; after as many again it is dropped


class DecodedRows:
    """A cache of decoded rows. May be used from several threads: each step is one operation of a dictionary."""

    def __init__(
        self, decode: Callable[[Collection, str], Row], most: int = MOST_ROWS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._decode = decode
        self._most = most
        self._clock = clock
        self._young: dict[bytes, Row] = {}
        self._old: dict[bytes, Row] = {}
        self._since = clock()

    def row(self, collection: Collection, packed: str) -> Row:
        """The row that these bytes are."""
        key = blake2b(packed.encode(), digest_size=16, person=collection.value.encode()[:16]).digest()
        found = self._young.get(key) or self._old.get(key)
        if found is None:
            found = self._decode(collection, packed)
        self._age()
        self._young[key] = found
        return found

    def _age(self) -> None:
        if len(self._young) >= self._most or self._clock() - self._since >= SECONDS:
            idle = self._clock() - self._since >= 2 * SECONDS
            self._old = {} if idle else self._young
            self._young = {}
            self._since = self._clock()
