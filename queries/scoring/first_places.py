"""Order the first places of a search: which of the best statements answers. Pure.

The regressions of queries/scoring/learned.py are fitted to find all that answers. Which of the best ten stands first is told by
a score of its own, a weight for each feature. The weights are fitted with the ten of a question as one list, so that those that
answer win against those beside them (listwise softmax; Cao et al. 2007). No statement enters or leaves the ten.
"""

import numpy as np
import numpy.typing as npt

from queries.scoring.features import OF_STATEMENTS
from queries.scoring.field import Numbers, between
from queries.scoring.weights import Weights

FIRST = 10  # statements
FIRST_PLACES_FEATURES = ("score", "reading", *OF_STATEMENTS)
"""The distance of a statement's log-odds from the best, that of its reading, and what is known of each statement."""


def first_of(log_odds: Numbers) -> npt.NDArray[np.int64]:
    """The places of the best, best first."""
    return np.argsort(-log_odds, kind="stable")[:FIRST]


def first_places_features(log_odds: Numbers, read: Numbers, features: Numbers) -> Numbers:
    """A row of ``FIRST_PLACES_FEATURES`` for each of the best statements, best first.

    Args:
        log_odds: of each statement of a question, by all that is known.
        read: the log-odds of each that it answers, by its tokens.
        features: those of ``statement_features``, of each.
    """
    first = first_of(log_odds)
    distances = [each[first] - each[first].max() for each in (log_odds, read)]
    return np.column_stack((*distances, features[first, : len(OF_STATEMENTS)]))


def in_order(weights: Weights, log_odds: Numbers, read: Numbers, features: Numbers) -> Numbers:
    """The log-odds, of which the best stand in the order of these weights: each between the best and the least of them.

    The arguments are those of ``first_places_features``.
    """
    first, found = first_of(log_odds), log_odds.copy()
    wanted = weights.log_odds(first_places_features(log_odds, read, features), FIRST_PLACES_FEATURES)
    found[first] = log_odds[first].min() + np.ptp(log_odds[first]) * between(wanted)
    return found
