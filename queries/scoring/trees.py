"""Boosted trees over the features of the best statements: what no weighted sum of them can say. Pure.

A regression gives each feature one weight; trees find where it counts: what repeats the words of a question and asks, is worth
less than what repeats them and tells. They are a few dozen, all of the same small depth, so that they are three arrays and a
loop as long as they are deep.
"""

from functools import cached_property

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from queries.scoring.field import Numbers

DEPTH = 3
SPLITS, LEAVES = 2**DEPTH - 1, 2**DEPTH


class Tree(BaseModel):
    """A tree as a heap: the split at place n has those below it at 2n + 1 (at most the threshold) and at 2n + 2 (above)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    features: tuple[str, ...]
    thresholds: tuple[float, ...]
    values: tuple[float, ...]

    @model_validator(mode="after")
    def _is_complete(self) -> "Tree":
        if (len(self.features), len(self.thresholds), len(self.values)) != (SPLITS, SPLITS, LEAVES):
            raise ValueError(f"a tree has {SPLITS} splits and {LEAVES} values; fit again with `mneme fit fusion`")
        return self


class Trees(BaseModel):
    """Trees whose values add up, with the ``bias``, to log-odds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trees: tuple[Tree, ...]
    bias: float

    def log_odds(self, features: Numbers, names: tuple[str, ...]) -> Numbers:
        """Of each row of features, whose columns have these names."""
        thresholds, values = self._arrays
        columns = {name: place for place, name in enumerate(names)}
        split_by = np.array([[columns[name] for name in tree.features] for tree in self.trees])
        trees, at = np.arange(len(self.trees)), np.zeros((len(features), len(self.trees)), np.int64)
        rows = np.arange(len(features))[:, None]
        for _ in range(DEPTH):
            at = 2 * at + 1 + (features[rows, split_by[trees, at]] > thresholds[trees, at])
        found: Numbers = values[trees, at - SPLITS].sum(axis=1) + self.bias
        return found

    @cached_property
    def _arrays(self) -> tuple[Numbers, Numbers]:
        return np.array([tree.thresholds for tree in self.trees]), np.array([tree.values for tree in self.trees])
