"""Everybody who competes for one question, in one order. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from queries.recall import Candidate


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """The candidates of a question: first what stands alone, then facts episode by episode.

    ``parents`` is the place in ``episodes`` of each statement's episode, -1 for what stands alone. Facts of an episode lie
    side by side in the order they were said.
    """

    statements: Sequence[Candidate]
    episodes: Sequence[Candidate]
    parents: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls, episodes: Sequence[Candidate], facts: Mapping[str, Sequence[Candidate]], others: Sequence[Candidate]
    ) -> "Field":
        """The field of these episodes, the facts of each by its id, and the others."""
        inside = [(place, fact) for place, each in enumerate(episodes) for fact in facts.get(each.row.id, ())]
        parents = [-1] * len(others) + [place for place, _ in inside]
        return cls([*others, *(fact for _, fact in inside)], episodes, np.array(parents, dtype=np.int64))
