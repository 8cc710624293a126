"""A fitted regression: a weight for each feature, and the bias. Pure."""

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from queries.scoring.field import Numbers


def check_weights(weights: Mapping[str, object], names: Sequence[str], fit: str) -> None:
    """
    Raises:
        ValueError: the weights are not those of the features with these names; names the command that fits them.
    """
    if different := ", ".join(sorted(set(weights) ^ set(names))):
        raise ValueError(f"the features are others than this version's ({different}); fit again with `mneme bench fit {fit}`")


class Weights(BaseModel):
    """A weight for each feature, and the bias."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: dict[str, float]
    bias: float

    def log_odds(self, features: Numbers, names: Sequence[str]) -> Numbers:
        """Return the log-odds of each row of features, whose columns have these names."""
        found: Numbers = features @ np.array([self.weights[name] for name in names]) + self.bias
        return found
