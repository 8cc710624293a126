"""Search the rows of some owners in memory: BM25, cosines, both scores of given rows.

BM25 counts the rows of the owners that are searched, and nobody else's: which words others use, and how often, neither
changes a score nor can be read from one.
"""

import math
from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from connectors.lance.owner_rows import Numbers, OwnerRows, Places
from mneme.ports import Filter, Hit, Scored
from mneme.rows import Embedding, Key, Vector, directions, whole_numbers


class OwnerSearch:
    """All rows of some owners in one collection. ``parts`` hold each row once."""

    def __init__(self, parts: Sequence[OwnerRows]) -> None:
        self._parts = parts
        self._passing: tuple[Filter, list[Places]] | None = None

    def match(self, filter: Filter, tokens: Sequence[str], limit: int) -> list[Hit]:
        """The rows with the highest BM25, best first, ties by id."""
        found = []
        for part, places, scores in zip(self._parts, self._passed(filter), self._bm25(tokens), strict=True):
            matching = places[scores[places] > 0]
            found.append((part, matching, scores[matching]))
        return _best(found, limit)

    def nearest(self, filter: Filter, vector: Vector, limit: int) -> list[Hit]:
        """The rows with the highest cosine, best first, ties by id."""
        if not vector.any():
            return []
        found, unit = [], directions(whole_numbers(vector))
        for part, places in zip(self._parts, self._passed(filter), strict=True):
            cosines = part.cosines(unit, places)
            present = ~np.isnan(cosines)
            found.append((part, places[present], cosines[present]))
        return _best(found, limit)

    def score(self, filter: Filter, tokens: Sequence[str], vector: Vector | None, limit: int) -> list[Scored]:
        """Rows that pass the filter, the first by id, with both scores."""
        scored: list[Scored] = []
        unit = None if vector is None else directions(whole_numbers(vector))
        for part, bm25 in zip(self._parts, self._bm25(tokens), strict=True):
            places = part.passing(filter)[:limit]
            near: Sequence[float | None] = [None] * len(places)
            if unit is not None:
                near = [None if math.isnan(cosine) else cosine for cosine in part.cosines(unit, places).tolist()]
            scored += map(Scored._make, zip(part.rows(places), bm25[places].tolist(), near, strict=True))
        return scored if len(scored) <= limit else sorted(scored, key=lambda each: each.row.id)[:limit]

    def embeddings(self, keys: Sequence[Key]) -> dict[Key, Embedding]:
        """The vectors of the rows that have any, and those of their tokens."""
        owners, ids = list({key.owner_key for key in keys}), [key.id for key in keys]
        found: dict[Key, Embedding] = {}
        for part in self._parts:
            found |= part.embeddings(owners, ids)
        return {key: found[key] for key in keys if key in found}

    def _passed(self, filter: Filter) -> list[Places]:
        """The places that pass in each part. Kept for the next leg, which mostly has the same filter."""
        if self._passing is None or self._passing[0] != filter:
            self._passing = (filter, [part.passing(filter) for part in self._parts])
        return self._passing[1]

    def _bm25(self, tokens: Sequence[str]) -> list[Numbers]:
        """The BM25 scores of each part's rows, with the statistics of all parts."""
        words = dict.fromkeys(word for token in tokens for word in token.split())
        counts = [part.texts() for part in self._parts]
        documents, length = sum(count for count, _ in counts), sum(length for _, length in counts)
        weights = {}
        for word in words:
            if holders := sum(part.frequency(word) for part in self._parts):
                weights[word] = math.log(1 + (documents - holders + 0.5) / (holders + 0.5))
        return [part.bm25(weights, length / max(documents, 1)) for part in self._parts]


def _best(found: Sequence[tuple[OwnerRows, Places, Numbers]], limit: int) -> list[Hit]:
    """The hits with the highest scores; of those at the edge with equal scores, the first by id."""
    if limit < 1 or not found:
        return []
    scores = np.concatenate([scores for _, _, scores in found])
    edge = -np.inf if len(scores) <= limit else np.partition(scores, len(scores) - limit)[len(scores) - limit]
    hits: list[Hit] = []
    for part, places, own in found:
        good = own >= edge
        hits += map(Hit._make, zip(part.rows(places[good]), own[good].tolist(), strict=True))
    if len(found) > 1:  # those of one part are in order of their ids
        hits.sort(key=attrgetter("row.id"))
    hits.sort(key=attrgetter("score"), reverse=True)
    return hits[:limit]
