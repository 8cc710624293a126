"""The order of the first places."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from queries.scoring.features import OF_STATEMENTS, STATEMENT_FEATURES
from queries.scoring.first_places import FIRST, FIRST_PLACES_FEATURES, first_of, first_places_features, in_order
from queries.scoring.weights import Weights

numbers = st.floats(-20, 20)


def weights(**given_: float) -> Weights:
    return Weights(weights=dict.fromkeys(FIRST_PLACES_FEATURES, 0.0) | given_, bias=0.0)


def features(count: int, **columns: np.ndarray) -> np.ndarray:
    """Of so many statements; all are 0 but these columns."""
    found = np.zeros((count, len(STATEMENT_FEATURES)))
    for name, column in columns.items():
        found[:, STATEMENT_FEATURES.index(name)] = column
    return found


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=25, unique_by=(lambda pair: pair[0],)))
def test_the_first_stand_as_the_weights_say_and_none_comes_in_or_goes_out(statements):
    log_odds, length = np.array(statements).T
    found = in_order(weights(length=1.0), log_odds, np.zeros(len(log_odds)), features(len(log_odds), length=length))
    first = np.argsort(-log_odds)[:FIRST]
    others = np.setdiff1d(np.arange(len(log_odds)), first)
    assert found[others].tolist() == log_odds[others].tolist()
    assert found[first].min() >= log_odds[first].min() - 1e-9
    assert found[first].max() <= log_odds[first].max() + 1e-9
    assert (np.diff(found[first][np.argsort(length[first])]) >= -1e-9).all()


def test_score_and_reading_count_by_their_distance_from_the_best():
    log_odds, read = np.array([1.0, 3.0, 2.0]), np.array([5.0, 2.0, 4.0])
    given_ = features(3, length=np.array([0.1, 0.2, 0.3]))
    rows = first_places_features(log_odds, read, given_)
    assert first_of(log_odds).tolist() == [1, 2, 0]
    assert rows[:, 0].tolist() == [0.0, -1.0, -2.0]
    assert rows[:, 1].tolist() == [-3.0, -1.0, 0.0]
    assert rows[:, 2 + OF_STATEMENTS.index("length")].tolist() == [0.2, 0.3, 0.1]
