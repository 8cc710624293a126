"""sufficiency: whether what was found answers a question, by its scores and by which of the question's words it has. Pure.

The confidence is the geometric mean of two shares: of the question's words, rare and common alike, those that are in the best
of what was found; and the score of the best, up to what is usual where the first place is right. Neither is enough alone: a
high score without the words is the nearest of what does not fit, and words without a score are those of another matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from mneme.text import tokenise
from queries.agents.evidence import Evidence
from queries.agents.joint.features import forms, named

SUFFICIENT = 0.8  # from this confidence on nothing better is asked for; the same as of a chain
_LOOKED_AT = 10
_GOOD_SCORE = 0.3  # hybrid scores are probabilities: half of LoCoMo's right first places have this or more


@dataclass(frozen=True, slots=True)
class Coverage:
    """How sure it is, 0 to 1, and the words of the question that nothing has."""

    confidence: float
    missing: tuple[str, ...]

    @property
    def sufficient(self) -> bool:
        """Whether it is sure enough."""
        return self.confidence >= SUFFICIENT


def coverage(question: str, found: Evidence) -> Coverage:
    """How well the best of what was found covers a question."""
    words = asked_words(question, found)
    best = found.places(_LOOKED_AT)
    told = {token for place in best for token in tokenise(place.item.text)}
    missing = tuple(word for word in words if not told.intersection(tokenise(word)))
    if not best:
        return Coverage(0.0, missing)
    share = 1.0 - len(missing) / len(words) if words else 1.0
    return Coverage(sqrt(share * min(1.0, max(place.score for place in best) / _GOOD_SCORE)), missing)


def asked_words(question: str, found: Evidence) -> Sequence[str]:
    """The words that say what is asked, without names of those who took part and without question words."""
    words = forms(question, named(question, found))[2].split()
    return tuple(word for word in dict.fromkeys(words) if tokenise(word))
