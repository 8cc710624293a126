"""Waiting for rows that the flow will write: markers of flushes, receipts of erasures."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mneme.errors import StoreUnavailable
from mneme.rows import Key, Row

_SHORTEST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 0.5  # between two looks
_PAUSE_PART = 0.1  # of the time that whoever came last has waited


@dataclass(slots=True, eq=False)
class _Wait:
    """Rows that one thread waits for, and those that are there."""

    keys: frozenset[Key]
    since: float
    found: dict[Key, Row] = field(default_factory=dict)
    looks: int = 0
    failure: StoreUnavailable | None = None

    @property
    def is_over(self) -> bool:
        return len(self.found) == len(self.keys)


class RowWaiter:
    """Lets any number of threads wait for rows with one of them looking at a time, for all.

    Args:
        read: the rows of keys that are there.
    """

    def __init__(self, read: Callable[[Sequence[Key]], Mapping[Key, Row]]) -> None:
        self._read = read
        self._changed = threading.Condition()
        self._waits: list[_Wait] = []
        self._is_looked = False
        self._next_look = 0.0
        self._has_ended = False

    def wait(self, keys: Sequence[Key], timeout: float) -> dict[Key, Row]:
        """The rows of keys as soon as all are there, or those that are when ``timeout`` seconds are over. Looks at least once.

        Raises:
            StoreUnavailable: they could not be looked for, not once.
            StoreError: they cannot be looked for.
        """
        wait = _Wait(frozenset(keys), time.monotonic())
        deadline = wait.since + timeout
        with self._changed:
            self._waits.append(wait)
            try:
                while not wait.is_over:
                    now = time.monotonic()
                    if wait.looks and (self._has_ended or now >= deadline):
                        break
                    if self._is_looked:
                        self._changed.wait(deadline - now if wait.looks else None)
                    elif wait.looks and now < self._next_look:
                        self._changed.wait(min(deadline, self._next_look) - now)
                    else:
                        self._look_for_all()
            finally:
                self._waits.remove(wait)
                self._changed.notify_all()  # one of the others looks from here on
        if wait.failure is not None and not wait.found:
            raise wait.failure
        return wait.found

    def end(self) -> None:
        """Let nobody wait any longer: each gets what is there."""
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _look_for_all(self) -> None:
        """Look once for what anybody waits for; without the lock meanwhile."""
        self._is_looked = True
        waits = list(self._waits)
        wanted = list({key for wait in waits for key in wait.keys - wait.found.keys()})
        rows: Mapping[Key, Row] = {}
        failure: StoreUnavailable | None = None
        self._changed.release()
        try:
            rows = self._read(wanted)
        except StoreUnavailable as error:
            failure = error
        finally:
            self._changed.acquire()
            self._is_looked = False
            self._changed.notify_all()
        for wait in waits:
            wait.found |= {key: rows[key] for key in wait.keys & rows.keys()}
            wait.looks += 1
            wait.failure = failure
        # The longer all have waited, the longer nobody looks.
        now = time.monotonic()
        pause = (now - max(wait.since for wait in waits)) * _PAUSE_PART
        self._next_look = now + min(max(pause, _SHORTEST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
