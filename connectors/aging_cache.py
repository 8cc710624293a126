"""A cache of two generations: what was not asked for during one of them is let go. Bounded in entries and in time."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class AgingCache(Generic[Key, Value]):
    """May be used from several threads: each step is one operation of a dictionary.

    Args:
        most: entries in each of the two generations.
        seconds: after which a generation is the old one; after as many again it is dropped.
        clock: seconds that never go back.
    """

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._young: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}
        self._since = clock()

    def get(self, key: Key) -> Value | None:
        """The value of a key, which makes it young again; None if there is none."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self._young[key] = found
        return found

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, and let go what is due."""
        passed = self._clock() - self._since
        if len(self._young) >= self._most or passed >= self._seconds:
            self._old = {} if passed >= 2 * self._seconds else self._young
            self._young = {}
            self._since = self._clock()
        self._young[key] = value


class Derived(Generic[Key, Value]):
    """Derive a value from an object, once for as long as it is asked for again. May be used from several threads.

    Args:
        make: what is derived, never None; the same of the same object.
        most, seconds: of a generation, see ``AgingCache``; by default what nobody asks for leaves memory within ten minutes.
    """

    def __init__(self, make: Callable[[Key], Value], most: int = 10_000, seconds: float = 300.0) -> None:
        self._make = make
        self._values: AgingCache[Key, Value] = AgingCache(most, seconds)

    def __call__(self, source: Key) -> Value:
        """The value derived from an object, which is told apart as a dictionary does: a row by its identity."""
        value = self._values.get(source)
        if value is None:
            value = self._make(source)
            self._values.put(source, value)
        return value
