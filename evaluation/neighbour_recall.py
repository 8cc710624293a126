"""What the approximate search for neighbours misses: recall@10 against the exact one.

The exact neighbours are computed from the vectors that the index was filled with, which are made once more
(evaluation/made_memories.py): so any index is measured, and nothing has to be asked of it. Facts and episodes are looked at;
messages have the vectors of the facts.
"""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.made_memories import Asked, MadeMemories
from mneme.ids import owner_key
from mneme.ports import Filter, VectorLeg
from mneme.rows import Collection, Row, Vector, directions, whole_numbers
from mneme.settings import Settings

K = 10
_LEGS = (Collection.FACTS, Collection.EPISODES)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """A question's vector, whose rows it is asked of, and the ids of the exact ten nearest, by collection."""

    vector: Vector
    filter: Filter
    rows: int
    exact: dict[Collection, frozenset[str]]


def neighbourhoods(made: MadeMemories, asked: Sequence[Asked], settings: Settings) -> list[Neighbourhood]:
    """The exact neighbours of questions. Vectors of one owner and its tenant are held at a time."""
    with closing(open_embedder(settings)) as embedder:
        vectors = embedder.embed([each.question for each in asked])
    by_owner: defaultdict[int, list[int]] = defaultdict(list)
    for number, each in enumerate(asked):
        by_owner[int(each.user_id.removeprefix("p"))].append(number)
    found: dict[int, Neighbourhood] = {}
    for owner, numbers in sorted(by_owner.items()):
        tenant = made.tenant_of(owner)
        visible = Filter(tenant, (owner_key(tenant, "user", f"p{owner}"), owner_key(tenant, "tenant", tenant)))
        rows = [row for each in (owner, made.documents_of(owner)) for row in made.rows_of(each)]
        nearest = {leg: _nearest([row for row in rows if row.collection is leg], vectors[numbers]) for leg in _LEGS}
        facts = sum(row.collection is Collection.FACTS for row in rows)
        for place, number in enumerate(numbers):
            exact = {leg: nearest[leg][place] for leg in _LEGS}
            found[number] = Neighbourhood(vectors[number], visible, facts, exact)
    return [found[number] for number in range(len(asked))]


def neighbour_recall(neighbourhoods: Sequence[Neighbourhood], settings: Settings, limit: int) -> float:
    """Return the share of the exact neighbours that an index finds.

    Args:
        neighbourhoods: the neighbours to find.
        settings: those of the index.
        limit: the rows that each search asks for; the first ten count.
    """
    with closing(open_embedder(settings)) as embedder, closing(open_index(settings, read_only=True)) as index:
        index.prepare(embedder.identity)
        shares = []
        for each in neighbourhoods:
            for leg in _LEGS:
                (hits,) = index.recall([VectorLeg(leg, each.filter, each.vector, limit)])
                if wanted := each.exact[leg]:
                    shares.append(len(wanted & {hit.row.id for hit in hits[:K]}) / len(wanted))
    return float(np.mean(shares))


def _nearest(rows: Sequence[Row], questions: Vector) -> list[frozenset[str]]:
    """The ids of the nearest rows of each question."""
    held = [(row.id, directions(whole_numbers(row.vector))) for row in rows if row.vector is not None]
    if not held:
        return [frozenset()] * len(questions)
    cosines = np.stack([directions(whole_numbers(each)) for each in questions]) @ np.stack([vector for _, vector in held]).T
    count = min(K, len(held))
    places = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    return [frozenset(held[place][0] for place in best) for best in places]
