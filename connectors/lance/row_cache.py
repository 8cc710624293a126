"""The rows of owners that are asked for, kept in memory and never older than the index.

A search that finds an owner here costs a few products of matrices instead of several queries of a database. What is held is
the rows of one owner in one collection, with the version of the table at which they were last compared with it.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import pyarrow as pa

from connectors.lance.held_rows import HeldRows
from connectors.lance.held_scope import HeldScope
from connectors.lance.table import LanceTable
from mneme.rows import Collection

_BUSY_SECONDS = 5.0  # so long after it was asked for, nothing makes room for something else: two that take turns would thrash
_IDLE_SECONDS = 600.0  # below TOMBSTONES_LAST; what nobody asks for may have been erased, and is let go when the index changes
_MOST_PARTS = 8  # of one owner; then they are read anew, as one
_MOST_REFUSED = 10_000
_LOCKS = 16

_Place = tuple[Collection, str]  # and the owner's key


@dataclass(slots=True)
class _Entry:
    """The rows of an owner: those read first, and in further parts what came since."""

    table: LanceTable
    version: int
    parts: tuple[HeldRows, ...]
    asked_at: float


class RowCache:
    """Owners' rows, at most ``limit`` bytes of them; those go first that were not asked for longest.

    An owner for whom there is no room is left to LanceDB: then ``scope`` gives None. While one is being read, up to as much
    again is needed for a moment.

    Args:
        limit: bytes; 0 holds nothing.
        clock: seconds that never go back.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: OrderedDict[_Place, _Entry] = OrderedDict()
        self._sizes: dict[_Place, int] = {}
        self._refused: dict[_Place, int] = {}  # with the bytes they would take
        self._lock = Lock()  # of the four above
        self._reading = [Lock() for _ in range(_LOCKS)]  # so that one owner is read once, and others are not waited for

    def scope(self, table: LanceTable, owner_keys: Sequence[str]) -> HeldScope | None:
        """All rows of these owners, as they are now: what was acknowledged before the call is in it.

        1. Ask the table for its version, before anything is read: what is read later is no older.
        2. Take each owner's rows as they are held, if they were compared with that version.
        3. Otherwise compare where its rows lie (a row that was written again lies elsewhere), and read the new ones.
        """
        if not self._limit:
            return None
        version = table.version()
        parts: list[HeldRows] = []
        for owner_key in dict.fromkeys(owner_keys):
            held = self._held(table, owner_key, version)
            if held is None:
                return None
            parts += held
        return HeldScope(parts)

    def clear(self) -> None:
        """Hold nothing more."""
        with self._lock:
            self._entries.clear()
            self._sizes.clear()
            self._refused.clear()

    @property
    def size(self) -> int:
        """How many bytes are held."""
        with self._lock:
            return sum(self._sizes.values())

    def _held(self, table: LanceTable, owner_key: str, version: int) -> tuple[HeldRows, ...] | None:
        place = (table.collection, owner_key)
        if (entry := self._fresh(place, table, version)) is not None:
            return entry.parts
        with self._reading[hash(place) % _LOCKS]:
            if (entry := self._fresh(place, table, version)) is not None:  # another thread was faster
                return entry.parts
            with self._lock:
                known = self._entries.get(place)
                refused = self._refused.get(place)
                if known is None and refused is not None and not self._room(place, refused):
                    return None
            parts = self._compared(table, owner_key, known.parts) if known and known.table is table else None
            if parts is None:
                parts = self._read(table, owner_key)
            return parts if self._keep(place, table, version, parts) else None

    def _fresh(self, place: _Place, table: LanceTable, version: int) -> _Entry | None:
        """What is held, if it was compared with this version or a later one."""
        with self._lock:
            entry = self._entries.get(place)
            if entry is None or entry.table is not table or entry.version < version:
                return None
            entry.asked_at = self._clock()
            self._entries.move_to_end(place)
            return entry

    def _read(self, table: LanceTable, owner_key: str) -> tuple[HeldRows, ...] | None:
        """All rows of an owner; None if they alone are more than the limit."""
        batches, size = [], 0
        for batch in table.owned(owner_key):
            batches.append(batch)
            size += batch.nbytes
            if size > self._limit:
                return None
        rows = pa.Table.from_batches(batches) if batches else None
        return (HeldRows(table.collection, rows),) if rows and rows.num_rows else ()

    def _compared(self, table: LanceTable, owner_key: str, parts: tuple[HeldRows, ...]) -> tuple[HeldRows, ...] | None:
        """The parts without rows that are gone, and a part of those that came; None where reading all is better."""
        there = table.addresses(owner_key)
        held = np.concatenate([part.live_addresses() for part in parts]) if parts else there[:0]
        gone, new = np.setdiff1d(held, there), np.setdiff1d(there, held)
        if 2 * (len(gone) + len(new)) > len(there) or len(parts) == _MOST_PARTS:
            return None
        if len(gone):
            parts = tuple(part.without(gone) for part in parts)
        if len(new):
            added = table.at(new)
            if added.num_rows != len(new):  # they went elsewhere meanwhile
                return None
            parts = (*parts, HeldRows(table.collection, added))
        return parts

    def _keep(self, place: _Place, table: LanceTable, version: int, parts: tuple[HeldRows, ...] | None) -> bool:
        """Hold the parts, if there is room; whether there was."""
        now = self._clock()
        with self._lock:
            for other in [each for each, entry in self._entries.items() if entry.asked_at < now - _IDLE_SECONDS]:
                self._drop(other)
            size = self._limit + 1 if parts is None else sum(part.size for part in parts)
            self._drop(place)
            if parts is None or not self._room(place, size):
                if len(self._refused) >= _MOST_REFUSED:
                    self._refused.clear()
                self._refused[place] = size
                return False
            while sum(self._sizes.values()) + size > self._limit:
                self._drop(next(iter(self._entries)))
            self._entries[place] = _Entry(table, version, parts, now)
            self._sizes[place] = size
            return True

    def _room(self, place: _Place, size: int) -> bool:
        """Whether so many bytes are free, or held by what was not asked for lately."""
        busy_since = self._clock() - _BUSY_SECONDS
        busy = (self._sizes[each] for each, entry in self._entries.items() if entry.asked_at > busy_since and each != place)
        return sum(busy) + size <= self._limit

    def _drop(self, place: _Place) -> None:
        self._entries.pop(place, None)
        self._sizes.pop(place, None)
