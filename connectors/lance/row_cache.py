"""The rows of owners that are searched, in memory and never older than the index.

An entry is the rows of one owner in one collection, with the version of the table at which they were last compared with it.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import pyarrow as pa

from connectors.lance.owner_rows import OwnerRows
from connectors.lance.owner_search import OwnerSearch
from connectors.lance.table import LanceTable
from mneme.rows import Collection

log = logging.getLogger(__name__)

_IDLE_SECONDS = 600.0  # below TOMBSTONES_LAST; what nobody asks for may have been erased, and is let go when the index changes
_MOST_PARTS = 8  # of one owner; then they are read anew, as one
_LOCKS = 16

_Place = tuple[Collection, str]  # and the owner's key
Parts = tuple[OwnerRows, ...]


@dataclass(slots=True)
class _Entry:
    """The rows of an owner: those read first, and in further parts what came since."""

    table: LanceTable
    version: int
    parts: Parts
    asked_at: float

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)


class RowCache:
    """Owners' rows, at most ``limit`` bytes of them; the least recently searched owner makes room.

    An owner with more rows than that is read anew for each search. While one is read, as much again is needed for a moment.

    Args:
        limit: bytes; 0 keeps nothing.
        clock: seconds that never go back.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: OrderedDict[_Place, _Entry] = OrderedDict()
        self._lock = Lock()  # of the entries
        self._reading = [Lock() for _ in range(_LOCKS)]  # so that one owner is read once, and others are not waited for
        self._has_warned = False

    def search(self, table: LanceTable, owner_keys: Sequence[str]) -> OwnerSearch:
        """All rows of these owners, as they are now: what was acknowledged before the call is in it.

        1. Ask the table for its version, before anything is read: what is read later is no older.
        2. Take each owner's rows from the cache, if they were compared with that version.
        3. Otherwise compare where its rows lie (a row that was written again lies elsewhere), and read the new ones.
        """
        version = table.version()
        parts: list[OwnerRows] = []
        for owner_key in dict.fromkeys(owner_keys):
            parts += self._parts(table, owner_key, version)
        return OwnerSearch(parts)

    def clear(self) -> None:
        """Keep nothing more."""
        with self._lock:
            self._entries.clear()

    @property
    def size(self) -> int:
        """The number of bytes that are kept."""
        with self._lock:
            return sum(entry.size for entry in self._entries.values())

    def _parts(self, table: LanceTable, owner_key: str, version: int) -> Parts:
        place = (table.collection, owner_key)
        if (entry := self._fresh(place, table, version)) is not None:
            return entry.parts
        with self._reading[hash(place) % _LOCKS]:
            if (entry := self._fresh(place, table, version)) is not None:  # another thread was faster
                return entry.parts
            with self._lock:
                older = self._entries.get(place)
            parts = self._compared(table, owner_key, older.parts) if older and older.table is table else None
            if parts is None:
                rows = pa.Table.from_batches(batches) if (batches := list(table.owned(owner_key))) else None
                parts = (OwnerRows(table.collection, rows),) if rows and rows.num_rows else ()
            self._keep(place, _Entry(table, version, parts, self._clock()))
            return parts

    def _fresh(self, place: _Place, table: LanceTable, version: int) -> _Entry | None:
        """The entry, if it was compared with this version or a later one."""
        with self._lock:
            entry = self._entries.get(place)
            if entry is None or entry.table is not table or entry.version < version:
                return None
            entry.asked_at = self._clock()
            self._entries.move_to_end(place)
            return entry

    def _compared(self, table: LanceTable, owner_key: str, parts: Parts) -> Parts | None:
        """The parts without rows that are gone, and a part of those that came; None where reading all is better."""
        there = table.addresses(owner_key)
        cached = np.concatenate([part.live_addresses() for part in parts]) if parts else there[:0]
        gone, new = np.setdiff1d(cached, there), np.setdiff1d(there, cached)
        if 2 * (len(gone) + len(new)) > len(there) or len(parts) == _MOST_PARTS:
            return None
        if len(gone):
            parts = tuple(part.without(gone) for part in parts)
        if len(new):
            added = table.at(new)
            if added.num_rows != len(new):  # they went elsewhere meanwhile
                return None
            parts = (*parts, OwnerRows(table.collection, added))
        return parts

    def _keep(self, place: _Place, entry: _Entry) -> None:
        """Keep an entry, if it fits; what was not searched for longest makes room."""
        with self._lock:
            self._entries.pop(place, None)
            for other, idle in list(self._entries.items()):
                if idle.asked_at < entry.asked_at - _IDLE_SECONDS:
                    del self._entries[other]
            if entry.size > self._limit:
                if self._limit and not self._has_warned:
                    self._has_warned = True
                    log.warning(
                        "the rows of an owner take %d MB, more than MNEME_INDEX__CACHE_MEGABYTES: "
                        "each search reads them anew; raise it",
                        entry.size // 1_000_000,
                    )
                return
            sizes = {other: kept.size for other, kept in self._entries.items()}
            room = self._limit - entry.size - sum(sizes.values())
            while room < 0:
                oldest, _ = self._entries.popitem(last=False)
                room += sizes[oldest]
            self._entries[place] = entry
