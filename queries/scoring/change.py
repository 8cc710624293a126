"""The chance that a statement tells of a change: by its words, and by its vector. Pure.

A logistic regression over the vector of a statement, one for each model that makes vectors (``mneme bench fit present``), and
the words that mostly tell of a change in its language (change_words.toml). Words alone find half of the changes that others
wrote; vectors find most of the rest, and do not know languages apart. Where a model has no regression, the words decide.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files

import numpy as np
from pydantic import BaseModel, ConfigDict

from mneme.languages import foreign_language
from mneme.patterns import COMMON, expanded
from mneme.ports import EmbedderIdentity
from mneme.rows import Row, Vector
from queries.records import words_of
from queries.scoring.field import Numbers, probability

LONGEST = 2000  # characters of a statement that are looked at


def model_of(text: str, embedder: EmbedderIdentity) -> str:
    """The name of the model that makes the vector of a text."""
    return embedder.other if embedder.other and foreign_language(text) else embedder.model


class ChangeWeights(BaseModel):
    """A logistic regression over the vectors of one model: a weight for each dimension, one for ``tells_of_change``, a bias."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vector: tuple[float, ...]
    words: float
    bias: float

    def chance(self, text: str, vector: Vector) -> float:
        """The chance of a statement to tell of a change."""
        log_odds = vector @ self._direction + self.words * tells_of_change(text) + self.bias
        return float(probability(log_odds))

    @cached_property
    def _direction(self) -> Numbers:
        return np.array(self.vector)


class ChangeScorer:
    """The chance of each statement to tell of a change.

    Args:
        weights: by the name of the model.
        embedder: the models that make the vectors, one of them perhaps for what is not English.
    """

    def __init__(self, weights: Mapping[str, ChangeWeights], embedder: EmbedderIdentity) -> None:
        self._weights = weights
        self._embedder = embedder

    def chances(self, rows: Sequence[Row], vectors: Sequence[Vector | None]) -> Numbers:
        """From 0 to 1 for each row; 0 or 1 by the words alone where there is no vector, or no regression for it."""
        return np.array([self._chance(words_of(row), vector) for row, vector in zip(rows, vectors, strict=True)])

    def _chance(self, text: str, vector: Vector | None) -> float:
        weights = self._weights.get(model_of(text, self._embedder))
        return float(tells_of_change(text)) if weights is None or vector is None else weights.chance(text, vector)


def tells_of_change(text: str) -> bool:
    """True if a statement has words of a change.

    >>> tells_of_change("The Skoda is gone, I drive a Kangoo now"), tells_of_change("The cat brought a mouse")
    (True, False)
    """
    return bool(_words().search(text[:LONGEST]))


@cache
def _words() -> re.Pattern[str]:
    table = tomllib.loads((files("queries.scoring") / "change_words.toml").read_text(encoding="utf-8"))
    words, unspaced = ("|".join(each for several in table[part].values() for each in several) for part in ("words", "unspaced"))
    return re.compile(expanded(rf"(?<!\w)(?:{words})(?!\w)|{unspaced}", COMMON), re.IGNORECASE)
