"""Episodes that rules extracted because the model's endpoint was down: extracted again, under the same ids, when it is back.

Their references stay in the state of the extract step. One is tried at a time, after pauses that double up to ten minutes; once
one succeeds, all others of its bucket follow.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from connectors.telemetry.metrics import OWED_EPISODES
from flows.items import Reference

_FIRST_PAUSE_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 600.0
_MOST_OWED = 2_000  # of a bucket, the oldest first: state is small; the others keep their dead letters


class OwedEpisodes:
    """The episodes of one bucket that wait for the model.

    Args:
        clock: the present, aware.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._owed: dict[str, Reference] = {}
        self._at_work: set[str] = set()
        self._pause = _FIRST_PAUSE_SECONDS
        self._next_at: datetime | None = None

    def add(self, reference: Reference, wait: bool = True) -> None:
        """The model owes an episode. ``wait`` False: it is tried at once, since the process has just begun."""
        if len(self._owed) >= _MOST_OWED and reference["id"] not in self._owed:
            return
        if reference["id"] not in self._owed:
            OWED_EPISODES.inc()
        self._owed[reference["id"]] = reference
        if self._next_at is None:
            self._next_at = self._clock() + timedelta(seconds=self._pause if wait else 0.0)

    def replace(self, reference: Reference) -> None:
        """An episode was cut anew: as such it is owed."""
        if reference["id"] in self._owed:
            self._owed[reference["id"]] = reference

    def remove(self, unwanted: Callable[[Reference], bool]) -> list[Reference]:
        """Take out the episodes that are owed no more, and return them."""
        gone = [reference for reference in self._owed.values() if unwanted(reference)]
        for reference in gone:
            del self._owed[reference["id"]]
            self._at_work.discard(reference["id"])
            OWED_EPISODES.dec()
        if not self._owed:
            self._next_at, self._pause = None, _FIRST_PAUSE_SECONDS
        return gone

    def due(self) -> Iterator[Reference]:
        """The episode to try now."""
        if self._next_at is not None and self._clock() >= self._next_at and not self._at_work:
            reference = next(iter(self._owed.values()))
            self._at_work.add(reference["id"])
            yield reference

    def failed(self, reference: Reference) -> None:
        """The model failed again: it is given more time."""
        self._at_work.discard(reference["id"])
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        self._next_at = self._clock() + timedelta(seconds=self._pause)

    def succeeded(self) -> Iterator[Reference]:
        """The model answers again: all others that are to be tried now."""
        self._pause = _FIRST_PAUSE_SECONDS
        for identity, reference in self._owed.items():
            if identity not in self._at_work:
                self._at_work.add(identity)
                yield reference

    def wake_at(self) -> datetime | None:
        """The time of the next attempt; None while one is at work, or nothing is owed."""
        return None if self._at_work else self._next_at

    def __iter__(self) -> Iterator[Reference]:
        """The references, as the state keeps them."""
        return iter(self._owed.values())
