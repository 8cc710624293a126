"""compete: episodes and their facts compete for the places of the answer (mRAG, phases 2 to 4). Pure.

An episode stands for everything in it until one of its facts is good enough to stand for it: a map that gives way to the
place. ``top_k`` places are filled whenever so many candidates exist, and no weak fact displaces a better episode.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple


class Standing(NamedTuple):
    """A candidate for a place, or its holder: a fact of the episode ``parent``, or anything that stands by itself."""

    id: str
    score: float
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Competition:
    """The outcome: the places, best first, ties by id; and the episode in whose place the best of its facts stands."""

    standings: tuple[Standing, ...]
    replaced: Mapping[str, Standing]


def best_first(standings: Iterable[Standing]) -> list[Standing]:
    """Standings by their scores, ties by id."""
    return sorted(sorted(standings, key=itemgetter(0)), key=itemgetter(1), reverse=True)


def compete(ordered: Sequence[Standing], top_k: int) -> Competition:
    """Walk down all candidates by score until ``top_k`` places are taken.

    A fact takes the place of its episode if that holds one, else a free place. An episode whose fact holds a place gets none.

    Args:
        ordered: the candidates, best first, with distinct ids, their scores on one scale.
        top_k: number of places.
    """
    episodes = {each.id: each for each in ordered if each.parent is None}
    places: dict[str, Standing] = {}
    represented: set[str] = set()
    replaced: dict[str, Standing] = {}
    for candidate in ordered:
        if len(places) == top_k:
            break
        if candidate.parent is not None:
            places.pop(candidate.parent, None)
            if candidate.parent in episodes and candidate.parent not in represented:
                replaced[candidate.id] = episodes[candidate.parent]
            represented.add(candidate.parent)
        elif candidate.id in represented:
            continue
        places[candidate.id] = candidate
    return Competition(tuple(places.values()), replaced)


_SHARE = 3  # one of so many places is for the tenant's documents, where what an owner said fills the others


def compete_beside_documents(candidates: Iterable[Standing], top_k: int, documents: Set[str]) -> Competition:
    """Compete, so that the documents of a tenant push out little of what an owner's memory holds.

    A question asks for documents if one of them fits best of all: then they compete like everything else. Otherwise they hold
    at most a third of the places, as long as anything else is there for the rest.

    Args:
        candidates: in any order, with distinct ids.
        top_k: number of places.
        documents: ids of the candidates that are the tenant's; of facts those of their episodes.
    """
    everything = best_first(candidates)
    free = compete(everything, top_k)
    placed = [each for each in free.standings if (each.parent or each.id) in documents]
    most = max(top_k // _SHARE, 1)
    if len(placed) <= most or free.standings[0] in placed:
        return free
    own = [each for each in everything if (each.parent or each.id) not in documents]
    most = min(max(most, top_k - len(compete(own, top_k).standings)), len(placed))
    theirs = compete([each for each in everything if (each.parent or each.id) in documents], most)
    ours = compete(own, top_k - len(theirs.standings))
    standings = best_first((*ours.standings, *theirs.standings))
    return Competition(tuple(standings), {**ours.replaced, **theirs.replaced})
