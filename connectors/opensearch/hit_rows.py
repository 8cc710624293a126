"""The rows that hits stand for: those that this process has are not sent again.

A row has some 2 KB, a hybrid search some 900 hits, and most of these another search had a moment ago. So a hit names its row by
the number that the server gave to the write that made it (``_seq_no``), and only rows that are not known by it are read, in
a second round trip. A row that was written again has another number, so it is never mistaken for what it was; what no search
finds any more leaves memory within ten minutes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from connectors.aging_cache import AgingCache
from connectors.opensearch.mapping import row_of_hit
from connectors.opensearch.queries import Request, rows_of
from mneme.ports import Filter
from mneme.rows import Collection, Row

MOST_ROWS = 20_000  # in each of two generations
ROW_BYTES = 6_000  # about what a row takes, its parsed body with it
SECONDS = 300.0  # after which a generation is the old one; after as many again it is dropped

Asked = tuple[Collection, Filter, Request | None]
Hits = Sequence[Mapping[str, Any]]
_Place = tuple[Collection, Filter]
_Stamp = tuple[str, str, int, int]  # index, id, and the numbers of the write; the filter keeps other owners away


class HitRows:
    """Rows by the writes that made them. May be used from several threads.

    Args:
        search: the hits of each request, in one round trip.
        most: rows in each of two generations.
    """

    def __init__(self, search: Callable[[Sequence[Asked]], Sequence[Hits]], most: int = MOST_ROWS) -> None:
        self._search = search
        self._kept: AgingCache[_Stamp, Row] = AgingCache(most, SECONDS)

    def of(self, asked: Sequence[Asked], answers: Sequence[Hits]) -> list[list[Row | None]]:
        """The row of each hit of each request; None for one that is gone by now, or does not pass its filter any more.

        Args:
            asked: what was searched for; hits have no more than their last sort value, the id, and ``_seq_no``.
            answers: the hits of each.
        """
        found = [self._known(hits, filter) for (_, filter, _), hits in zip(asked, answers, strict=True)]
        unknown: dict[_Place, dict[str, None]] = {}
        for (collection, filter, _), hits, rows in zip(asked, answers, found, strict=True):
            if None in rows:
                ids = (hit["sort"][-1] for hit, row in zip(hits, rows, strict=True) if row is None)
                unknown.setdefault((collection, filter), {}).update(dict.fromkeys(ids))
        if unknown:
            read = self._read(unknown)
            for (collection, filter, _), hits, rows in zip(asked, answers, found, strict=True):
                there = read.get((collection, filter), {})
                rows[:] = [row or there.get(hit["sort"][-1]) for hit, row in zip(hits, rows, strict=True)]
        return found

    def _known(self, hits: Hits, filter: Filter) -> list[Row | None]:
        owners = filter.owner_keys
        rows = map(self._kept.get, map(_stamp, hits))
        return [row if row is not None and row.owner_key in owners else None for row in rows]

    def _read(self, wanted: Mapping[_Place, Mapping[str, None]]) -> dict[_Place, dict[str, Row]]:
        """The rows with these ids that still pass their filters."""
        narrowed = [(collection, replace(filter, ids=tuple(ids))) for (collection, filter), ids in wanted.items()]
        requests = [(collection, filter, rows_of(filter)) for collection, filter in narrowed]
        read: dict[_Place, dict[str, Row]] = {}
        for place, hits in zip(wanted, self._search(requests), strict=True):
            rows = read[place] = {}
            for hit in hits:
                row = rows[hit["sort"][-1]] = row_of_hit(place[0], hit)
                self._kept.put(_stamp(hit), row)
        return read


def _stamp(hit: Mapping[str, Any]) -> _Stamp:
    return hit["_index"], hit["sort"][-1], hit["_seq_no"], hit["_primary_term"]
